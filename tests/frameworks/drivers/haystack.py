"""Haystack's agent with the toolset of mcp-haystack."""

import sys

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret
from haystack_integrations.tools.mcp import MCPToolset, StreamableHttpServerInfo


def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    server = StreamableHttpServerInfo(url=url, token=key)
    tools = MCPToolset(server_info=server, eager_connect=True)
    chat = OpenAIChatGenerator(
        model="gpt-5",
        api_key=Secret.from_token("sk-none"),
        api_base_url=f"{model}/v1",
        max_retries=0,
        tools_strict=mode == "strict",
    )
    result = Agent(chat_generator=chat, tools=tools).run([ChatMessage.from_user(prompt)])
    print(result["messages"][-1].text)
    tools.close()


main(*sys.argv[1:])
