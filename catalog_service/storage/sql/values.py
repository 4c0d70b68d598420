"""The values of a statement's expressions: kind, size and work, as far as its text tells them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.domain.sql.dataset import Column
from catalog_service.storage.sql.tree import Node, Tree

NUMBERS: Final = ("int", "numeric", "float")
"""From narrow to wide."""

WITHOUT_TYPE: Final = ("null", "unknown")
"""NULL, and a text that is written out and takes the kind that its place wants."""

_SIZES: Final = {"text": 1_000, "text[]": 2_000, "int": 20, "numeric": 40, "float": 25}
_OTHER_SIZE: Final = 40


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression yields.

    Attributes:
        kind: int, numeric, float, text, bool, date, time, timestamp, interval, one of these with `[]`, or one of `WITHOUT_TYPE`.
        size: Bytes of a text or array, digits of a number, at most; columns of stored text are taken as 1,000.
        weight: Work for each row, about one for an operation, with the columns of subqueries written out.
        literal: The text or number, where it is written out.
        aggregates: True if it is an aggregate or a window function.
        columns: Number of columns of this SELECT in it.
        category: The column that this is, where it has categories of sponsors.
        is_list: True if it is what `string_agg` or `array_agg` yields, as it is: larger than what may be worked with.
    """

    kind: str
    size: int = _OTHER_SIZE
    weight: int = 1
    literal: str | int | None = None
    aggregates: bool = False
    columns: int = 0
    is_list: bool = False
    category: Column | None = None

    @property
    def is_array(self) -> bool:
        return self.kind.endswith("[]")

    @property
    def element(self) -> str:
        return self.kind.removesuffix("[]")


def column_value(column: Column) -> Value:
    """Return the value of a stored column."""
    base = column.type.removesuffix("[]")
    words = {"double precision": "float", "timestamp with time zone": "timestamp"}
    kind = words.get(base) or allowed.TYPES[base]
    kind += "[]" if base != column.type else ""
    return Value(kind, size_of(kind), columns=1, category=column if column.group else None)


def size_of(kind: str) -> int:
    """Return the size that values of a kind have when nothing else is known."""
    return _SIZES.get(kind, 2_000 if kind.endswith("[]") else _OTHER_SIZE)


def joined(kind: str, size: int, parts: Iterable[Value], extra: int = 1) -> Value:
    """Return the value of an operation on others."""
    values = tuple(parts)
    return Value(
        kind,
        size,
        extra + sum(value.weight for value in values),
        aggregates=any(value.aggregates for value in values),
        columns=sum(value.columns for value in values),
    )


def common(tree: Tree, values: Sequence[Value], node: Node, extra: int = 1) -> Value:
    """Return the value of an expression that yields one of several, as CASE does.

    Raises:
        SqlRefused: They have no kind in common.
    """
    kind = common_kind(value.kind for value in values)
    if kind is None:
        kinds = " and ".join(
            sorted({value.kind for value in values if value.kind not in WITHOUT_TYPE})[:2]
        )
        raise tree.refused(
            f"Values of the types {kinds} cannot stand beside each other here; cast one of them.",
            node,
        )
    return joined(kind, max((value.size for value in values), default=1), values, extra)


def common_kind(kinds: Iterable[str]) -> str | None:
    """Return the kind that values of several kinds take together; None if there is none."""
    typed = {kind for kind in kinds if kind not in WITHOUT_TYPE}
    if len(typed) <= 1:
        return typed.pop() if typed else "text"
    if typed <= set(NUMBERS):
        return max(typed, key=NUMBERS.index)
    if typed <= {"date", "timestamp"}:
        return "timestamp"
    return None


def checked(tree: Tree, value: Value, node: Node) -> Value:
    """Return a value that is neither too large nor too much work.

    Raises:
        SqlRefused: It is.
    """
    if value.kind == "numeric" and value.size > allowed.MAX_DIGITS:
        raise tree.refused(
            f"This number may get more than {allowed.MAX_DIGITS:,} digits; multiply less, or cast to float8 first.",
            node,
        )
    if value.kind != "numeric" and not value.is_list and value.size > allowed.MAX_TEXT:
        raise tree.refused(
            f"This text or array may get larger than {allowed.MAX_TEXT // 1000} kB; select its parts as columns instead.",
            node,
        )
    if value.weight > allowed.MAX_WEIGHT:
        raise tree.refused(
            "This expression is too much work for each row, as it repeats those of its subqueries; "
            "repeat their columns less often.",
            node,
        )
    return value


def as_column(value: Value, *, is_computed_once: bool) -> Value:
    """Return how a subquery's column counts for the SELECT around it."""
    weight = 1 if is_computed_once else value.weight
    kind = "text" if value.kind in WITHOUT_TYPE else value.kind
    return replace(value, kind=kind, weight=weight, literal=None, aggregates=False, columns=1)
