from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Literal

from typing_extensions import Unpack

from .config import Config, read_config
from .observe.clients import watch_client
from .observe.middleware import ObservingMiddleware
from .observe.peer import Peer
from .observe.streams import watch_server
from .options import Options, Stats
from .quietly import quietly

_LONGEST_FLUSH_S = 1.0
_told: set[str] = set()
_lock = threading.RLock()


class Handle:
    """What an instrumented server or client is observed with; none of its methods raises."""

    def __init__(self, peer: Peer | None, problems: tuple[str, ...] = ()) -> None:
        self._peer = peer
        self.problems = problems
        """What is wrong with the configuration, as sentences."""

    def flush(self) -> None:
        """Sends what waits; returns when it is sent or given up, after 1 s at the latest.

        It blocks: in asynchronous code ``await asyncio.to_thread(handle.flush)``.
        """
        if self._peer:
            quietly(lambda peer: peer.pipeline.flush(_LONGEST_FLUSH_S), self._peer)

    def shutdown(self) -> None:
        """Ends the observation of this server or client and sends what waits."""
        if self._peer:
            self._peer.is_observing = False
        self.flush()

    def stats(self) -> Stats:
        """Counts of the pipeline since it started; zeros where the application's providers are used."""
        found = quietly(lambda peer: peer.pipeline.stats(), self._peer) if self._peer else None
        return found or Stats()


def instrument(server: Any, **options: Unpack[Options]) -> Handle:
    """Observes a server of ``mcp`` (FastMCP, MCPServer or low-level) or ``fastmcp``, whenever its tools are registered.

    Never raises. A second call for the same server gives the first one's handle.
    """
    return quietly(_observe, "server", _low_level(server), options) or Handle(None)


def instrument_client(client: Any, **options: Unpack[Options]) -> Handle:
    """The same for a ``ClientSession`` or a ``Client`` of either package."""
    return quietly(_observe, "client", client, options) or Handle(None)


def _low_level(server: Any) -> Any:
    for name in ("_mcp_server", "_lowlevel_server"):
        found = quietly(getattr, server, name, None)
        if found is not None:
            return found
    return server


def _observe(side: Literal["server", "client"], target: Any, options: Options) -> Handle:
    with _lock:
        known = getattr(target, "_signalbox_handle", None)
        if isinstance(known, Handle):
            return known
        config = read_config(dict(options))
        for problem in config.problems:
            quietly(_tell_once, config, problem)
        if config.disabled:
            return Handle(None, config.problems)
        peer = Peer(side, config, _name_of(target))
        watch: Callable[[Any, Peer], None] = _watch_any_server if side == "server" else watch_client
        handle = Handle(peer, config.problems)
        watch(target, peer)
        target._signalbox_handle = handle
        return handle


def _name_of(target: Any) -> str:
    for path in (("name",), ("_client_info", "name"), ("client_info", "name")):
        found = target
        for part in path:
            found = getattr(found, part, None)
        if isinstance(found, str) and found:
            return found
    return ""


def _watch_any_server(server: Any, peer: Peer) -> None:
    middleware = getattr(server, "middleware", None)
    if not isinstance(middleware, list):
        watch_server(server, peer)
        return
    own = next((each for each in middleware if type(each).__name__ == "OpenTelemetryMiddleware"), None)
    observing = ObservingMiddleware(peer, server, own)
    if own is None:
        middleware.insert(0, observing)
    else:
        middleware[middleware.index(own)] = observing


def _tell_once(config: Config, problem: str) -> None:
    """Some applications make a server for each request: what is wrong with its options is reported for the first."""
    if problem not in _told and config.log:
        _told.add(problem)
        config.log(problem)
