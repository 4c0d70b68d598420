"""Tables of pages: the call that gives the rows, their order, and their cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from auth_service.domain.explore.calls import ToolCall
from auth_service.domain.explore.columns import Column, Row, Value
from servicekit.errors import InvalidInput

MAX_LIMIT: Final = 50
"""Rows of one call, as many as tools give."""

MAX_CSV_ROWS: Final = 10_000

PERIOD: Final = ("since", "until")
"""The arguments of tools that are a period."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a table: a column's key, or nothing for that of the answer.

    `is_local` says that the rows of an answer are sorted as they are, also by what the tool could sort by.
    """

    key: str = ""
    ascending: bool = False
    is_local: bool = False


UNSORTED: Final = Order()


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table of a page.

    Attributes:
        name: In addresses: the CSV is at the page's address and `/NAME.csv`.
        title: Its heading.
        tool: The tool whose answer has the rows.
        rows: The rows of an answer.
        columns: Its columns.
        orders: The tool's `sort` for columns that it can sort by, "" for the order that it has anyway.
            By all others, rows are sorted within what is shown.
        is_paged: Whether the tool gives pages by cursor.
        limit: Rows of a call; None if the tool takes no `limit`.
        fixed: Further arguments of the call.
        preview_order: The order of the preview on a page of several tables.
        noun: What all of its rows are called; the title in lower case if it is empty.
        metrics: The tool's `metric` for columns that it can rank by.
        takes_period: Whether the tool takes a period; the rows of others are of all time.
        summary: What the rows of an answer are of, in a sentence.
        prompt: What to ask an AI for it, about `{subject}`.
    """

    name: str
    title: str
    tool: str
    rows: Callable[[Any], Sequence[Row]]
    columns: tuple[Column, ...]
    prompt: str
    orders: Mapping[str, str] = field(default_factory=dict[str, str])
    is_paged: bool = True
    limit: int | None = MAX_LIMIT
    fixed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    preview_order: Order = UNSORTED
    noun: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict[str, str])
    takes_period: bool = True
    summary: Callable[[Any], str] | None = None

    def taken(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments without a period that the tool does not take."""
        return {
            name: value
            for name, value in arguments.items()
            if self.takes_period or name not in PERIOD
        }

    def call(
        self,
        arguments: Mapping[str, Any],
        order: Order = UNSORTED,
        cursor: str = "",
        limit: int = 0,
    ) -> ToolCall:
        """Return the call for rows in an order, of the page that a cursor names."""
        call_arguments: dict[str, Any] = {**self.taken(arguments), **self.fixed}
        if self.limit is not None:
            call_arguments["limit"] = limit or self.limit
        if self.orders.get(order.key) and not order.is_local:
            call_arguments["sort"] = self.orders[order.key]
        if cursor:
            call_arguments["cursor"] = cursor
        return ToolCall(self.tool, call_arguments)

    def check(self, order: Order) -> Column | None:
        """Return the column of an order, None for the order of the answer.

        Raises:
            InvalidInput: There is no such column.
        """
        if not order.key:
            return None
        column = next((column for column in self.columns if column.key == order.key), None)
        if column is None:
            names = ", ".join(self.header)
            raise InvalidInput(f"Sort by one of the columns: {names}.", details={"field": "sort"})
        return column

    def sorts_what_is_shown(self, order: Order) -> bool:
        """Return whether an order is not the tool's, so that it is one of the rows of an answer."""
        return bool(order.key) and (order.is_local or order.key not in self.orders)

    def ordered(self, rows: Sequence[Row], order: Order) -> Sequence[Row]:
        """Return rows in an order that is not the tool's; rows without a value come last.

        Raises:
            InvalidInput: There is no such column.
        """
        column = self.check(order)
        if column is None or not self.sorts_what_is_shown(order):
            return rows
        is_tools = order.key in self.orders  # by which numbers fall and texts rise
        falls = column.is_number if is_tools else not order.ascending
        known = [row for row in rows if column.value(row) is not None]
        others = [row for row in rows if column.value(row) is None]
        known.sort(key=lambda row: _sortable(column.value(row)), reverse=falls)
        return [*known, *others]

    @property
    def header(self) -> list[str]:
        return [column.key for column in self.columns]

    @property
    def csv_columns(self) -> Sequence[Column]:
        """The columns with the ids of what they name, each once."""
        own = {column.key: column for column in self.columns}
        found: dict[str, Column] = {}
        for column in self.columns:
            found[column.key] = column
            found |= {item.key: item for item in column.ids if item.key not in own}
        return list(found.values())

    @property
    def csv_header(self) -> list[str]:
        return [column.key for column in self.csv_columns]

    def cells(self, row: Row) -> list[Value]:
        """Return a row of CSV."""
        return [column.value(row) for column in self.csv_columns]


def listed(key: str) -> Callable[[Any], Sequence[Row]]:
    """Return a reader of an answer's list."""

    def read(result: Any) -> Sequence[Row]:
        return result.get(key) or ()

    return read


def _sortable(value: Value) -> tuple[int, float, str]:
    if isinstance(value, str):
        return (1, 0.0, value.casefold())
    return (0, float(value or 0), "")
