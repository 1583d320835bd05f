from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from random import SystemRandom
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    get_current_span,
)
from opentelemetry.util.types import Attributes, AttributeValue

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_UNSET = Status()
_random = SystemRandom()
"""Not the generator of the module, whose seed and sequence are the application's."""


class OwnSpan(Span):
    """A span of our own pipeline. The SDK's costs several times as much; it becomes one in the thread that sends it."""

    __slots__ = ("attributes", "_context", "_end_ns", "_kind", "_links", "_name", "_on_end", "_parent", "_start_ns", "_status")

    def __init__(
        self,
        name: str,
        context: SpanContext,
        parent: SpanContext | None,
        kind: SpanKind,
        attributes: dict[str, AttributeValue],
        links: Sequence[Link],
        on_end: Callable[[OwnSpan], None],
    ) -> None:
        self.attributes = attributes
        self._name = name
        self._context = context
        self._parent = parent
        self._kind = kind
        self._links = links
        self._on_end = on_end
        self._status = _UNSET
        self._end_ns = 0
        self._start_ns = time.time_ns()

    def end(self, end_time: int | None = None) -> None:
        if self._end_ns == 0:
            self._end_ns = end_time or time.time_ns()
            self._on_end(self)

    def readable(self, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
        """What the encoder reads."""
        return ReadableSpan(
            self._name,
            self._context,
            self._parent,
            resource,
            self.attributes,
            (),
            self._links,
            self._kind,
            instrumentation_scope=scope,
            status=self._status,
            start_time=self._start_ns,
            end_time=self._end_ns,
        )

    def get_span_context(self) -> SpanContext:
        return self._context

    def set_attribute(self, key: str, value: AttributeValue) -> None:
        self.attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, AttributeValue]) -> None:
        self.attributes.update(attributes)

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        self._status = status if isinstance(status, Status) else Status(status, description)

    def update_name(self, name: str) -> None:
        self._name = name

    def is_recording(self) -> bool:
        return self._end_ns == 0

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        """Kept nowhere: what we observe has no events."""

    def record_exception(
        self, exception: BaseException, attributes: Any = None, timestamp: int | None = None, escaped: bool = False
    ) -> None:
        """Kept nowhere: of an error its class and its redacted message are attributes."""


class OwnTracer:
    """Makes spans for our own pipeline; those below a span that is not sampled are not recorded either."""

    def __init__(self, on_end: Callable[[OwnSpan], None]) -> None:
        self._on_end = on_end

    def start_span(
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
    ) -> Span:
        parent = get_current_span(context).get_span_context()
        made = dict(attributes or {})
        span_id = _random.getrandbits(64) or 1
        if not parent.is_valid:
            own = SpanContext(_random.getrandbits(128) or 1, span_id, False, _SAMPLED)
            return OwnSpan(name, own, None, kind, made, links or (), self._on_end)
        if not parent.trace_flags.sampled:
            return NonRecordingSpan(parent)
        own = SpanContext(parent.trace_id, span_id, False, parent.trace_flags, parent.trace_state)
        return OwnSpan(name, own, parent, kind, made, links or (), self._on_end)
