"""`sponsorgraph backup check`: a backup is restored, compared with its manifest, and gone again."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis
import redis.asyncio
from typer.testing import CliRunner

from auth_service.storage import backup_age
from cli.app import cli
from cli.backups import DatabaseLocations, make_backup
from cli.backups.verification import Verification, verify_backup
from devstack.engines import Postgres
from devstack.schemas import SERVICES, migrations_of
from tests.databases import Databases

_ACCOUNT: Final = "INSERT INTO accounts (id, email, plan_id, created_at) VALUES ('acc_1', 'a@example.com', 'free', now())"
_ENTRIES: Final = """
    INSERT INTO usage_entries (entry_id, account_id, credential_id, tool, admitted_at, cost)
    SELECT 'e' || day || '-' || call, 'acc_1', 'key_1', 'sponsor.top', now() - day * interval '1 day', 1
    FROM generate_series(0, 40, 10) AS day, generate_series(1, 3) AS call
"""
_SUMS: Final = """
    INSERT INTO usage_daily (account_id, day, tool, credential_id, requests)
    SELECT account_id, (admitted_at AT TIME ZONE 'UTC')::date, tool, credential_id, sum(cost)
    FROM usage_entries GROUP BY 1, 2, 3, 4
"""
_SCRATCH: Final = "SELECT datname FROM pg_database WHERE datname LIKE 'sponsorgraph_check_%'"
_opening: Any = redis.Redis
_opening_async: Any = redis.asyncio.Redis


def silent(_text: str) -> None:
    """Nobody listens."""


def new_locations(databases: Databases, *statements: str) -> DatabaseLocations:
    urls = {name: databases.migrated(migrations_of(name)) for name in SERVICES}
    with psycopg.connect(urls["auth"]) as connection:
        for statement in (_ACCOUNT, _ENTRIES, _SUMS, *statements):
            connection.execute(statement.encode())
    return DatabaseLocations(urls, None)


@pytest.fixture(scope="module")
def backup(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good backup."""
    file = tmp_path_factory.mktemp("backup") / "sponsorgraph-20261121T021705Z.tar"
    make_backup(new_locations(databases), file, silent)
    return file


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def scratch_left(server: str) -> list[str]:
    with psycopg.connect(server) as connection:
        return [row[0] for row in connection.execute(_SCRATCH)]


