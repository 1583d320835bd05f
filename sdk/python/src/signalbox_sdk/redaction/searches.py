"""Searches that a pattern would do by looking at the same characters again and again: each looks at one a few times."""

from __future__ import annotations

import re
from collections.abc import Callable

_run = re.compile(r"[\w-]*", re.ASCII)
_jwt_start = re.compile(r"\beyJ", re.ASCII)


def _end_of_run(text: str, at: int) -> int:
    match = _run.match(text, at)
    return match.end() if match else at


def find_jwt(text: str, start: int) -> tuple[int, int, int] | None:
    r"""``\beyJ[\w-]{8,4096}\.[\w-]{8,8192}\.[\w-]{0,2048}``: where a run fails, every beginning in it fails with it."""
    while match := _jwt_start.search(text, start):
        head = _end_of_run(text, match.start())
        body = _end_of_run(text, head + 1) if text[head : head + 1] == "." else head
        if text[body : body + 1] == "." and 8 <= body - head - 1 <= 8192:
            # The first beginning in the run that is neither too long nor too short.
            first = _jwt_start.search(text, max(match.start(), head - 3 - 4096))
            if first and head - first.start() - 3 >= 8:
                return first.start(), min(_end_of_run(text, body + 1), body + 1 + 2048), 0
        start = head
    return None


_key_begin = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")
_key_end = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY-----")
_LONGEST_KEY = 16_384


def find_private_key(text: str, start: int) -> tuple[int, int, int] | None:
    """From a beginning to the next end, or to that of the text, if that is not too far."""
    end: re.Match[str] | None = None
    is_known = False
    while match := _key_begin.search(text, start):
        body = match.end()
        if not is_known or (end and end.start() < body):
            end = _key_end.search(text, body)
            is_known = True
        if end and end.start() - body <= _LONGEST_KEY:
            return match.start(), end.end(), 0
        if not end and len(text) - body <= _LONGEST_KEY:
            return match.start(), len(text), 0
        # Inside it another may begin.
        start = match.start() + 1
    return None


_phone = re.compile(
    r"(?<![\w+.])(?:\+(?=[1-9])|\(\d{3}\) ?\d{3}-\d{4}(?![\w-])|\d{3}-\d{3}-\d{4}(?![\w-]))", re.ASCII
)
_area = re.compile(r"\(\d{1,4}\)", re.ASCII)
_digits = re.compile(r"\d{0,4}", re.ASCII)
_extent = re.compile(r"\+[\d ().-]{9,47}", re.ASCII)
_of_word = re.compile(r"[\w-]", re.ASCII)
_MOST_GROUPS = 4


def find_phone(text: str, start: int) -> tuple[int, int, int] | None:
    """A number with its country, or in one of the two forms of North America."""
    while match := _phone.search(text, start):
        start = match.start()
        end = _International(text, start).end() if match.group() == "+" else match.end()
        if end is not None and 9 <= sum(sign.isdigit() for sign in text[start:end]) <= 15:
            return start, end, 0
        start += 1
    return None


class _International:
    r"""The end of ``\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])``.

    Digits can be grouped in many ways, so it is remembered from where no way leads on.
    """

    def __init__(self, text: str, plus: int) -> None:
        self._text = text
        self._plus = plus
        self._dead: set[tuple[int, int]] = set()

    def end(self) -> int | None:
        if not self._may_end():
            return None
        for country in range(min(3, self._digits_at(self._plus + 1)), 0, -1):
            if (end := self._separated(self._plus + 1 + country, self._rest)) is not None:
                return end
        return None

    def _may_end(self) -> bool:
        """Whether a number of so many digits can end anywhere behind the plus: most cannot, and this is quick."""
        extent = _extent.match(self._text, self._plus)
        if not extent:
            return False
        digits = 0
        for at in range(extent.start() + 1, extent.end() + 1):
            sign = self._text[at : at + 1]
            if "0" <= sign <= "9":
                digits += 1
            elif 9 <= digits <= 15 and self._text[at - 1].isdigit() and not _of_word.match(sign):
                return True
            elif digits > 15:
                return False
        return False

    def _separated(self, at: int, on: Callable[[int], int | None]) -> int | None:
        """A way on behind a separator, if there is one, or without it."""
        end = on(at + 1) if self._is_separator(at) else None
        return on(at) if end is None else end

    def _rest(self, at: int) -> int | None:
        """With an area in parentheses, or without."""
        area = _area.match(self._text, at)
        end = self._separated(area.end(), self._first) if area else None
        return self._first(at) if end is None else end

    def _first(self, at: int) -> int | None:
        return self._group(at, 1, 0)

    def _group(self, at: int, least: int, groups: int) -> int | None:
        """Goes on behind as many digits as there are, or fewer."""
        for count in range(self._digits_at(at), least - 1, -1):
            if (end := self._behind(at + count, groups)) is not None:
                return end
        return None

    def _behind(self, at: int, groups: int) -> int | None:
        if (at, groups) in self._dead:
            return None
        end: int | None = None
        if groups < _MOST_GROUPS:
            end = self._separated(at, lambda place: self._group(place, 2, groups + 1))
        if end is None and groups > 0 and not _of_word.match(self._text, at):
            end = at
        if end is None:
            self._dead.add((at, groups))
        return end

    def _digits_at(self, at: int) -> int:
        match = _digits.match(self._text, at)
        return match.end() - at if match else 0

    def _is_separator(self, at: int) -> bool:
        return self._text[at : at + 1] in {" ", ".", "-"}
