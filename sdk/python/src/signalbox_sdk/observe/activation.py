from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from opentelemetry import context

from .operation import Operation


@contextmanager
def activated(operation: Operation) -> Iterator[None]:
    """What runs inside is below the operation's span; FastMCP, which would make a second span of it, makes none."""
    token = context.attach(operation.context)
    try:
        with _without_fastmcp_spans():
            yield
    finally:
        context.detach(token)


def _without_fastmcp_spans() -> Any:
    telemetry = sys.modules.get("fastmcp.telemetry")
    return getattr(telemetry, "suppress_fastmcp_telemetry", nullcontext)()
