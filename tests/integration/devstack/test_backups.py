"""Backup, change, restore: the databases say the same again."""

from __future__ import annotations

import io
import json
import re
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pyrage
import pytest
import redis
from typer.testing import CliRunner, Result

from cli.app import cli
from cli.backups import BackupError, DatabaseLocations, make_backup, manifest_of, restore_backup
from cli.backups.encryption import BackupKeys
from cli.backups.in_use import check_not_in_use
from cli.backups.withdrawals import load_withdrawals
from devstack.schemas import SERVICES, migrations_of
from tests.databases import Databases

STREAM = "sponsorgraph:{quota}:usage"
COUNTER = "sponsorgraph:{quota}:month:acc_1:2026-11"
_ACCOUNT = "INSERT INTO accounts (id, email, plan_id, created_at) VALUES (%s, %s, 'free', now())"
opening: Any = redis.Redis


def silent(_text: str) -> None:
    """Nobody listens."""


@pytest.fixture
def locations(databases: Databases, fresh_valkey: str) -> DatabaseLocations:
    """Databases with a schema, an account in one of them, and a call that waits in Valkey."""
    urls = {name: databases.migrated(migrations_of(name)) for name in SERVICES}
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


_KEY = """
    INSERT INTO api_keys (id, account_id, sha256, name, masked, scopes, created_at)
    VALUES (%(id)s::text, 'acc_1', sha256(convert_to(%(id)s::text, 'UTF8')), 'script', 'mcp_…', '{}', now())
"""
_GRANT = """
    INSERT INTO oauth_grants (grant_id, client_id, account_id, scopes, resource, created_at, expires_at, generation)
    VALUES (%s, 'client', 'acc_1', '{}', 'x', now(), now() + interval '1 day', 1)
"""
_STATE = """
    SELECT id, disabled_at IS NOT NULL FROM accounts
    UNION ALL SELECT id, revoked_at IS NOT NULL FROM api_keys
    UNION ALL SELECT grant_id, revoked_at IS NOT NULL FROM oauth_grants
"""
_LATER = (
    "DELETE FROM accounts WHERE id IN ('acc_2', 'org_1')",
    "INSERT INTO audit_log (at, event, account_id, actor) VALUES (now(), 'account_deleted', 'acc_2', 'owner')",
    "INSERT INTO audit_log (at, event, account_id, actor) VALUES (now(), 'organisation_deleted', 'org_1', 'owner')",
    "UPDATE accounts SET disabled_at = now() WHERE id = 'acc_3'",
    "UPDATE api_keys SET revoked_at = now() WHERE id = 'key_2'",
    "UPDATE oauth_grants SET revoked_at = now() WHERE grant_id = 'gr_2'",
)


def state_of(url: str) -> dict[str, bool]:
    """Return accounts, keys and connections, and whether each is disabled or revoked."""
    with psycopg.connect(url) as connection:
        return dict(connection.execute(_STATE).fetchall())


def with_withdrawals(url: str, file: Path, locations: DatabaseLocations) -> None:
    """Make a backup, and delete, disable and revoke after it."""
    for account_id in ("acc_2", "acc_3", "org_1"):
        add_account(url, account_id)
    with psycopg.connect(url) as connection:
        for key_id in ("key_1", "key_2"):
            connection.execute(_KEY, {"id": key_id})
        for grant_id in ("gr_1", "gr_2"):
            connection.execute(_GRANT, (grant_id,))
    make_backup(locations, file, silent)
    with psycopg.connect(url) as connection:
        for statement in _LATER:
            connection.execute(statement.encode())


