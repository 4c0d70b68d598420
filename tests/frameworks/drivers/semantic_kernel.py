"""Semantic Kernel's agent with its plugin of an MCP server."""

import asyncio
import sys

from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.connectors.mcp import MCPStreamableHttpPlugin


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    headers = {"Authorization": f"Bearer {key}"}
    chat = OpenAIChatCompletion(
        ai_model_id="gpt-5",
        async_client=AsyncOpenAI(api_key="sk-none", base_url=f"{model}/v1", max_retries=0),
    )
    async with MCPStreamableHttpPlugin(name="sponsorgraph", url=url, headers=headers) as plugin:
        agent = ChatCompletionAgent(service=chat, name="analyst", plugins=[plugin])
        print(await agent.get_response(messages=prompt))


asyncio.run(main(*sys.argv[1:]))
