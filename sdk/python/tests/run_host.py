"""Talks to a host over its pipes, message by message, so that answers have an order."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HOST = str(Path(__file__).with_name("host.py"))
TRACEPARENT = f"00-{'ab' * 16}-{'cd' * 8}-01"

HANDSHAKE: list[dict[str, Any]] = [
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "9"},
        },
    },
    {"method": "notifications/initialized"},
]


def call(request_id: int, name: str, **params: Any) -> dict[str, Any]:
    return {"id": request_id, "method": "tools/call", "params": {"name": name, "arguments": {}, **params}}


CALLS: list[dict[str, Any]] = [
    {"id": 1, "method": "tools/list"},
    call(2, "echo", arguments={"text": "hi"}, _meta={"traceparent": TRACEPARENT, "baggage": "gen_ai.agent.name=Ada"}),
    call(4, "thrower"),
    call(5, "progress", _meta={"progressToken": "p"}),
    call(6, "unknown"),
    call(7, "echo", arguments={"text": {}}),
    call(8, "big"),
    {"id": 9, "method": "prompts/get", "params": {"name": "hello"}},
    {"id": 10, "method": "resources/read", "params": {"uri": "note://one"}},
    {"id": 11, "method": "no/such"},
    {"id": 12, "method": "ping"},
]
CANCELLED: list[dict[str, Any]] = [
    call(13, "hang"),
    {"method": "notifications/cancelled", "params": {"requestId": 13, "reason": "not wanted"}},
    {"id": 14, "method": "ping"},
]


def run_host(kind: str, observed: str, options: dict[str, Any] | None = None) -> tuple[list[str], str, int]:
    """The answers of a host to the whole script, what it has printed, and how it ended."""
    arguments = [sys.executable, HOST, kind, "stdio", observed, json.dumps(options or {})]
    return converse(arguments, HANDSHAKE + CALLS + CANCELLED)


def converse(
    arguments: list[str], messages: list[dict[str, Any]], env: dict[str, str] | None = None
) -> tuple[list[str], str, int]:
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as host:
        assert host.stdin and host.stdout and host.stderr
        lines: list[str] = []
        for message in messages:
            host.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            host.stdin.flush()
            while "id" in message and message["id"] != 13 and not _answers(lines, message["id"]):
                lines.append(host.stdout.readline())
                assert lines[-1], host.stderr.read()
        host.stdin.close()
        lines += host.stdout.readlines()
        return lines, host.stderr.read(), host.wait()


def _answers(lines: list[str], request_id: int) -> bool:
    return bool(lines) and json.loads(lines[-1]).get("id") == request_id
