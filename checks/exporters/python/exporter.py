"""Sends one trace with OpenTelemetry's stock exporters for Python."""
import os

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("exporter", "1.0")
with tracer.start_as_current_span("invoke_agent planner", attributes={"session.id": "python-session"}) as agent:
    attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "search",
        "count": 2**60,
        "ratio": 0.5,
        "ok": True,
        "list": ["a", "b"],
    }
    call = tracer.start_span("tools/call search", kind=SpanKind.CLIENT, attributes=attributes, links=[Link(agent.get_span_context())])
    call.add_event("retry", {"attempt": 2})
    call.record_exception(ValueError("no such index"))
    call.set_status(Status(StatusCode.ERROR, "no such index"))
    call.end()
provider.shutdown()
