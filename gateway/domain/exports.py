"""Exports of lists: what is asked for, what it may cost, and where the file is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from gateway.authentication.principal import Principal

Format = Literal["csv", "parquet", "markdown", "jsonl"]
MAX_ROWS: Final = 10_000


@dataclass(frozen=True, slots=True)
class PlannedExport:
    """An export that can be made.

    Attributes:
        columns: The names of its columns; none where only the rows tell.
        max_rows: The most rows that it has.
        max_requests: The most requests that reading it counts as.
        file_name: The name of its file.
        media_type: The media type of its file.
        note: What the file may lack; None if nothing.
    """

    columns: tuple[str, ...]
    max_rows: int
    max_requests: int
    file_name: str
    media_type: str
    note: str | None


@dataclass(frozen=True, slots=True)
class CheckedList:
    """The columns of a list's file, and what the answer that the file holds would say of itself; None if nothing."""

    columns: tuple[str, ...]
    note: str | None


class Exports(Protocol):
    """Plans exports, and makes links to them."""

    def plan(
        self,
        principal: Principal,
        tool: str,
        arguments: Mapping[str, object],
        format: Format,  # noqa: A002 - the argument's published name
        rows: int,
    ) -> PlannedExport:
        """Return what an export of the list of a tool is.

        Raises:
            InvalidArguments: The tool is none, has no list, or its arguments are wrong.
            PlanRequired, InsufficientScope: The caller may not call it.
        """
        ...

    def url(
        self,
        principal: Principal,
        tool: str,
        arguments: Mapping[str, object],
        format: Format,  # noqa: A002
        rows: int,
    ) -> tuple[str, float]:
        """Return a link to the file, good for whoever has it, and when it ends, in seconds since 1970."""
        ...

    async def check(self, tool: str, arguments: Mapping[str, object], context: Any) -> CheckedList:
        """Check what only the services behind a tool know, a statement or the names among the arguments.

        Args:
            tool: Name of the tool.
            arguments: Of the export.
            context: Of the call, as the tool takes it.

        Raises:
            ServiceError: What the first page would fail with.
        """
        ...
