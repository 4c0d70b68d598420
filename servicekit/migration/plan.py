"""What `migrate` would do to a database: its migrations, their statements, and what those mean for the services beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from alembic.script import Script
from sqlalchemy import Connection, NullPool, create_engine, text

from servicekit.database_url import driver_url
from servicekit.migration import configuration, schema_versions
from servicekit.migration.effects import Effects, TableEffect, Work, effects_of
from servicekit.migration.recorder import statements_of

_SIZES: Final = text("""
    SELECT wanted.name, coalesce(t.relname, c.relname) AS table_name,
           greatest(coalesce(t.reltuples, c.reltuples), 0)::bigint AS rows,
           pg_total_relation_size(coalesce(t.oid, c.oid)) AS bytes
    FROM unnest(CAST(:names AS text[])) AS wanted(name)
    JOIN pg_class AS c ON c.oid = to_regclass(quote_ident(wanted.name))
    LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
    LEFT JOIN pg_class AS t ON t.oid = i.indrelid
""")
_ROWS_PER_SECOND: Final[Mapping[Work, int]] = {
    Work.SCAN: 2_000_000,
    Work.INDEX: 100_000,
    Work.REWRITE: 50_000,
    Work.ROWS: 10_000,
}
"""Measured with rows of 60 bytes on two cores that others kept busy, so that an estimate is rather too long than too short."""


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table as the database has it now; `rows` is Postgres' own estimate."""

    table: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """What a statement does to a table that is in use.

    Attributes:
        lock: Postgres' name of it.
        holds_up: Which statements of others wait meanwhile.
        work: What is done with the rows.
        size: Of the table now.
        seconds: That the work takes, in its order of magnitude.
    """

    table: str
    lock: str
    holds_up: str
    work: str
    size: TableSize
    seconds: float


@dataclass(frozen=True, slots=True)
class PlannedStatement:
    """A statement, what it does to tables in use, and what of it is unsafe there."""

    sql: str
    tables: tuple[PlannedTable, ...] = ()
    hazards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedMigration:
    """A migration that would run."""

    revision: str
    sentence: str
    statements: tuple[PlannedStatement, ...]

    @property
    def seconds(self) -> float:
        """Return the estimated time of all its work on tables in use."""
        return sum(table.seconds for statement in self.statements for table in statement.tables)


@dataclass(frozen=True, slots=True)
class Plan:
    """What `migrate` would do to one database.

    Attributes:
        current: Its revision now; None if it was never migrated.
        target: Its revision afterwards.
        readable_from: The oldest schema whose code works on the result.
        version_before_works: Whether code of the present schema works on the result; None where there is none.
        migrations: Oldest first; none if there is nothing to do.
        remark: Why there is nothing to do on a newer schema.
    """

    current: str | None
    target: str
    readable_from: str
    version_before_works: bool | None
    migrations: tuple[PlannedMigration, ...] = field(default=())
    remark: str = ""


def make(url: str, migrations: Path) -> Plan:
    """Return the plan for a database, which is only read.

    Raises:
        SchemaTooNewError: Newer code has migrated it so that this code cannot read it.
        OperationalError: It does not respond.
    """
    _, scripts = configuration.of(url, migrations)
    engine = create_engine(driver_url(url), poolclass=NullPool, connect_args={"connect_timeout": 5})
    with engine.connect() as connection:
        found = schema_versions.find(connection)
        oldest_readable = schema_versions.readable_from(scripts)
        if schema_versions.is_newer_and_readable(found, scripts):
            newer = found.revision if found else ""
            remark = "It is of a newer version, which this version can read."
            return Plan(newer, newer, (found and found.readable_from) or "", True, remark=remark)
        oldest_first = list(reversed(list(scripts.walk_revisions())))
        known = [script.revision for script in oldest_first]
        current = found.revision if found else None
        pending = oldest_first[known.index(current) + 1 if current else 0 :]
        works = current and known.index(current) >= known.index(oldest_readable)
        planned = _planned(connection, pending)
    return Plan(
        current, known[-1], oldest_readable, None if works is None else bool(works), planned
    )


def statements_in_use(
    pending: Sequence[Script],
) -> list[tuple[Script, list[tuple[str, Effects]]]]:
    """Return each migration's statements, with what they do to tables that these migrations did not make."""
    created: set[str] = set()
    found: list[tuple[Script, list[tuple[str, Effects]]]] = []
    for script in pending:
        statements: list[tuple[str, Effects]] = []
        for sql in statements_of(script):
            effects = effects_of(sql)
            created.update(effects.created)
            statements.append((sql, _on_tables_in_use(effects, created)))
        found.append((script, statements))
    return found


def _on_tables_in_use(effects: Effects, created: set[str]) -> Effects:
    tables = tuple(effect for effect in effects.tables if effect.table not in created)
    # A statement with several tables is unsafe for the sake of its first.
    is_new = bool(effects.tables) and effects.tables[0].table in created
    return Effects(tables, effects.created, () if is_new else effects.hazards)


def _planned(connection: Connection, pending: Sequence[Script]) -> tuple[PlannedMigration, ...]:
    migrations = statements_in_use(pending)
    names = {
        effect.table
        for _, statements in migrations
        for _, effects in statements
        for effect in effects.tables
    }
    rows = connection.execute(_SIZES, {"names": sorted(names)})
    sizes = {row.name: TableSize(row.table_name, row.rows, row.bytes) for row in rows}
    return tuple(
        PlannedMigration(
            script.revision,
            script.doc.partition("\n")[0],
            tuple(_statement(sql, effects, sizes) for sql, effects in statements),
        )
        for script, statements in migrations
    )


def _statement(sql: str, effects: Effects, sizes: Mapping[str, TableSize]) -> PlannedStatement:
    # A table that is not there yet, or not under this name, is used by nobody.
    tables = tuple(
        _table(effect, sizes[effect.table]) for effect in effects.tables if effect.table in sizes
    )
    is_safe = bool(effects.tables and not tables) or not sizes
    return PlannedStatement(sql, tables, () if is_safe else tuple(map(str, effects.hazards)))


def _table(effect: TableEffect, size: TableSize) -> PlannedTable:
    speed = _ROWS_PER_SECOND.get(effect.work)
    return PlannedTable(
        size.table,
        effect.lock.sql,
        effect.lock.holds_up,
        str(effect.work),
        size,
        round(size.rows / speed, 3) if speed else 0.0,
    )
