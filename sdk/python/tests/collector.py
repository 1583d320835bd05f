"""A far end of OTLP that answers as a test wants and keeps what came."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Answer = Callable[[BaseHTTPRequestHandler], None]


class Collector:
    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self.metrics: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answer: Answer | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Collector:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(collector) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.headers.append({name.lower(): value for name, value in self.headers.items()})
                if collector.answer:
                    return collector.answer(self)
                collector.take(self.path, gzip.decompress(body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        return Handler

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = _attributes(resource.resource.attributes)["service.name"]
                for scope in resource.scope_spans:
                    self.spans += [_read(span, service) for span in scope.spans]
        else:
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics += [metric.name for scope in resource.scope_metrics for metric in scope.metrics]


def _read(span: Any, service: str) -> dict[str, Any]:
    return {
        "name": span.name,
        "kind": {2: "server", 3: "client"}.get(span.kind, span.kind),
        "trace": span.trace_id.hex(),
        "id": span.span_id.hex(),
        "parent": span.parent_span_id.hex(),
        "status": {0: "unset", 2: "error"}[span.status.code],
        "message": span.status.message,
        "service": service,
        **_attributes(span.attributes),
    }


def _attributes(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
