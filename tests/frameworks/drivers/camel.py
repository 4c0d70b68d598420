"""CAMEL's agent with its MCP toolkit, which has every schema followed strictly."""

import asyncio
import sys

from camel.agents import ChatAgent
from camel.models import ModelFactory
from camel.toolkits import MCPToolkit
from camel.types import ModelPlatformType
from camel.utils import BaseTokenCounter


class NoTokens(BaseTokenCounter):
    """Counts nothing, as the encoding would have to be fetched."""

    def count_tokens_from_messages(self, _: object) -> int:
        return 0

    def encode(self, _: object) -> list[int]:
        return []

    def decode(self, _: object) -> str:
        return ""


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    server = {"url": url, "headers": {"Authorization": f"Bearer {key}"}}
    config = {"mcpServers": {"sponsorgraph": server}}
    async with MCPToolkit(config_dict=config) as toolkit:
        chat = ModelFactory.create(
            model_platform=ModelPlatformType.OPENAI_COMPATIBLE_MODEL,
            model_type="gpt-5",
            url=f"{model}/v1",
            api_key="sk-none",
            token_counter=NoTokens(),
        )
        agent = ChatAgent(model=chat, tools=toolkit.get_tools())
        print((await agent.astep(prompt)).msgs[0].content)


asyncio.run(main(*sys.argv[1:]))
