from __future__ import annotations

from opentelemetry.metrics import Histogram, Meter
from opentelemetry.util.types import AttributeValue

from .pipeline import DURATION_BOUNDS

MOST_SERIES = 1000
OVERFLOW: dict[str, AttributeValue] = {"otel.metric.overflow": True}


class Durations:
    """Histograms by their names. Above a limit all others are one series, so that names that a caller makes up fill no memory."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._histograms: dict[str, Histogram] = {}
        self._series: set[tuple[object, ...]] = set()

    def record(self, name: str, seconds: float, attributes: dict[str, AttributeValue]) -> None:
        histogram = self._histograms.get(name)
        if histogram is None:
            histogram = self._meter.create_histogram(
                name, unit="s", explicit_bucket_boundaries_advisory=DURATION_BOUNDS
            )
            self._histograms[name] = histogram
        histogram.record(seconds, attributes if self._is_counted(name, attributes) else OVERFLOW)

    def _is_counted(self, name: str, attributes: dict[str, AttributeValue]) -> bool:
        key = (name, *attributes.values())
        if len(self._series) < MOST_SERIES:
            self._series.add(key)
        return key in self._series
