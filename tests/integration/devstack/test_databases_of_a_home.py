"""The databases of a home are made, migrated and filled by one process."""

import json
from collections.abc import Generator
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest

from devstack import databases
from devstack.engines import Postgres
from devstack.home import Addresses, Home, Secrets
from devstack.ports import HOST
from devstack.sample import fill
from devstack.schemas import is_up_to_date
from devstack.services import DATABASES
from servicekit.settings_errors import EXIT_STATUS


@pytest.fixture
def home(tmp_path: Path, postgres: Postgres) -> Generator[Home]:
    """A home that has a server, and no databases yet."""
    home = Home(tmp_path)
    keys = replace(Secrets(), postgres_password=postgres.password)
    (tmp_path / "secrets.json").write_text(json.dumps(asdict(keys)))
    addresses = Addresses("", "", "", "", f"{HOST}:{postgres.port}", "", supervisor_pid=0)
    home.write_addresses(addresses)
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        yield home
        for name in DATABASES:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def test_each_database_gets_the_newest_tables(home: Home, postgres: Postgres) -> None:
    assert databases.main([str(home.path)]) == 0
    assert all(is_up_to_date(postgres.url(name), name) for name in DATABASES)
    assert databases.main([str(home.path)]) == 0


def test_the_catalogue_gets_the_sample(home: Home, postgres: Postgres) -> None:
    assert databases.main([str(home.path)]) == 0
    assert fill.main([str(home.path)]) == 0
    with psycopg.connect(postgres.url("catalog")) as connection:
        (videos,) = connection.execute("SELECT count(*) FROM videos").fetchone() or (0,)
    assert videos
    assert home.state()["sample"]
    assert fill.main([str(home.path)]) == 0


def test_a_database_of_a_newer_version_ends_the_process_with_a_sentence(
    home: Home, postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE auth")
    with psycopg.connect(postgres.url("auth")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num text)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    with pytest.raises(SystemExit) as ended:
        databases.main([str(home.path)])
    assert ended.value.code == EXIT_STATUS
    assert "The database has schema 9999" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [(), ("one", "two"), ("/nowhere",)])
def test_without_a_home_nothing_is_done(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert databases.main(list(arguments)) == 2
    assert "devstack.databases HOME" in capsys.readouterr().err
