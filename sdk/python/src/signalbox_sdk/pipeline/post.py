from __future__ import annotations

import gzip
import http.client
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import urlsplit

_ANSWER_MAX_BYTES = 65_536
_AGAIN = frozenset((429, 502, 503, 504))


@dataclass(frozen=True)
class Outcome:
    """What became of a body, by the rules of OTLP."""

    kind: Literal["taken", "refused", "again"]
    reason: str = ""
    after_s: float | None = None
    rejected: int = 0
    """Of what was taken, how many items were not wanted."""


@dataclass(frozen=True)
class Target:
    url: str
    headers: Mapping[str, str]
    timeout_s: float


def post(target: Target, body: bytes) -> Outcome:
    """Sends one body of protobuf, compressed. Never raises."""
    try:
        connection = _connect(target)
        try:
            return _ask(connection, target, gzip.compress(body, 1))
        finally:
            connection.close()
    except Exception as error:
        return Outcome("again", f"The endpoint cannot be reached ({type(error).__name__}).")


def _connect(target: Target) -> http.client.HTTPConnection:
    parts = urlsplit(target.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=target.timeout_s)


def _ask(connection: http.client.HTTPConnection, target: Target, body: bytes) -> Outcome:
    parts = urlsplit(target.url)
    headers = {**target.headers, "content-type": "application/x-protobuf", "content-encoding": "gzip"}
    connection.request("POST", parts.path + (f"?{parts.query}" if parts.query else ""), body, headers)
    response = connection.getresponse()
    if 200 <= response.status < 300:
        return Outcome("taken", rejected=_rejected_in(_read_answer(response)))
    reason = f"The endpoint answered {response.status}."
    if response.status not in _AGAIN:
        return Outcome("refused", reason)
    return Outcome("again", reason, after_s=_delay_of(response.getheader("retry-after")))


def _read_answer(response: http.client.HTTPResponse) -> bytes:
    """What an answer says counts only where it is whole; its status counts anyway."""
    try:
        return response.read(_ANSWER_MAX_BYTES)
    except (OSError, http.client.HTTPException):
        return b""


def _rejected_in(answer: bytes) -> int:
    """``partial_success.rejected_*`` of an answer: field 1 of field 1."""
    if len(answer) < 4 or answer[0] != 10 or answer[2] != 8:
        return 0
    count = 0
    for at, byte in enumerate(answer[3:13]):
        count += (byte & 127) << (7 * at)
        if byte < 128:
            break
    return count


def _delay_of(retry_after: str | None) -> float | None:
    """Seconds or a date; None where the endpoint says nothing that can be read."""
    if retry_after is None:
        return None
    if re.fullmatch(r"\d{1,9}", retry_after):
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
