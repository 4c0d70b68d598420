"""generate_series: with bounds that are written out, or today, so that its length is known."""

import re
from contextlib import suppress
from datetime import date, timedelta
from typing import Final

from catalog_service.domain.sql import allowed
from catalog_service.storage.sql.literals import whole_number
from catalog_service.storage.sql.tree import Node, Tree, bare, kind_of, of_postgres, strings

_CURRENT: Final = frozenset((1, 4, 8))
_MAX_NUMBER: Final = 2_000_000_000
_PERIOD: Final = re.compile(
    r"([1-9][0-9]{0,4}) ?(hour|day|week|mon|month|quarter|year)s?", re.ASCII
)
_SHORTEST: Final = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "mon": timedelta(days=28),
    "month": timedelta(days=28),
    "quarter": timedelta(days=89),
    "year": timedelta(days=365),
}
_PARTS_OF_YEAR: Final = frozenset(("hour", "day", "week", "month", "quarter", "year"))
_LONGEST_PARTS: Final = {"mon": 31, "month": 31, "quarter": 92, "year": 366}
_SIGNS: Final = {"+": 1, "-": -1}
_DAY_TYPES: Final = ("date", "timestamp", "timestamptz")
_SLACK: Final = timedelta(days=2)
"""Between the day here and that of the server."""

_BOUNDS: Final = (
    "The bounds of generate_series are written out here, with at most 10,000 values: generate_series(1, 12), or "
    "generate_series(date '2025-01-01', current_date, interval '1 month')."
)


def check(tree: Tree, node: Node) -> None:
    """Accept a generate_series.

    Raises:
        SqlRefused: It is not known to be short.
    """
    first, last, *step = node.args
    if _is_number(first):
        numbers = [whole_number(tree, item, _MAX_NUMBER, "A bound") for item in node.args]
        stride = abs(numbers[2]) if step else 1
        if abs(numbers[1] - numbers[0]) > (allowed.MAX_SERIES - 1) * max(stride, 1):
            raise tree.refused(_BOUNDS, node)
        return
    days = [_day(tree, item) for item in (first, last)]
    if not step:
        raise tree.refused(_BOUNDS, node)
    stride = _period(tree, step[0])
    if (abs(days[1] - days[0]) + _SLACK) / stride > allowed.MAX_SERIES:
        raise tree.refused(_BOUNDS, node)


def _is_number(node: Node) -> bool:
    inner = bare(node)
    if kind_of(node) == "A_Expr" and strings(inner.name) == ["-"] and not inner.HasField("lexpr"):
        inner = bare(inner.rexpr)
    return (
        inner is not None
        and inner.DESCRIPTOR.name == "A_Const"
        and inner.WhichOneof("val") == "ival"
    )


def _day(tree: Tree, node: Node) -> date:
    """Return the day of a bound, as far from today as it may be."""
    inner = bare(node)
    kind = kind_of(node)
    if kind == "TypeCast" and of_postgres(inner.type_name.names) in _DAY_TYPES:
        return _day(tree, inner.arg)
    text = _text(inner)
    if text is not None:
        with suppress(ValueError):
            return date.fromisoformat(text)
    if kind == "A_Expr" and strings(inner.name)[0] in _SIGNS and inner.HasField("lexpr"):
        sign = _SIGNS[strings(inner.name)[0]]
        return _shifted(tree, node, _day(tree, inner.lexpr), sign * _distance(tree, inner.rexpr))
    if _is_truncated(kind, inner):
        # Up to a year earlier.
        return _shifted(tree, node, _day(tree, inner.args[1]), timedelta(days=-366))
    if _is_now(kind, inner):
        return date.today()  # noqa: DTZ011 - the slack covers the zone
    raise tree.refused(_BOUNDS, node)


def _is_truncated(kind: str, inner: Node) -> bool:
    """Return whether a day is cut to the begin of a year or of a part of one; a millennium is no such part."""
    return (
        kind == "FuncCall"
        and of_postgres(inner.funcname) == "date_trunc"
        and len(inner.args) == 2
        and (_text(bare(inner.args[0])) or "").lower() in _PARTS_OF_YEAR
    )


def _is_now(kind: str, inner: Node) -> bool:
    is_current = kind == "SQLValueFunction" and inner.op in _CURRENT
    return is_current or (kind == "FuncCall" and of_postgres(inner.funcname) == "now")


def _distance(tree: Tree, node: Node) -> timedelta:
    if _is_number(node):
        return timedelta(days=whole_number(tree, node, allowed.MAX_SERIES, "A number of days"))
    return _longest(tree, node)


def _shifted(tree: Tree, node: Node, day: date, by: timedelta) -> date:
    try:
        return day + by
    except OverflowError:
        raise tree.refused(_BOUNDS, node) from None


def _period(tree: Tree, node: Node) -> timedelta:
    """Return the shortest time that an interval stands for."""
    number, unit = _parts(tree, node)
    return number * _SHORTEST[unit]


def _longest(tree: Tree, node: Node) -> timedelta:
    number, unit = _parts(tree, node)
    days = _LONGEST_PARTS.get(unit)
    return number * (_SHORTEST[unit] if days is None else timedelta(days=days))


def _parts(tree: Tree, node: Node) -> tuple[int, str]:
    inner = bare(node)
    if kind_of(node) == "TypeCast" and of_postgres(inner.type_name.names) == "interval":
        inner = None if inner.type_name.typmods else bare(inner.arg)
    text = _text(inner)
    found = None if text is None else _PERIOD.fullmatch(text.strip().lower())
    if found is None:
        raise tree.refused(_BOUNDS, node)
    return int(found[1]), found[2]


def _text(inner: Node) -> str | None:
    """Return a text that is written out; None of anything else."""
    if inner is None or inner.DESCRIPTOR.name != "A_Const" or inner.WhichOneof("val") != "sval":
        return None
    return str(inner.sval.sval)
