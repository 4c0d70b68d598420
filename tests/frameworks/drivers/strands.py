"""Strands Agents."""

import sys

from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient


def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    headers = {"Authorization": f"Bearer {key}"}
    with MCPClient(url=url, headers=headers) as client:
        chat = OpenAIModel(
            client_args={"api_key": "sk-none", "base_url": f"{model}/v1"}, model_id="gpt-5"
        )
        agent = Agent(model=chat, tools=client.list_tools_sync(), callback_handler=None)
        print(agent(prompt))


main(*sys.argv[1:])
