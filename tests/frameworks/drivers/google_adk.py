"""Google's Agent Development Kit."""

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from google.genai import types


async def main(url: str, key: str, model: str, prompt: str, mode: str = "") -> None:
    os.environ["GOOGLE_API_KEY"] = "none"
    headers = {"Authorization": f"Bearer {key}"}
    connection = StreamableHTTPConnectionParams(url=url, headers=headers, timeout=30)
    tools = McpToolset(connection_params=connection)
    gemini = Gemini(model="gemini-2.5-flash", base_url=model)
    runner = InMemoryRunner(LlmAgent(name="analyst", model=gemini, tools=[tools]))
    session = await runner.session_service.create_session(
        app_name=runner.app_name, user_id="person"
    )
    content = types.Content(role="user", parts=[types.Part(text=prompt)])
    async for event in runner.run_async(
        user_id="person", session_id=session.id, new_message=content
    ):
        if event.is_final_response():
            print(event.content.parts[0].text)
    await runner.close()


asyncio.run(main(*sys.argv[1:]))
