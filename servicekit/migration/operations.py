"""What migrations do to large tables without stopping the services: indexes made concurrently, and fills in batches.

Both commit as they go. A migration that uses them holds nothing else, so that it can be run again from its beginning.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from alembic import op
from sqlalchemy import Connection, text

from servicekit.migration.environment import LOCK_WAIT, LOCK_WAIT_SECONDS, REPORT

Parameters = Callable[[Connection, Any, Any], Mapping[str, Any]]
"""Returns parameters of a statement for a batch, from its first to its last key."""

_IS_INVALID: Final = text("""
    SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(:name) AND NOT indisvalid)
""")
_PROGRESS: Final = """
    CREATE TABLE IF NOT EXISTS migration_progress (name text PRIMARY KEY, last_key jsonb NOT NULL, rows bigint NOT NULL)
"""
_FIND: Final = text("SELECT last_key, rows FROM migration_progress WHERE name = :name")
_SAVE: Final = text("""
    INSERT INTO migration_progress VALUES (:name, CAST(:last AS jsonb), :rows)
    ON CONFLICT (name) DO UPDATE SET last_key = excluded.last_key, rows = excluded.rows
""")
_ESTIMATE: Final = text(
    "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = to_regclass(:table)"
)


def create_index_concurrently(
    name: str, table: str, definition: str, *, unique: bool = False
) -> None:
    """Make an index while the table is read and written.

    It waits for the transactions that run, during which nobody waits for it. What an interrupted run has left behind is made anew.

    Args:
        name: Of the index.
        table: That has it.
        definition: What follows the table's name, such as `(published_on) WHERE code IS NOT NULL`.
        unique: Whether no two rows may be equal in it.
    """
    kind = "UNIQUE INDEX" if unique else "INDEX"
    context = op.get_context()
    with context.autocommit_block():
        if not context.as_sql:
            connection = op.get_bind()
            connection.execute(text(f"SET lock_timeout = '{_lock_wait()}s'"))
            if connection.scalar(_IS_INVALID, {"name": name}):
                connection.execute(text(f"DROP INDEX CONCURRENTLY {name}"))
        op.execute(f"CREATE {kind} CONCURRENTLY IF NOT EXISTS {name} ON {table} {definition}")
        if not context.as_sql:
            op.get_bind().execute(text("SET lock_timeout = '1s'"))


def fill_in_batches(
    name: str,
    table: str,
    statement: str,
    *,
    parameters: Parameters | None = None,
    key: str = "id",
    batch_rows: int = 5_000,
) -> None:
    """Change the rows of a large table a batch at a time, each in a transaction of its own.

    The last key of each batch is stored with it, in the table `migration_progress`, so that an interrupted run goes on behind it.

    Args:
        name: Of this fill, such as the revision.
        table: Whose rows are walked through by `key`.
        statement: Changes those rows of a batch, `WHERE id BETWEEN :first AND :last`.
        parameters: Of the statement besides these two, made for each batch.
        key: A unique column with an index, a number or a text.
        batch_rows: Rows of a batch.
    """
    context = op.get_context()
    with context.autocommit_block():
        if context.as_sql:
            op.execute(text(statement))
            return
        connection = op.get_bind()
        connection.execute(text(_PROGRESS))
        estimate = connection.scalar(_ESTIMATE, {"table": table})
        report: Callable[[str], None] = _attributes().get(REPORT) or _ignore
        rows = 0
        while (
            done := _fill_batch(
                connection,
                name,
                table,
                statement,
                parameters=parameters,
                key=key,
                batch_rows=batch_rows,
            )
        ) is not None:
            rows = done
            known = f" of some {estimate}" if estimate and estimate >= rows else ""
            report(f"Migration {name}: {rows}{known} rows of {table}")
        connection.execute(
            text("DELETE FROM migration_progress WHERE name = :name"), {"name": name}
        )
        if not connection.scalar(text("SELECT count(*) FROM migration_progress")):
            connection.execute(text("DROP TABLE migration_progress"))


def forget_fill(name: str) -> None:
    """Let an interrupted fill begin anew, as in the downgrade of the migration that made what it fills."""
    op.execute(
        "DO $$ BEGIN IF to_regclass('migration_progress') IS NOT NULL THEN "  # noqa: S608 - of a migration
        f"DELETE FROM migration_progress WHERE name = '{name}'; END IF; END $$"
    )


def _fill_batch(  # noqa: PLR0913 - those of `fill_in_batches`
    connection: Connection,
    name: str,
    table: str,
    statement: str,
    *,
    parameters: Parameters | None,
    key: str,
    batch_rows: int,
) -> int | None:
    """Change the next batch; return the rows that are done by then, None where none is left."""
    driver: Any = connection.connection.driver_connection
    with driver.transaction():  # the connection commits by itself otherwise
        progress = connection.execute(_FIND, {"name": name}).first()
        after = f"WHERE {key} > :after" if progress else ""
        batch = f"SELECT {key} FROM {table} {after} ORDER BY {key} LIMIT :rows"  # noqa: S608 - of a migration
        bounds = connection.execute(
            text(f"SELECT min({key}), max({key}), count(*) FROM ({batch}) AS batch"),  # noqa: S608 - of a migration
            {"rows": batch_rows, **({"after": progress.last_key} if progress else {})},
        ).one()
        first, last, count = bounds
        if not count:
            return None
        values: dict[str, Any] = {"first": first, "last": last}
        if parameters is not None:
            values |= parameters(connection, first, last)
        connection.execute(text(statement), values)
        done = count + (progress.rows if progress else 0)
        connection.execute(_SAVE, {"name": name, "last": json.dumps(last), "rows": done})
    return done


def _lock_wait() -> int:
    return max(1, round(_attributes().get(LOCK_WAIT, LOCK_WAIT_SECONDS)))


def _attributes() -> Mapping[Any, Any]:
    config = op.get_context().config
    return config.attributes if config else {}


def _ignore(_sentence: str) -> None:
    """Report to nobody."""
