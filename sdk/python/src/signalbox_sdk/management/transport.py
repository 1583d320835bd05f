from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

Parameters = Mapping[str, Any]

_PUT_OFF = frozenset((429, 503))
"""Answers of an instance that has done nothing yet, with ``Retry-After``."""
_MOST_TRIES = 6
_LONGEST_PAUSE_S = 30.0


class ApiProblem(Exception):
    """A failure of the platform API, or of the way to it (``status`` 0, code ``unreachable``)."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        super().__init__(document.get("detail") or document.get("title") or f"The server answered {status}.")
        self.status = status
        self.code = str(document.get("code") or ("unknown" if status else "unreachable"))
        self.request_id: str | None = document.get("request_id")
        self.fields: list[dict[str, str]] = document.get("errors") or []
        """Each with ``pointer`` and ``detail``."""


class Transport:
    """Sends the requests of a client, each over a connection of its own, so that threads may share it; follows no redirect."""

    def __init__(self, base_url: str, key: str | None, timeout_s: float, is_patient: bool) -> None:
        self._base = urlsplit(base_url.rstrip("/"))
        self._key = key
        self._tries = _MOST_TRIES if is_patient else 1
        self._timeout_s = timeout_s

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Parameters | None = None,
        body: object = None,
        headers: Parameters | None = None,
    ) -> Any:
        """The JSON of a success, None where it has none; raises ``ApiProblem``."""
        asked = urlencode(_given(query), doseq=True)
        target = f"{self._base.path}{path}" + (f"?{asked}" if asked else "")
        sent = None if body is None else json.dumps(body).encode()
        try:
            status, answer = self._send_until_taken(method, target, sent, self._headers(sent, headers))
        except (OSError, http.client.HTTPException) as error:
            raise ApiProblem(0, {"detail": f"{self._base.geturl()} does not answer ({error})."}) from error
        read = _json_of(answer)
        if not 200 <= status < 300:
            raise ApiProblem(status, read if isinstance(read, dict) else {})
        return read

    def _send_until_taken(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        for tries_left in range(self._tries - 1, -1, -1):
            status, answer, retry_after = self._send(method, target, body, headers)
            if status not in _PUT_OFF or not retry_after.isdigit() or tries_left == 0:
                break
            time.sleep(min(float(retry_after), _LONGEST_PAUSE_S))
        return status, answer

    def _send(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes, str]:
        kind = http.client.HTTPSConnection if self._base.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._base.hostname or "", self._base.port, timeout=self._timeout_s)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.getheader("retry-after") or ""
        finally:
            connection.close()

    def _headers(self, body: bytes | None, given: Parameters | None) -> dict[str, str]:
        headers = {"accept": "application/json", **{name: str(value) for name, value in _given(given).items()}}
        if body is not None:
            headers["content-type"] = "application/json"
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key}"
        return headers


def part(value: str) -> str:
    """A value as one part of a path."""
    return quote(value, safe="")


def _given(parameters: Parameters | None) -> dict[str, Any]:
    found = {name: value for name, value in (parameters or {}).items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in found.items()}


def _json_of(answer: bytes) -> Any:
    try:
        return json.loads(answer) if answer else None
    except ValueError:
        return None
