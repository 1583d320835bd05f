"""The session of ``mcp`` 2 that belongs to one request: what its handler asks and tells the client."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from .connection_facts import ConnectionFacts
from .operation import Operation
from .outgoing import send_observed
from .peer import Peer


def watch_session(session: Any, peer: Peer, facts: ConnectionFacts, operation: Operation) -> None:
    """Makes this one session an observed one. Functions put on it would be a cycle that only the garbage collector ends."""
    session._signalbox = (peer, facts, operation)
    kind = type(session)
    observed = _observed.get(kind)
    if observed is None:
        observed = _observed[kind] = _observed_kind(kind)
    session.__class__ = observed


_observed: dict[type[Any], type[Any]] = {}
"""By the class of a session; there are few."""


def _observed_kind(kind: type[Any]) -> type[Any]:
    """The class of a session with its calls seen."""

    class Observed(kind):  # type: ignore[misc]
        def send_request(self, request: Any, *args: Any, **kwargs: Any) -> Awaitable[Any]:
            peer, facts, _ = self._signalbox
            return send_observed(super().send_request, peer, facts, request, *args, **kwargs)

        def report_progress(self, *args: Any, **kwargs: Any) -> Awaitable[None]:
            self._signalbox[2].progressed()
            told: Awaitable[None] = super().report_progress(*args, **kwargs)
            return told

        def send_progress_notification(self, *args: Any, **kwargs: Any) -> Awaitable[None]:
            self._signalbox[2].progressed()
            told: Awaitable[None] = super().send_progress_notification(*args, **kwargs)
            return told

    Observed.__name__, Observed.__qualname__, Observed.__module__ = kind.__name__, kind.__qualname__, kind.__module__
    return Observed
