"""The route of exports: a list is read page by page, as its tool is called, and sent as a file."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, StreamingResponse

from gateway.domain.elicitation import NO_ELICITATION
from gateway.exports.columns import (
    Column,
    Value,
    cells_of,
    columns_of_rows,
    row_of,
)
from gateway.exports.links import PATH, ExportLinks, Link, LinkGone
from gateway.exports.planning import PAGE, columns_of_tool, page_arguments, pages_of
from gateway.exports.writers import FILE_TYPES
from gateway.mcp.errors import ToolFailure
from gateway.mcp.methods.tools_call import ToolCalls
from gateway.mcp.progress import NO_PROGRESS
from gateway.tools import DOTTED, Tool, ToolCatalogue
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import NotFound, ServiceError
from servicekit.observability import logs

log = logs.get(__name__)

_MAX_DOWNLOADS: Final = 32
_MAX_WAITS: Final = 20
_HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    # A file, whoever opens it by its address.
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}
_RATE_LIMITED: Final = "rate_limited"

Page = tuple[tuple[Column, ...], Sequence[Sequence[Value]]]


class PageFailure(Exception):  # noqa: N818 - named as what it carries
    """A page of the list was refused, or failed."""

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure.text)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Downloads:
    """Serves the files that links lead to. A `Documents`."""

    tools: ToolCatalogue
    links: ExportLinks
    calls: ToolCalls
    slots: Bulkhead

    def add_to(self, app: FastAPI) -> None:
        async def download(token: str) -> Response:
            return await self.download(token)

        app.get(f"{PATH}{{token}}")(download)

    async def download(self, token: str) -> Response:
        """Return the file of a link, or the error of its first page."""
        try:
            link = self.links.read(token)
            self.slots.check()
            tool = self._tool(link)
        except ServiceError as refusal:
            status = 410 if isinstance(refusal, NotFound) else 503
            return _error(status, refusal.reason, refusal.public_message)
        pages = self._pages(tool, link)
        try:
            first = await anext(pages)
        except PageFailure as refused:
            failure = refused.failure
            return _error(failure.script.status or 500, failure.code, failure.text)
        file_type = FILE_TYPES[link.request.format]
        name = f"{tool.name.replace('.', '-')}.{file_type.ending}"
        headers = {**_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(
            self._file(first, pages, link), headers=headers, media_type=file_type.media_type
        )

    def _tool(self, link: Link) -> Tool:
        found = self.tools.by_name.get(link.request.tool)
        if found is None:
            raise LinkGone
        return found

    async def _file(
        self, first: Page, pages: AsyncGenerator[Page], link: Link
    ) -> AsyncGenerator[bytes]:
        """Write the pages. A page that fails breaks the connection off, so that nobody takes a part for the whole."""
        with self.slots:
            columns, rows = first
            writer = FILE_TYPES[link.request.format].writer(columns)
            yield writer.begin()
            yield writer.rows(rows)
            try:
                async for _, rows in pages:
                    yield writer.rows(rows)
            except PageFailure as refused:
                log.warning("export_broken_off", tool=link.request.tool, code=refused.failure.code)
                raise
            yield writer.end()

    async def _pages(self, tool: Tool, link: Link) -> AsyncGenerator[Page]:
        """Read page after page until the list or the wanted rows end; the first may be empty."""
        request = link.request
        columns, cursor, left = columns_of_tool(tool), None, request.rows
        # As many as were told before, whatever the pages hold.
        for _ in range(pages_of(request.rows)):
            limit = min(PAGE, left)
            arguments = page_arguments(tool, request.arguments, cursor, limit)
            result = msgspec.json.decode(await self._called(tool, arguments, link))
            found = result[tool.rows or ""][:left]
            if columns is None:
                typed = [(column["name"], column["type"]) for column in result["columns"]]
                columns = columns_of_rows(typed, found)
                yield columns, [cells_of(row, columns) for row in found]
            else:
                yield columns, [row_of(entry, columns) for entry in found]
            left -= len(found)
            cursor = result.get("next_cursor")
            if cursor is None or left <= 0:
                return

    async def _called(self, tool: Tool, arguments: Mapping[str, Any], link: Link) -> bytes:
        """Call the tool as its caller would, waiting where too many calls come at once.

        Raises:
            PageFailure: The call is refused, or fails.
        """
        waits = 0
        while True:
            outcome = await self.calls.perform(
                tool, arguments, link.principal, NO_PROGRESS, NO_ELICITATION, DOTTED
            )
            if not isinstance(outcome, ToolFailure):
                return outcome.content
            if outcome.code != _RATE_LIMITED or waits == _MAX_WAITS:
                raise PageFailure(outcome)
            waits += 1
            await asyncio.sleep(_wait(outcome))


def downloads(tools: ToolCatalogue, links: ExportLinks, calls: ToolCalls) -> Downloads:
    """Return the route with its own limit of files under way at once."""
    return Downloads(tools, links, calls, Bulkhead("exports", _MAX_DOWNLOADS))


def _wait(failure: ToolFailure) -> float:
    seconds = failure.facts.get("retry_after_seconds", 1.0)
    return float(seconds) if isinstance(seconds, int | float) else 1.0


def _error(status: int, code: str, message: str) -> Response:
    content = {"error": {"code": code, "message": message}}
    return JSONResponse(content, status_code=status, headers=dict(_HEADERS))
