"""The client of fastmcp takes the steps of the matrix."""

import sys
from typing import Any

import anyio
from fastmcp import Client
from mcp_types import PromptReference

from tests.clients.steps import OnProgress, perform


class FastMcp:
    def __init__(self, client: Client[Any]) -> None:
        self.client = client

    async def tools(self) -> list[str]:
        return [tool.name for tool in await self.client.list_tools()]

    async def call(
        self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None
    ) -> str:
        result = await self.client.call_tool(name, arguments, progress_handler=on_progress)
        return result.content[0].text

    async def read(self, uri: str) -> str:
        return (await self.client.read_resource(uri))[0].text

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt: str, argument: str, typed: str) -> list[str]:
        ref = PromptReference(type="ref/prompt", name=prompt)
        return (await self.client.complete(ref, {"name": argument, "value": typed})).values


async def main(url: str, key: str, *steps: str) -> None:
    async with Client(url, auth=key) as client:
        await perform(FastMcp(client), steps)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
