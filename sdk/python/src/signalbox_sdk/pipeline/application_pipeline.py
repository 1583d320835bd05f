from __future__ import annotations

from opentelemetry import metrics, trace
from opentelemetry.util.types import AttributeValue

from .._version import SCOPE_NAME, __version__
from ..options import Stats
from ..quietly import quietly
from .durations import Durations


class ApplicationPipeline:
    """Gives everything to the providers that the application has registered with the OpenTelemetry API."""

    def __init__(self) -> None:
        self.tracer = trace.get_tracer(SCOPE_NAME, __version__)
        self._durations = Durations(metrics.get_meter(SCOPE_NAME, __version__))

    def record(self, name: str, seconds: float, attributes: dict[str, AttributeValue]) -> None:
        self._durations.record(name, seconds, attributes)

    def flush(self, timeout_s: float) -> None:
        for provider in (trace.get_tracer_provider(), metrics.get_meter_provider()):
            force_flush = getattr(provider, "force_flush", None)
            if force_flush:
                quietly(force_flush, int(timeout_s * 1000))

    def stats(self) -> Stats:
        return Stats()


def has_tracer_provider() -> bool:
    """Whether the application has registered a provider of tracers."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
