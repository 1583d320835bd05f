from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """Names of attributes that differ between two generations of the conventions for MCP."""

    tool: str
    prompt: str
    request_id: str
    status_code: str
    arguments: str
    result: str


NAMES_OF = {
    "current": Names(
        tool="gen_ai.tool.name",
        prompt="gen_ai.prompt.name",
        request_id="jsonrpc.request.id",
        status_code="rpc.response.status_code",
        arguments="gen_ai.tool.call.arguments",
        result="gen_ai.tool.call.result",
    ),
    "earlier": Names(
        tool="mcp.tool.name",
        prompt="mcp.prompt.name",
        request_id="mcp.request.id",
        status_code="rpc.jsonrpc.error_code",
        arguments="mcp.tool.arguments",
        result="mcp.tool.result",
    ),
}
