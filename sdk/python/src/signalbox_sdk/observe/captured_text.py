from __future__ import annotations

from collections.abc import Callable

from ..redaction import redact
from .bounded_json import bounded_json
from .request import cut

_MARGIN_LENGTH = 16_384
"""The longest secret that a detector finds: one that a limit cuts off is not recognised."""
_MOST_SEARCHED = 131_072
"""The most characters that are searched for secrets."""


def captured_text(value: object, max_length: int) -> str:
    """JSON of a value without what is private in it, cut at ``max_length``."""
    return _redacted_start(lambda length: bounded_json(value, length), max_length)


def redacted_message(message: str) -> str:
    """A message without what is private in it; its length is that of a line."""
    return _redacted_start(lambda length: message[:length], 256)


def _redacted_start(read: Callable[[int], str], max_length: int) -> str:
    """The first ``max_length`` characters of a text after redaction.

    ``read`` gives its start, which may end within a secret, so its last part is not used; as redaction shortens texts, more
    may have to be read.
    """
    length = max_length + _MARGIN_LENGTH
    while True:
        text = read(length)
        redacted = redact(text)
        if len(text) < length:
            return cut(redacted, max_length)
        usable = max(0, len(redacted) - _MARGIN_LENGTH)
        if usable >= max_length or length >= _MOST_SEARCHED:
            return cut(redacted[:usable], max_length)
        length *= 2