def with_manifest(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write the backup anew with another manifest."""
    with tarfile.open(source) as whole, tarfile.open(target, "w") as other:
        for member in whole:
            content = whole.extractfile(member)
            assert content is not None
            data = content.read()
            if member.name == "manifest.json":
                manifest = json.loads(data)
                change(manifest)
                data = json.dumps(manifest).encode()
            member.size = len(data)
            other.addfile(member, io.BytesIO(data))
    return target


def test_a_good_backup_is_found_good_and_leaves_nothing(
    backup: Path, postgres_url: str, temporary: Path
) -> None:
    found = verify_backup(backup, postgres_url, silent)
    assert found.problems == ()
    assert found.tables > len(SERVICES)
    assert found.rows > 15
    assert scratch_left(postgres_url) == []
    assert list(temporary.iterdir()) == []


def test_without_a_server_one_is_started_and_ended(
    backup: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Postgres] = []
    start = Postgres.start

    def recorded(self: Postgres) -> None:
        begun.append(self)
        start(self)

    monkeypatch.setattr(Postgres, "start", recorded)
    assert verify_backup(backup, None, silent).problems == ()
    (server,) = begun
    assert server.process is not None
    assert server.process.poll() is not None
    assert list(temporary.iterdir()) == []


def one_row_more(manifest: dict[str, Any]) -> None:
    manifest["databases"]["auth"]["rows"]["accounts"] = 2


def one_table_more(manifest: dict[str, Any]) -> None:
    manifest["databases"]["catalog"]["rows"]["lost"] = 5


def one_table_less(manifest: dict[str, Any]) -> None:
    del manifest["databases"]["imports"]["rows"]["alembic_version"]


def test_rows_and_tables_that_are_missing_or_too_many_are_named(
    backup: Path, postgres_url: str, tmp_path: Path
) -> None:
    def changed(manifest: dict[str, Any]) -> None:
        for change in (one_row_more, one_table_more, one_table_less):
            change(manifest)

    other = with_manifest(backup, tmp_path / backup.name, changed)
    assert set(verify_backup(other, postgres_url, silent).problems) == {
        "auth: accounts has 1 rows, not 2.",
        "catalog: lost has no rows, not 5.",
        "imports: alembic_version has 1 rows, not any.",
    }


def not_counted(manifest: dict[str, Any]) -> None:
    for part in manifest["databases"].values():
        del part["rows"]


def test_a_backup_of_a_version_that_did_not_count_is_checked_without(
    backup: Path, postgres_url: str, tmp_path: Path
) -> None:
    other = with_manifest(backup, tmp_path / backup.name, not_counted)
    assert verify_backup(other, postgres_url, silent).problems == ()


def test_a_ledger_whose_sums_differ_and_keys_that_do_not_hold_are_named(
    databases: Databases, postgres_url: str, tmp_path: Path
) -> None:
    today = datetime.now(UTC).date().isoformat()
    locations = new_locations(
        databases,
        "UPDATE usage_daily SET requests = 7 WHERE day = (now() AT TIME ZONE 'UTC')::date",
        # Of this day single entries may be gone.
        "UPDATE usage_daily SET requests = 9 WHERE day < now() - interval '35 days'",
        "CREATE TABLE others (account_id text)",
        "INSERT INTO others VALUES ('acc_of_nobody')",
        "ALTER TABLE others ADD CONSTRAINT of_accounts FOREIGN KEY (account_id) REFERENCES accounts (id) NOT VALID",
    )
    file = tmp_path / "sponsorgraph-20261121T021705Z.tar"
    make_backup(locations, file, silent)
    assert verify_backup(file, postgres_url, silent).problems == (
        "auth: the foreign key of_accounts of others is not in force.",
        f"auth: of {today} the ledger has 3 requests, and their sum is 7.",
    )


@pytest.fixture
def environment(backup: Path, postgres_url: str, fresh_valkey: str) -> dict[str, str]:
    return {
        "SPONSORGRAPH_BACKUP_FOLDER": str(backup.parent),
        "BACKUP_CHECK_SERVER_URL": postgres_url,
        "AUTH_VALKEY_URL": fresh_valkey,
        "COLUMNS": "200",
    }


async def measured(valkey_url: str) -> tuple[float, float]:
    """Return what the auth service's gauges show."""
    async with _opening_async.from_url(valkey_url) as valkey:
        await backup_age.measure_backup(valkey)

    def value(gauge: Any) -> float:
        (family,) = gauge.collect()
        (sample,) = family.samples
        return sample.value

    return value(backup_age.LAST_CHECK), value(backup_age.LAST_FAILED_CHECK)


async def test_a_good_check_is_recorded_and_is_not_repeated_before_its_time(
    environment: dict[str, str], fresh_valkey: str
) -> None:
    begun = time.time()
    done = CliRunner().invoke(cli, ["backup", "check", "--json"], env=environment)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["name"] == "sponsorgraph-20261121T021705Z.tar"
    assert result["problems"] == []
    passed, failed = await measured(fresh_valkey)
    assert begun <= passed <= time.time()
    assert failed == 0
    again = CliRunner().invoke(cli, ["backup", "check", "--every-days", "7"], env=environment)
    assert again.exit_code == 0
    assert "was found good 0.0 days ago" in again.output
    assert (await measured(fresh_valkey))[0] == passed


async def test_a_check_that_fails_says_so_and_is_repeated(
    environment: dict[str, str],
    backup: Path,
    tmp_path: Path,
    fresh_valkey: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with _opening.from_url(fresh_valkey) as valkey:
        valkey.set(backup_age.CHECK_KEY, str(time.time() - 60))
    other = with_manifest(backup, tmp_path / backup.name, one_row_more)
    failed = CliRunner().invoke(cli, ["backup", "check", str(other)], env=environment)
    assert failed.exit_code == 1
    assert "- auth: accounts has 1 rows, not 2." in failed.output
    passed_at, failed_at = await measured(fresh_valkey)
    assert failed_at > passed_at > 0

    def good(*_: object, **__: object) -> Verification:
        return Verification("2026-11-21T02:17:05Z", 3, 4, 5.0, ())

    monkeypatch.setattr("cli.commands.backup_check.verify_backup", good)
    repeated = CliRunner().invoke(cli, ["backup", "check", "--every-days", "7"], env=environment)
    assert repeated.exit_code == 0
    assert "is good: 3 tables with 4 rows" in repeated.output
    passed_at, failed_at = await measured(fresh_valkey)
    assert passed_at > failed_at


def cut_off(source: Path, target: Path) -> Path:
    target.write_bytes(source.read_bytes()[:-40_000])
    return target


async def test_a_backup_that_cannot_be_restored_fails_its_check(
    environment: dict[str, str], backup: Path, tmp_path: Path, fresh_valkey: str, postgres_url: str
) -> None:
    cut = cut_off(backup, tmp_path / backup.name)
    failed = CliRunner().invoke(cli, ["backup", "check", str(cut)], env=environment)
    assert failed.exit_code == 1
    assert "cut off" in failed.output
    assert (await measured(fresh_valkey))[1] > 0
    assert scratch_left(postgres_url) == []


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (["sponsorgraph-tomorow.tar"], {}, "There is no backup"),
        ([], {"AUTH_VALKEY_URL": "redis://127.0.0.1:1/0"}, "Valkey does not answer"),
        ([], {"BACKUP_CHECK_SERVER_URL": "postgresql://127.0.0.1:1/x"}, "server for the check"),
    ],
    ids=["a wrong name", "Valkey is away", "the server for the check is away"],
)
async def test_what_says_nothing_about_a_backup_is_not_recorded_as_its_failure(
    environment: dict[str, str],
    fresh_valkey: str,
    arguments: list[str],
    settings: dict[str, str],
    message: str,
) -> None:
    command = ["backup", "check", *arguments, "--every-days", "7"]
    failed = CliRunner().invoke(cli, command, env={**environment, **settings})
    assert failed.exit_code == 1
    assert message in failed.output
    assert await measured(fresh_valkey) == (0, 0)


