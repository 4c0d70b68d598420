"""Microsoft's Agent Framework."""

import asyncio
import sys

from agent_framework import Agent, MCPStreamableHTTPTool
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    of = OpenAIChatClient if mode == "responses" else OpenAIChatCompletionClient
    chat = of(model="gpt-5", api_key="sk-none", base_url=f"{model}/v1")
    async with (
        MCPStreamableHTTPTool(
            name="sponsorgraph", url=url, static_headers={"Authorization": f"Bearer {key}"}
        ) as tools,
        Agent(client=chat, tools=tools) as agent,
    ):
        print(await agent.run(prompt))


asyncio.run(main(*sys.argv[1:]))
