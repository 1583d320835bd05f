from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

JsonObject = Mapping[str, Any]
EMPTY: JsonObject = {}


def as_object(value: object) -> JsonObject:
    """The value if it is an object of JSON, else an empty one; nothing of a message is trusted."""
    return value if isinstance(value, (dict, Mapping)) else EMPTY


def short_text(value: object, max_length: int = 256) -> str | None:
    """A text of at most ``max_length`` characters, or None for anything else."""
    if not isinstance(value, str) or not value:
        return None
    return cut(value, max_length)


def cut(text: str, max_length: int) -> str:
    """At most so many characters of UTF-16, as the platform counts, without halves of characters, which UTF-8 cannot write."""
    start = text[:max_length]
    if start.isascii():
        return start
    return start.encode("utf-16-le", "surrogatepass")[: 2 * max_length].decode("utf-16-le", "replace")


class Request:
    """A request as it is, or would be, on the wire."""

    __slots__ = ("headers", "id", "meta", "method", "params")

    def __init__(
        self, id: str | int | None, method: str, params: JsonObject, headers: Mapping[str, str] | None = None
    ) -> None:
        self.id = id
        self.method = method
        self.params = params
        self.headers = headers
        """Of the HTTP request that it came in; None over a pipe."""
        self.meta = as_object(params.get("_meta"))

    def header(self, name: str) -> str | None:
        return self.headers.get(name) if self.headers is not None else None


@dataclass(frozen=True)
class WireError:
    """An error of JSON-RPC."""

    code: int
    message: str
