"""Pydantic AI with its toolset of an MCP server."""

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    provider = OpenAIProvider(base_url=f"{model}/v1", api_key="sk-none")
    of = OpenAIResponsesModel if mode == "responses" else OpenAIChatModel
    server = MCPToolset(url, headers={"Authorization": f"Bearer {key}"})
    agent = Agent(of("gpt-5", provider=provider), toolsets=[server])
    async with agent:
        print((await agent.run(prompt)).output)


asyncio.run(main(*sys.argv[1:]))
