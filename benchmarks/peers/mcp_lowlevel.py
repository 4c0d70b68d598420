"""The Python SDK's low-level server: stateless, JSON responses."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.lowlevel import Server

from benchmarks.peers._common import Search, Settings, guarded, serve


def main() -> None:
    settings = Settings()
    search = Search(settings)
    listed = types.ListToolsResult(tools=[types.Tool.model_validate(t) for t in settings.tools])

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:  # noqa: ARG001
        return listed

    async def call_tool(
        context: Any,  # noqa: ARG001
        params: types.CallToolRequestParams,
    ) -> types.CallToolResult:
        result = await search((params.arguments or {})["search"])
        text = msgspec.json.encode(result).decode()
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], structured_content=result
        )

    @asynccontextmanager
    async def lifespan(server: Server[Any]) -> AsyncGenerator[None]:  # noqa: ARG001
        async with search.open():
            yield

    server = Server[None](
        "peer", lifespan=lifespan, on_list_tools=list_tools, on_call_tool=call_tool
    )
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    serve(guarded(app, settings.token), settings.port)


if __name__ == "__main__":
    main()
