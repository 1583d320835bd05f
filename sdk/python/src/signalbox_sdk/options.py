"""What a caller gives and gets; everything may also come from the environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict


class Capture(TypedDict, total=False):
    """Whether arguments, results or both are kept; what is kept is redacted and cut."""

    arguments: bool
    results: bool
    max_length: int
    """Of one value, in characters of JSON. Default 8192."""


class Options(TypedDict, total=False):
    """An option wins over ``SIGNALBOX_SDK_*``, that over ``OTEL_*``, that over the default."""

    endpoint: str | None
    """Address of the platform, e.g. ``https://signalbox.example.com``. Without one nothing is sent."""
    token: str | None
    """An ingest token of the platform."""
    service_name: str | None
    """Default: the name that the server tells its clients."""
    service_version: str | None
    agent: str | None
    """Name of the agent that a client works for; servers that are instrumented see it too."""
    capture: bool | Capture
    """Default: nothing. ``True`` is both."""
    conventions: Literal["current", "earlier"]
    """Names of attributes: of the current conventions, or of those before tools moved to ``gen_ai.*``."""
    pipeline: Literal["auto", "own"]
    """``auto``: the application's OpenTelemetry providers if it has any. ``own``: always that of this package."""
    log: Callable[[str], object] | None
    """Gets what goes wrong inside, a sentence at a time. Default: nobody."""


@dataclass(frozen=True)
class Stats:
    """Spans; each that ended is in exactly one of the last four."""

    ended: int = 0
    sent: int = 0
    """The endpoint has taken them."""
    dropped: int = 0
    """There was no room, or time was up."""
    refused: int = 0
    """The endpoint does not want them."""
    waiting: int = 0
