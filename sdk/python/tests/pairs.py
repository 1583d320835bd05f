"""A client and a server of the installed ``mcp`` in one process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
from host import MAKERS

IS_V1 = version("mcp").startswith("1.")
_names = iter(range(10**9))


def make_server(kind: str = "mcp") -> Any:
    """With a name, and so a pipeline, of its own."""
    server = MAKERS[kind]()
    low = getattr(server, "_mcp_server", None) or getattr(server, "_lowlevel_server", None) or server
    low.name = f"pair-{next(_names)}"
    return server


def low_level(server: Any) -> Any:
    return getattr(server, "_mcp_server", None) or getattr(server, "_lowlevel_server", None) or server


@asynccontextmanager
async def connected(server: Any, observe: Any = None) -> AsyncIterator[Any]:
    """A ``ClientSession``, which ``observe`` sees before it is entered."""
    from mcp import ClientSession

    low = low_level(server)
    to_server, from_client = anyio.create_memory_object_stream(10)
    to_client, from_server = anyio.create_memory_object_stream(10)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(low.run, from_client, to_client, low.create_initialization_options())
        session = ClientSession(from_server, to_server)
        if observe:
            observe(session)
        async with session:
            await session.initialize()
            yield session
        tasks.cancel_scope.cancel()


def text_of(result: Any) -> str:
    return str(result.content[0].text)