def test_what_was_deleted_or_revoked_since_stays_so_where_the_old_database_knows_it(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url = locations.databases["auth"]
    with_withdrawals(url, tmp_path / "backup.tar", locations)
    restored = restore_backup(tmp_path / "backup.tar", locations, silent, force=True)
    assert state_of(url) == {
        "acc_1": False, "acc_3": True, "key_1": False, "key_2": True, "gr_1": False, "gr_2": True,
    }  # fmt: skip
    assert restored.repeated == {"deleted": 2, "disabled": 1, "keys": 1, "connections": 1}
    with psycopg.connect(url) as connection:
        query = "SELECT event, account_id, detail FROM audit_log WHERE actor = 'operator restore' ORDER BY 1, 2"
        assert connection.execute(query).fetchall() == [
            ("account_deleted", "acc_2", ""),
            ("account_deleted", "org_1", ""),
            ("account_disabled", "acc_3", ""),
            ("grant_revoked", "acc_1", "gr_2"),
            ("key_revoked", "acc_1", "key_2"),
        ]


def test_withdrawals_outlast_a_restore_of_a_backup_in_which_nothing_of_them_was_there(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url, old, new = locations.databases["auth"], tmp_path / "old.tar", tmp_path / "new.tar"
    make_backup(locations, old, silent)
    with_withdrawals(url, new, locations)
    with psycopg.connect(url) as connection:
        connection.execute(
            "INSERT INTO deleted_accounts VALUES ('\\x01', 'acc_2', now() + interval '9 days')"
        )
    after = state_of(url)
    repeated = [
        restore_backup(file, locations, silent, force=True).repeated for file in (old, old, new)
    ]
    nothing = {"deleted": 0, "disabled": 0, "keys": 0, "connections": 0}
    assert repeated == [
        nothing,
        nothing,
        {"deleted": 2, "disabled": 1, "keys": 1, "connections": 1},
    ]
    assert state_of(url) == after
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT account_id FROM deleted_accounts").fetchall() == [
            ("acc_2",)
        ]


def test_an_account_that_was_enabled_again_stays_enabled(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url, old, new = locations.databases["auth"], tmp_path / "old.tar", tmp_path / "new.tar"
    make_backup(locations, old, silent)
    add_account(url, "acc_2")
    logged = (
        "INSERT INTO audit_log (at, event, account_id, actor) VALUES (now(), %s, 'acc_2', 'me')"
    )
    with psycopg.connect(url) as connection:
        for event in ("account_disabled", "account_enabled"):
            connection.execute(logged, (event,))
    make_backup(locations, new, silent)
    for file in (old, new):
        restored = restore_backup(file, locations, silent, force=True)
        assert restored.repeated is not None
        assert not any(restored.repeated.values())
    assert state_of(url) == {"acc_1": False, "acc_2": False}


def test_each_withdrawal_is_logged_once_however_often_a_backup_is_restored(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url, old = locations.databases["auth"], tmp_path / "old.tar"
    make_backup(locations, old, silent)
    with_withdrawals(url, tmp_path / "new.tar", locations)
    restore_backup(old, locations, silent, force=True)
    again = tmp_path / "again.tar"
    make_backup(locations, again, silent)
    restore_backup(again, locations, silent, force=True)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM audit_log").fetchone() == (5,)


def test_withdrawals_are_repeated_after_a_restore_by_another_program(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url, file, withdrawals = (
        locations.databases["auth"],
        tmp_path / "new.tar",
        tmp_path / "withdrawals.json",
    )
    with_withdrawals(url, file, locations)
    names = {"catalog": "CATALOG", "auth": "AUTH", "imports": "IMPORT"}
    environment = {f"{names[k]}_DATABASE_URL": v for k, v in locations.databases.items()}

    def run(command: str) -> Result:
        return CliRunner().invoke(cli, ["backup", command, str(withdrawals)], env=environment)

    after = state_of(url)
    assert run("read-withdrawals").exit_code == 0
    assert withdrawals.stat().st_mode & 0o777 == 0o600
    assert run("read-withdrawals").exit_code == 1, "what is known may be in that file alone"
    restore_backup(file, locations, silent, force=True, repeat=False)
    assert state_of(url) != after
    repeated = run("repeat-withdrawals")
    assert repeated.exit_code == 0, repeated.output
    assert "accounts deleted 2, disabled 1; revoked: API keys 1, connections 1" in " ".join(
        repeated.output.split()
    )
    assert state_of(url) == after


def test_withdrawals_are_neither_read_nor_repeated_while_a_service_is_connected(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    url, withdrawals = locations.databases["auth"], tmp_path / "withdrawals.json"
    with_withdrawals(url, tmp_path / "new.tar", locations)
    names = {"catalog": "CATALOG", "auth": "AUTH", "imports": "IMPORT"}
    environment = {f"{names[k]}_DATABASE_URL": v for k, v in locations.databases.items()}

    at_once = patch("cli.backups.in_use.WAIT_SECONDS", 0.0)

    def run(command: str) -> Result:
        return CliRunner().invoke(cli, ["backup", command, str(withdrawals)], env=environment)

    with psycopg.connect(url, application_name="auth"), at_once:
        refused = run("read-withdrawals")
        assert (refused.exit_code, withdrawals.exists()) == (1, False)
        assert "The database auth is in use: stop the services first" in refused.output
        assert "auth from 127.0.0.1 (idle, 1)" in " ".join(refused.output.split())
    assert run("read-withdrawals").exit_code == 0
    before = state_of(url)
    with psycopg.connect(url), at_once:
        refused = run("repeat-withdrawals")
    assert refused.exit_code == 1
    assert "The database auth is in use: stop the services first" in refused.output
    assert state_of(url) == before
    with psycopg.connect(locations.databases["imports"]):  # an import is no part of it
        assert run("repeat-withdrawals").exit_code == 0


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"ids": {"others": []}}', '{"ids": {"keys": [1]}}']
)
def test_a_file_that_has_no_withdrawals_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "withdrawals.json"
    file.write_text(content)
    with pytest.raises(BackupError):
        load_withdrawals(file)


def test_a_restore_undoes_deletions_where_that_is_wanted_or_nothing_knows_of_them(
    locations: DatabaseLocations, tmp_path: Path, fresh_database: Callable[[], str]
) -> None:
    url = locations.databases["auth"]
    with_withdrawals(url, tmp_path / "backup.tar", locations)
    elsewhere = DatabaseLocations({name: fresh_database() for name in SERVICES}, None)
    for target, repeat in ((locations, False), (elsewhere, True)):
        restored = restore_backup(
            tmp_path / "backup.tar", target, silent, force=True, repeat=repeat
        )
        assert restored.repeated is None
        state = state_of(target.databases["auth"])
        assert {"acc_2", "org_1"} <= set(state)
        assert not any(state.values())


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
        patch("cli.backups.in_use.WAIT_SECONDS", 0.0),
        pytest.raises(BackupError, match="stop the services first"),
    ):
        restore_backup(file, locations, silent, force=True)


def test_connections_of_services_that_were_just_stopped_are_waited_for(
    locations: DatabaseLocations,
) -> None:
    url = locations.databases["auth"]
    with psycopg.connect(url) as lingering:

        def pause(_seconds: float) -> None:
            lingering.close()

        with patch("cli.backups.in_use.sleep", pause):
            check_not_in_use("auth", url)
        assert lingering.closed


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
        manifest_of(file)


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.3, "cut off"),
        (0.9, "cut off"),
        (0.0, "is empty"),
        (0.0001, "in the middle of manifest.json: it was cut off"),
        (0.004, "in the middle of manifest.json: it was cut off"),
    ],
)
def test_a_backup_that_was_cut_off_says_so_and_changes_nothing(
    locations: DatabaseLocations, tmp_path: Path, share: float, message: str
) -> None:
    file = tmp_path / "backup.tar"
    make_backup(locations, file, silent)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(BackupError, match=message):
        restore_backup(file, locations, silent, force=True)
    assert accounts(locations.databases["auth"]) == ["acc_1"]


