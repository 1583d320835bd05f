from __future__ import annotations

import re
from urllib.parse import quote, unquote

from opentelemetry import baggage, context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState

from .request import Request, short_text

_TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_AGENT = "gen_ai.agent.name"


def context_of(request: Request, ambient: Context) -> Context:
    """The caller's span: from ``_meta``, else from the HTTP request that carried the message; ``ambient`` where neither tells.

    The conventions ask for W3C's format in ``_meta``, whatever the application propagates elsewhere.
    """
    meta = request.meta
    carried = _with_remote(ambient, meta.get("traceparent"), meta.get("tracestate"))
    if carried is ambient and not trace.get_current_span(ambient).get_span_context().is_valid:
        carried = _with_remote(ambient, request.header("traceparent"), request.header("tracestate"))
    return _with_baggage(carried, meta.get("baggage"))


def carried_by(active: Context, agent: str | None) -> dict[str, str]:
    """Entries of ``_meta`` that make our span the caller of what is sent."""
    span = trace.get_current_span(active).get_span_context()
    if not span.is_valid:
        return {}
    carried = {"traceparent": f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags & 1:02x}"}
    if span.trace_state:
        carried["tracestate"] = span.trace_state.to_header()
    entries = {**baggage.get_all(active), **({_AGENT: agent} if agent else {})}
    if entries:
        carried["baggage"] = ",".join(f"{name}={quote(str(value))}" for name, value in entries.items())
    return carried


def agent_of(active: Context) -> str | None:
    """The agent that the caller's baggage names."""
    agent = baggage.get_baggage(_AGENT, active)
    return short_text(agent)


def with_agent(active: Context, agent: str | None) -> Context:
    return baggage.set_baggage(_AGENT, agent, active) if agent else active


def _with_remote(base: Context, traceparent: object, tracestate: object) -> Context:
    found = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
    if not found:
        return base
    trace_id, span_id, flags = (int(part, 16) for part in found.groups())
    state = TraceState.from_header([tracestate]) if isinstance(tracestate, str) and tracestate else None
    remote = SpanContext(trace_id, span_id, True, TraceFlags(flags & 1), state)
    return trace.set_span_in_context(NonRecordingSpan(remote), base) if remote.is_valid else base


def _with_baggage(base: Context, header: object) -> Context:
    if not isinstance(header, str) or len(header) > 8192:
        return base
    for member in header.split(","):
        name, _, value = member.partition(";")[0].partition("=")
        if name.strip() and value.strip():
            base = baggage.set_baggage(name.strip(), unquote(value.strip()), base)
    return base


def current() -> Context:
    return context.get_current()
