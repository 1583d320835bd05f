"""For ``opentelemetry-instrument``: observes every server and client that a program makes, whose code stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from opentelemetry.instrumentation.instrumentor import BaseInstrumentor  # type: ignore[attr-defined]

from .instrument import instrument, instrument_client


class SignalboxInstrumentor(BaseInstrumentor):  # type: ignore[misc]
    """Changes how ``mcp``'s low-level ``Server`` and ``ClientSession`` are made; configured by the environment."""

    def instrumentation_dependencies(self) -> Collection[str]:
        return ("mcp >= 1.10",)

    def _instrument(self, **kwargs: Any) -> None:
        from mcp import ClientSession
        from mcp.server.lowlevel import Server

        self._originals = [(kind, kind.__init__) for kind in (Server, ClientSession)]
        _observe_made(Server, instrument)
        _observe_made(ClientSession, instrument_client)

    def _uninstrument(self, **kwargs: Any) -> None:
        for kind, original in self._originals:
            setattr(kind, "__init__", original)


def _observe_made(kind: Any, observe: Callable[[Any], object]) -> None:
    made = kind.__init__

    @wraps(made)
    def observed(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        observe(self)

    kind.__init__ = observed
