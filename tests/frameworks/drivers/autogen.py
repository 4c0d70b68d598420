"""AutoGen's assistant with the workbench of autogen-ext."""

import asyncio
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StreamableHttpServerParams


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    chat = OpenAIChatCompletionClient(
        model="gpt-4o", api_key="sk-none", base_url=f"{model}/v1", max_retries=0
    )
    server = StreamableHttpServerParams(url=url, headers={"Authorization": f"Bearer {key}"})
    async with McpWorkbench(server) as workbench:
        agent = AssistantAgent(
            "analyst", model_client=chat, workbench=workbench, reflect_on_tool_use=True
        )
        result = await agent.run(task=prompt)
        print(result.messages[-1].content)


asyncio.run(main(*sys.argv[1:]))
