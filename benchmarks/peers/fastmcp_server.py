"""FastMCP, stateless, JSON responses. It lists its one tool only."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import FastMCP

from benchmarks.peers._common import Search, Settings, guarded, serve
from benchmarks.peers._models import SponsorPage


def main() -> None:
    settings = Settings()
    find = Search(settings)

    @asynccontextmanager
    async def lifespan(server: FastMCP[Any]) -> AsyncGenerator[dict[str, Any]]:  # noqa: ARG001
        async with find.open():
            yield {}

    server = FastMCP[Any]("peer", lifespan=lifespan)

    @server.tool(name="sponsor.search", description="Find brands by name.")
    async def search_sponsors(search: str) -> SponsorPage:
        return SponsorPage.model_construct(**await find(search))

    assert search_sponsors  # noqa: S101 - registered above
    app = server.http_app(path="/mcp", json_response=True, stateless_http=True)
    serve(guarded(app, settings.token), settings.port)


if __name__ == "__main__":
    main()
