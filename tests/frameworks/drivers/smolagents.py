"""smolagents' agent that calls tools."""

import sys

from smolagents import MCPClient, OpenAIModel, ToolCallingAgent


def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    server = {
        "url": url,
        "transport": "streamable-http",
        "headers": {"Authorization": f"Bearer {key}"},
    }
    with MCPClient(server, structured_output=False) as tools:
        chat = OpenAIModel("gpt-4o", api_base=f"{model}/v1", api_key="sk-none")
        print(ToolCallingAgent(tools, chat, max_steps=3, verbosity_level=0).run(prompt))


main(*sys.argv[1:])
