"""Lists the tools and calls one with the Python SDK 1.x; prints what came as one line of JSON.

Runs in an environment of its own: `mcp` 1.x and 2.x cannot be installed together.
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str, key: str, name: str, arguments: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        streamablehttp_client(url, headers=headers) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        result = await session.call_tool(name, json.loads(arguments))
        answer = {"tools": tools, "result": result.model_dump(mode="json", by_alias=True)}
        sys.stdout.write(json.dumps(answer) + "\n")


asyncio.run(main(*sys.argv[1:]))
