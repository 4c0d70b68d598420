"""What agents read before they connect: `llms.txt` (llmstxt.org), and the skill (agentskills.io)."""

import functools
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from auth_service.web.pages import HEADERS
from auth_service.web.site import Site
from servicekit import agents

_HEADERS: Final = {**HEADERS, "Cache-Control": "public, max-age=3600"}
_MARKDOWN: Final = "text/markdown"
_ARCHIVE: Final = f"{agents.NAME}.zip"


def routes(site: Site) -> list[Route]:
    """Return the routes of `llms.txt`, of each file of the skill, and of its archive."""

    async def llms_txt(_request: Request) -> Response:
        text = agents.llms_txt(site.pages.site_url, site.pages.mcp_url)
        return Response(text, 200, _HEADERS, "text/plain")

    return [
        Route("/llms.txt", llms_txt),
        Route(f"/skills/{_ARCHIVE}", _archive),
        *(
            Route(f"/skills/{agents.NAME}/{path}", _file(text))
            for path, text in agents.skill_files().items()
        ),
    ]


def _file(text: str) -> Callable[[Request], Awaitable[Response]]:
    async def get(_request: Request) -> Response:
        return Response(text, 200, _HEADERS, _MARKDOWN)

    return get


async def _archive(_request: Request) -> Response:
    named = {**_HEADERS, "Content-Disposition": f'attachment; filename="{_ARCHIVE}"'}
    return Response(_packed(), 200, named, "application/zip")


@functools.cache
def _packed() -> bytes:
    return agents.skill_archive()
