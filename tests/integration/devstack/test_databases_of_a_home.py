"""The databases of a home are made, migrated and filled by one process."""

import json
import signal
from collections.abc import Generator
from dataclasses import asdict, replace
from pathlib import Path

import psycopg
import pytest

from devstack import databases
from devstack.children import ChildError
from devstack.database_preparation import DatabasePreparation, preparing
from devstack.engines import Postgres
from devstack.home import Addresses, Home, Secrets
from devstack.ports import HOST
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
    with psycopg.connect(postgres.url("catalog")) as connection:
        (videos,) = connection.execute("SELECT count(*) FROM videos").fetchone() or (0,)
    assert videos
    assert home.state()["sample"]


def test_a_catalogue_that_was_changed_is_left_to_its_service(
    home: Home, postgres: Postgres
) -> None:
    assert databases.main([str(home.path)]) == 0
    home.write_state({})
    with psycopg.connect(postgres.url("catalog"), autocommit=True) as connection:
        connection.execute("UPDATE catalog_state SET version = 7")
    assert databases.main([str(home.path)]) == 0
    assert "sample" not in home.state()


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


@pytest.fixture
def process(home: Home, tmp_path: Path) -> Generator[DatabasePreparation]:
    with preparing(home.path, tmp_path / "databases.log") as started:
        yield started


def test_the_process_begins_when_it_may_and_ends_when_the_catalogue_is_filled(
    process: DatabasePreparation, home: Home, postgres: Postgres
) -> None:
    assert process.process.poll() is None
    process.begin()
    process.wait_until_up_to_date()
    assert all(is_up_to_date(postgres.url(name), name) for name in DATABASES)
    process.wait()
    assert home.state()["sample"]


def test_a_process_that_fails_is_reported_with_the_end_of_its_log(
    process: DatabasePreparation, home: Home
) -> None:
    (home.path / "secrets.json").write_text("{")
    process.begin()
    with pytest.raises(ChildError, match=r"secrets\.json is damaged"):
        process.wait_until_up_to_date()


def test_a_start_that_is_interrupted_leaves_no_process(home: Home, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), preparing(home.path, tmp_path / "log") as started:
        raise KeyboardInterrupt
    assert started.process.returncode == -signal.SIGKILL


def test_a_process_that_ends_before_it_may_begin_is_reported_as_one(
    process: DatabasePreparation,
) -> None:
    process.process.kill()
    process.process.wait()
    process.begin()
    with pytest.raises(ChildError, match="Preparing the databases failed"):
        process.wait_until_up_to_date()
