"""The databases of a home are migrated by one process."""

import json
from collections.abc import Generator
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest

from devstack import migrate
from devstack.engines import Postgres
from devstack.home import Addresses, Home, Secrets
from devstack.ports import HOST
from devstack.schemas import is_up_to_date
from devstack.services import DATABASES
from servicekit.settings_errors import EXIT_STATUS


@pytest.fixture
def home(tmp_path: Path, postgres: Postgres) -> Generator[Home]:
    """A home whose databases are there, and empty."""
    home = Home(tmp_path)
    keys = replace(Secrets(), postgres_password=postgres.password)
    (tmp_path / "secrets.json").write_text(json.dumps(asdict(keys)))
    addresses = Addresses("", "", "", "", f"{HOST}:{postgres.port}", "", supervisor_pid=0)
    home.write_addresses(addresses)
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        for name in DATABASES:
            connection.execute(f"CREATE DATABASE {name}".encode())
        yield home
        for name in DATABASES:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_each_database_gets_the_newest_tables(home: Home, postgres: Postgres) -> None:
    assert migrate.main([str(home.path)]) == 0
    assert all(is_up_to_date(postgres.url(name), name) for name in DATABASES)
    assert migrate.main([str(home.path)]) == 0


def test_a_database_of_a_newer_version_ends_the_process_with_a_sentence(
    home: Home, postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres.url("auth")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num text)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    with pytest.raises(SystemExit) as ended:
        migrate.main([str(home.path)])
    assert ended.value.code == EXIT_STATUS
    assert "The database has schema 9999" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [(), ("one", "two"), ("/nowhere",)])
def test_without_a_home_nothing_is_done(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate.main(list(arguments)) == 2
    assert "devstack.migrate HOME" in capsys.readouterr().err
