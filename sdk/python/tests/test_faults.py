"""An endpoint in trouble, and the promises to the host: one test for each sentence."""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from collector import Collector
from pairs import connected, low_level, make_server, text_of

from signalbox_sdk import Handle, Stats, instrument, instrument_client
from signalbox_sdk.config import read_config
from signalbox_sdk.pipeline.own_pipeline import OwnPipeline

HERE = Path(__file__).parent


def own_pipeline(url: str, name: str = "service", log: Callable[[str], None] | None = None) -> OwnPipeline:
    return OwnPipeline(read_config({"endpoint": url, "log": log}, {"SIGNALBOX_SDK_TIMEOUT_MS": "30000"}), name)


def end_spans(pipeline: OwnPipeline, count: int) -> None:
    for _ in range(count):
        pipeline.tracer.start_span("work").end()


def answering(status: int, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", "0")
        handler.end_headers()

    return answer


@pytest.mark.parametrize("status", [503, 429, 502])
def test_an_endpoint_that_is_overloaded_gets_the_same_spans_again_once(status: int, collector: Collector) -> None:
    refuse = answering(status, retry_after="0")

    def once(handler: BaseHTTPRequestHandler) -> None:
        collector.answer = None
        refuse(handler)

    collector.answer = once
    pipeline = own_pipeline(collector.url)
    end_spans(pipeline, 2)
    until = time.monotonic() + 10
    while pipeline.stats() != Stats(ended=2, sent=2) and time.monotonic() < until:
        pipeline.flush(1)
    assert pipeline.stats() == Stats(ended=2, sent=2)
    assert len(collector.spans) == 2


def test_an_endpoint_that_does_not_want_spans_is_believed_and_they_are_counted(collector: Collector) -> None:
    collector.answer = answering(401)
    pipeline = own_pipeline(collector.url)
    end_spans(pipeline, 2)
    pipeline.flush(5)
    assert pipeline.stats() == Stats(ended=2, refused=2)


def test_an_endpoint_that_refuses_some_spans_is_reported_and_they_are_counted(collector: Collector) -> None:
    def refuse_one(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "4")
        handler.end_headers()
        handler.wfile.write(bytes((10, 2, 8, 1)))

    collector.answer = refuse_one
    told: list[str] = []
    pipeline = own_pipeline(collector.url, log=told.append)
    end_spans(pipeline, 2)
    pipeline.flush(5)
    assert pipeline.stats() == Stats(ended=2, sent=1, refused=1)
    assert told == ["The endpoint refused some spans."]


def test_an_endpoint_that_breaks_off_in_its_answer_has_taken_them(collector: Collector) -> None:
    def break_off(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"x")
        handler.close_connection = True

    collector.answer = break_off
    pipeline = own_pipeline(collector.url)
    end_spans(pipeline, 2)
    pipeline.flush(5)
    assert pipeline.stats() == Stats(ended=2, sent=2)


@pytest.mark.parametrize("trouble", ["refuses", "speaks no TLS", "never answers"])
def test_an_endpoint_that_is_away_costs_bounded_memory_and_no_time(trouble: str, collector: Collector) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = {
            "refuses": "http://127.0.0.1:1",
            "speaks no TLS": collector.url.replace("http", "https"),
            "never answers": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }[trouble]
        told: list[str] = []
        pipeline = own_pipeline(url, log=told.append)
        end_spans(pipeline, 5000)
        started = time.monotonic()
        pipeline.flush(1)
        assert time.monotonic() - started < 3
        stats = pipeline.stats()
        assert (stats.ended, stats.sent, stats.dropped + stats.waiting) == (5000, 0, 5000)
        assert 0 < stats.waiting <= 2048 + 512
        assert sum(message.startswith("Spans are dropped") for message in told) == 1


def test_spans_come_in_batches_without_being_asked_for(collector: Collector) -> None:
    pipeline = own_pipeline(collector.url)
    end_spans(pipeline, 600)
    until = time.monotonic() + 10
    while len(collector.spans) < 600 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(collector.spans) == 600
    assert collector.headers[0]["content-encoding"] == "gzip"


def test_a_span_that_cannot_be_written_is_counted_as_lost_and_the_others_are_sent(collector: Collector) -> None:
    pipeline = own_pipeline(collector.url)
    pipeline.tracer.start_span("half a character: \udcff").end()
    pipeline.flush(5)
    end_spans(pipeline, 1)
    pipeline.flush(5)
    assert pipeline.stats() == Stats(ended=2, sent=1, dropped=1)
    pipeline.record("mcp.server.operation.duration", 0.1, {})
    pipeline.flush(5)
    assert "otel.sdk.processor.span.processed" in collector.metrics


def test_the_random_numbers_of_the_application_are_not_used_up(collector: Collector) -> None:
    before = random.getstate()
    end_spans(own_pipeline(collector.url), 2)
    assert random.getstate() == before


def test_a_span_that_the_garbage_collector_ends_inside_the_sdk_waits_for_nothing(collector: Collector) -> None:
    pipeline = own_pipeline(collector.url)

    def end_inside() -> None:
        assert pipeline._queue
        with pipeline._queue._lock, pipeline._durations._lock:
            end_spans(pipeline, 1)
            pipeline.record("mcp.server.operation.duration", 0.1, {})

    thread = threading.Thread(target=end_inside, daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive()


async def test_an_error_inside_never_reaches_the_caller(collector: Collector) -> None:
    def bad_log(_message: str) -> None:
        raise RuntimeError("a bad log")

    server = make_server()
    handle = instrument(server, endpoint="ftp://wrong", capture=True, log=bad_log)
    handle._peer.tools.of = None  # type: ignore[union-attr, assignment, method-assign]
    async with connected(server) as session:
        assert text_of(await session.call_tool("echo", {"text": "hi"})) == "hi"
    handle.shutdown()
    assert isinstance(instrument(None), Handle)
    assert isinstance(instrument(object(), endpoint=5), Handle)  # type: ignore[arg-type]
    assert isinstance(instrument_client(None), Handle)
    assert instrument(object()).stats() == Stats()


async def test_what_a_handler_returns_goes_on_by_reference_and_what_it_raises_as_it_is(collector: Collector) -> None:
    from signalbox_sdk.observe.middleware import ObservingMiddleware

    server = make_server("low")
    handle = instrument(server, endpoint=collector.url)
    middleware: list[Any] = getattr(low_level(server), "middleware", [])
    observing = next((each for each in middleware if isinstance(each, ObservingMiddleware)), None)
    if observing is None:
        pytest.skip("The streams of mcp 1 carry what has been written already.")
    assert handle
    result, error = {"content": []}, ValueError("mine")
    seen = await observing(Request("tools/call"), Handler(result))
    assert seen is result
    with pytest.raises(ValueError) as raised:
        await observing(Request("tools/call"), Handler(error))
    assert raised.value is error
    await observing(Request("tools/call"), Handler(object()))
    assert handle.stats().ended == 3, "also one whose result cannot be read"


class Request:
    """As much of a request's context as a middleware reads."""

    request_id = 1
    params: dict[str, Any] = {}  # noqa: RUF012
    request = None
    protocol_version = "2025-06-18"
    session = type("Session", (), {"client_params": None})()

    def __init__(self, method: str) -> None:
        self.method = method


class Handler:
    def __init__(self, outcome: object) -> None:
        self._outcome = outcome

    async def __call__(self, _ctx: object) -> object:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


async def test_the_caller_waits_for_no_endpoint(collector: Collector) -> None:
    collector.answer = lambda _handler: time.sleep(2)
    server = make_server()
    instrument(server, endpoint=collector.url)
    async with connected(server) as session:
        await session.call_tool("echo", {"text": "hi"})
        started = time.monotonic()
        await asyncio.gather(*(session.call_tool("echo", {"text": "hi"}) for _ in range(20)))
        assert time.monotonic() - started < 2


EXITING = """
import signalbox_sdk.config as config, signalbox_sdk.pipeline.own_pipeline as own, sys
pipeline = own.OwnPipeline(config.read_config({"endpoint": sys.argv[1]}), "exits")
pipeline.tracer.start_span("last").end()
"""


def run_exiting(url: str) -> tuple[float, str]:
    started = time.monotonic()
    ended = subprocess.run([sys.executable, "-c", EXITING, url], capture_output=True, text=True, check=True)
    return time.monotonic() - started, ended.stdout + ended.stderr


def test_an_exit_sends_what_waits_and_a_hanging_endpoint_delays_it_by_a_second_at_most(collector: Collector) -> None:
    quick_s, printed = run_exiting(collector.url)
    assert [span["name"] for span in collector.spans] == ["last"]
    collector.answer = lambda _handler: time.sleep(8)
    slow_s, also_printed = run_exiting(collector.url)
    assert (printed, also_printed) == ("", "")
    assert slow_s - quick_s < 2.5


def test_a_forked_child_sends_its_own_spans_only(collector: Collector) -> None:
    script = EXITING + """
import os
pipeline.record("mcp.server.operation.duration", 0.1, {})
instance = pipeline._resource.attributes["service.instance.id"]
# As if another thread of the parent were in the middle of it.
pipeline._durations._lock.acquire()
child = os.fork()
if child:
    pipeline._durations._lock.release()
else:
    assert pipeline._durations._series == {}
    assert pipeline._resource.attributes["service.instance.id"] != instance
    pipeline.record("mcp.server.operation.duration", 0.1, {})
    pipeline.tracer.start_span("of the child").end()
    pipeline.flush(5)
    os._exit(0)
assert os.wait()[1] == 0
"""
    subprocess.run([sys.executable, "-c", script, collector.url], check=True)
    assert sorted(span["name"] for span in collector.spans) == ["last", "of the child"]


def test_nothing_global_is_touched_by_an_import_or_by_observing() -> None:
    script = """
import logging, signal, sys, threading, warnings
before = (signal.getsignal(signal.SIGTERM), sys.excepthook, list(logging.root.handlers), threading.active_count())
from host import make_low
from mcp import ClientSession
from mcp.server.lowlevel import Server
made = (Server.__init__, Server.run, ClientSession.__init__, ClientSession.send_request)
import signalbox_sdk
signalbox_sdk.instrument(make_low())
from opentelemetry import trace
assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
assert made == (Server.__init__, Server.run, ClientSession.__init__, ClientSession.send_request)
after = (signal.getsignal(signal.SIGTERM), sys.excepthook, list(logging.root.handlers), threading.active_count())
assert before == after
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=HERE)
