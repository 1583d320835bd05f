"""What a session of either generation asks the other side: a client its server, a server its client (sampling, elicitation)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

from ..quietly import quietly
from . import trace_context
from .activation import Activation
from .connection_facts import ConnectionFacts
from .operation import Operation
from .peer import Peer
from .request import EMPTY, JsonObject, Request, as_object
from .wire import dumped, error_of, is_request, message_of

_sending: ContextVar[Operation | None] = ContextVar("signalbox_sending", default=None)
_TIMEOUTS = frozenset((408, -32001))
_CONNECTION_CLOSED = -32000


def watch_requests(session: Any, peer: Peer, facts: ConnectionFacts) -> None:
    """Observes the requests that a session sends, by one object's method."""
    if getattr(session, "_signalbox_peer", None) is not None:
        return
    send_request = session.send_request
    session._signalbox_peer = peer

    def observed(request: Any, *args: Any, **kwargs: Any) -> Awaitable[Any]:
        return send_observed(send_request, peer, facts, request, *args, **kwargs)

    session.send_request = observed


async def send_observed(
    send_request: Callable[..., Awaitable[Any]],
    peer: Peer,
    facts: ConnectionFacts,
    request: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """What ``send_request`` of a session does, as an operation."""
    operation = quietly(_begin, request, peer, facts) if peer.is_observing else None
    if operation is None:
        return await send_request(request, *args, **kwargs)
    token = _sending.set(operation)
    try:
        with Activation(operation):
            result = await send_request(request, *args, **kwargs)
    except BaseException as error:
        quietly(_fail, operation, error)
        raise
    finally:
        _sending.reset(token)
    quietly(operation.succeeded, quietly(_read_of, result, operation.request.method, peer) or EMPTY)
    return result


def _begin(request: Any, peer: Peer, facts: ConnectionFacts) -> Operation:
    sent = dumped(request)
    read = Request(None, str(sent.get("method")), as_object(sent.get("params")))
    facts.learn_from_request(read)
    ambient = trace_context.current()
    parent = trace_context.with_agent(ambient, peer.config.agent if peer.side == "client" else None)
    return Operation(peer, facts, "outgoing", read, parent, parent)


def _fail(operation: Operation, error: BaseException) -> None:
    answer = error_of(error)
    if not isinstance(error, Exception):
        operation.failed("cancelled")
    elif answer is None:
        operation.failed(type(error).__name__)
    elif answer.code in _TIMEOUTS and "timed out" in answer.message.lower():
        operation.failed("timeout")
    elif answer.code == _CONNECTION_CLOSED and "closed" in answer.message.lower():
        operation.failed("connection_closed")
    else:
        operation.answered_with(answer)


def _read_of(result: Any, method: str, peer: Peer) -> JsonObject:
    """What is read of a result; a large one is not copied for it."""
    if method in ("initialize", "tools/list") or (method == "tools/call" and peer.config.capture.results):
        return dumped(result)
    # The name of mcp 1 comes last: some packages warn of its use.
    is_error = getattr(result, "is_error", None)
    return {"isError": (getattr(result, "isError", None) if is_error is None else is_error) is True}


class WatchedWriting:
    """A stream of messages on their way out: the request that is being sent gets our span as its caller's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def send(self, item: Any) -> None:
        operation = _sending.get()
        if operation is not None:
            quietly(mark, message_of(item), operation)
        await self._stream.send(item)

    async def __aenter__(self) -> WatchedWriting:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> Any:
        return await self._stream.__aexit__(*exc)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def mark(message: Any, operation: Operation) -> None:
    """What the host has put into ``_meta`` itself stays."""
    if not is_request(message) or message.method != operation.request.method:
        return
    operation.identified(message.id)
    carried = trace_context.carried_by(operation.context, None)
    params: Mapping[str, Any] = message.params or {}
    if carried:
        message.params = {**params, "_meta": {**carried, **as_object(params.get("_meta"))}}
