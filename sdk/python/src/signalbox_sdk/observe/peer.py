from __future__ import annotations

from typing import Literal

from ..config import Config
from ..pipeline.choose_pipeline import choose_pipeline
from ..pipeline.pipeline import Pipeline
from .names import NAMES_OF
from .tool_definitions import ToolDefinitions

_definitions: dict[str, ToolDefinitions] = {}
"""By the name of a server, since some applications make a server for each request."""
_MOST_SERVERS = 100


class Peer:
    """One observed server or client, and what its spans are made with."""

    def __init__(self, side: Literal["server", "client"], config: Config, name: str) -> None:
        self.side = side
        self.config = config
        self.name = name
        self.names = NAMES_OF[config.conventions]
        self.tools = _definitions_of(name) if side == "server" else ToolDefinitions()
        self.is_observing = True
        """False once its observation has been ended."""
        self._pipeline: Pipeline | None = None

    @property
    def pipeline(self) -> Pipeline:
        """Chosen at the first message, when the application has registered its providers."""
        if self._pipeline is None:
            given = self.config.service_name or self.config.resource.get("service.name")
            self._pipeline = choose_pipeline(self.config, given or self.name or "unknown_service:python")
        return self._pipeline


def _definitions_of(server: str) -> ToolDefinitions:
    known = _definitions.get(server)
    if known is None:
        known = ToolDefinitions()
        if len(_definitions) < _MOST_SERVERS:
            _definitions[server] = known
    return known
