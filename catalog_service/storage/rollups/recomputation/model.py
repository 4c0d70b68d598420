"""What a rollup computed anew consists of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A statement that selects keys and sums of a rollup for `%(first)s` to `%(last)s` of a table's numbers."""

    table: str
    select: str


@dataclass(frozen=True, slots=True)
class Rollup:
    """A table whose rows are sums by keys.

    Attributes:
        table: Its name.
        keys: Names of the columns that it is summed by.
        sums: Names of the columns that add up.
        parts: Statements whose results are added up to its rows; columns are keys and sums in their order.
        label: The column that is neither, and follows from the sponsor: its category.
    """

    table: str
    keys: tuple[str, ...]
    sums: tuple[str, ...]
    parts: tuple[Part, ...]
    label: str | None = None
