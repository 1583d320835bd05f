from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Literal

from ..options import Stats
from ..quietly import quietly
from .own_span import OwnSpan
from .post import Outcome, Target, post

MOST_WAITING = 2048
MOST_WAITING_CHARACTERS = 8 * 1024 * 1024
BATCH_SIZE = 512
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_MOST_TRIES_S = 300.0
_random = SystemRandom()


@dataclass
class _Batch:
    body: bytes
    count: int
    since: float


class SpanQueue:
    """Spans on their way out: in batches, one at a time, again by the rules of OTLP while the endpoint is away.

    What does not fit is dropped and counted. ``add`` and ``stats`` may be called from any thread, ``send_all`` from one.
    """

    def __init__(
        self, target: Target, write: Callable[[Sequence[OwnSpan]], bytes], tell: Callable[[str], None]
    ) -> None:
        self._target = target
        self._write = write
        self._tell_log = tell
        self.empty()

    def empty(self) -> None:
        """Starts again: in the child of a fork, whose parent sends what has waited."""
        # A thread may come again: the garbage collector, at any place, may end an abandoned call, and so a span.
        self._lock = threading.RLock()
        self._waiting: deque[OwnSpan] = deque()
        self._waiting_characters = 0
        self._batch: _Batch | None = None
        self._pause_s = _FIRST_PAUSE_S
        self._told = ""
        self._has_told_of_drops = False
        self._ended = self._sent = self._dropped = self._refused = 0

    def add(self, span: OwnSpan) -> None | Literal["full", "enough", "more"]:
        """Whether there is no room for it, enough for a batch, or more may be waited for.

        None where its way out is planned already, and where "full" was the answer before.
        """
        characters = _characters_of(span)
        with self._lock:
            self._ended += 1
            is_full = len(self._waiting) >= MOST_WAITING
            if is_full or self._waiting_characters + characters > MOST_WAITING_CHARACTERS:
                self._dropped += 1
                has_told, self._has_told_of_drops = self._has_told_of_drops, True
                return None if has_told else "full"
            self._waiting.append(span)
            self._waiting_characters += characters
            if self._batch:
                return None
            return "enough" if len(self._waiting) >= BATCH_SIZE else "more"

    def stats(self) -> Stats:
        with self._lock:
            waiting = len(self._waiting) + (self._batch.count if self._batch else 0)
            return Stats(self._ended, self._sent, self._dropped, self._refused, waiting)

    def send_all(self) -> float | None:
        """Sends until nothing waits, or until the endpoint does not take it: then seconds until it should be tried again."""
        while batch := self._next_batch():
            outcome = post(self._target, batch.body)
            if outcome.kind == "again" and time.monotonic() - batch.since < _MOST_TRIES_S:
                self._tell(outcome.reason)
                return self._next_pause() if outcome.after_s is None else min(outcome.after_s, 2 * _LONGEST_PAUSE_S)
            self._settle(batch, outcome)
        return None

    def _next_batch(self) -> _Batch | None:
        while not self._batch:
            with self._lock:
                spans = [self._waiting.popleft() for _ in range(min(BATCH_SIZE, len(self._waiting)))]
                self._waiting_characters -= sum(map(_characters_of, spans))
                self._batch = _Batch(b"", len(spans), time.monotonic()) if spans else None
            if not self._batch:
                return None
            body = quietly(self._write, spans)
            if body is None:
                self._settle(self._batch, Outcome("again", "Spans could not be written."))
            else:
                self._batch.body = body
        return self._batch

    def _settle(self, batch: _Batch, outcome: Outcome) -> None:
        rejected = min(outcome.rejected, batch.count)
        with self._lock:
            self._batch = None
            if outcome.kind == "again":
                self._dropped += batch.count
            elif outcome.kind == "refused":
                self._refused += batch.count
            else:
                self._refused += rejected
                self._sent += batch.count - rejected
                self._pause_s = _FIRST_PAUSE_S
                self._has_told_of_drops = False
        self._tell("The endpoint refused some spans." if outcome.kind == "taken" and rejected else outcome.reason)

    def _next_pause(self) -> float:
        pause_s = self._pause_s * (0.5 + _random.random())
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        return pause_s

    def _tell(self, reason: str) -> None:
        """Trouble is reported once, until it is over or another."""
        if reason not in ("", self._told):
            self._tell_log(reason)
        self._told = reason


def _characters_of(span: OwnSpan) -> int:
    """Roughly what a span holds in memory beyond its fixed part: its texts."""
    characters = 0
    for value in span.attributes.values():
        if isinstance(value, str):
            characters += len(value)
    return characters
