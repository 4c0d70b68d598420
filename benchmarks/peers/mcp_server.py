"""The Python SDK's MCPServer, stateless, JSON responses. It lists its one tool only."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer

from benchmarks.peers._common import Search, Settings, guarded, serve
from benchmarks.peers._models import SponsorPage


def main() -> None:
    settings = Settings()
    search = Search(settings)

    @asynccontextmanager
    async def lifespan(server: MCPServer[Any]) -> AsyncGenerator[None]:  # noqa: ARG001
        async with search.open():
            yield

    server = MCPServer[None]("peer", lifespan=lifespan)

    async def search_sponsors(search: str) -> SponsorPage:
        return SponsorPage.model_construct(**await find(search))

    find = search
    server.add_tool(search_sponsors, name="sponsor.search", description="Find brands by name.")
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    serve(guarded(app, settings.token), settings.port)


if __name__ == "__main__":
    main()
