"""mcp-use's agent over LangChain's model."""

import asyncio
import os
import sys

os.environ["MCP_USE_ANONYMIZED_TELEMETRY"] = "false"

from langchain_openai import ChatOpenAI
from mcp_use import MCPAgent, MCPClient


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    server = {"url": url, "auth": key}
    client = MCPClient.from_dict({"mcpServers": {"sponsorgraph": server}})
    chat = ChatOpenAI(model="gpt-5", base_url=f"{model}/v1", api_key="sk-none", max_retries=0)
    agent = MCPAgent(llm=chat, client=client, max_steps=5)
    print(await agent.run(prompt))
    await client.close_all_sessions()


asyncio.run(main(*sys.argv[1:]))
