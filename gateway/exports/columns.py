"""The columns of a table: of entries from their dataclass, of rows of SQL from its types."""

import dataclasses
import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec

ColumnType = Literal["text", "integer", "number", "boolean", "date", "instant", "json"]
Value = str | int | float | bool | None
Rows = Sequence[Sequence[Value]]
COLUMN_TYPES: Final[Mapping[type, ColumnType]] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    date: "date",
    datetime: "instant",
}
_TYPES: Final[Mapping[ColumnType, type]] = {kind: plain for plain, kind in COLUMN_TYPES.items()}
_SQL_KINDS: Final[Mapping[str, ColumnType]] = {
    "smallint": "integer",
    "integer": "integer",
    "bigint": "integer",
    "numeric": "number",
    "real": "number",
    "double precision": "number",
    "boolean": "boolean",
    "date": "date",
    "timestamp with time zone": "instant",
}
"""Kinds of the types of SQL, as `SqlColumn` names them; all others are text."""


def _number(value: str | float) -> float:
    """Return a number as a float; decimals of many digits come as texts.

    Raises:
        ValueError: It is none, or larger than floats can be.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number


READERS: Final[Mapping[ColumnType, Callable[[Any], Any]]] = {
    "date": date.fromisoformat,
    "instant": datetime.fromisoformat,
    "number": _number,
}
"""How values of JSON become those of a kind, where they are not the same."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, such as "sponsor.name", and the kind of its values; "json" for lists, as JSON text.

    `items` is the type of what the lists hold: a plain one, or a dataclass. None if it is no list, or they hold
    different things.
    """

    name: str
    kind: ColumnType
    items: Any = None


def columns_of(entry: type, prefix: str = "") -> tuple[Column, ...]:
    """Return the columns of a dataclass; those of a field that is one follow under its name and a dot."""
    hints = get_type_hints(entry, include_extras=True)
    names = [field.name for field in dataclasses.fields(entry)]
    return tuple(column for name in names for column in _columns(prefix + name, hints[name]))


def _columns(name: str, hint: Any) -> Iterator[Column]:
    plain = plain_type(hint)
    if dataclasses.is_dataclass(plain):
        yield from columns_of(cast("type", plain), f"{name}.")
    elif plain in COLUMN_TYPES:
        yield Column(name, COLUMN_TYPES[plain])
    else:
        yield Column(name, "json", get_args(plain)[0])


def plain_type(hint: Any) -> Any:
    """Return a hint without its description and without None."""
    if get_origin(hint) is Annotated:
        return plain_type(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        (some,) = (item for item in get_args(hint) if item is not types.NoneType)
        return plain_type(some)
    return hint


def row_of(entry: Mapping[str, Any], columns: Sequence[Column]) -> tuple[Value, ...]:
    """Return the values of an entry, decoded JSON, in the order of the columns."""
    return tuple(_value(entry, column) for column in columns)


def _value(entry: Mapping[str, Any], column: Column) -> Value:
    found: Any = entry
    for name in column.name.split("."):
        found = None if found is None else found.get(name)
    if column.kind == "json" and found is not None:
        return msgspec.json.encode(found).decode()
    return found


def columns_of_rows(
    columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]
) -> tuple[Column, ...]:
    """Return the columns of all rows of a statement: each name once, and kinds by the types of SQL.

    Args:
        columns: Name and type of each, such as "bigint".
        rows: Their values, decoded JSON. Where one is none of the kind, as a day before our era, the column is text.
    """
    names = _distinct([name for name, _ in columns])
    return tuple(
        _column_of_values(name, kind, [row[index] for row in rows])
        for index, (name, (_, kind)) in enumerate(zip(names, columns, strict=True))
    )


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which repeated ones have numbers: a, a_2, a_3."""
    taken, found = set(names), dict[str, None]()
    for name in names:
        new = name
        if name in found:
            numbered = (f"{name}_{number}" for number in count(2))
            new = next(other for other in numbered if other not in taken)
        taken.add(new)
        found[new] = None
    return list(found)


def _column_of_values(name: str, sql_type: str, values: Sequence[Any]) -> Column:
    """Return the column of values of a type of SQL; of text where one of them is none of its kind."""
    of_items = sql_type.removesuffix("[]")
    kind: ColumnType = _SQL_KINDS.get(of_items.partition("(")[0], "text")
    some = [value for value in values if value is not None]
    if of_items == sql_type:
        return Column(name, kind if all(_fits(value, kind) for value in some) else "text")
    items = [item for value in some for item in value if item is not None]
    fits = all(not isinstance(item, list) and _fits(item, kind) for item in items)
    return Column(name, "json", _TYPES[kind] if fits else None)


def _fits(value: Any, kind: ColumnType) -> bool:
    try:
        READERS.get(kind, str)(value)
    except (TypeError, ValueError):
        return False
    return True


def cells_of(row: Sequence[Any], columns: Sequence[Column]) -> tuple[Value, ...]:
    """Return the values of such a row; in columns of text and JSON those that are no text as JSON text."""
    return tuple(
        _text(value) if column.kind in ("text", "json") else value
        for value, column in zip(row, columns, strict=True)
    )


def _text(value: Any) -> Value:
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
