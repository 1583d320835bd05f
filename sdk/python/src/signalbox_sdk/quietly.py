"""Runs what is ours inside a call of the host: whatever goes wrong in there, the host goes on as if we were not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from typing_extensions import ParamSpec

P = ParamSpec("P")
T = TypeVar("T")


def quietly(run: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """The result of ``run``, or None where it has failed."""
    try:
        return run(*args, **kwargs)
    except Exception:
        return None
