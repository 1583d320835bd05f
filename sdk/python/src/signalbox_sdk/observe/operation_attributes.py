from __future__ import annotations

from opentelemetry.util.types import AttributeValue

from .names import Names
from .request import JsonObject, Request, as_object, cut, short_text

Attributes = dict[str, AttributeValue]

_TOOL_USE_KEYS = ("claudecode/toolUseId", "callId", "copilot/toolCallId")
_CONVERSATION_KEYS = ("threadId", "ai.opencode/sessionID", "sessionID")


def target_of(request: Request, names: Names) -> tuple[str, Attributes]:
    """What an operation is about: the name of its span, and attributes that have few values."""
    method = short_text(request.method) or "unknown"
    name = short_text(request.params.get("name"))
    few: Attributes = {"mcp.method.name": method}
    if name is None or method not in ("tools/call", "prompts/get"):
        return method, few
    if method == "prompts/get":
        few[names.prompt] = name
    else:
        few[names.tool] = name
        few["gen_ai.operation.name"] = "execute_tool"
    return f"{method} {name}", few


def details_of(request: Request, names: Names) -> Attributes:
    """What has many values: on spans only."""
    params, meta = request.params, request.meta
    reference = as_object(params.get("ref"))
    found: Attributes = {}
    if request.id is not None:
        found[names.request_id] = cut(str(request.id), 128)
    uri = params.get("uri") if request.method.startswith("resources/") else reference.get("uri")
    _add(found, "mcp.resource.uri", short_text(uri if uri is None else str(uri), 1024))
    if request.method == "completion/complete":
        _add(found, names.prompt, short_text(reference.get("name")))
    if meta:
        _add(found, "gen_ai.tool.call.id", _first_text(meta, _TOOL_USE_KEYS))
        _add(found, "gen_ai.conversation.id", _first_text(meta, _CONVERSATION_KEYS))
    return found


def _add(found: Attributes, name: str, value: str | None) -> None:
    if value is not None:
        found[name] = value


def _first_text(meta: JsonObject, keys: tuple[str, ...]) -> str | None:
    return next((text for key in keys if (text := short_text(meta.get(key)))), None)