def test_a_database_without_schema_is_not_backed_up(
    locations: DatabaseLocations, fresh_database: Callable[[], str], tmp_path: Path
) -> None:
    with_empty = DatabaseLocations({**locations.databases, "imports": fresh_database()}, None)
    with pytest.raises(BackupError, match="never migrated"):
        make_backup(with_empty, tmp_path / "backup.tar", silent)
    assert not list(tmp_path.iterdir())


def new_keys() -> BackupKeys:
    identity = pyrage.x25519.Identity.generate()
    return BackupKeys((identity.to_public(),), (identity,))


def test_an_encrypted_backup_is_restored_and_nothing_of_it_can_be_read(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    file, keys = tmp_path / "backup.tar.age", new_keys()
    made = make_backup(locations, file, silent, keys)
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"manifest" not in file.read_bytes()
    with pytest.raises(BackupError, match="is not a backup"):
        manifest_of(file)
    add_account(locations.databases["auth"], "acc_2")
    assert restore_backup(file, locations, silent, force=True, keys=keys).manifest == made
    assert accounts(locations.databases["auth"]) == ["acc_1"]


@pytest.mark.parametrize(
    ("share", "flipped", "key", "message"),
    [
        (1.0, 0, "another", "encrypted for another key"),
        (0.7, 0, "its own", "damaged"),
        (1.0, 1, "its own", "damaged"),
    ],
)
def test_an_encrypted_backup_that_cannot_be_trusted_changes_nothing(
    locations: DatabaseLocations,
    tmp_path: Path,
    share: float,
    flipped: int,
    key: str,
    message: str,
) -> None:
    file, keys, temporary = tmp_path / "backup.tar.age", new_keys(), tmp_path / "temporary"
    make_backup(locations, file, silent, keys)
    content = bytearray(file.read_bytes())
    content[-100] ^= flipped
    file.write_bytes(content[: int(len(content) * share)])
    add_account(locations.databases["auth"], "acc_2")
    temporary.mkdir()
    with (
        patch.object(tempfile, "tempdir", str(temporary)),
        pytest.raises(BackupError, match=message),
    ):
        restore_backup(
            file, locations, silent, force=True, keys=keys if key == "its own" else new_keys()
        )
    assert accounts(locations.databases["auth"]) == ["acc_1", "acc_2"]
    assert not list(temporary.iterdir()), "what was decrypted is still there"


def test_the_manifest_counts_the_rows_of_the_moment(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    made = make_backup(locations, tmp_path / "backup.tar", silent)
    rows = {name: part.rows or {} for name, part in made.databases.items()}
    assert rows["auth"]["accounts"] == 1
    assert rows["auth"]["usage_entries"] == 0
    assert all(counts["alembic_version"] == 1 for counts in rows.values())


@pytest.mark.parametrize("error", [BackupError("the second fails"), KeyboardInterrupt()])
def test_a_restore_that_ends_halfway_says_what_is_done_and_to_run_it_again(
    locations: DatabaseLocations, tmp_path: Path, error: BaseException
) -> None:
    file = tmp_path / "backup.tar"
    make_backup(locations, file, silent)
    first, second, *_ = locations.databases

    def interrupt(text: str) -> None:
        if text == f"Restoring {second}":
            raise error

    with pytest.raises(BackupError, match=f"Restored already: {first}. Run it again"):
        restore_backup(file, locations, interrupt, force=True)
    restore_backup(file, locations, silent, force=True)


def test_a_backup_of_another_build_of_this_version_is_called_so(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    file = tmp_path / "backup.tar"
    made = make_backup(locations, file, silent)
    with (
        patch("cli.backups.restore.known_revisions", return_value=("0001",)),
        pytest.raises(BackupError, match="another build of that version made it") as raised,
    ):
        restore_backup(file, locations, silent, force=True)
    assert made.version in str(raised.value)
