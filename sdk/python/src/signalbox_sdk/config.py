"""What holds after options, environment and defaults."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from .options import Options

Log = Callable[[str], object]


@dataclass(frozen=True)
class CaptureConfig:
    arguments: bool
    results: bool
    max_length: int


@dataclass(frozen=True)
class Config:
    traces_url: str | None
    """Where spans go; None: nowhere."""
    metrics_url: str | None
    headers: Mapping[str, str]
    service_name: str | None
    service_version: str | None
    resource: Mapping[str, str]
    agent: str | None
    capture: CaptureConfig
    conventions: str
    pipeline: str
    disabled: bool
    delay_s: float
    """How long spans wait for others."""
    metrics_interval_s: float
    timeout_s: float
    problems: tuple[str, ...]
    log: Log | None


def read_config(options: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Config:
    """Never raises: a value that is wrong is reported in ``problems`` and its default holds."""
    read = _Reader(options, environment)
    for name in options.keys() - Options.__annotations__.keys():
        read.problems.append(f"There is no option {name!r}.")
    traces_url, metrics_url = _read_addresses(read)
    return Config(
        traces_url=traces_url,
        metrics_url=metrics_url,
        headers=_read_headers(read),
        service_name=read.text("service_name", "SERVICE_NAME", "OTEL_SERVICE_NAME"),
        service_version=read.text("service_version", "SERVICE_VERSION"),
        resource=_parse_pairs(environment.get("OTEL_RESOURCE_ATTRIBUTES")),
        agent=read.text("agent", "AGENT"),
        capture=_read_capture(read),
        conventions=read.choice("conventions", "CONVENTIONS", ("current", "earlier")),
        pipeline=read.choice("pipeline", "PIPELINE", ("auto", "own")),
        disabled=(read.text(None, "DISABLED", "OTEL_SDK_DISABLED") or "").lower() == "true",
        delay_s=read.seconds("DELAY_MS", "OTEL_BSP_SCHEDULE_DELAY", 1000),
        metrics_interval_s=read.seconds("METRICS_INTERVAL_MS", "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
        timeout_s=read.seconds("TIMEOUT_MS", "OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
        log=_read_log(read),
        problems=tuple(read.problems),
    )


class _Reader:
    """One value from its places, the first that has it."""

    def __init__(self, options: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self.options = options
        self.environment = environment
        self.problems: list[str] = []

    def text(self, option: str | None, own: str, standard: str | None = None) -> str | None:
        given = self.options.get(option) if option else None
        if isinstance(given, str) and given != "":
            return given
        if given is not None and given != "":
            self.problems.append(f"{option} is no text: {type(given).__name__}; it is ignored.")
        return self.environment.get(f"SIGNALBOX_SDK_{own}") or self.environment.get(standard or "") or None

    def choice(self, option: str | None, own: str, allowed: tuple[str, ...]) -> str:
        given = self.text(option, own)
        if given is not None and given not in allowed:
            self.problems.append(f"{option or own} is {json.dumps(given)}; it must be {' or '.join(allowed)}.")
            return allowed[0]
        return given or allowed[0]

    def seconds(self, own: str, standard: str, default_ms: float) -> float:
        given = self.text(None, own, standard)
        if given is None:
            return default_ms / 1000
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", given.strip()) and float(given) > 0:
            return float(given) / 1000
        self.problems.append(f"{own} or {standard} is {json.dumps(given)}; it must be a number of milliseconds.")
        return default_ms / 1000


def _read_addresses(read: _Reader) -> tuple[str | None, str | None]:
    own = read.text("endpoint", "ENDPOINT")
    base = _checked_url(own or read.text(None, "ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"), read.problems)

    def of(signal: str) -> str | None:
        standard = None if own else read.environment.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
        given = _checked_url(standard or None, read.problems)
        return given or (f"{base.rstrip('/')}/v1/{signal}" if base else None)

    return of("traces"), of("metrics")


def _checked_url(url: str | None, problems: list[str]) -> str | None:
    if url is None:
        return None
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_whole = parts.hostname and not re.search(r"\s", url) and (parts.port is None or parts.port > 0)
        if parts.scheme in ("http", "https") and is_whole:
            return url
    except ValueError:
        pass
    problems.append(f"The endpoint {json.dumps(url)} is no http or https address; nothing is sent there.")
    return None


def _read_headers(read: _Reader) -> dict[str, str]:
    given = _parse_pairs(read.text(None, "HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"))
    headers = {name.lower(): value for name, value in given.items()}
    token = read.text("token", "TOKEN")
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    for name, value in list(headers.items()):
        if re.fullmatch(r"[A-Za-z0-9_-]+", name) and re.fullmatch(r"[\t\x20-\x7e]*", value):
            continue
        read.problems.append(f"The value of the header {json.dumps(name)} cannot be sent; it is left out.")
        del headers[name]
    return headers


def _parse_pairs(text: str | None) -> dict[str, str]:
    """``a=1,b=2``, values percent-encoded, as ``OTEL_*`` lists are written."""
    pairs = (pair.partition("=") for pair in (text or "").split(","))
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs if name.strip()}


def _read_capture(read: _Reader) -> CaptureConfig:
    option = read.options.get("capture")
    if option is not None and not isinstance(option, (bool, Mapping)):
        read.problems.append("capture must be True, False or a dictionary; nothing is captured.")
        option = False
    words = read.choice(None, "CAPTURE", ("none", "arguments", "results", "all"))
    asked: Mapping[str, Any] = option if isinstance(option, Mapping) else {}
    everything = option is True or (option is None and words == "all")
    return CaptureConfig(
        arguments=everything or asked.get("arguments") is True or (option is None and words == "arguments"),
        results=everything or asked.get("results") is True or (option is None and words == "results"),
        max_length=_read_max_length(asked, read),
    )


def _read_max_length(asked: Mapping[str, Any], read: _Reader) -> int:
    given = asked.get("max_length", 8192)
    if isinstance(given, int) and 16 <= given <= 65_536:
        return given
    read.problems.append("capture's max_length must be between 16 and 65536; 8192 holds.")
    return 8192


def _read_log(read: _Reader) -> Log | None:
    given = read.options.get("log")
    if callable(given):
        log: Log = given
        return log
    if read.text(None, "LOG") != "stderr":
        return None
    return lambda message: print(f"signalbox: {message}", file=sys.stderr)
