"""The prepared rows of the sample are what an ingest of it makes, and go into an empty catalogue alone."""

import asyncio
import csv
import hashlib
import zipfile
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import psycopg
import pytest

from catalog_service import MIGRATIONS
from devstack.engines import Postgres
from devstack.sample import rows
from devstack.sample.build import TARGET
from devstack.sample_loader import load
from tests.databases import Databases
from tests.fakes.peers import CREDENTIALS
from tests.integration.catalog_service.conftest import new_settings, running_catalog
from tests.integration.catalog_service.sums import DIFFERENCES

Rows = Mapping[str, list[dict[str, str]]]

NAMES: Final = {"sponsor_id": ("sponsors", "slug"), "youtuber_id": ("youtubers", "key")}
"""Columns with the number of another table's row, and what that row is known by."""


@pytest.fixture
def catalogue(databases: Databases, postgres: Postgres) -> Generator[psycopg.Connection]:
    """A superuser's connection to an empty catalogue."""
    url = databases.migrated(MIGRATIONS)
    with psycopg.connect(postgres.url(url.rpartition("/")[2]), autocommit=True) as connection:
        yield connection
    databases.drop(url)


def read(archive: Path) -> Rows:
    """The rows of each table, of which numbers are replaced by names that another ingest gives as well."""
    tables: dict[str, list[dict[str, str]]] = {}
    with zipfile.ZipFile(archive) as file:
        for table in file.namelist():
            header, *lines = file.read(table).decode().splitlines()
            reader = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            tables[table] = [dict(zip(header.split(), row, strict=True)) for row in reader]
    names = {
        column: {row["id"]: row[name] for row in tables[table]}
        for column, (table, name) in NAMES.items()
    }
    videos = {row["id"]: row["key"] for row in tables["videos"]}
    for table, found in tables.items():
        for row in found:
            row.pop("id", None)
            row |= {column: known[row[column]] for column, known in names.items() if column in row}
            if table == "sponsorships":
                row["video_id"] = videos[row["video_id"]]
    return {
        table: sorted(found, key=lambda row: sorted(row.items())) for table, found in tables.items()
    }


def digest() -> str:
    return hashlib.sha256(TARGET.read_bytes()).hexdigest()


async def test_the_prepared_rows_are_those_of_an_ingest(
    databases: Databases, tmp_path: Path
) -> None:
    url = databases.migrated(MIGRATIONS)
    async with running_catalog(new_settings(url)) as catalog:
        loaded = await asyncio.to_thread(
            load, catalog.target, [TARGET], lambda _sent: None, CREDENTIALS
        )
    assert not loaded.refused
    made = tmp_path / "rows.zip"
    with psycopg.connect(url) as connection:
        rows.dump(connection, digest(), made)
    expected, prepared = read(made), read(rows.ROWS)
    assert prepared.keys() == expected.keys(), "run `make sample-rows`"
    for table, found in prepared.items():
        assert found == expected[table], f"other rows of {table}: run `make sample-rows`"


def test_an_empty_catalogue_takes_the_rows(catalogue: psycopg.Connection, tmp_path: Path) -> None:
    assert rows.restore(catalogue) == digest()
    rows.dump(catalogue, digest(), tmp_path / "again.zip")
    with zipfile.ZipFile(tmp_path / "again.zip") as again, zipfile.ZipFile(rows.ROWS) as prepared:
        assert again.namelist() == prepared.namelist()
        for table in prepared.namelist():
            assert again.read(table) == prepared.read(table)
    for name, query in DIFFERENCES.items():
        assert not catalogue.execute(query.encode()).fetchall(), name


def test_what_comes_after_the_rows_has_numbers_of_its_own(catalogue: psycopg.Connection) -> None:
    rows.restore(catalogue)
    new = catalogue.execute(
        "INSERT INTO sponsors (slug, name, aliases, domains) VALUES ('new', 'New', '{}', '{}') RETURNING id"
    ).fetchone()
    known = catalogue.execute("SELECT max(id) FROM sponsors WHERE slug <> 'new'").fetchone()
    assert new is not None
    assert known is not None
    assert new[0] == known[0] + 1


def test_each_catalogue_with_the_rows_names_its_state_by_an_id_of_its_own(
    catalogue: psycopg.Connection,
) -> None:
    rows.restore(catalogue)
    state = catalogue.execute("SELECT version > 0, change_id FROM catalog_state").fetchone()
    assert state is not None
    assert state[0]
    assert state[1] is not None


def test_a_catalogue_that_has_ever_changed_is_left_as_it_is(catalogue: psycopg.Connection) -> None:
    catalogue.execute("UPDATE catalog_state SET version = 1")
    assert rows.restore(catalogue) is None
    assert catalogue.execute("SELECT count(*) FROM videos").fetchone() == (0,)
    assert catalogue.execute("SELECT version FROM catalog_state").fetchone() == (1,)
