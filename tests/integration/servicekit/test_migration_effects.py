"""The locks and work that a plan names are those of Postgres: every migration of the services is run and watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, event

from devstack.schemas import SERVICES, migrations_of
from servicekit.migration import configuration
from servicekit.migration.effects import Effects, Hazard, Lock, Work, effects_of
from servicekit.migration.recorder import statements_of
from servicekit.migration.tokens import statements

TABLES: Final = """
    CREATE TABLE others (id bigint PRIMARY KEY);
    CREATE TABLE things (id bigint PRIMARY KEY, size int, name text, CONSTRAINT positive CHECK (size > 0) NOT VALID);
    CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    INSERT INTO others VALUES (1);
    INSERT INTO things VALUES (1, 1, 'a');
"""
STATEMENTS: Final = (
    "ALTER TABLE things ADD COLUMN a text",
    "ALTER TABLE ONLY public.things ADD COLUMN IF NOT EXISTS a text NOT NULL DEFAULT 'x, (y)'",
    "ALTER TABLE things ADD COLUMN a timestamptz NOT NULL DEFAULT now()",
    "ALTER TABLE things ADD COLUMN a timestamptz DEFAULT clock_timestamp()",
    "ALTER TABLE things ADD COLUMN a uuid DEFAULT gen_random_uuid()",
    "ALTER TABLE things ADD COLUMN a int GENERATED ALWAYS AS (size * 2) STORED",
    "ALTER TABLE things ADD COLUMN a bigserial",
    "ALTER TABLE things ADD COLUMN a bigint GENERATED ALWAYS AS IDENTITY",
    "ALTER TABLE things ADD COLUMN a bigint REFERENCES others (id)",
    "ALTER TABLE things ADD COLUMN a int, ADD COLUMN b int",
    "ALTER TABLE things ADD CONSTRAINT c FOREIGN KEY (id) REFERENCES others (id)",
    "ALTER TABLE things ADD CONSTRAINT c FOREIGN KEY (id) REFERENCES others (id) NOT VALID",
    "ALTER TABLE things ADD CONSTRAINT c CHECK (size > 0)",
    "ALTER TABLE things ADD CONSTRAINT c CHECK (size > 0) NOT VALID",
    "ALTER TABLE things VALIDATE CONSTRAINT positive",
    "ALTER TABLE things ADD CONSTRAINT c UNIQUE (name)",
    "ALTER TABLE things ALTER COLUMN size TYPE bigint",
    "ALTER TABLE things ALTER size SET NOT NULL",
    "ALTER TABLE things ALTER COLUMN size SET DEFAULT 3",
    "ALTER TABLE things ALTER COLUMN id SET STATISTICS 100",
    "ALTER TABLE things DROP COLUMN size",
    "ALTER TABLE things RENAME COLUMN size TO extent",
    "ALTER TABLE things RENAME TO stuff",
    "ALTER TABLE things SET (fillfactor = 70)",
    "ALTER TABLE things DISABLE TRIGGER USER",
    "CREATE TABLE more (id bigint REFERENCES others (id), thing bigint REFERENCES things)",
    "CREATE INDEX things_name ON things (name)",
    "CREATE UNIQUE INDEX IF NOT EXISTS things_name ON public.things USING btree (name) WHERE size > 0",
    "CREATE TRIGGER t BEFORE UPDATE ON things FOR EACH ROW EXECUTE FUNCTION nothing()",
    "COMMENT ON TABLE things IS 'of tests'",
    "COMMENT ON COLUMN things.name IS 'of tests'",
    "UPDATE things SET size = 2 -- all",
    "DELETE FROM things",
    "INSERT INTO things SELECT 2, 2, 'b'",
    "WITH found AS (SELECT id FROM others) UPDATE things SET size = 3 FROM found WHERE found.id = things.id",
    "TRUNCATE things",
    "ANALYZE things",
    "DROP TABLE things",
    "/* of somebody */ DROP TABLE IF EXISTS others, things",
)
LOCKS: Final = """
    SELECT c.relname, l.mode FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
    WHERE l.pid = %s AND l.granted AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
      AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')
