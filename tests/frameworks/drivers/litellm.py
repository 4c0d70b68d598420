"""LiteLLM's helper for MCP: tools as OpenAI has them, and their calls."""

import asyncio
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import httpx2
import litellm
from litellm.experimental_mcp_client import call_openai_tool, load_mcp_tools
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        session = client.session
        tools = await load_mcp_tools(session, format="openai")
        messages = [{"role": "user", "content": prompt}]
        provider = {"model": "openai/gpt-5", "api_base": f"{model}/v1"}
        if mode == "anthropic":
            provider = {"model": "anthropic/claude-sonnet-4-5", "api_base": model}
        if mode == "gemini":
            provider = {
                "model": "gemini/gemini-2.5-flash",
                "api_base": f"{model}/v1beta/models/gemini-2.5-flash",
            }
        while True:
            response = await litellm.acompletion(
                **provider, api_key="sk-none", messages=messages, tools=tools
            )
            message = response.choices[0].message
            messages.append(message.model_dump())
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                result = await call_openai_tool(session, call)
                content = result.content[0].text
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        print(message.content)


asyncio.run(main(*sys.argv[1:]))
