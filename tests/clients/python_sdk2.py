"""The Python SDK 2.x takes the steps of the matrix: `MODE URL KEY STEP…`."""

import sys
from collections.abc import Sequence
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference

from tests.clients.steps import OnProgress, perform


class Sdk2:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(
        self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None
    ) -> str:
        result = await self.client.call_tool(name, arguments, progress_callback=on_progress)
        return result.content[0].text

    async def read(self, uri: str) -> str:
        return (await self.client.read_resource(uri)).contents[0].text

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt: str, argument: str, typed: str) -> list[str]:
        ref = PromptReference(type="ref/prompt", name=prompt)
        result = await self.client.complete(ref, {"name": argument, "value": typed})
        return result.completion.values


async def steps_over(transport: Any, mode: Any, steps: Sequence[str]) -> None:
    """Connects over a transport and takes the steps."""
    async with Client(transport, mode=mode) as client:
        await perform(Sdk2(client), steps)


async def main(mode: str, url: str, key: str, *steps: str) -> None:
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=30) as http:
        await steps_over(streamable_http_client(url, http_client=http), mode, steps)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
