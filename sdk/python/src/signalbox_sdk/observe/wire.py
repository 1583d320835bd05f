"""Reads the messages of either generation of the ``mcp`` package as they are on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .request import JsonObject, Request, WireError, as_object


def message_of(item: Any) -> Any:
    """The JSON-RPC message in what a stream carries: v1 keeps it in a root model."""
    message = getattr(item, "message", None)
    return getattr(message, "root", message)


def is_request(message: Any) -> bool:
    return hasattr(message, "method") and getattr(message, "id", None) is not None


def request_of(message: Any, headers: Mapping[str, str] | None = None) -> Request:
    return Request(message.id, message.method, as_object(message.params), headers)


def headers_of(item: Any) -> Mapping[str, str] | None:
    """Of the HTTP request that brought a message; None where none did."""
    request = getattr(getattr(item, "metadata", None), "request_context", None)
    headers: Mapping[str, str] | None = getattr(request, "headers", None)
    return headers


def error_of(error: Any) -> WireError | None:
    """The error of JSON-RPC in an exception of either generation (``McpError``, ``MCPError``)."""
    data = getattr(error, "error", None)
    code = getattr(data, "code", None)
    return WireError(code, str(getattr(data, "message", ""))) if isinstance(code, int) else None


def dumped(model: Any) -> JsonObject:
    """A model, or a dictionary, as it is sent."""
    if isinstance(model, Mapping):
        return model
    # The package writes the same and warns of what is wrong in it.
    return as_object(model.model_dump(by_alias=True, mode="json", exclude_none=True, warnings=False))
