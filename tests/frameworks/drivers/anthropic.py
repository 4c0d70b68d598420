"""Anthropic's SDK: its tool runner with the tools of an MCP session."""

import asyncio
import sys

import httpx2
from anthropic import AsyncAnthropic
from anthropic.lib.tools.mcp import async_mcp_tool
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    headers = {"authorization": f"Bearer {key}"}
    claude = AsyncAnthropic(base_url=model, api_key="sk-none", max_retries=0)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        tools = [async_mcp_tool(tool, client) for tool in (await client.list_tools()).tools]
        runner = claude.beta.messages.tool_runner(
            model="claude-sonnet-4-5",
            max_tokens=1000,
            tools=tools,
            messages=[{"role": "user", "content": prompt}],
        )
        message = await runner.until_done()
        print(message.content[0].text)


asyncio.run(main(*sys.argv[1:]))
