"""A server of the installed packages, run as a program: ``host.py <kind> <transport> <observed> <options as JSON>``."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from importlib.metadata import version
from typing import Any

import signalbox_sdk

GENERATION = int(version("mcp").split(".")[0])
BIG = "x" * 10_000_000


def make_mcp() -> Any:
    if GENERATION == 1:
        from mcp.server.fastmcp import Context, FastMCP
        return add_parts(FastMCP("host"), Context)
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context
    return add_parts(MCPServer("host"), Context)


def make_fastmcp() -> Any:
    from fastmcp import Context, FastMCP
    return add_parts(FastMCP("host"), Context)


def add_parts(server: Any, context_class: Any) -> Any:
    @server.tool()
    def echo(text: str) -> str:
        """Says it again."""
        return text

    @server.tool()
    async def thrower() -> str:
        raise RuntimeError("it broke")

    async def progress(ctx: Any) -> str:
        for step in range(3):
            await ctx.report_progress(step, 3)
        return "done"

    progress.__annotations__["ctx"] = context_class
    server.tool()(progress)

    @server.tool()
    def big() -> str:
        return BIG

    @server.tool()
    async def hang() -> str:
        await asyncio.sleep(60)
        return "late"

    @server.prompt()
    def hello() -> str:
        return "Say hello."

    @server.resource("note://one")
    def one() -> str:
        return "a note"

    return server


def make_low() -> Any:
    tool = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"}}
    if GENERATION == 1:
        import mcp.types as types
        from mcp.server.lowlevel import Server

        server: Any = Server("host")

        @server.list_tools()
        async def list_tools() -> list[Any]:
            return [types.Tool(**tool)]

        @server.call_tool()
        async def call_tool(name: str, arguments: dict[str, Any]) -> list[Any]:
            if name != "echo":
                raise RuntimeError("it broke")
            return [types.TextContent(type="text", text=arguments["text"])]

        return server
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def on_list_tools(ctx: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool)])

    async def on_call_tool(ctx: Any, params: Any) -> Any:
        if params.name != "echo":
            raise RuntimeError("it broke")
        return types.CallToolResult(content=[types.TextContent(text=params.arguments["text"])])

    return Server("host", on_list_tools=on_list_tools, on_call_tool=on_call_tool)


MAKERS = {"mcp": make_mcp, "fastmcp": make_fastmcp, "low": make_low}


async def serve_low(server: Any) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def serve(server: Any, kind: str, transport: str) -> None:
    if kind == "low":
        asyncio.run(serve_low(server))
    elif transport == "stdio":
        server.run("stdio", **({"show_banner": False} if kind == "fastmcp" else {}))
    else:
        serve_http(server, kind, int(transport.partition(":")[2]))


def serve_http(server: Any, kind: str, port: int) -> None:
    import uvicorn

    app = server.http_app() if kind == "fastmcp" else server.streamable_http_app()
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


def main(kind: str, transport: str, observed: str, options: str) -> None:
    logging.disable(logging.CRITICAL)
    server = MAKERS[kind]()
    if observed == "yes":
        signalbox_sdk.instrument(server, **json.loads(options))
    serve(server, kind, transport)


if __name__ == "__main__":
    main(*sys.argv[1:])
