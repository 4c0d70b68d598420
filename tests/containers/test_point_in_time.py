"""All databases of compose are put back to a moment, by the commands of docs/operations.md."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Final

import pytest

from tests.containers.deployment import PAGE, Deployment
from tests.containers.page import blocks

_SECTION: Final = "A restore to a moment"
_OVERLAY: Final = "deploy/compose/compose.point-in-time.yaml"
_EXAMPLE: Final = "2026-11-23T12:34:56Z"
# As compose does, by the files of .env; the older program that some machines of tests have for it does not.
_DOCKER: Final = """#!/bin/sh
PATH=${PATH#*:}
if [ "$1" = compose ] && [ "$2" != -f ] && files=$(sed -n 's/^COMPOSE_FILE=//p' .env | tail -n 1) && [ -n "$files" ]; then
  shift
  for file in $(echo "$files" | tr : '\\n' | tac); do set -- -f "$file" "$@"; done
  set -- compose "$@"
fi
exec docker "$@"
"""


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    """Return Postgres, Valkey and an archive that has its first base backup, made by the page."""
    running = Deployment.new(tmp_path_factory.mktemp("archived"))
    docker = running.folder / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(_DOCKER)
    docker.chmod(0o755)
    running.environment["PATH"] = f"{docker.parent}:{running.environment['PATH']}"
    running.files = ("compose.yaml", _OVERLAY)
    try:
        running.page(_engines_alone(blocks(PAGE, _SECTION)[0]), seconds=420)
        _wait_until(lambda: _last_check(running) > 0)
        yield running
    finally:
        running.remove()


def _engines_alone(block: str) -> str:
    """Start nothing but what restores are about; the services only wait for it."""
    assert "docker compose up --wait\n" in block
    return block.replace(
        "docker compose up --wait\n", "docker compose up -d --wait valkey archive\n"
    )


def _restore(moment: str) -> str:
    """Return the page's commands of a restore, to this moment."""
    block = _engines_alone(blocks(PAGE, _SECTION)[1])
    assert _EXAMPLE in block
    # No service has made its tables here, so there are no accounts whose deletions could be repeated.
    block = block.replace("restore-to ", "restore-to --no-repeat-deletions ")
    return block.replace(_EXAMPLE, moment)


def test_databases_are_what_they_were_at_the_moment_that_is_named(archived: Deployment) -> None:
    _, _, check, remove = blocks(PAGE, _SECTION)
    _sql(archived, "CREATE TABLE entries AS SELECT generate_series(1, 1000)")
    _sql(archived, "CREATE TABLE dropped ()", "auth")
    moment = _now(archived)
    _sql(archived, "DELETE FROM entries; INSERT INTO entries VALUES (-1)")
    _sql(archived, "DROP TABLE dropped", "auth")
    _valkey(archived, "SET 'sponsorgraph:{quota}:month:ada' 7")

    printed = archived.page(_restore(moment))
    assert "The databases are what they were" in printed
    assert _sql(archived, "SELECT count(*), min(generate_series) FROM entries") == "1000|1"
    assert _sql(archived, "SELECT to_regclass('dropped') IS NOT NULL", "auth") == "t"
    assert _valkey(archived, "EXISTS 'sponsorgraph:{quota}:month:ada'") == "0"
    _sql(archived, "INSERT INTO entries VALUES (1001)")

    # The archive goes on with the history that begins here.
    restored_at = time.time()
    _wait_until(lambda: _last_check(archived) > restored_at)
    shown = archived.page(check)
    assert "FAILED" not in shown
    assert len([line for line in shown.splitlines() if "Size:" in line]) == 2
    folder = "ls /var/lib/postgresql/18"
    assert "before-" in _inside(archived, "postgres", folder)
    archived.page(remove)
    assert _inside(archived, "postgres", folder).split() == ["docker"]


def test_wal_that_is_missing_refuses_the_restore_and_changes_nothing(archived: Deployment) -> None:
    moment = _now(archived)
    wal = _sql(archived, "SELECT pg_walfile_name(pg_current_wal_lsn())")
    _sql(archived, "CREATE TABLE written_later (); SELECT pg_switch_wal()")
    find = f"find /archive/sponsorgraph -name {wal}"
    _wait_until(lambda: _inside(archived, "archive", find) != "")
    _inside(archived, "archive", f"rm $({find})")
    postgres = archived.containers("postgres")

    refused = archived.run("bash", "-euc", _restore(moment))
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1, said
    assert "recovery ended before configured recovery target was reached" in said
    assert "the archive has no unbroken WAL up to it" in said
    assert "Nothing was changed" in said
    assert archived.containers("postgres") == postgres
    assert _sql(archived, "SELECT to_regclass('written_later') IS NOT NULL") == "t"
    assert _inside(archived, "postgres", "ls /var/lib/postgresql/18").split() == ["docker"]


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        pytest.param("2020-01-01T00:00:00Z", "No base backup is older than", id="too early"),
        pytest.param("2999-01-01T00:00:00Z", "is still to come", id="in the future"),
    ],
)
def test_a_moment_that_the_archive_cannot_have_is_refused(
    archived: Deployment, moment: str, message: str
) -> None:
    (archive,) = archived.containers("archive")
    refused = archived.inside(archive, "sh", "/usr/local/lib/archive", "restore", moment)
    assert refused.returncode == 1
    assert message in refused.stderr


def test_what_is_no_moment_is_refused_by_the_command(archived: Deployment) -> None:
    refused = archived.run("deploy/compose/restore-to", "yesterday")
    assert refused.returncode == 1
    assert "'yesterday' is no moment such as" in refused.stdout + refused.stderr
    assert "Nothing was changed" in refused.stderr


def _wait_until(condition: Callable[[], bool], seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def _inside(deployment: Deployment, service: str, command: str) -> str:
    (container,) = deployment.containers(service)
    return deployment.inside(container, "sh", "-c", command).stdout


def _sql(deployment: Deployment, statement: str, database: str = "catalog") -> str:
    (postgres,) = deployment.containers("postgres")
    psql = ("psql", "-h", "127.0.0.1", "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1")
    done = deployment.inside(postgres, *psql, "-Atc", statement)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _now(deployment: Deployment) -> str:
    """Return the server's time, as the page writes moments."""
    return _sql(deployment, "SELECT to_json(clock_timestamp() AT TIME ZONE 'UTC')").strip('"') + "Z"


def _valkey(deployment: Deployment, command: str) -> str:
    password = "REDISCLI_AUTH=$(sed -n 's/^requirepass //p' /run/secrets/valkey_conf)"
    return _inside(deployment, "valkey", f"{password} valkey-cli {command}").strip()


def _last_check(deployment: Deployment) -> float:
    """Return the time at which the archive was last found good, as the auth service has it."""
    return float(_valkey(deployment, "GET sponsorgraph:last_archive_check") or 0)
