"""Real servers of the installed packages, as programs: they say the same, and their spans are exactly these."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from collector import Collector
from run_host import run_host

IS_V1 = version("mcp").startswith("1.")
FINE = (None, "unset")
OF_TOOL = ("tool_error", "error")


def expected_of(kind: str) -> dict[int, tuple[str, str | None, str]]:
    """Where the generations differ, the spans do: who answers for an unknown method, prompt or resource."""
    is_low = kind == "low"
    raised = OF_TOOL if IS_V1 else ("0", "error")
    other = raised if is_low else FINE
    return {
        0: ("initialize", *FINE),
        1: ("tools/list", *FINE),
        2: ("tools/call echo", *FINE),
        4: ("tools/call thrower", *(raised if is_low else OF_TOOL)),
        5: ("tools/call progress", *other),
        6: ("tools/call unknown", *(raised if is_low else OF_TOOL)),
        7: ("tools/call echo", *(("-32602", "unset") if is_low and not IS_V1 else OF_TOOL)),
        8: ("tools/call big", *other),
        9: ("prompts/get hello", *(("-32601", "unset") if is_low else FINE)),
        10: ("resources/read", *(("-32601", "unset") if is_low else FINE)),
        11: ("no/such", "-32602" if IS_V1 else "-32601", "unset"),
        12: ("ping", *FINE),
        13: ("tools/call hang", *(raised if is_low else ("cancelled", "error"))),
        14: ("ping", *FINE),
    }


@pytest.mark.parametrize("kind", ["low", "mcp", "fastmcp"])
def test_says_the_same_bytes_and_is_told_of_in_exactly_these_spans(kind: str, collector: Collector) -> None:
    bare = run_host(kind, "no")
    seen = run_host(kind, "yes", {"endpoint": collector.url, "token": "t", "capture": True})
    assert seen[0] == bare[0], "the same bytes"
    assert seen[1:] == bare[1:], "the same output and the same end"

    spans = {int(span["jsonrpc.request.id"]): span for span in collector.spans}
    told = {at: (span["name"], span.get("error.type"), span["status"]) for at, span in spans.items()}
    assert told == expected_of(kind)
    assert len(collector.spans) == len(spans)
    assert {header.get("authorization") for header in collector.headers} == {"Bearer t"}
    assert "mcp.server.operation.duration" in collector.metrics

    call = spans[2]
    assert (call["trace"], call["parent"], call["kind"], call["service"]) == ("ab" * 16, "cd" * 8, "server", "host")
    assert (call["mcp.client.name"], call["mcp.client.version"]) == ("tester", "9")
    assert (call["gen_ai.agent.name"], call["network.transport"]) == ("Ada", "pipe")
    assert call["mcp.protocol.version"] == "2025-06-18"
    assert call["gen_ai.tool.call.arguments"] == '{"text":"hi"}'
    assert '"hi"' in call["gen_ai.tool.call.result"]
    assert len(call["signalbox.tool.definition.hash"]) == 64
    assert spans[1]["signalbox.tools.count"] == (1 if kind == "low" else 5)
    if kind != "low":
        assert spans[5]["signalbox.progress.count"] == 3
        assert len(spans[8]["gen_ai.tool.call.result"]) == 8192
        assert spans[10]["mcp.resource.uri"] == "note://one"
