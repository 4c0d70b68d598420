"""DSPy's ReAct, which has the model name the tool in its text."""

import asyncio
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import dspy
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    headers = {"Authorization": f"Bearer {key}"}
    dspy.configure(
        lm=dspy.LM("openai/gpt-4o", api_key="sk-none", api_base=f"{model}/v1", cache=False)
    )
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        listed = (await client.list_tools()).tools
        tools = [dspy.Tool.from_mcp_tool(client, tool) for tool in listed]
        react = dspy.ReAct("request -> answer", tools=tools)
        print((await react.acall(request=prompt)).answer)


asyncio.run(main(*sys.argv[1:]))
