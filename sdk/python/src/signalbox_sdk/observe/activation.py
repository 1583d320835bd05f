from __future__ import annotations

import sys
from contextvars import Token
from typing import Any

from opentelemetry import context

from .operation import Operation


class Activation:
    """What runs inside is below the operation's span; FastMCP, which would make a second span of it, makes none."""

    __slots__ = ("_context", "_fastmcp", "_token")

    def __init__(self, operation: Operation) -> None:
        self._context = operation.context

    def __enter__(self) -> None:
        self._token: Token[Any] = context.attach(self._context)
        suppress = getattr(sys.modules.get("fastmcp.telemetry"), "suppress_fastmcp_telemetry", None)
        self._fastmcp: Any = suppress() if suppress else None
        if self._fastmcp:
            self._fastmcp.__enter__()

    def __exit__(self, *exc: Any) -> None:
        if self._fastmcp:
            self._fastmcp.__exit__(*exc)
        context.detach(self._token)
