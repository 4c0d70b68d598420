"""Agno's agent."""

import asyncio
import sys

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools.mcp import MCPTools, StreamableHTTPClientParams


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    params = StreamableHTTPClientParams(url=url, headers={"Authorization": f"Bearer {key}"})
    async with MCPTools(transport="streamable-http", server_params=params) as tools:
        chat = OpenAIChat(id="gpt-5", api_key="sk-none", base_url=f"{model}/v1")
        agent = Agent(model=chat, tools=[tools], telemetry=False)
        print((await agent.arun(prompt)).content)


asyncio.run(main(*sys.argv[1:]))
