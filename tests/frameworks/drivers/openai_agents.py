"""OpenAI's Agents SDK, over the interface of responses and in strict mode where the argument says so."""

import asyncio
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from agents.models.openai_provider import OpenAIProvider
from agents.run import RunConfig


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    set_tracing_disabled(True)
    provider = OpenAIProvider(
        api_key="sk-none", base_url=f"{model}/v1", use_responses=mode != "chat"
    )
    params = {"url": url, "headers": {"Authorization": f"Bearer {key}"}}
    async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=30) as server:
        agent = Agent(
            name="analyst",
            model="gpt-5",
            mcp_servers=[server],
            mcp_config={"convert_schemas_to_strict": mode == "strict"},
        )
        result = await Runner.run(agent, prompt, run_config=RunConfig(model_provider=provider))
        print(result.final_output)


asyncio.run(main(*sys.argv[1:]))
