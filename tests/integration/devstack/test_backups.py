"""Backup, change, restore: the databases say the same again."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from cli.backups import BackupError, DatabaseLocations, make_backup, read_manifest, restore_backup
from devstack.schemas import SERVICES, migrations_of
from servicekit import database

STREAM = "sponsorgraph:{quota}:usage"
COUNTER = "sponsorgraph:{quota}:month:acc_1:2026-11"
_ACCOUNT = "INSERT INTO accounts (id, email, plan_id, created_at) VALUES (%s, %s, 'free', now())"
opening: Any = redis.Redis


def silent(_text: str) -> None:
    """Nobody listens."""


@pytest.fixture
def locations(fresh_database: Callable[[], str], fresh_valkey: str) -> DatabaseLocations:
    """Databases with a schema, an account in one of them, and a call that waits in Valkey."""
    urls = {name: fresh_database() for name in SERVICES}
    for name, url in urls.items():
        database.migrate(url, migrations_of(name))
    add_account(urls["auth"], "acc_1")
    with opening.from_url(fresh_valkey) as valkey:
        valkey.xadd(STREAM, {"entry_id": "one", "cost": "1"})
        valkey.set(COUNTER, 5)
    return DatabaseLocations(urls, fresh_valkey)


def add_account(url: str, account_id: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(_ACCOUNT, (account_id, f"{account_id}@example.com"))


def accounts(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM accounts ORDER BY id")]


def schema_of(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(
            """
            SELECT table_name, column_name, data_type FROM information_schema.columns
            WHERE table_schema = 'public' ORDER BY 1, 2
            """
        ).fetchall()


def test_what_was_there_is_there_again(locations: DatabaseLocations, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    schemas = {name: schema_of(url) for name, url in locations.databases.items()}
    made = make_backup(locations, file, silent)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["backup.tar"]
    assert set(made.databases) == set(SERVICES)

    add_account(locations.databases["auth"], "acc_2")
    with psycopg.connect(locations.databases["catalog"]) as connection:
        connection.execute("CREATE TABLE left_over (x int)")
    with opening.from_url(locations.valkey) as valkey:
        valkey.xadd(STREAM, {"entry_id": "two", "cost": "1"})
    restore_backup(file, locations, silent, force=True)

    assert accounts(locations.databases["auth"]) == ["acc_1"]
    assert {name: schema_of(url) for name, url in locations.databases.items()} == schemas
    with opening.from_url(locations.valkey) as valkey:
        assert [fields for _, fields in valkey.xrange(STREAM)] == [
            {b"entry_id": b"one", b"cost": b"1"}
        ]
        assert valkey.get(COUNTER) is None


def test_an_empty_server_is_filled_without_force(
    locations: DatabaseLocations, tmp_path: Path, fresh_database: Callable[[], str]
) -> None:
    file = tmp_path / "backup.tar"
    make_backup(locations, file, silent)
    elsewhere = DatabaseLocations({name: fresh_database() for name in SERVICES}, None)
    restore_backup(file, elsewhere, silent, force=False)
    assert accounts(elsewhere.databases["auth"]) == ["acc_1"]
    with (
        psycopg.connect(elsewhere.databases["auth"]) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="only added to"),
    ):
        connection.execute("DELETE FROM audit_log")


def test_what_is_not_empty_is_left_alone(locations: DatabaseLocations, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    make_backup(locations, file, silent)
    add_account(locations.databases["auth"], "acc_2")
    with pytest.raises(BackupError, match="is not empty"):
        restore_backup(file, locations, silent, force=False)
    assert accounts(locations.databases["auth"]) == ["acc_1", "acc_2"]


def test_what_is_in_use_is_left_alone(locations: DatabaseLocations, tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    make_backup(locations, file, silent)
    with (
        psycopg.connect(locations.databases["auth"]),
        pytest.raises(BackupError, match="stop the services first"),
    ):
        restore_backup(file, locations, silent, force=True)


def damaged(name: str, data: bytes) -> bytes | None:
    return data[:-1] + b"x" if name == "auth.dump" else data


def incomplete(name: str, data: bytes) -> bytes | None:
    return None if name == "auth.dump" else data


def without_manifest(name: str, data: bytes) -> bytes | None:
    return b"{}" if name == "manifest.json" else data


def of_the_future(_name: str, data: bytes) -> bytes | None:
    return re.sub(rb'"revision": "\d+"', b'"revision": "9999"', data)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (damaged, "damaged"),
        (incomplete, "lacks auth.dump"),
        (without_manifest, "is not a backup"),
        (of_the_future, "does not know"),
    ],
)
def test_a_backup_that_cannot_be_trusted_changes_nothing(
    locations: DatabaseLocations,
    tmp_path: Path,
    harm: Callable[[str, bytes], bytes | None],
    message: str,
) -> None:
    file, harmed = tmp_path / "backup.tar", tmp_path / "harmed.tar"
    make_backup(locations, file, silent)
    with tarfile.open(file) as whole, tarfile.open(harmed, "w") as broken:
        for member in whole:
            content = whole.extractfile(member)
            assert content is not None
            data = harm(member.name, content.read())
            if data is not None:
                member.size = len(data)
                broken.addfile(member, io.BytesIO(data))
    add_account(locations.databases["auth"], "acc_2")
    with pytest.raises(BackupError, match=message):
        restore_backup(harmed, locations, silent, force=True)
    assert accounts(locations.databases["auth"]) == ["acc_1", "acc_2"]


def test_a_file_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "nonsense"
    file.write_text(json.dumps({"format": 1}))
    with pytest.raises(BackupError, match="is not a backup"):
        read_manifest(file)


def test_a_database_without_schema_is_not_backed_up(
    locations: DatabaseLocations, fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    with_empty = DatabaseLocations({**locations.databases, "imports": fresh_database()}, None)
    with pytest.raises(BackupError, match="never migrated"):
        make_backup(with_empty, tmp_path / "backup.tar", silent)
    assert not list(tmp_path.iterdir())
