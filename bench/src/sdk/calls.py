"""Calls a tool of an observed server in this process, a batch for each line on stdin: ``calls.py <observer> <endpoint>``."""

import asyncio
import json
import sys
import time

import anyio
from mcp import ClientSession
from mcp.server.fastmcp import FastMCP

BATCH = 200
TEXT = "The quick brown fox jumps over the lazy dog, again and again."


def ours(server, endpoint, **options):
    from signalbox_sdk import instrument

    instrument(server, endpoint=endpoint, token="t", **options)


def shinzo(server, endpoint):
    from shinzo import instrument_server

    auth = {"type": "bearer", "token": "t"}
    config = {"server_name": "bench", "server_version": "1", "exporter_endpoint": f"{endpoint}/v1", "exporter_auth": auth}
    instrument_server(server, {**config, "enable_argument_collection": False})


def sentry(_server, endpoint):
    import sentry_sdk
    from sentry_sdk.integrations.mcp import MCPIntegration

    dsn = endpoint.replace("://", "://key@") + "/1"
    sentry_sdk.init(dsn=dsn, traces_sample_rate=1.0, integrations=[MCPIntegration()])


def traceloop(_server, endpoint):
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.mcp import McpInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces")))
    trace.set_tracer_provider(provider)
    McpInstrumentor().instrument()


# What changes classes must be there before a server is made, what changes a server after it.
BEFORE = {"sentry-sdk": sentry, "opentelemetry-instrumentation-mcp": traceloop}
AFTER = {
    "signalbox-sdk": ours,
    "signalbox-sdk, capturing": lambda server, endpoint: ours(server, endpoint, capture=True),
    "shinzo": shinzo,
}


def build(observer, endpoint):
    BEFORE.get(observer, lambda *_: None)(None, endpoint)
    server = FastMCP("bench", log_level="ERROR")
    AFTER.get(observer, lambda *_: None)(server, endpoint)

    @server.tool()
    async def echo(text: str) -> str:
        return text

    return server._mcp_server


async def main(observer, endpoint):
    server = build(observer, endpoint)
    to_server, from_client = anyio.create_memory_object_stream(10)
    to_client, from_server = anyio.create_memory_object_stream(10)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, from_client, to_client, server.create_initialization_options())
        async with ClientSession(from_server, to_server) as session:
            await session.initialize()
            while await asyncio.to_thread(sys.stdin.readline):
                print(json.dumps(await measure(session)), flush=True)
        tasks.cancel_scope.cancel()


async def measure(session):
    took = []
    for _ in range(BATCH):
        started = time.perf_counter_ns()
        await session.call_tool("echo", {"text": TEXT})
        took.append((time.perf_counter_ns() - started) / 1000)
    took.sort()
    return {
        "p50Us": took[BATCH // 2],
        "p99Us": took[int(BATCH * 0.99)],
        "cpuUs": time.process_time() * 1e6,
        "calls": BATCH,
    }


asyncio.run(main(*sys.argv[1:]))
