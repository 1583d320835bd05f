"""How a client is observed: a session, or what opens one when it connects (``mcp.Client``, ``fastmcp.Client``)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ..quietly import quietly
from .connection_facts import ConnectionFacts
from .outgoing import WatchedWriting, watch_requests
from .peer import Peer


def watch_client(client: Any, peer: Peer) -> None:
    if hasattr(client, "send_request"):
        watch_session(client, peer)
    elif hasattr(client, "_build_session"):
        _watch_builder(client, peer)
    else:
        _watch_transport(client, peer)


def watch_session(session: Any, peer: Peer) -> None:
    """Before or after it is entered; the second time is the first."""
    if getattr(session, "_signalbox_peer", None) is not None:
        return
    facts = ConnectionFacts()
    client = session._client_info
    facts.learn_client({"name": client.name, "version": client.version})
    watch_requests(session, peer, facts)
    owner = getattr(session, "_dispatcher", session)
    if hasattr(owner, "_write_stream"):
        owner._write_stream = WatchedWriting(owner._write_stream)


def _watch_builder(client: Any, peer: Peer) -> None:
    build_session = client._build_session

    async def observed(*args: Any, **kwargs: Any) -> Any:
        session = await build_session(*args, **kwargs)
        quietly(watch_session, session, peer)
        return session

    client._build_session = observed
    if client._session is not None:
        watch_session(client._session, peer)


def _watch_transport(client: Any, peer: Peer) -> None:
    transport = client.transport
    connect_session = transport.connect_session

    @asynccontextmanager
    async def observed(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async with connect_session(*args, **kwargs) as session:
            quietly(watch_session, session, peer)
            yield session

    transport.connect_session = observed
    if client.is_connected():
        watch_session(client.session, peer)
