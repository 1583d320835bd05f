from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .checksums import is_card_number, is_iban
from .searches import find_jwt, find_phone, find_private_key


Found = tuple[int, int, int]
"""Where a private part of a text begins and ends, and how much of its start stays readable: the name before a value."""


@dataclass(frozen=True)
class Detector:
    """One kind of private text and how it is found."""

    name: str
    may_hold: Callable[[str], object]
    """Whether a text is worth the search; most are not, and this is quick."""
    find: Callable[[str, int], Found | None]
    """The first one at a place or after it, in a time that grows with the length of the text and no faster."""


def _accept(_match: str) -> bool:
    return True


def _keep_nothing(_match: re.Match[str]) -> int:
    return 0


def _by_pattern(
    pattern: re.Pattern[str],
    accepts: Callable[[str], bool] = _accept,
    keeps: Callable[[re.Match[str]], int] = _keep_nothing,
) -> Callable[[str, int], Found | None]:
    """Finds by a pattern of which every repetition is bounded; ``accepts`` has the last word on a candidate."""

    def find(text: str, start: int) -> Found | None:
        while match := pattern.search(text, start):
            if accepts(match.group()):
                return match.start(), match.end(), keeps(match)
            # A part of it may be what the whole is not.
            start = match.start() + 1
        return None

    return find


def _compile(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""As JavaScript reads it: ``\w``, ``\d`` and ``\b`` are those of ASCII, ``\s`` is all white space."""
    return re.compile(pattern.replace(r"\s", _SPACE), flags | re.ASCII)


_SPACE = "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_SPACES = _SPACE[1:-1]
_has_digits = re.compile(r"[0-9]{2}").search
_may_be_issued = re.compile(r"[_-]|AKIA|ASIA|AIza|ya29").search
_may_be_token = re.compile(r"bearer|basic", re.IGNORECASE | re.ASCII).search
_may_be_secret = re.compile(r"pass|secret|key|token|credential", re.IGNORECASE | re.ASCII).search

_ISSUED_KEYS = "|".join((
    r"sk-(?:ant-|proj-|or-|svcacct-)?[\w-]{20,200}",
    r"(?:sk|rk|pk|whsec)_(?:live|test)_\w{16,200}",
    r"(?:AKIA|ASIA|AGPA|AROA)[0-9A-Z]{16}",
    r"gh[pousr]_\w{36,255}",
    r"github_pat_\w{22,255}",
    r"glpat-[\w-]{20,64}",
    r"xox[abeprs]-[\w-]{10,255}",
    r"AIza[\w-]{35}",
    r"ya29\.[\w-]{20,255}",
    r"hf_\w{30,64}",
    r"npm_\w{36}",
    r"pypi-[\w-]{40,255}",
    r"SG\.[\w-]{16,32}\.[\w-]{16,64}",
    r"dop_v1_\w{64}",
    r"lin_api_\w{32,64}",
    r"(?:sk|it|rt|su|vt|pw|iv|ac|at|or|sh)_service_\w{16,200}",
))  # fmt: skip
"""What programs print where they use a credential, by the issuers' own prefixes."""

_SECRET_NAMES = (
    "password|passwd|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|access[_-]?token"
    "|refresh[_-]?token|auth[_-]?token|credential"
)

DETECTORS: tuple[Detector, ...] = (
    Detector(
        "private_key",
        lambda text: "-----BEGIN" in text,
        find_private_key,
    ),
    Detector("jwt", lambda text: "eyJ" in text, find_jwt),
    Detector("key", _may_be_issued, _by_pattern(_compile(rf"\b(?:{_ISSUED_KEYS})"))),
    Detector(
        "token",
        _may_be_token,
        _by_pattern(
            _compile(r"\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{12,4096}", re.IGNORECASE),
            keeps=lambda match: len(match.group(1)) + 1,
        ),
    ),
    # A value in quotes ends with them, any other with the word.
    Detector(
        "secret",
        _may_be_secret,
        _by_pattern(
            _compile(
                rf"((?:{_SECRET_NAMES})s?\\?[\"']?\s{{0,3}}[:=]\s{{0,3}})"
                r"(?:(\\?[\"'])[^\"'\\\[]{6,256}|[^" + _SPACES + r"\"',;&<>\\{}\[\]]{6,256})",
                re.IGNORECASE,
            ),
            keeps=lambda match: len(match.group(1)) + len(match.group(2) or ""),
        ),
    ),
    Detector(
        "email",
        lambda text: "@" in text,
        _by_pattern(_compile(
            r"(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])"
        )),
    ),
    Detector(
        "iban",
        _has_digits,
        _by_pattern(_compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"), accepts=is_iban),
    ),
    Detector(
        "card",
        _has_digits,
        _by_pattern(_compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])"), accepts=is_card_number),
    ),
    Detector(
        "ssn",
        lambda text: _has_digits(text) and "-" in text,
        _by_pattern(_compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")),
    ),
    Detector("phone", _has_digits, find_phone),
)
"""In the order in which they are tried: what one has taken is not looked at by the next."""
