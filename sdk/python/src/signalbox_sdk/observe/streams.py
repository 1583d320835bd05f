"""How a server of ``mcp`` 1 is observed: by the streams of its connections, which carry every request and answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..quietly import quietly
from . import trace_context
from .activation import Activation
from .connection_facts import ConnectionFacts, network_of
from .operation import Operation
from .outgoing import WatchedWriting, watch_requests
from .peer import Peer
from .request import WireError, as_object
from .wire import headers_of, is_request, message_of, request_of

_MOST_OPEN = 10_000
"""Requests that are never answered are not kept beyond it."""


class Connection:
    """Makes operations of what passes the streams of one connection."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.facts = ConnectionFacts()
        self.open: dict[str | int, Operation] = {}
        self._started = time.perf_counter()
        self._is_closed = False

    def received(self, item: Any) -> None:
        message = message_of(item)
        if is_request(message):
            self._begin(item, message)
        elif getattr(message, "method", None) == "notifications/cancelled":
            self._settle(as_object(message.params).get("requestId"), lambda operation: operation.failed("cancelled"))

    def sent(self, item: Any) -> None:
        message = message_of(item)
        if getattr(message, "method", None) == "notifications/progress":
            self._progressed(as_object(message.params).get("progressToken"))
        elif (error := getattr(message, "error", None)) is not None:
            answer = WireError(error.code, error.message)
            self._settle(message.id, lambda operation: operation.answered_with(answer))
        elif hasattr(message, "result"):
            self._settle(message.id, lambda operation: operation.succeeded(as_object(message.result)))

    def closed(self) -> None:
        if self._is_closed or not self.peer.is_observing:
            return
        self._is_closed = True
        for request_id in list(self.open):
            self._settle(request_id, lambda operation: operation.failed("connection_closed"))
        seconds = time.perf_counter() - self._started
        self.peer.pipeline.record("mcp.server.session.duration", seconds, self.facts.few())

    def _begin(self, item: Any, message: Any) -> None:
        if len(self.open) >= _MOST_OPEN or not self.peer.is_observing:
            return
        request = request_of(message, headers_of(item))
        self.facts.set_network(network_of(request.headers))
        self.facts.learn_from_request(request)
        ambient = trace_context.current()
        parent = trace_context.context_of(request, ambient)
        self.open[message.id] = Operation(self.peer, self.facts, "incoming", request, parent, ambient)

    def _progressed(self, token: object) -> None:
        for operation in self.open.values():
            if token is not None and operation.request.meta.get("progressToken") == token:
                operation.progressed()

    def _settle(self, request_id: Any, end: Callable[[Operation], None]) -> None:
        operation = self.open.pop(request_id, None)
        if operation:
            end(operation)


class WatchedReading:
    """The stream of messages that come in."""

    def __init__(self, stream: Any, connection: Connection) -> None:
        self._stream = stream
        self.connection = connection

    def __aiter__(self) -> WatchedReading:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await self._stream.__anext__()
        except BaseException:
            quietly(self.connection.closed)
            raise
        quietly(self.connection.received, item)
        return item

    async def receive(self) -> Any:
        item = await self._stream.receive()
        quietly(self.connection.received, item)
        return item

    async def __aenter__(self) -> WatchedReading:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        quietly(self.connection.closed)
        return await self._stream.__aexit__(*exc)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class WatchedAnswering(WatchedWriting):
    """The stream of messages that go out."""

    def __init__(self, stream: Any, connection: Connection) -> None:
        super().__init__(stream)
        self._connection = connection

    async def send(self, item: Any) -> None:
        quietly(self._connection.sent, item)
        await super().send(item)


def watch_server(server: Any, peer: Peer) -> None:
    """Observes the connections that a server serves from now on, by two methods of this one object."""
    run, handle_request = server.run, server._handle_request

    def observed_run(read_stream: Any, write_stream: Any, *args: Any, **kwargs: Any) -> Awaitable[Any]:
        watched: tuple[Any, Any] | None = quietly(_watch_streams, peer, read_stream, write_stream)
        reading, writing = watched or (read_stream, write_stream)
        served: Awaitable[Any] = run(reading, writing, *args, **kwargs)
        return served

    async def observed_handle(message: Any, req: Any, session: Any, *args: Any, **kwargs: Any) -> Any:
        operation = quietly(_operation_of, message, session)
        if operation is None:
            return await handle_request(message, req, session, *args, **kwargs)
        with Activation(operation):
            return await handle_request(message, req, session, *args, **kwargs)

    server.run = observed_run
    server._handle_request = observed_handle


def _watch_streams(peer: Peer, read_stream: Any, write_stream: Any) -> tuple[WatchedReading, WatchedAnswering]:
    connection = Connection(peer)
    return WatchedReading(read_stream, connection), WatchedAnswering(write_stream, connection)


def _operation_of(message: Any, session: Any) -> Operation | None:
    connection: Connection = session._read_stream.connection
    quietly(watch_requests, session, connection.peer, connection.facts)
    return connection.open.get(message.request_id)
