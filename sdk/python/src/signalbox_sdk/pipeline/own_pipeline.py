from __future__ import annotations

import atexit
import os
import time
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.util.types import AttributeValue

from .._version import SCOPE_NAME, __version__
from ..config import Config
from ..options import Stats
from ..quietly import quietly
from .own_durations import OwnDurations
from .own_span import OwnSpan, OwnTracer
from .post import Target, post
from .resource import resource_of
from .span_queue import SpanQueue
from .worker import Worker

_SCOPE = InstrumentationScope(SCOPE_NAME, __version__)
_EXIT_LIMIT_S = 1.0
"""The most by which an end is later than without us."""


class OwnPipeline:
    """Sends spans and durations to the platform by itself, for applications that have no OpenTelemetry of their own."""

    def __init__(self, config: Config, service_name: str) -> None:
        self._config = config
        self._service_name = service_name
        self._resource = resource_of(config, service_name)
        self._durations = OwnDurations()
        self._metrics_due: float | None = None
        self._queue = self._open_queue()
        self._worker = Worker(self._send)
        self.tracer = OwnTracer(self._keep)
        atexit.register(self.flush, _EXIT_LIMIT_S)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin_anew)

    def record(self, name: str, seconds: float, attributes: dict[str, AttributeValue]) -> None:
        if self._config.metrics_url is None:
            return
        self._durations.record(name, seconds, attributes)
        if self._metrics_due is None:
            self._metrics_due = time.monotonic() + self._config.metrics_interval_s
            self._worker.wake_in(self._config.metrics_interval_s)

    def flush(self, timeout_s: float) -> None:
        if self._metrics_due is not None:
            self._metrics_due = 0.0
        self._worker.run_now(timeout_s)

    def stats(self) -> Stats:
        return self._queue.stats() if self._queue else Stats()

    def _keep(self, span: OwnSpan) -> None:
        if self._queue is None:
            return
        state = self._queue.add(span)
        if state == "full":
            self._tell("Spans are dropped: too many wait to be sent.")
        elif state:
            self._worker.wake_in(0 if state == "enough" else self._config.delay_s)

    def _write_spans(self, spans: Sequence[OwnSpan]) -> bytes:
        readable = [span.readable(self._resource, _SCOPE) for span in spans]
        return bytes(encode_spans(readable).SerializeToString())

    def _begin_anew(self) -> None:
        """In the child of a fork, whose parent sends what has waited and was counted."""
        self._resource = resource_of(self._config, self._service_name)
        self._durations = OwnDurations()
        self._metrics_due = None
        if self._queue:
            self._queue.empty()
        self._worker.begin_anew()

    def _open_queue(self) -> SpanQueue | None:
        if self._config.traces_url is None:
            return None
        return SpanQueue(self._target(self._config.traces_url), self._write_spans, self._tell)

    def _target(self, url: str) -> Target:
        return Target(url, self._config.headers, self._config.timeout_s)

    def _tell(self, message: str) -> None:
        if self._config.log:
            quietly(self._config.log, message)

    def _send(self) -> float | None:
        """A round: spans, and durations where they are due; seconds until the next one is needed."""
        pauses = [self._queue.send_all() if self._queue else None, self._send_metrics()]
        return min((pause for pause in pauses if pause is not None), default=None)

    def _send_metrics(self) -> float | None:
        """A body that is lost is no harm: the next one holds all that it held."""
        url, due = self._config.metrics_url, self._metrics_due
        if url is None or due is None:
            return None
        if due > time.monotonic():
            return due - time.monotonic()
        self._metrics_due = None
        data = self._durations.data(self._resource, _SCOPE, self.stats().dropped)
        if post(self._target(url), encode_metrics(data).SerializeToString()).kind != "again":
            return None
        self._metrics_due = time.monotonic() + self._config.metrics_interval_s
        return self._config.metrics_interval_s