async def test_a_good_check_of_an_older_backup_clears_no_failure_of_the_newest(
    environment: dict[str, str],
    backup: Path,
    tmp_path: Path,
    fresh_valkey: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("sponsorgraph-20261119T021705Z.tar", backup.name):
        (tmp_path / name).write_bytes(b"x")
    environment = {**environment, "SPONSORGRAPH_BACKUP_FOLDER": str(tmp_path)}

    def good(*_: object, **__: object) -> Verification:
        return Verification("2026-11-21T02:17:05Z", 3, 4, 5.0, ())

    monkeypatch.setattr("cli.commands.backup_check.verify_backup", good)
    for name in ("sponsorgraph-20261119T021705Z.tar", str(backup)):
        done = CliRunner().invoke(cli, ["backup", "check", name], env=environment)
        assert done.exit_code == 0
        assert await measured(fresh_valkey) == (0, 0)
    for name in (backup.name, str(tmp_path / backup.name), "latest"):
        with _opening.from_url(fresh_valkey) as valkey:
            valkey.flushdb()
        assert CliRunner().invoke(cli, ["backup", "check", name], env=environment).exit_code == 0
        assert (await measured(fresh_valkey))[0] > 0


async def test_a_failure_is_reported_to_programs_too(
    environment: dict[str, str], backup: Path, tmp_path: Path
) -> None:
    cut = cut_off(backup, tmp_path / backup.name)
    failed = CliRunner().invoke(cli, ["backup", "check", str(cut), "--json"], env=environment)
    assert failed.exit_code == 1
    report = json.loads(failed.stdout)
    assert report["name"] == str(cut)
    assert "cut off" in report["problems"][0]
