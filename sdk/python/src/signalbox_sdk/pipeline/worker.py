from __future__ import annotations

import threading
import time
from collections.abc import Callable

from opentelemetry import context

from ..quietly import quietly

_SUPPRESSED = "suppress_instrumentation"
"""The key by which other instrumentations know that a request is none of the application's."""


class Worker:
    """A thread that does a round of work when it is due or asked for; it begins at the first wish and holds no exit."""

    def __init__(self, work: Callable[[], float | None]) -> None:
        """``work`` returns seconds after which it wants another round, or None."""
        self._work = work
        self.begin_anew()

    def begin_anew(self) -> None:
        """At the start, and in the child of a fork: threads do not come along."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._due: float | None = None
        self._rounds = 0
        self._is_working = False

    def wake_in(self, seconds: float) -> None:
        """Wishes for a round within some seconds."""
        due = time.monotonic() + seconds
        if self._due is not None and self._due <= due:
            return
        with self._changed:
            self._due = due
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="signalbox-sdk", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def run_now(self, timeout_s: float) -> None:
        """Waits for a whole round from now on, if there is anything to do; never raises."""
        if self._thread is None:
            return
        self.wake_in(0)
        with self._changed:
            wanted = self._rounds + (2 if self._is_working else 1)
            self._changed.wait_for(lambda: self._rounds >= wanted, timeout_s)

    def _run(self) -> None:
        context.attach(context.set_value(_SUPPRESSED, True))
        while True:
            self._wait_until_due()
            again_s = quietly(self._work)
            with self._changed:
                self._rounds += 1
                self._is_working = False
                self._changed.notify_all()
            if again_s is not None:
                self.wake_in(again_s)

    def _wait_until_due(self) -> None:
        with self._changed:
            while self._due is None or self._due > time.monotonic():
                self._changed.wait(None if self._due is None else self._due - time.monotonic())
            self._due = None
            self._is_working = True
