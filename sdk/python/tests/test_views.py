"""Both sides of a call, an application's own providers, and programs whose code stays as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from collector import Collector
from pairs import connected, make_server, text_of
from run_host import HANDSHAKE, HOST, call, converse

from signalbox_sdk import instrument, instrument_client

HERE = Path(__file__).parent


@pytest.mark.parametrize("when", ["before", "after"])
async def test_both_sides_are_one_trace_and_are_seen_no_longer_after_the_shutdown(
    when: str, collector: Collector
) -> None:
    server = make_server()
    far = instrument(server, endpoint=collector.url)
    assert instrument(server) is far

    def observe(session: object) -> None:
        instrument_client(session, endpoint=collector.url, agent="Ada")

    async with connected(server, observe if when == "before" else None) as session:
        near = instrument_client(session, endpoint=collector.url, agent="Ada")
        assert text_of(await session.call_tool("echo", {"text": "hi"})) == "hi"
        near.flush()
        far.flush()
        calls = {span["kind"]: span for span in collector.spans if span["name"] == "tools/call echo"}
        asked, answered = calls["client"], calls["server"]
        assert (answered["trace"], answered["parent"]) == (asked["trace"], asked["id"])
        assert answered["gen_ai.agent.name"] == asked["gen_ai.agent.name"] == "Ada"
        assert asked["jsonrpc.request.id"] == answered["jsonrpc.request.id"]
        near.shutdown()
        far.shutdown()
        ended = far.stats().ended
        await session.call_tool("echo", {"text": "hi"})
        assert far.stats().ended == ended


async def test_a_client_tells_of_errors_as_its_caller_sees_them(collector: Collector) -> None:
    async with connected(make_server()) as session:
        handle = instrument_client(session, endpoint=collector.url)
        assert (await session.call_tool("thrower", {})).model_dump()
        with pytest.raises(Exception, match=".") as raised:
            await session.get_prompt("none such")
        assert type(raised.value).__name__ in ("McpError", "MCPError")
        handle.flush()
    told = {span["name"]: (span.get("error.type"), span["status"]) for span in collector.spans}
    assert told["tools/call thrower"] == ("tool_error", "error")
    assert told["prompts/get none such"][1] == "error"


async def test_a_client_of_fastmcp(collector: Collector) -> None:
    from fastmcp import Client

    server = make_server("fastmcp")
    far = instrument(server, endpoint=collector.url)
    client = Client(server)
    near = instrument_client(client, endpoint=collector.url)
    async with client:
        await client.call_tool("echo", {"text": "hi"})
    near.flush()
    far.flush()
    calls = {span["kind"]: span for span in collector.spans if span["name"] == "tools/call echo"}
    assert calls["server"]["parent"] == calls["client"]["id"]


APPLICATION = """
import asyncio, sys
sys.path.insert(0, ".")
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from pairs import connected, make_server
from signalbox_sdk import instrument

kept = InMemorySpanExporter()
async def main():
    server = make_server(sys.argv[1])
    handle = instrument(server, endpoint="http://127.0.0.1:1")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    async with connected(server) as session:
        await session.call_tool("echo", {"text": "hi"})
    assert handle.stats().ended == 0
asyncio.run(main())
of_server = [s for s in kept.get_finished_spans() if s.kind == SpanKind.SERVER and "echo" in s.name]
*inner, outer = [s.instrumentation_scope.name for s in of_server]
assert outer == "signalbox-sdk", outer
# FastMCP before 4 cannot be told to leave its own span out: that is below ours.
import importlib.util
fastmcp = importlib.import_module("fastmcp.telemetry")
if sys.argv[1] == "mcp" or hasattr(fastmcp, "suppress_fastmcp_telemetry"):
    assert inner == [], inner
else:
    assert of_server[0].parent.span_id == of_server[1].context.span_id
"""


@pytest.mark.parametrize("kind", ["mcp", "fastmcp"])
def test_an_applications_own_providers_get_the_one_span_of_each_request(kind: str) -> None:
    subprocess.run([sys.executable, "-c", APPLICATION, kind], check=True, cwd=HERE)


def test_opentelemetry_instrument_observes_a_program_whose_code_stays_as_it_is(collector: Collector) -> None:
    program = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    command = [program, sys.executable, HOST, "low", "stdio", "no", "{}"]
    env = {**os.environ, "SIGNALBOX_SDK_ENDPOINT": collector.url, "OTEL_SERVICE_NAME": "zero"}
    lines, printed, code = converse(command, [*HANDSHAKE, call(1, "echo", arguments={"text": "hi"})], env)
    assert (len(lines), code) == (2, 0), printed
    told = [(span["name"], span["service"]) for span in collector.spans]
    assert told == [("initialize", "zero"), ("tools/call echo", "zero")]
