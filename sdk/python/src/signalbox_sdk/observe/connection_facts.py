from __future__ import annotations

from .operation_attributes import Attributes
from .request import JsonObject, Request, as_object, short_text

_RESERVED = "io.modelcontextprotocol/"


class ConnectionFacts:
    """What is known of a connection: from its handshake, or from each request where there is none."""

    def __init__(self, network: Attributes | None = None) -> None:
        self._network: Attributes = network or {}
        self._learned: Attributes = {}

    def set_network(self, network: Attributes) -> None:
        self._network = network

    def learn_from_request(self, request: Request) -> None:
        """From a request, of either side."""
        if request.method == "initialize":
            self.learn_client(request.params.get("clientInfo"))
        else:
            self.learn_client(request.meta.get(f"{_RESERVED}clientInfo"))
        version = request.meta.get(f"{_RESERVED}protocolVersion") or request.header("mcp-protocol-version")
        self.learn("mcp.protocol.version", version)
        self.learn("mcp.session.id", request.header("mcp-session-id"))

    def learn_from_answer(self, request: Request, result: JsonObject) -> None:
        """From the answer to a handshake: the version that both speak."""
        if request.method != "initialize":
            return
        self.learn("mcp.protocol.version", result.get("protocolVersion"))
        server = as_object(result.get("serverInfo"))
        self.learn("mcp.server.name", server.get("name"))
        self.learn("mcp.server.version", server.get("version"))

    def learn_client(self, info: object) -> None:
        self.learn("mcp.client.name", as_object(info).get("name"))
        self.learn("mcp.client.version", as_object(info).get("version"))

    def learn(self, name: str, value: object) -> None:
        text = short_text(value)
        if text is not None:
            self._learned[name] = text

    def attributes(self) -> Attributes:
        return {**self._network, **self._learned}

    def few(self) -> Attributes:
        """Of durations: what has few values."""
        version = self._learned.get("mcp.protocol.version")
        return {**self._network, **({"mcp.protocol.version": version} if version else {})}


def network_of(headers: object) -> Attributes:
    """A message that no HTTP request has brought came through a pipe."""
    if headers is None:
        return {"network.transport": "pipe"}
    return {"network.transport": "tcp", "network.protocol.name": "http"}
