from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JsonObject = Mapping[str, Any]
EMPTY: JsonObject = {}


def as_object(value: object) -> JsonObject:
    """The value if it is an object of JSON, else an empty one; nothing of a message is trusted."""
    return value if isinstance(value, Mapping) else EMPTY


def short_text(value: object, max_length: int = 256) -> str | None:
    """A text of at most ``max_length`` characters, or None for anything else."""
    return well_formed(value[:max_length]) if isinstance(value, str) and value else None


def well_formed(text: str) -> str:
    """Without halves of characters, which UTF-8 cannot write."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Request:
    """A request as it is, or would be, on the wire."""

    id: str | int | None
    method: str
    params: JsonObject = field(default_factory=dict)
    headers: Mapping[str, str] | None = None
    """Of the HTTP request that it came in; None over a pipe."""

    @property
    def meta(self) -> JsonObject:
        return as_object(self.params.get("_meta"))

    def header(self, name: str) -> str | None:
        return self.headers.get(name) if self.headers is not None else None


@dataclass(frozen=True)
class WireError:
    """An error of JSON-RPC."""

    code: int
    message: str
