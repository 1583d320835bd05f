"""An observed server and its observed client in one process: shows that a call is one trace, and checks it.

Without SIGNALBOX_SDK_ENDPOINT and SIGNALBOX_SDK_TOKEN spans stay in this process; with them they go to your Signalbox.
"""

import asyncio
import os

from fastmcp import Client, FastMCP
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from signalbox_sdk import instrument, instrument_client

server = FastMCP("orders")


@server.tool
async def find_order(number: int) -> str:
    """Finds an order by its number."""
    return f"Order {number} is on its way."


async def main() -> None:
    kept = InMemorySpanExporter()
    if "SIGNALBOX_SDK_ENDPOINT" not in os.environ:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(kept))
        trace.set_tracer_provider(provider)
    of_server = instrument(server)
    client = Client(server)
    of_client = instrument_client(client, agent="Example")
    async with client:
        result = await client.call_tool("find_order", {"number": 7})
    assert result.data == "Order 7 is on its way."
    of_server.shutdown()
    of_client.shutdown()
    calls = {str(span.kind): span for span in kept.get_finished_spans() if span.name == "tools/call find_order"}
    if calls:
        asked, answered = calls["SpanKind.CLIENT"], calls["SpanKind.SERVER"]
        assert answered.context.trace_id == asked.context.trace_id
        assert (answered.attributes or {})["gen_ai.agent.name"] == "Example"
        print(f"One trace: {answered.context.trace_id:032x}")
    else:
        stats = of_server.stats()
        assert stats.sent == stats.ended > 0, stats
        print(f"Sent {stats.sent} spans.")


asyncio.run(main())
