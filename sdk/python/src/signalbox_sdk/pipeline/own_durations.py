from __future__ import annotations

import threading
import time
from bisect import bisect_left

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.util.types import AttributeValue

from .durations import MOST_SERIES, OVERFLOW
from .pipeline import DURATION_BOUNDS


class _Series:
    def __init__(self, attributes: dict[str, AttributeValue]) -> None:
        self.attributes = attributes
        self.count = 0
        self.sum = 0.0
        self.min = float("inf")
        self.max = 0.0
        self.buckets = [0] * (len(DURATION_BOUNDS) + 1)

    def add(self, seconds: float) -> None:
        self.count += 1
        self.sum += seconds
        self.min = min(self.min, seconds)
        self.max = max(self.max, seconds)
        self.buckets[bisect_left(DURATION_BOUNDS, seconds)] += 1

    def point(self, start_ns: int) -> HistogramDataPoint:
        return HistogramDataPoint(
            self.attributes,
            start_ns,
            time.time_ns(),
            self.count,
            self.sum,
            list(self.buckets),
            DURATION_BOUNDS,
            self.min,
            self.max,
        )


class OwnDurations:
    """Histograms of seconds since the start of the process (cumulative), by their names; may be used from any thread."""

    def __init__(self) -> None:
        self._start_ns = time.time_ns()
        self._series: dict[tuple[object, ...], _Series] = {}
        # As that of the queue of spans.
        self._lock = threading.RLock()

    def record(self, name: str, seconds: float, attributes: dict[str, AttributeValue]) -> None:
        key = (name, *attributes.values())
        with self._lock:
            series = self._series.get(key)
            if series is None:
                series = self._open(name, key, attributes)
            series.add(seconds)

    def data(self, resource: Resource, scope: InstrumentationScope, lost: int = 0) -> MetricsData:
        """All that was recorded so far, as the encoder reads it; ``lost`` spans are reported if there are any."""
        points: dict[str, list[HistogramDataPoint]] = {}
        with self._lock:
            for key, series in list(self._series.items()):
                points.setdefault(str(key[0]), []).append(series.point(self._start_ns))
        cumulative = AggregationTemporality.CUMULATIVE
        metrics = [Metric(name, "", "s", Histogram(found, cumulative)) for name, found in points.items()]
        if lost:
            # The conventions for metrics of an OpenTelemetry SDK about itself.
            point = NumberDataPoint({"error.type": "queue_full"}, self._start_ns, time.time_ns(), lost)
            metrics.append(Metric("otel.sdk.processor.span.processed", "", "{span}", Sum([point], cumulative, True)))
        return MetricsData([ResourceMetrics(resource, [ScopeMetrics(scope, metrics, "")], "")])

    def _open(self, name: str, key: tuple[object, ...], attributes: dict[str, AttributeValue]) -> _Series:
        """Above a limit all others are one series, so that names that a caller makes up fill no memory."""
        if len(self._series) < MOST_SERIES:
            return self._series.setdefault(key, _Series(attributes))
        return self._series.setdefault((name, *OVERFLOW.values()), _Series(OVERFLOW))
