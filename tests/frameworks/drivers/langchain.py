"""LangChain's agent with langchain-mcp-adapters."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    server = {
        "transport": "streamable_http",
        "url": url,
        "headers": {"Authorization": f"Bearer {key}"},
    }
    tools = await MultiServerMCPClient({"sponsorgraph": server}).get_tools()
    chat = ChatOpenAI(
        model="gpt-5",
        base_url=f"{model}/v1",
        api_key="sk-none",
        use_responses_api=mode == "responses",
        max_retries=0,
    )
    agent = create_agent(chat, tools)
    result = await agent.ainvoke({"messages": [{"role": "user", "content": prompt}]})
    print(result["messages"][-1].text)


asyncio.run(main(*sys.argv[1:]))
