from __future__ import annotations

from collections.abc import Iterable, Mapping

from .ecmascript_json import write_json

_DEEPEST = 32


def bounded_json(value: object, max_length: int) -> str:
    """JSON of a value, which ends in the middle once it is long enough: the rest is not even looked at."""
    text = _BoundedText(max_length)
    _write(value, text, 0)
    return "".join(text.parts)


class _BoundedText:
    def __init__(self, max_length: int) -> None:
        self.parts: list[str] = []
        self.left = max_length
        """Characters that still fit."""

    def add(self, part: str) -> None:
        self.parts.append(part[: max(0, self.left)])
        self.left -= len(part)


def _write(value: object, text: _BoundedText, depth: int) -> None:
    if text.left <= 0:
        return
    if isinstance(value, str):
        text.add(write_json(value[: text.left]))
    elif isinstance(value, Mapping):
        text.add('"…"') if depth >= _DEEPEST else _write_fields(value, text, depth)
    elif isinstance(value, (list, tuple)):
        text.add('"…"') if depth >= _DEEPEST else _write_items(value, text, depth)
    elif value is None or isinstance(value, (bool, int, float)):
        # Integers have all their digits: JavaScript would round large ones.
        text.add(str(value) if type(value) is int else write_json(value))
    else:
        text.add("null")


def _write_items(items: Iterable[object], text: _BoundedText, depth: int) -> None:
    text.add("[")
    for at, item in enumerate(items):
        if text.left <= 0:
            break
        if at > 0:
            text.add(",")
        _write(item, text, depth + 1)
    text.add("]")


def _write_fields(fields: Mapping[object, object], text: _BoundedText, depth: int) -> None:
    text.add("{")
    for at, (name, value) in enumerate(fields.items()):
        if text.left <= 0:
            break
        text.add(f"{',' if at > 0 else ''}{write_json(str(name)[: text.left])}:")
        _write(value, text, depth + 1)
    text.add("}")
