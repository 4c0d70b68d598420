"""Lists as parameters of statements, written at once.

psycopg calls a dumper for each element of a list, and searches each result for characters to quote: with a thousand
values in each of a batch's lists that was a quarter of what the catalogue computed for an ingest. What is written
here has no type of its own, as a string has none: the statement has to say what it is (`CAST(... AS bigint[])`,
`= ANY`, a column), as SQLAlchemy's do. Without that, `unnest` and its like fail, and `SELECT %s` returns a text.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final

import psycopg
from psycopg.abc import DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import ListDumper


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _texts(values: list[str]) -> str:
    text = '","'.join(values)
    has_marks = "\\" in text or text.count('"') != 2 * (len(values) - 1)
    return ",".join(map(_text, values)) if has_marks else f'"{text}"'


def _moment(value: date) -> str:
    return f'"{value.isoformat()}"'


_WRITERS: Final[Mapping[type, Callable[[Any], str]]] = {
    bool: str,
    int: str,
    float: repr,
    str: _text,
    date: _moment,
    datetime: _moment,
    type(None): lambda _: "NULL",
}


class FlatListDumper(ListDumper):
    """Writes a list of plain values as Postgres reads arrays (manual, section 8.15.6); others as psycopg does."""

    def get_key(self, obj: list[Any], format: PyFormat) -> DumperKey:  # noqa: A002 - the base's
        """Return one key for all lists: they are written in one way."""
        del obj, format
        return self.cls

    def upgrade(self, obj: list[Any], format: PyFormat) -> "FlatListDumper":  # noqa: A002
        """Return the dumper itself: whatever the elements are, the statement names the type."""
        del obj, format
        return self

    def dump(self, obj: list[Any]) -> bytes | bytearray | memoryview | None:
        """Return the list as the text of an array.

        Raises:
            DataError: A string holds a NUL, which Postgres stores in no text.
        """
        kinds = set(map(type, obj))
        if not kinds <= _WRITERS.keys():
            return super().dump(obj)
        if kinds == {str}:
            text = _texts(obj)
        elif kinds <= {int, bool}:
            text = str(obj)[1:-1]
        else:
            text = ",".join([_WRITERS[type(item)](item) for item in obj])
        if "\0" in text:
            raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
        return f"{{{text}}}".encode()


def register(connection: Any) -> None:
    """Have a connection of psycopg write lists so."""
    connection.adapters.register_dumper(list, FlatListDumper)
