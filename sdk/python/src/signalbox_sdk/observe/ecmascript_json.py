"""JSON as JavaScript writes it, so that hashes and lengths are the same in every language."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")


def write_json(value: object, *, is_canonical: bool = False) -> str:
    """As ``JSON.stringify`` does; canonical: with sorted names (RFC 8785)."""
    if isinstance(value, str):
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, Mapping):
        names = sorted(value, key=_utf16) if is_canonical else value
        fields = (f"{write_json(name)}:{write_json(value[name], is_canonical=is_canonical)}" for name in names)
        return f"{{{','.join(fields)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(write_json(item, is_canonical=is_canonical) for item in value)}]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return write_number(float(value))
    return json.dumps(value)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def write_number(value: float) -> str:
    """The shortest digits that read back as the number, with an exponent from 1e21 and below 1e-6."""
    if not math.isfinite(value):
        return "null"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value)) if abs(value) < 2**53 else _plain(value)
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    return _plain(value) if -6 <= int(exponent) < 0 else f"{digits.removesuffix('.0')}e{int(exponent):+d}"


def _plain(value: float) -> str:
    """Without an exponent: the digits of ``repr``, filled up with zeros."""
    mantissa, _, exponent = repr(value).partition("e")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = digits.removesuffix(".0").partition(".")
    shift = int(exponent or 0)
    if shift < 0:
        return f"{sign}0.{'0' * (-shift - 1)}{whole}{fraction}"
    return f"{sign}{whole}{fraction}{'0' * (shift - len(fraction))}" if shift else f"{sign}{whole}{fraction}"


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")
