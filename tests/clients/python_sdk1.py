"""The Python SDK 1.x takes the steps of the matrix.

Runs in an environment of its own: `mcp` 1.x and 2.x cannot be installed together.
"""

import sys
from typing import Any

import anyio
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import PromptReference
from pydantic import AnyUrl

from tests.clients.steps import OnProgress, perform


class Sdk1:
    def __init__(self, session: ClientSession) -> None:
        self.session = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(
        self, name: str, arguments: dict[str, Any], on_progress: OnProgress | None = None
    ) -> str:
        result = await self.session.call_tool(name, arguments, progress_callback=on_progress)
        return result.content[0].text

    async def read(self, uri: str) -> str:
        return (await self.session.read_resource(AnyUrl(uri))).contents[0].text

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        return (await self.session.get_prompt(name, arguments)).messages[0].content.text

    async def complete(self, prompt: str, argument: str, typed: str) -> list[str]:
        ref = PromptReference(type="ref/prompt", name=prompt)
        result = await self.session.complete(ref, {"name": argument, "value": typed})
        return result.completion.values


async def main(url: str, key: str, *steps: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        streamablehttp_client(url, headers=headers) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        await perform(Sdk1(session), steps)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
