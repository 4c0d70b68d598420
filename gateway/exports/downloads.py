"""The route of exports: a list is read page by page, as its tool is called, and sent as a file."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from gateway.exports.columns import (
    Column,
    Value,
    cells_of,
    columns_of_rows,
    row_of,
)
from gateway.exports.links import PATH, ExportLinks, Link, LinkGone
from gateway.exports.planning import (
    PAGE,
    columns_of_tool,
    name_of_file,
    page_arguments,
    pages_of,
)
from gateway.exports.writers import FILE_TYPES
from gateway.mcp.errors import ToolFailure
from gateway.mcp.methods.tools_call import ToolCalls
from gateway.tools import Tool, ToolCatalogue
from gateway.tools.exports import make_link
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import NotFound, ServiceError
from servicekit.http.delay_seconds import delay_seconds
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

EXPORT: Final = "catalog.export"
CUT_OFF: Final = "Sponsorgraph-Cut-Off"
"""The header that says why further rows are left out of a file."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list; `cut_off` says why the file ends with them although the list goes on, None if it does not."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value]]
    cut_off: str | None = None


class PageFailure(Exception):  # noqa: N818 - named as what it carries
    """A page of the list was refused, or failed."""

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure.text)
        self.failure = failure


class _File(StreamingResponse):
    """A file that keeps its slot until it is sent or its caller has gone away, even before its first part."""

    def __init__(self, parts: AsyncGenerator[bytes], slot: ExitStack, **options: Any) -> None:
        super().__init__(parts, **options)
        self._slot = slot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._slot:
            await super().__call__(scope, receive, send)


@dataclass(frozen=True, slots=True)
class Downloads:
    """Serves the files that links lead to. Implements `Documents`."""

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
            tool = self._tool(link)
            with ExitStack() as slot:
                slot.enter_context(self.slots)
                await self._check(link)
                return await self._response(tool, link, slot)
        except PageFailure as refused:
            return _failed(refused.failure)
        except ServiceError as refusal:
            return _refused(refusal)

    async def _check(self, link: Link) -> None:
        """Make the call of the link again, free of charge: the account may have too few requests left by now.

        Raises:
            PageFailure: It does not.
        """
        request = link.request
        named = {
            "tool": request.tool,
            "arguments": request.arguments,
            "format": request.format,
            "rows": request.rows,
        }
        export = replace(self.tools.find(EXPORT), run=make_link)
        await self._called(export, named, link)

    async def _response(self, tool: Tool, link: Link, slot: ExitStack) -> Response:
        pages = self._pages(tool, link)
        first = await anext(pages)
        file_type = FILE_TYPES[link.request.format]
        first_rows = None if first.cut_off is None else len(first.rows)
        name = name_of_file(tool, link.request.arguments, link.request.format, first_rows)
        headers = {**_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        if first.cut_off is not None:
            headers[CUT_OFF] = first.cut_off
        return _File(
            self._file(first, pages, link),
            slot.pop_all(),
            headers=headers,
            media_type=file_type.media_type,
        )

    def _tool(self, link: Link) -> Tool:
        found = self.tools.by_name.get(link.request.tool)
        if found is None:
            raise LinkGone
        return found

    async def _file(
        self, first: Page, pages: AsyncGenerator[Page], link: Link
    ) -> AsyncGenerator[bytes]:
        """Write the pages. A page that fails ends the connection without the file's end, so that nobody takes a part for the whole."""
        writer = FILE_TYPES[link.request.format].writer(first.columns)
        yield writer.begin()
        yield writer.rows(first.rows)
        cut_off = first.cut_off
        try:
            async for page in pages:
                yield writer.rows(page.rows)
                cut_off = page.cut_off
        except PageFailure as refused:
            log.warning("export_broken_off", tool=link.request.tool, code=refused.failure.code)
            raise
        yield writer.end(cut_off)

    async def _pages(self, tool: Tool, link: Link) -> AsyncGenerator[Page]:
        """Read page after page until the list or the wanted rows end; the first may be empty."""
        request = link.request
        columns, cursor, left = columns_of_tool(tool), None, request.rows
        # As many as were told before, whatever the pages hold.
        for last in reversed(range(pages_of(request.rows))):
            limit = min(PAGE, left)
            arguments = page_arguments(tool, request.arguments, cursor, limit)
            result = msgspec.json.decode(await self._called(tool, arguments, link))
            entries = result[tool.rows or ""]
            found = entries[:left]
            left -= len(found)
            cursor = result.get("next_cursor")
            is_end = cursor is None or left <= 0 or last == 0
            goes_on = is_end and (cursor is not None or len(found) < len(entries))
            cut_off = _only_first(request.rows - left) if goes_on else result.get("cut_off")
            yield _page(columns, result, found, cut_off)
            if is_end:
                return

    async def _called(self, tool: Tool, arguments: Mapping[str, Any], link: Link) -> bytes:
        """Call the tool as its caller would, waiting where too many calls come at once.

        Raises:
            PageFailure: The call is refused, or fails.
        """
        outcome = await self.calls.perform_with_retries(tool, arguments, link.principal, _MAX_WAITS)
        if isinstance(outcome, ToolFailure):
            raise PageFailure(outcome)
        return outcome.content


def _page(
    columns: tuple[Column, ...] | None,
    result: Mapping[str, Any],
    entries: Sequence[Any],
    cut_off: str | None,
) -> Page:
    """Return a page of entries; columns of None are those that the result names."""
    if columns is not None:
        return Page(columns, [row_of(entry, columns) for entry in entries], cut_off)
    typed = [(column["name"], column["type"]) for column in result["columns"]]
    named = columns_of_rows(typed, entries)
    return Page(named, [cells_of(row, named) for row in entries], cut_off)


def _only_first(rows: int) -> str:
    return f"Only the first {rows:,} rows are here: that is what `rows` and the pages of the export allow."


def downloads(tools: ToolCatalogue, links: ExportLinks, calls: ToolCalls) -> Downloads:
    """Return the route with its own limit of files under way at once."""
    return Downloads(tools, links, calls, Bulkhead("exports", _MAX_DOWNLOADS))


def _failed(failure: ToolFailure) -> Response:
    headers = {name.decode(): value.decode() for name, value in failure.script.headers}
    seconds = failure.facts.get("retry_after_seconds")
    facts = {} if seconds is None else {"retry_after_seconds": seconds}
    return _error(failure.script.status or 500, failure.code, failure.text, headers, facts)


def _refused(refusal: ServiceError) -> Response:
    status = 410 if isinstance(refusal, NotFound) else 503
    wait = refusal.retry_after
    if wait is None:
        return _error(status, refusal.reason.lower(), refusal.public_message, {}, {})
    seconds = delay_seconds(wait)
    headers, facts = {"Retry-After": str(seconds)}, {"retry_after_seconds": seconds}
    return _error(status, refusal.reason.lower(), refusal.public_message, headers, facts)


def _error(
    status: int, code: str, message: str, headers: Mapping[str, str], facts: Mapping[str, object]
) -> Response:
    content = {"error": {"code": code, "message": message, **facts}}
    return JSONResponse(content, status_code=status, headers={**_HEADERS, **headers})
