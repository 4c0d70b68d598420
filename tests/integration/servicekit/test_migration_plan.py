"""`migrate --plan` says what would be done and what it means, changes nothing, and ends with a status of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from typer.testing import CliRunner

from cli.app import cli
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration import configuration, plan, plan_report
from servicekit.migration.command import migrate
from servicekit.migration.schema_versions import SchemaTooNewError
from tests.integration.servicekit.own_migrations import sql, write

CREATE = sql(
    "CREATE TABLE things (id bigint PRIMARY KEY, size int NOT NULL DEFAULT 0)",
    "INSERT INTO things SELECT generate_series(1, 200000)",
    "ANALYZE things",
)


def revision(url: str) -> str | None:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else row[0]


def planned(made: plan.Plan) -> list[tuple[str, str, str]]:
    """Return table, lock and work of each statement on a table that is in use."""
    return [
        (table.table, table.lock, table.work)
        for migration in made.migrations
        for statement in migration.statements
        for table in statement.tables
    ]


def test_a_plan_names_locks_sizes_and_work_of_tables_in_use(
    fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url, folder = fresh_database(), write(tmp_path, CREATE)
    migrate(url, folder)
    write(
        folder,
        sql("ALTER TABLE things ADD COLUMN further text"),
        sql(
            "UPDATE things SET size = 1",
            "CREATE TABLE more (id int)",
            "CREATE INDEX i ON more (id)",
        ),
        "create_index_concurrently('things_size', 'things', '(size)')",
    )
    made = plan.make(url, folder)
    assert planned(made) == [
        ("things", "ACCESS EXCLUSIVE", "nothing"),
        ("things", "ROW EXCLUSIVE", "writes rows"),
        ("things", "SHARE UPDATE EXCLUSIVE", "makes an index"),
    ]
    assert (made.current, made.target, made.version_before_works) == ("0001", "0004", True)
    add, fill, index = made.migrations
    size = add.statements[0].tables[0].size
    assert (size.rows, size.bytes > 5_000_000) == (200_000, True)
    assert (add.seconds, fill.seconds) == (0, 20)
    assert 0 < index.seconds < 4
    text = "\n".join(plan_report.lines("things", made))
    assert "0002  Migration 2." in text
    assert "things: ACCESS EXCLUSIVE, holds up reads and writes, 200,000 rows" in text
    assert "! a fill of the whole table in one transaction" in text
    assert "CREATE INDEX CONCURRENTLY IF NOT EXISTS things_size" in text
    assert revision(url) == "0001"


def test_an_index_that_is_dropped_is_named_with_its_table(
    fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url, folder = fresh_database(), write(tmp_path, CREATE, sql("CREATE INDEX i ON things (size)"))
    migrate(url, folder)
    write(folder, sql("DROP INDEX i"))
    assert planned(plan.make(url, folder)) == [("things", "ACCESS EXCLUSIVE", "nothing")]


def test_a_plan_says_that_the_version_before_has_to_be_stopped(
    fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    url, folder = fresh_database(), write(tmp_path, CREATE)
    migrate(url, folder)
    write(folder, sql("ALTER TABLE things DROP COLUMN size"))
    script = folder / "versions" / "0002_of_tests.py"
    script.write_text(
        script.read_text().replace("def upgrade", 'readable_from = "0002"\n\n\ndef upgrade')
    )
    made = plan.make(url, folder)
    assert made.version_before_works is False
    assert "does NOT work on the result (readable from 0002)" in "\n".join(
        plan_report.lines("t", made)
    )
    migrate(url, folder)
    made = plan.make(url, folder)
    assert (made.migrations, plan_report.exit_status(made)) == ((), 0)
    older = write(tmp_path / "older", CREATE)
    with pytest.raises(SchemaTooNewError):
        plan.make(url, older)


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_plans_from_nothing_and_from_its_first_schema(
    name: str, fresh_database: Callable[[], str]
) -> None:
    url = fresh_database()
    migrations = migrations_of(name)
    made = plan.make(url, migrations)
    assert (made.current, made.version_before_works, planned(made)) == (None, None, [])
    config, _ = configuration.of(url, migrations)
    command.upgrade(config, "0001")
    made = plan.make(url, migrations)
    assert made.migrations[0].revision == "0002"
    assert name == "imports" or planned(made)
    assert revision(url) == "0001"


def run_service(url: str, *options: str) -> subprocess.CompletedProcess[str]:
    own = {
        "AUTH_DATABASE_URL": url,
        "AUTH_VALKEY_URL": "redis://127.0.0.1:1/0",
        "AUTH_GRPC_TOKEN": "t" * 32,
        "AUTH_TOKEN_SECRET": "t" * 32,
    }
    arguments = [sys.executable, "-m", "auth_service", "migrate", *options]
    return subprocess.run(
        arguments, env=os.environ | own, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_command_of_a_service_prints_the_plan_and_ends_with_its_status(
    fresh_database: Callable[[], str],
) -> None:
    url = fresh_database()
    config, _ = configuration.of(url, migrations_of("auth"))
    command.upgrade(config, "0013")
    done = run_service(url, "--plan", "--json")
    assert done.returncode == 3, done.stderr
    values: Any = json.loads(done.stdout)
    assert (values["current"], values["version_before_works"]) == ("0013", True)
    assert values["migrations"][0]["sentence"].startswith("Organisations, which are accounts")
    assert revision(url) == "0013"
    migrate(url, migrations_of("auth"))
    done = run_service(url, "--plan")
    assert (done.returncode, "nothing to migrate" in done.stdout) == (0, True)
    assert run_service(url, "--plans").returncode == 2


def test_the_operators_command_plans_and_migrates_all_databases(
    fresh_database: Callable[[], str],
) -> None:
    urls = {name: fresh_database() for name in SERVICES}
    environment = {
        "CATALOG_DATABASE_URL": urls["catalog"],
        "AUTH_DATABASE_URL": urls["auth"],
        "IMPORT_DATABASE_URL": urls["imports"],
    }

    def call(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, ["migrate", *options], env=environment)
        return result.exit_code, result.output

    status, output = call("--plan")
    assert (status, output.count("was never migrated")) == (3, 3)
    assert call()[0] == 0
    status, output = call("--plan", "--json")
    assert status == 0
    assert set(json.loads(output)) == set(SERVICES)
    status, output = call("--plan")
    assert (status, output.count("nothing to migrate")) == (0, 3)
    assert call("--json")[0] == 2
