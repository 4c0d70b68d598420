"""The columns of a table of entries, from the dataclass of an entry."""

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec

Kind = Literal["text", "integer", "number", "boolean", "date", "instant", "json"]
Value = str | int | float | bool | None
_KINDS: Final[Mapping[type, Kind]] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    date: "date",
    datetime: "instant",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, such as "sponsor.name", and the kind of its values; "json" for lists, as JSON text."""

    name: str
    kind: Kind


def columns_of(entry: type, prefix: str = "") -> tuple[Column, ...]:
    """Return the columns of a dataclass; those of a field that is one follow under its name and a dot."""
    hints = get_type_hints(entry, include_extras=True)
    names = [field.name for field in dataclasses.fields(entry)]
    return tuple(column for name in names for column in _columns(prefix + name, hints[name]))


def _columns(name: str, hint: Any) -> Iterator[Column]:
    plain = _plain(hint)
    if dataclasses.is_dataclass(plain):
        yield from columns_of(cast("type", plain), f"{name}.")
    else:
        yield Column(name, _KINDS.get(plain, "json"))


def _plain(hint: Any) -> Any:
    """Return a hint without its description and without None."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        (some,) = (item for item in get_args(hint) if item is not types.NoneType)
        return _plain(some)
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


def columns_of_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    """Return the columns of rows whose values have whatever types they have; unlike ones make a column of JSON text."""
    return tuple(
        Column(name, _kind(row[index] for row in rows)) for index, name in enumerate(names)
    )


def _kind(values: Iterator[Any]) -> Kind:
    found: set[type] = {value.__class__ for value in values if value is not None}
    if found <= {int, float} and float in found:
        return "number"
    if len(found) == 1:
        return _KINDS.get(found.pop(), "json")
    return "json" if found else "text"


def cells_of(row: Sequence[Any], columns: Sequence[Column]) -> tuple[Value, ...]:
    """Return the values of such a row, those of columns of JSON as text."""
    return tuple(
        msgspec.json.encode(value).decode()
        if column.kind == "json" and value is not None
        else value
        for value, column in zip(row, columns, strict=True)
    )
