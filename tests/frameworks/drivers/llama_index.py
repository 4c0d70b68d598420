"""LlamaIndex's agent with llama-index-tools-mcp."""

import asyncio
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    client = BasicMCPClient(url, headers={"Authorization": f"Bearer {key}"})
    tools = await McpToolSpec(client).to_tool_list_async()
    chat = OpenAILike(
        model="gpt-5",
        api_base=f"{model}/v1",
        api_key="sk-none",
        is_chat_model=True,
        is_function_calling_model=True,
        strict=mode == "strict",
        max_retries=0,
    )
    print(await FunctionAgent(tools=tools, llm=chat).run(prompt))


asyncio.run(main(*sys.argv[1:]))
