"""How a server of ``mcp`` 2 is observed: by a middleware, which sees every request of both eras of the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..quietly import quietly
from . import trace_context
from .activation import Activation
from .connection_facts import ConnectionFacts, network_of
from .operation import Operation
from .peer import Peer
from .request import EMPTY, Request, WireError, as_object
from .session_of_request import watch_session
from .wire import dumped, error_of

_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603
_FIRST_WITHOUT_HANDSHAKE = "2026-07-28"

CallNext = Callable[[Any], Awaitable[Any]]


class ObservingMiddleware:
    """Takes the place of the SDK's own one, which would make a second span of each request."""

    def __init__(self, peer: Peer, server: Any, instead_of: Any = None) -> None:
        self._peer = peer
        self._server = server
        self._instead_of = instead_of

    async def __call__(self, ctx: Any, call_next: CallNext) -> Any:
        if not self._peer.is_observing and self._instead_of is not None:
            return await self._instead_of(ctx, call_next)
        is_seen = self._peer.is_observing and ctx.request_id is not None
        operation = quietly(self._begin, ctx) if is_seen else None
        if operation is None:
            return await call_next(ctx)
        try:
            with Activation(operation):
                result = await call_next(ctx)
        except BaseException as error:
            quietly(_fail, operation, ctx, error)
            raise
        quietly(operation.succeeded, quietly(dumped, result) or EMPTY)
        return result

    def _begin(self, ctx: Any) -> Operation:
        request = Request(ctx.request_id, ctx.method, as_object(ctx.params), getattr(ctx.request, "headers", None))
        facts = self._facts_of(ctx, request)
        ambient = trace_context.current()
        parent = trace_context.context_of(request, ambient)
        operation = Operation(self._peer, facts, "incoming", request, parent, ambient)
        quietly(watch_session, ctx.session, self._peer, facts, operation)
        return operation

    def _facts_of(self, ctx: Any, request: Request) -> ConnectionFacts:
        facts = ConnectionFacts(network_of(request.headers))
        if request.method != "initialize":
            facts.learn("mcp.protocol.version", ctx.protocol_version)
            facts.learn("mcp.server.name", self._server.name)
            facts.learn("mcp.server.version", self._server.version)
            client = getattr(ctx.session.client_params, "client_info", None)
            facts.learn_client(client and {"name": client.name, "version": client.version})
        facts.learn_from_request(request)
        return facts


def _fail(operation: Operation, ctx: Any, error: BaseException) -> None:
    if not isinstance(error, Exception):
        operation.failed("cancelled")
        return
    operation.answered_with(error_of(error) or _answer_to(error, ctx))


def _answer_to(error: Exception, ctx: Any) -> WireError:
    """What the SDK answers with where a handler has raised anything else."""
    if type(error).__name__ == "ValidationError":
        return WireError(_INVALID_PARAMS, "Invalid request parameters")
    is_modern_http = ctx.request is not None and ctx.protocol_version >= _FIRST_WITHOUT_HANDSHAKE
    return WireError(_INTERNAL_ERROR if is_modern_http else 0, str(error))

