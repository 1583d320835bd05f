"""An observed client that calls ``echo`` through a gateway: ``call_gateway.py <url> <key> <options as JSON>``."""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from signalbox_sdk import instrument_client


async def main(url: str, key: str, options: str) -> None:
    client = Client(StreamableHttpTransport(url, headers={"Authorization": f"Bearer {key}"}))
    handle = instrument_client(client, **json.loads(options))
    async with client:
        result = await client.call_tool("echo", {"text": "hi"})
        assert result.content[0].text == "hi"
    await asyncio.to_thread(handle.shutdown)
    assert handle.stats().sent > 0, (handle.stats(), handle.problems)


asyncio.run(main(*sys.argv[1:]))
