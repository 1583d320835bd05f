from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind
from opentelemetry.util.types import Attributes, AttributeValue

from ..options import Stats

DURATION_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Of the conventions for durations of MCP, in seconds."""


class SpanMaker(Protocol):
    """As much of a tracer as is used."""

    def start_span(
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
    ) -> Span: ...


class Pipeline(Protocol):
    """The way out of spans and durations."""

    @property
    def tracer(self) -> SpanMaker: ...

    def record(self, name: str, seconds: float, attributes: dict[str, AttributeValue]) -> None:
        """A duration such as ``mcp.server.operation.duration``."""

    def flush(self, timeout_s: float) -> None:
        """Sends what waits; returns when it is sent or given up, or when the time is up."""

    def stats(self) -> Stats: ...
