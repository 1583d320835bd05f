from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

from .ecmascript_json import utf16_length, write_json
from .operation_attributes import Attributes
from .request import JsonObject

_READ_PARTS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""What an agent reads of a tool; the platform hashes the same."""
_MOST_TOOLS = 10_000


@dataclass(frozen=True)
class Definition:
    hash: str
    tokens: int


class ToolDefinitions:
    """The tools of a server as it last listed them: which definition a call was made by, and what it costs a model to read."""

    def __init__(self) -> None:
        self._known: dict[str, Definition] = {}
        self._listed = ""
        self._attributes: Attributes = {}

    def take(self, tools: object) -> Attributes:
        """Attributes of the answer to ``tools/list``."""
        if not isinstance(tools, list):
            return {}
        listed = json.dumps(tools)
        if listed == self._listed:
            return self._attributes
        definitions = [self._keep(tool) for tool in tools if isinstance(tool, dict)]
        self._listed = listed
        self._attributes = _summary_of(definitions)
        return self._attributes

    def of(self, name: str) -> Attributes:
        """Attributes of a call of a tool; none before it has been listed."""
        known = self._known.get(name)
        if known is None:
            return {}
        return {"signalbox.tool.definition.hash": known.hash, "signalbox.tool.definition.tokens": known.tokens}

    def _keep(self, tool: JsonObject) -> Definition:
        definition = Definition(hash_of(tool), tokens_of(tool))
        name = str(tool.get("name"))
        if len(self._known) < _MOST_TOOLS or name in self._known:
            self._known[name] = definition
        return definition


def _summary_of(definitions: list[Definition]) -> Attributes:
    joined = "".join(sorted(definition.hash for definition in definitions))
    return {
        "signalbox.tools.count": len(definitions),
        "signalbox.tools.tokens": sum(definition.tokens for definition in definitions),
        "signalbox.tools.hash": sha256(joined.encode()).hexdigest(),
    }


def hash_of(tool: JsonObject) -> str:
    """SHA-256, hex, over the canonical JSON (RFC 8785) of what is read of a tool."""
    read = {part: tool[part] for part in _READ_PARTS if part in tool}
    return sha256(write_json(read, is_canonical=True).encode("utf-8", "replace")).hexdigest()


def tokens_of(tool: JsonObject) -> int:
    """An estimate: four characters a token, as English and JSON have on average."""
    parts = {"name": "name", "description": "description", "inputSchema": "input_schema"}
    read = {as_sent: tool[part] for part, as_sent in parts.items() if part in tool}
    return -(-utf16_length(write_json(read)) // 4)
