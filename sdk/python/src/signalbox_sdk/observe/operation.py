from __future__ import annotations

import time
from typing import Literal

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from ..quietly import quietly
from .captured_text import captured_text, redacted_message
from .connection_facts import ConnectionFacts
from .operation_attributes import Attributes, details_of, target_of
from .peer import Peer
from .request import JsonObject, Request, WireError, cut
from .trace_context import agent_of

_CALLER_FAULTS = frozenset((-32700, -32600, -32601, -32602, -32002))
"""Mistakes of the caller: no error of the side that has answered (JSON-RPC, and "resource not found")."""

Direction = Literal["incoming", "outgoing"]


class Operation:
    """A request on its way, from either side, as one span and one duration."""

    def __init__(
        self,
        peer: Peer,
        facts: ConnectionFacts,
        direction: Direction,
        request: Request,
        parent: Context,
        ambient: Context,
    ) -> None:
        self.request = request
        self._peer = peer
        self._facts = facts
        self._direction = direction
        self._started = time.perf_counter()
        self._progress = 0
        self._has_ended = False
        name, self._few = target_of(request, peer.names)
        self._span = peer.pipeline.tracer.start_span(
            name,
            context=parent,
            kind=SpanKind.SERVER if direction == "incoming" else SpanKind.CLIENT,
            attributes=self._first_attributes(parent),
            links=_links_to(ambient, parent),
        )
        self.context = trace.set_span_in_context(self._span, parent)

    def progressed(self) -> None:
        self._progress += 1

    def identified(self, request_id: str | int) -> None:
        """With the id that its request has got on the wire."""
        self._span.set_attribute(self._peer.names.request_id, cut(str(request_id), 128))

    def succeeded(self, result: JsonObject) -> None:
        """With the result that was received or sent."""
        # A value that cannot be read must not cost the span.
        quietly(self._describe, result)
        if result.get("isError") is True:
            self._end("tool_error", StatusCode.ERROR)
        else:
            self._end(None, StatusCode.UNSET)

    def _describe(self, result: JsonObject) -> None:
        method, capture = self.request.method, self._peer.config.capture
        self._facts.learn_from_answer(self.request, result)
        if method == "tools/list":
            self._span.set_attributes(self._peer.tools.take(result.get("tools")))
        if method == "tools/call" and capture.results:
            self._span.set_attribute(self._peer.names.result, captured_text(result, capture.max_length))

    def answered_with(self, error: WireError) -> None:
        """With an error of JSON-RPC."""
        self._span.set_attribute(self._peer.names.status_code, str(error.code))
        is_forgiven = self._direction == "incoming" and error.code in _CALLER_FAULTS
        self._end(str(error.code), StatusCode.UNSET if is_forgiven else StatusCode.ERROR, error.message)

    def failed(self, error_type: str) -> None:
        """Without any answer (``timeout``, ``cancelled``, ``connection_closed``, the class of an exception)."""
        self._end(error_type, StatusCode.ERROR)

    def _end(self, error_type: str | None, code: StatusCode, message: str | None = None) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        if error_type is not None:
            self._span.set_attribute("error.type", error_type)
        if self._progress > 0:
            self._span.set_attribute("signalbox.progress.count", self._progress)
        if code is StatusCode.ERROR:
            self._span.set_status(Status(code, redacted_message(message) if message else None))
        self._span.end()
        self._record(error_type)

    def _record(self, error_type: str | None) -> None:
        side = "server" if self._direction == "incoming" else "client"
        seconds = time.perf_counter() - self._started
        error: Attributes = {"error.type": error_type} if error_type else {}
        self._peer.pipeline.record(
            f"mcp.{side}.operation.duration", seconds, {**self._few, **self._facts.few(), **error}
        )

    def _first_attributes(self, parent: Context) -> Attributes:
        names, config, params = self._peer.names, self._peer.config, self.request.params
        attributes = {**self._few, **self._facts.attributes(), **details_of(self.request, names)}
        agent = config.agent or agent_of(parent)
        if agent:
            attributes["gen_ai.agent.name"] = agent
        tool = self._few.get(names.tool)
        if isinstance(tool, str):
            attributes.update(self._peer.tools.of(tool))
            if config.capture.arguments and params.get("arguments") is not None:
                text = quietly(captured_text, params["arguments"], config.capture.max_length)
                attributes.update({} if text is None else {names.arguments: text})
        return attributes


def _links_to(ambient: Context, parent: Context) -> list[Link]:
    """The span of the HTTP request is not the caller's where ``_meta`` names one: it becomes a link."""
    if ambient is parent:
        return []
    around = trace.get_current_span(ambient).get_span_context()
    caller = trace.get_current_span(parent).get_span_context()
    return [Link(around)] if around.is_valid and caller.span_id != around.span_id else []