"""
NODES: Final = "SELECT oid::regclass::text, relfilenode FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
MODES: Final = {lock.name.replace("_", "").lower() + "lock": lock for lock in Lock}


def locks(watcher: psycopg.Connection, pid: int) -> dict[str, Lock]:
    """Return the strongest lock of each table that a connection has."""
    found: dict[str, Lock] = {}
    for table, mode in watcher.execute(LOCKS.encode(), (pid,)).fetchall():
        lock = MODES[mode.lower()]
        found[table] = max(lock, found.get(table, lock))
    return found


def predicted(effects: Effects) -> dict[str, Lock]:
    return {effect.table: effect.lock for effect in effects.tables}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_takes_the_locks_and_does_the_work_that_the_plan_names(
    statement: str, fresh_database: Callable[[], str]
) -> None:
    url = fresh_database()
    with psycopg.connect(url, autocommit=True) as watcher, psycopg.connect(url) as connection:
        connection.execute(TABLES.encode())
        connection.commit()
        before = dict(connection.execute(NODES.encode()).fetchall())
        connection.rollback()
        connection.execute(statement.encode())
        effects = effects_of(statement)
        held = locks(watcher, connection.info.backend_pid)
        assert {table: lock for table, lock in held.items() if table in before} == predicted(
            effects
        )
        after = dict(connection.execute(NODES.encode()).fetchall())
    rewritten = {table for table, node in after.items() if before.get(table, node) != node}
    if not statement.startswith("TRUNCATE"):
        assert rewritten == {
            effect.table for effect in effects.tables if effect.work is Work.REWRITE
        }


def test_an_index_that_is_made_concurrently_lets_others_write() -> None:
    effects = effects_of("CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON things (size)")
    assert predicted(effects) == {"things": Lock.SHARE_UPDATE_EXCLUSIVE}
    assert not effects.hazards


@dataclass(slots=True)
class Watch:
    """Compares the locks of each statement of a run of migrations with those that are predicted for its transaction."""

    watcher: psycopg.Connection
    existing: set[str] = field(default_factory=set[str])
    expected: dict[str, Lock] = field(default_factory=dict[str, Lock])
    drops: bool = False
    compared: int = 0

    def begin(self, _connection: Connection) -> None:
        tables = self.watcher.execute(NODES.encode()).fetchall()
        self.existing = {table for table, _ in tables} - {"alembic_version"}
        self.expected = {}
        self.drops = False

    def executed(
        self, connection: Connection, _cursor: object, statement: str, *_rest: object
    ) -> None:
        # It runs in transactions of its own, and holds nothing any more when it has ended.
        if "CONCURRENTLY" in statement:
            return
        driver: Any = connection.connection.driver_connection
        for part in statements(statement):
            effects = effects_of(part)
            # What refers to another table locks that too when it is dropped, without naming it.
            self.drops |= Hazard.REMOVAL in effects.hazards
            for table, lock in predicted(effects).items():
                self.expected[table] = max(lock, self.expected.get(table, lock))
        held = locks(self.watcher, driver.info.backend_pid)
        expected = {table: lock for table, lock in self.expected.items() if table in self.existing}
        found = {table: lock for table, lock in held.items() if table in self.existing}
        if self.drops:
            assert all(found.get(table, 0) >= lock for table, lock in expected.items()), statement
        else:
            assert found == expected, statement
        self.compared += len(expected)


@pytest.mark.parametrize("name", SERVICES)
def test_the_locks_of_every_migration_are_those_that_postgres_takes(
    name: str, fresh_database: Callable[[], str]
) -> None:
    url = fresh_database()
    config, _ = configuration.of(url, migrations_of(name))
    with psycopg.connect(url, autocommit=True) as watcher:
        watch = Watch(watcher)
        event.listen(Engine, "begin", watch.begin)
        event.listen(Engine, "after_cursor_execute", watch.executed)
        try:
            command.upgrade(config, "head")
        finally:
            event.remove(Engine, "begin", watch.begin)
            event.remove(Engine, "after_cursor_execute", watch.executed)
    assert watch.compared > 1 if name == "imports" else watch.compared > 30


@pytest.mark.parametrize("name", SERVICES)
def test_every_migration_can_be_planned_without_a_database(name: str) -> None:
    for script in ScriptDirectory(str(migrations_of(name))).walk_revisions():
        assert statements_of(script), script.path


def test_a_script_is_split_where_statements_end() -> None:
    script = """
        -- of ;
        CREATE TABLE a (b text DEFAULT ';');
        CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $body$ SELECT 1; SELECT 2 $body$;;
        COMMENT ON TABLE a IS 'it''s; "so"' /* ; */
    """
    found = list(statements(script))
    assert [text.split()[0] for text in found] == ["--", "CREATE", "COMMENT"]
    assert [effects_of(text).created for text in found] == [("a",), (), ()]
