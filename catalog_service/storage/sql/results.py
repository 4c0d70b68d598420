"""Rows of callers' SQL as JSON, one after the other: the process holds one row beyond those that it returns."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, cast

import msgspec
import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.rows import tuple_row

from catalog_service.domain.sql import allowed
from catalog_service.domain.sql.errors import SqlRefused
from catalog_service.domain.sql.ports import Plan, Rows

MAX_ROWS: Final = 500
MAX_BYTES: Final = 256_000

_JSON: Final = msgspec.json.Encoder(enc_hook=str)
_MAX_NUMBER: Final = 18
"""Characters of a number with decimals that JSON's readers keep exactly; longer ones become texts."""

_NAMES: Final = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "bool": "boolean",
    "bpchar": "character",
    "timestamptz": "timestamp with time zone",
    "timestamp": "timestamp without time zone",
    "time": "time without time zone",
    "varchar": "character varying",
}


class _TextLoader(Loader):
    """Days, times and intervals as Postgres writes them: Python's own have other bounds."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode()


class _TimestampLoader(Loader):
    """With a T between day and time, as ISO 8601 has it."""

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode()
        day, space, rest = text.partition(" ")
        if not space or not rest[:1].isdigit():
            return text
        return (
            f"{day}T{rest.removesuffix('+00')}+00:00" if rest.endswith("+00") else f"{day}T{rest}"
        )


class _NumberLoader(Loader):
    """Numbers as JSON has them; NaN and infinity are null, and what has too many digits for a JSON number is a text."""

    def load(self, data: Buffer) -> object:
        text = bytes(data).decode()
        if not text[-1].isdigit():
            return None
        if "." not in text:
            return int(text) if len(text) <= _MAX_NUMBER else text
        return msgspec.Raw(text.encode()) if len(text) <= _MAX_NUMBER else text


def register_loaders(connection: psycopg.AsyncConnection[Any]) -> None:
    """Let a connection's values be read as they are shown."""
    adapters = connection.adapters
    for name in ("date", "time", "timetz", "interval"):
        adapters.register_loader(name, _TextLoader)
    for name in ("timestamp", "timestamptz"):
        adapters.register_loader(name, _TimestampLoader)
    adapters.register_loader("numeric", _NumberLoader)
    # Of EXPLAIN alone.
    adapters.register_loader("json", _TextLoader)


async def columns_of_query(
    connection: psycopg.AsyncConnection[Any], query: Any, sql: str
) -> list[tuple[str, str]]:
    """Return name and type of each column of a statement that is planned and not run."""
    async with connection.cursor(name="shape") as shape:
        await shape.execute(query)
        return _columns(shape.description, sql)


def _columns(description: list[psycopg.Column] | None, sql: str) -> list[tuple[str, str]]:
    """Return name and type of each column.

    Raises:
        SqlRefused: There are too many.
    """
    columns = [(column.name, _type_name(column)) for column in description or ()]
    if len(columns) > allowed.MAX_COLUMNS:
        raise SqlRefused(
            f"A result has at most {allowed.MAX_COLUMNS} columns; this one has {len(columns)}.", sql
        )
    return columns


def _type_name(column: psycopg.Column) -> str:
    """Return a type's name as catalog.schema has it."""
    name = column.type_display.removeprefix("pg_catalog.")
    base, brackets, _ = name.partition("[")
    word, parenthesis, length = base.partition("(")
    return f"{_NAMES.get(word, word)}{parenthesis}{length}{'[]' if brackets else ''}"


async def fetch(
    connection: psycopg.AsyncConnection[Any], query: Any, sql: str, cost: float
) -> Rows:
    """Run a statement, and return as many of its rows as fit."""
    parts: list[bytes] = []
    size = 0
    cut_off: str | None = None
    columns: list[tuple[str, str]] = []
    async with connection.cursor(row_factory=tuple_row) as cursor:
        stream = cast("AsyncGenerator[tuple[object, ...]]", cursor.stream(query))
        async with aclosing(stream) as rows:
            async for row in rows:
                columns = columns or _columns(cursor.description, sql)
                encoded = _JSON.encode(row)
                cut_off = _cut_off(len(parts), size + len(encoded))
                if cut_off is not None:
                    break
                parts.append(encoded)
                size += len(encoded) + 1
    # The driver forgets the columns of a stream without rows.
    columns = columns or await columns_of_query(connection, query, sql)
    return Rows(Plan(cost, columns), b"[" + b",".join(parts) + b"]", len(parts), cut_off)


def _cut_off(count: int, size: int) -> str | None:
    """Return why a row is left out; None if it is not."""
    if count == MAX_ROWS:
        return f"Only the first {MAX_ROWS} rows are here; sort and limit, or aggregate."
    if size <= MAX_BYTES:
        return None
    if count == 0:
        return f"The first row alone is larger than {MAX_BYTES // 1000} kB; select fewer or shorter columns."
    return f"Only as many rows are here as fit in {MAX_BYTES // 1000} kB; select fewer columns."
