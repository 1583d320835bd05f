from __future__ import annotations

from ..redaction import redact
from .bounded_json import bounded_json
from .request import well_formed

_MARGIN_LENGTH = 16_384
"""So that a secret which the cut would halve is seen whole before."""


def captured_text(value: object, max_length: int) -> str:
    """JSON of a value without what is private in it, cut at ``max_length``."""
    return well_formed(redact(bounded_json(value, max_length + _MARGIN_LENGTH))[:max_length])


def redacted_message(message: str) -> str:
    """A message without what is private in it; its length is that of a line."""
    return well_formed(redact(message[:1024])[:256])
