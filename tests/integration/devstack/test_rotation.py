"""Passwords are replaced by the lines of docs/operations.md, while services go on with either of them."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis

from devstack import engines
from devstack.engines import Postgres
from devstack.ports import HOST, free_port
from devstack.schemas import SERVICES, migrations_of
from servicekit.migration.command import migrate

PAGE: Final = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
OLD, NEW = "OLD-PASSWORD", "NEW-PASSWORD"
_opening: Any = redis.Redis


def blocks(heading: str) -> list[str]:
    """The indented-by-nothing blocks of code below a heading."""
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    found = re.findall(r"```[a-z]*\n(.*?)```", section, re.DOTALL)
    assert len(found) == 2
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    folder = tmp_path_factory.mktemp("rotation")
    made = Postgres(folder / "data", free_port(), "admin", {"fsync": "off"}, folder / "log")
    made.start()
    try:
        yield made
    finally:
        made.stop()


def url_of(server: Postgres, role: str, password: str, name: str) -> str:
    return f"postgresql://{role}:{password}@{HOST}:{server.port}/{name}"


def run(url: str, statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in filter(None, map(str.strip, statements.split(";"))):
            connection.execute(statement.encode())


def install(admin: str, server: Postgres, name: str) -> str:
    """Make a database with an owner of its own, as an operator does; return the owner's URL."""
    run(admin, f"CREATE ROLE {name} LOGIN PASSWORD '{OLD}'; GRANT {name} TO CURRENT_USER")
    run(admin, f"CREATE DATABASE {name} OWNER {name}")
    url = url_of(server, name, OLD, name)
    migrate(url, migrations_of(name))
    return url


@pytest.mark.parametrize("superuser", [True, False], ids=["superuser", "no superuser"])
@pytest.mark.parametrize("name", SERVICES)
def test_a_role_of_postgres_is_replaced_as_the_page_has_it(
    name: str, *, superuser: bool, server: Postgres
) -> None:
    admin_role, password = "postgres", "admin"
    if not superuser:
        admin_role, password = f"admin_of_{name}", "of-the-provider"
        run(
            server.url(),
            f"CREATE ROLE {admin_role} LOGIN CREATEROLE CREATEDB PASSWORD '{password}'",
        )
    begin, end = (block.replace("catalog", name) for block in blocks("Passwords of Postgres"))
    old = install(url_of(server, admin_role, password, "postgres"), server, name)
    table = _first_table(old)
    run(url_of(server, admin_role, password, "postgres"), begin)
    new = url_of(server, f"{name}_2", NEW, name)
    for url in (old, new):  # while pods of before and after serve
        migrate(url, migrations_of(name))
        run(url, f"SELECT count(*) FROM {table}")
    # What a migration of the new role does meanwhile.
    run(
        new,
        f"ALTER TABLE {table} ADD COLUMN while_moving int; CREATE TABLE of_the_new_role (x int)",
    )
    with (
        psycopg.connect(url_of(server, admin_role, password, name)) as connection,
        pytest.raises(psycopg.errors.DependentObjectsStillExist),
    ):
        connection.execute(f"DROP ROLE {name}".encode())

    run(url_of(server, admin_role, password, name), end)

    with psycopg.connect(new) as connection:
        (owner,) = connection.execute(
            "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
        ).fetchone() or ("",)
        assert owner == f"{name}_2"
    run(new, f"ALTER TABLE {table} DROP COLUMN while_moving; DROP TABLE of_the_new_role")
    migrate(new, migrations_of(name))
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(old)
    # As it was before: for the next case.
    run(url_of(server, "postgres", "admin", "postgres"), f"DROP DATABASE {name}")
    run(url_of(server, "postgres", "admin", "postgres"), f"DROP ROLE {name}_2")


def _first_table(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1"
        ).fetchone()
    assert row is not None
    return str(row[0])


@contextmanager
def valkey(port: int, *lines: str) -> Generator[None]:
    """A server with these lines of configuration."""
    text = "\n".join([f"port {port}", f"bind {HOST}", 'save ""', *lines])
    process = subprocess.Popen(
        [engines.valkey_program(), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(text)
        process.stdin.close()
        deadline = time.monotonic() + 30
        while not (logs_in(port, OLD) or logs_in(port, NEW)):
            assert time.monotonic() < deadline
        yield
    finally:
        process.terminate()
        process.wait(30)


def logs_in(port: int, password: str) -> bool:
    try:
        with _opening.from_url(f"redis://:{password}@{HOST}:{port}/0") as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def say(port: int, password: str, command: str) -> None:
    with _opening.from_url(f"redis://:{password}@{HOST}:{port}/0") as client:
        assert client.execute_command(*command.split())


def test_a_password_of_valkey_is_replaced_in_its_file_of_users(tmp_path: Path) -> None:
    users = tmp_path / "users.acl"
    users.write_text(f"user default on >{OLD} ~* &* +@all\n")
    port = free_port()
    begin, end = blocks("Passwords of Valkey")
    with valkey(port, f"aclfile {users}"):
        say(port, OLD, begin)
        assert logs_in(port, OLD)
        assert logs_in(port, NEW)
    with valkey(port, f"aclfile {users}"):
        assert not logs_in(port, NEW), "without ACL SAVE it is forgotten, as the page says"
        say(port, OLD, begin)
        say(port, OLD, "ACL SAVE")
    with valkey(port, f"aclfile {users}"):
        assert logs_in(port, OLD)
        assert logs_in(port, NEW)
        say(port, NEW, end)
        say(port, NEW, "ACL SAVE")
    with valkey(port, f"aclfile {users}"):
        assert logs_in(port, NEW)
        assert not logs_in(port, OLD)


def test_a_password_of_valkey_is_replaced_in_its_configuration() -> None:
    port = free_port()
    begin, end = blocks("Passwords of Valkey")
    with valkey(port, f"requirepass {OLD}"):
        say(port, OLD, begin)
        assert logs_in(port, OLD)
        assert logs_in(port, NEW)
        say(port, NEW, end)
        assert not logs_in(port, OLD)
    with valkey(port, f"requirepass {NEW}"):
        assert logs_in(port, NEW)
        assert not logs_in(port, OLD)
