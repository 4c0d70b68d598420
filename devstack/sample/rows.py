"""The sample as rows of the catalogue's tables, rollups included, which an empty catalogue takes by COPY.

`devstack.sample.prepare` makes them by an ingest of the sample; a test holds them against another one.
"""

import zipfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final, LiteralString

import psycopg
from psycopg import sql

ROWS: Final = Path(str(resources.files("devstack.sample"))) / "rows.zip"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_BLOCK: Final = 1 << 18
_TABLES: Final = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version' ORDER BY 1
"""
# What is computed from other columns, and the id of a state, which is another one in each catalogue.
_COLUMNS: Final = """
    SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'change_id'
"""
_KEY: Final = """
    SELECT array_agg(attname::text) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
    WHERE indrelid = %s::regclass AND indisprimary
"""
_NUMBERED: Final = """
    SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND attidentity <> '' AND relname = ANY(%s)
"""


def dump(connection: psycopg.Connection, source: str, target: Path) -> None:
    """Write the rows of a catalogue that holds the sample alone; the same rows give the same bytes.

    Args:
        connection: To its database.
        source: The digest of the file that it was loaded from.
        target: The file to write.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.comment = source.encode()
        for (table,) in connection.execute(_TABLES).fetchall():
            if rows := _rows(connection, table):
                archive.writestr(zipfile.ZipInfo(table, _EPOCH), rows, zipfile.ZIP_DEFLATED)


def restore(connection: psycopg.Connection, source: Path = ROWS) -> str | None:
    """Fill an empty catalogue in one transaction.

    Args:
        connection: Of a superuser, to a database with the newest tables.
        source: A file of `dump`.

    Returns:
        The digest of the file that the rows were loaded from; None where the catalogue is not empty, which is left as it is.
    """
    with zipfile.ZipFile(source) as archive, connection.transaction():
        emptied = connection.execute("DELETE FROM catalog_state WHERE version = 0")
        if not emptied.rowcount:
            return None
        # The references among the rows were checked when they were made.
        connection.execute("SET LOCAL session_replication_role = replica")
        # New entries of GIN indexes are found there and merged by autovacuum later, not while the start waits.
        connection.execute("SET LOCAL gin_pending_list_limit = '64MB'")
        tables = archive.namelist()
        for table in tables:
            with archive.open(table) as rows:
                columns = rows.readline().decode().split()
                with connection.cursor().copy(_copy(table, columns)) as copy:
                    while block := rows.read(_BLOCK):
                        copy.write(block)
        for table, column in connection.execute(_NUMBERED, (tables,)).fetchall():
            statement = "SELECT setval(pg_get_serial_sequence({}, {}), max({})) FROM {}"
            names = sql.Literal(table), sql.Literal(column)
            fields = sql.Identifier(column), sql.Identifier(table)
            connection.execute(sql.SQL(statement).format(*names, *fields))
        connection.execute("UPDATE catalog_state SET change_id = gen_random_uuid()")
        return archive.comment.decode()


def _rows(connection: psycopg.Connection, table: str) -> bytes:
    """Return the names of the columns and a line for each row, in the order of their key; nothing without rows."""
    columns = _names(connection, _COLUMNS, table)
    fields = sql.SQL(", ").join(map(sql.Identifier, columns))
    order = sql.SQL(", ").join(map(sql.Identifier, _names(connection, _KEY, table)))
    statement = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
        fields, sql.Identifier(table), order
    )
    with connection.cursor().copy(statement) as copy:
        lines = b"".join(copy)
    return f"{' '.join(columns)}\n".encode() + lines if lines else b""


def _names(connection: psycopg.Connection, query: LiteralString, table: str) -> Sequence[str]:
    row = connection.execute(query, (table,)).fetchone()
    return () if row is None else row[0]


def _copy(table: str, columns: Sequence[str]) -> sql.Composed:
    fields = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), fields)
