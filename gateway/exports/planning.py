"""What an export of a list is, and its link: the `Exports` port."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.errors import InvalidArguments
from gateway.domain.exports import MAX_ROWS, CheckedList, Format, PlannedExport
from gateway.exports.columns import Column, columns_of, columns_of_rows
from gateway.exports.links import (
    LIFETIME_SECONDS,
    MAX_REQUEST_BYTES,
    ExportLinks,
    ExportRequest,
)
from gateway.exports.writers import FILE_TYPES
from gateway.tools import MAX_LIMIT, PARTS, Params, Tool, ToolCatalogue, check_permission
from servicekit.file_names import file_name

PAGE: Final = MAX_LIMIT
"""Entries of a page: the most that tools give at once."""

_PAGING: Final = ("cursor", "dry_run", "idempotency_key", "limit")
_MAX_SQL_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class ExportPlanner:
    """Plans exports of the tools that are offered."""

    tools: ToolCatalogue
    links: ExportLinks

    def plan(
        self,
        principal: Principal,
        tool: str,
        arguments: Mapping[str, object],
        format: Format,  # noqa: A002 - the argument's published name
        rows: int,
    ) -> PlannedExport:
        found = self._exportable(tool)
        check_permission(found, principal)
        params = page_of(found, arguments, None, PAGE)
        pages = pages_of(rows) if "cursor" in found.params.model_fields else 1
        max_rows = rows if pages > 1 else min(rows, _rows_of_one_page(found))
        file_type = FILE_TYPES[format]
        columns = columns_of_tool(found)
        return PlannedExport(
            columns=tuple(column.name for column in columns or ()),
            max_rows=max_rows,
            max_requests=pages * (found.cost_of(params) if found.cost_of else found.cost),
            file_name=name_of_file(found, arguments, format),
            media_type=file_type.media_type,
            note=_end_of(found, max_rows),
        )

    def url(
        self,
        principal: Principal,
        tool: str,
        arguments: Mapping[str, object],
        format: Format,  # noqa: A002
        rows: int,
    ) -> tuple[str, float]:
        name = self._exportable(tool).name
        request = ExportRequest(name, dict(arguments), format, rows)
        if len(msgspec.json.encode(request)) > MAX_REQUEST_BYTES:
            raise InvalidArguments(
                f"`arguments` are longer than a link can hold, {MAX_REQUEST_BYTES:,} bytes: keep long lists of names as "
                "saved lists.",
                details={"field": "arguments"},
            )
        return self.links.url(request, principal), time.time() + LIFETIME_SECONDS

    async def check(self, tool: str, arguments: Mapping[str, object], context: Any) -> CheckedList:
        found = self._exportable(tool)
        run = found.plan or found.run
        result: Any = await run(page_of(found, arguments, None, 1), context)
        columns = columns_of_tool(found)
        if columns is None:  # of rows without a shape of their own the answer has them
            columns = columns_of_rows([(item.name, item.type) for item in result.columns], ())
        names = tuple(column.name for column in columns)
        return CheckedList(names, getattr(result, "note", None))

    def _exportable(self, name: str) -> Tool:
        found = self.tools.by_name.get(name)
        if found is None or found.rows is None:
            names = ", ".join(tool.name for tool in self.tools if tool.rows is not None)
            raise InvalidArguments(
                f"`tool` {name[:80]!r} gives no list that can be exported. These do: {names}.",
                details={"field": "tool"},
            )
        return found


def page_of(tool: Tool, arguments: Mapping[str, object], cursor: str | None, limit: int) -> Params:
    """Return the arguments of a page of a list, checked.

    Raises:
        InvalidArguments: One is wrong, names a page, or chooses parts of the answer.
    """
    return _parsed(tool, page_arguments(tool, arguments, cursor, limit))


def page_arguments(
    tool: Tool, arguments: Mapping[str, object], cursor: str | None, limit: int
) -> dict[str, object]:
    """Return the arguments of a page as they are sent; raise as `page_of` does."""
    if named := [name for name in _PAGING if name in arguments]:
        raise InvalidArguments(
            f"`arguments` has `{named[0]}`: an export reads all pages by itself, up to `rows` entries. Leave it out.",
            details={"field": "arguments"},
        )
    if parts := [name for name in PARTS if name in arguments]:
        raise InvalidArguments(
            f"`arguments` has `{parts[0]}`: a file has all columns. Leave it out.",
            details={"field": "arguments"},
        )
    paging = {"limit": limit, "cursor": cursor}
    known = {name: value for name, value in paging.items() if name in tool.params.model_fields}
    return {**arguments, **{name: value for name, value in known.items() if value is not None}}


def _parsed(tool: Tool, arguments: Mapping[str, object]) -> Params:
    return tool.params.parse(arguments, unlisted=(*_PAGING, *PARTS))


def name_of_file(
    tool: Tool, arguments: Mapping[str, object], file_format: Format, first_rows: int | None = None
) -> str:
    """Return the name of the file with a tool's list, which says what its rows were chosen by.

    Args:
        tool: The tool.
        arguments: Its arguments.
        file_format: The file's format.
        first_rows: The rows of a file that lacks the others; None of one that is not known to lack any.
    """
    ending = FILE_TYPES[file_format].ending
    name = file_name(tool.name.split("."), arguments, ending)
    if first_rows is None:
        return name
    return f"{name.removesuffix(f'.{ending}')}-first-{first_rows}-rows.{ending}"


def pages_of(rows: int) -> int:
    """Return the pages that so many rows may take."""
    return -(-rows // PAGE)


def columns_of_tool(tool: Tool) -> tuple[Column, ...] | None:
    """Return the columns of a tool's list; None where its rows have no shape of their own."""
    hints = get_type_hints(tool.result_type)
    entry: Any = get_args(hints[tool.rows or ""])[0]
    return None if get_origin(entry) is tuple else columns_of(entry)


def _end_of(tool: Tool, max_rows: int) -> str:
    """Return where the file ends, though the list may go on."""
    if columns_of_tool(tool) is None:
        return (
            f"The file ends after {max_rows:,} rows or 256 kB of them. Where further rows are left out, its name ends in "
            "-first-N-rows, and the header Sponsorgraph-Cut-Off of the download says why."
        )
    if "cursor" not in tool.params.model_fields:
        return f"The list has one page: the file has its first {max_rows:,} entries at most."
    more = f": `rows` takes up to {MAX_ROWS:,}" if max_rows < MAX_ROWS else ""
    return f"The file has the first {max_rows:,} entries of the list at most{more}."


def _rows_of_one_page(tool: Tool) -> int:
    return PAGE if "limit" in tool.params.model_fields else _MAX_SQL_ROWS
