"""Services and migrations that are started before their database wait for it, and not for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import psycopg
import pytest
from alembic import command

from devstack.engines import Postgres
from devstack.ports import HOST, free_port
from devstack.schemas import SERVICES, is_up_to_date, known_revisions, migrations_of
from servicekit.database_wait import DatabaseUnreachableError, wait_for_database
from servicekit.migration import configuration
from servicekit.migration.command import migrate

SERVING: Final = {
    "auth": ["auth_service"],
    "catalog": ["catalog_service"],
    "imports": ["import_worker", "serve"],
    "imports-work": ["import_worker", "work"],
}
PREFIXES: Final = {"auth_service": "AUTH", "catalog_service": "CATALOG", "import_worker": "IMPORT"}
_FAST: Final = {"fsync": "off"}


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    """A server with a migrated database for each service, which is down at first."""
    folder = tmp_path_factory.mktemp("late")
    server = Postgres(folder / "data", free_port(), "late", _FAST, folder / "log")
    server.start()
    try:
        for name in SERVICES:
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            migrate(server.url(name), migrations_of(name))
        server.stop()
        yield server
    finally:
        server.stop()


@contextmanager
def process(command: list[str], url: str, wait: str = "60") -> Generator[subprocess.Popen[str]]:
    """A service's process on a database; killed at the end if it still runs."""
    prefix = PREFIXES[command[0]]
    own = {
        f"{prefix}_DATABASE_URL": url,
        f"{prefix}_DATABASE_WAIT_SECONDS": wait,
        f"{prefix}_GRPC_PORT": "0",
        f"{prefix}_GRPC_TOKEN": "of-the-tests-and-of-nobody-else-32",
        f"{prefix}_VALKEY_URL": f"redis://{HOST}:{free_port()}/0",
        "AUTH_HTTP_PORT": "0",
        "AUTH_TOKEN_SECRET": "of-the-tests-and-of-nobody-else-32",
        "AUTH_SITE_URL": "http://127.0.0.1:8001",
        "AUTH_RESOURCE_URL": "http://127.0.0.1:8000/mcp",
        "CATALOG_CURSOR_SECRET": "of-the-tests-and-of-nobody-else-32",
        "IMPORT_CATALOG_TARGET": f"{HOST}:{free_port()}",
    }
    if prefix == "CATALOG":
        del own["CATALOG_VALKEY_URL"]
    running = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.wait()
        assert running.stdout is not None
        running.stdout.close()


def line_with(running: subprocess.Popen[str], text: str) -> str:
    """Return the next line of the process that has the text."""
    assert running.stdout is not None
    read: list[str] = []
    for line in running.stdout:
        read.append(line)
        if text in line:
            return line
    raise AssertionError("".join(read))


def nobody() -> str:
    return f"postgresql://nobody:a-password@{HOST}:{free_port()}/nothing"


@pytest.mark.parametrize("name", SERVING)
def test_a_service_that_is_started_before_its_database_serves_once_it_is_there(
    name: str, late: Postgres
) -> None:
    with process(SERVING[name], late.url(name.partition("-")[0])) as running:
        line_with(running, "waiting_for_database")
        late.start()
        try:
            line_with(running, "service_ready")
            running.send_signal(signal.SIGTERM)
            assert running.wait(30) == 0
        finally:
            late.stop()


@pytest.mark.parametrize("name", SERVING)
def test_the_wait_ends_with_one_line_that_names_the_problem(name: str) -> None:
    with process(SERVING[name], nobody(), wait="0.1") as running:
        line = line_with(running, "start_failed")
        assert "Connection refused" in line
        assert "a-password" not in line
        assert running.wait(30) == 1


def test_a_process_that_waits_stops_at_a_signal() -> None:
    with process(SERVING["auth"], nobody()) as running:
        line_with(running, "waiting_for_database")
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0


@pytest.mark.parametrize("name", SERVICES)
def test_migrations_wait_for_their_database(name: str, late: Postgres) -> None:
    with process([SERVICES[name], "migrate"], late.url(name)) as running:
        line_with(running, "does not respond yet")
        late.start()
        try:
            assert running.wait(60) == 0
            assert is_up_to_date(late.url(name), name)
        finally:
            late.stop()


def test_migrations_give_up_with_a_sentence() -> None:
    with process(["auth_service", "migrate"], nobody(), wait="0.1") as running:
        assert "Connection refused" in line_with(running, "did not respond within 0.1 s")
        assert running.wait(30) == 1


def test_a_database_without_a_schema_is_waited_for_too(fresh_database: Callable[[], str]) -> None:
    url = fresh_database()
    problems: list[str] = []

    def migrate_now(problem: str) -> None:
        problems.append(problem)
        migrate(url, migrations_of("auth"))

    wait_for_database(url, 60, migrate_now, migrations=migrations_of("auth"))
    (problem,) = problems
    assert "migrations have not run" in problem
    wait_for_database(url, 0, problems.append, migrations=migrations_of("auth"))
    assert len(problems) == 1


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_on_the_schema_of_before_serves_once_that_is_migrated(
    name: str, fresh_database: Callable[[], str]
) -> None:
    url = fresh_database()
    *_, before, needed = known_revisions(name)
    config, _ = configuration.of(url, migrations_of(name))
    command.upgrade(config, before)
    with process(SERVING[name], url) as running:
        line = line_with(running, "waiting_for_database")
        assert f"it has schema {before}, and this version needs {needed}" in line
        migrate(url, migrations_of(name))
        line_with(running, "service_ready")
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0


@pytest.mark.parametrize("readable_from", ["0001", "9999"])
def test_a_service_serves_on_a_newer_schema_if_that_can_be_read_and_else_ends_with_a_sentence(
    readable_from: str, fresh_database: Callable[[], str]
) -> None:
    url = fresh_database()
    migrate(url, migrations_of("auth"))
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        comment = f"COMMENT ON TABLE alembic_version IS 'readable from {readable_from}'"
        connection.execute(comment.encode())
    with process(SERVING["auth"], url) as running:
        if readable_from == "0001":
            line_with(running, "service_ready")
            return
        line = line_with(running, "start_failed")
        assert "schema 9999 of a newer version" in line
        assert "restore a backup" in line
        assert running.wait(30) == 1


def test_the_problem_is_reported_at_once_and_then_every_few_seconds() -> None:
    problems: list[str] = []
    with pytest.raises(DatabaseUnreachableError, match="refused"):
        wait_for_database(nobody(), 2, problems.append)
    assert len(problems) == 1
