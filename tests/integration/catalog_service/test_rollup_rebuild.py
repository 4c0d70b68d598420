"""Rollups are computed again while the catalogue is read and written."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from typer.testing import CliRunner

from catalog_service.domain.ingest import AnyFact, Ingest
from catalog_service.rollup_rebuild import Drift, RebuildRunningError, rebuild
from catalog_service.storage.connections import Database
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.rollups.recomputation import ROLLUPS
from cli.app import cli
from servicekit.database import open_engine
from shapes.catalog.ingest import SponsorshipFact, VideoFact, YoutuberFact
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.month_rollups import DIFFERENCES
from tests.integration.catalog_service.sums import DIFFERENCES as ALL_DIFFERENCES
from tests.integration.catalog_service.test_rollups import emptied, stream
from tests.integration.catalog_service.test_whole_months import many


@dataclass(frozen=True, slots=True)
class Catalogue:
    url: str
    engine: AsyncEngine

    async def take(self, *facts: AnyFact) -> None:
        ingest = Ingest(
            PostgresIngest(Database(self.engine, self.engine)), lambda: date(2024, 12, 31)
        )
        assert not (await ingest.take(stream([facts]))).rejected

    async def run(self, statement: str) -> None:
        async with self.engine.begin() as connection:
            await connection.execute(text(statement))

    async def differences(self) -> list[str]:
        async with self.engine.connect() as connection:
            return [
                table
                for table, query in DIFFERENCES.items()
                if (await connection.execute(text(query))).first()
            ]

    async def different_contents(self) -> list[Any]:
        async with self.engine.connect() as connection:
            found = await connection.execute(text(ALL_DIFFERENCES["youtuber_contents"]))
            return [tuple(row) for row in found]

    async def rows(self, table: str) -> int:
        async with self.engine.connect() as connection:
            return (await connection.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()


@pytest.fixture(scope="module")
async def opened(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalogue]:
    settings = new_settings(fresh_database())
    engine = open_engine(settings, "test")
    yield Catalogue(settings.database_url, engine)
    await engine.dispose()


@pytest.fixture
async def catalogue(opened: Catalogue) -> Catalogue:
    await emptied(opened.engine)
    await opened.take(*many(seed=7, count=300, sponsors=12, days=300))
    return opened


def nothing(_table: str, _done: int, _ranges: int) -> None:
    """Take the progress and do nothing."""


async def test_rollups_that_the_ingest_made_are_not_off(catalogue: Catalogue) -> None:
    assert rebuild(catalogue.url, nothing) == []


async def test_emptied_rollups_are_filled_again(catalogue: Catalogue) -> None:
    names = [rollup.table for rollup in ROLLUPS]
    expected = [Drift(name, await catalogue.rows(name)) for name in names]
    await catalogue.run(f"TRUNCATE {', '.join(names)}")
    assert rebuild(catalogue.url, nothing) == expected
    assert await catalogue.differences() == []


async def test_rows_that_are_wrong_or_too_many_are_found_and_mended(catalogue: Catalogue) -> None:
    await catalogue.run("UPDATE category_days SET views = views + 1 WHERE category = 'food'")
    await catalogue.run("INSERT INTO sponsor_facets VALUES (1, 'country:XX', 1, 1, 1, 0)")
    assert {drift.table for drift in rebuild(catalogue.url, nothing)} == {
        "category_days",
        "sponsor_facets",
    }
    assert await catalogue.differences() == []


async def test_a_check_reports_what_is_off_and_leaves_it(catalogue: Catalogue) -> None:
    await catalogue.run("DELETE FROM facet_totals WHERE facet = 'kind:affiliate'")
    found = rebuild(catalogue.url, nothing, repairs=False)
    assert found == rebuild(catalogue.url, nothing, repairs=False) == [Drift("facet_totals", 1)]


def new_facts(number: int) -> list[AnyFact]:
    claim = SponsorshipFact(
        sponsor_slug="s1", kind="affiliate", confidence=0.9, detector_version="d", reason="r"
    )
    return [
        YoutuberFact(key="fresh", name="Name", country="DE"),
        VideoFact(
            key=f"new{number}",
            youtuber_key="fresh",
            published_at="2024-03-03",
            views=5,
            category="gaming",
            sponsorships=(claim,),
        ),
    ]


async def test_what_is_imported_between_comparison_and_repair_counts_once(
    catalogue: Catalogue,
) -> None:
    """The snapshot lacks what is imported, and what is added afterwards has nothing of it."""
    await catalogue.run("TRUNCATE sponsor_facets, category_days")
    await catalogue.run("UPDATE youtuber_contents SET videos = videos + 1 WHERE youtuber_id = 1")
    loop = asyncio.get_running_loop()
    imported: list[str] = []

    def while_comparing(table: str, done: int, ranges: int) -> None:
        if done == ranges and table not in imported:
            imported.append(table)
            taken = catalogue.take(*new_facts(len(imported)))
            asyncio.run_coroutine_threadsafe(taken, loop).result()

    found = await asyncio.to_thread(rebuild, catalogue.url, while_comparing)
    assert {drift.table for drift in found} == {
        "sponsor_facets",
        "category_days",
        "youtuber_contents",
    }
    assert await catalogue.different_contents() == []
    assert len(imported) == len(ROLLUPS) + 1
    assert await catalogue.differences() == []


async def test_a_second_rebuild_is_refused_and_adds_nothing_twice(catalogue: Catalogue) -> None:
    await catalogue.run("UPDATE category_days SET views = views + 1 WHERE category = 'food'")
    refused: list[str] = []

    def while_comparing(table: str, done: int, ranges: int) -> None:
        if done == ranges and table == "category_days":
            with pytest.raises(RebuildRunningError):
                rebuild(catalogue.url, nothing)
            assert rebuild(catalogue.url, nothing, repairs=False)
            refused.append(table)

    rebuild(catalogue.url, while_comparing)
    assert refused == ["category_days"]
    assert await catalogue.differences() == []
    assert rebuild(catalogue.url, nothing) == []


async def test_videos_by_content_category_that_are_off_are_found_and_counted_again(
    catalogue: Catalogue,
) -> None:
    changed = (
        "UPDATE youtuber_contents SET last_video = last_video + 1 WHERE youtuber_id = 1",
        "DELETE FROM youtuber_contents WHERE youtuber_id = 2",
        "INSERT INTO youtuber_contents VALUES (3, 'missing', 1, '2024-01-01', '2024-01-01')",
        # Of youtubers that are not there, in the ranges of those that are and beyond.
        "INSERT INTO youtuber_contents VALUES (1999, 'gaming', 1, '2024-01-01', '2024-01-01')",
        "INSERT INTO youtuber_contents VALUES (-5, 'gaming', 1, '2024-01-01', '2024-01-01'), "
        "(900000, 'gaming', 1, '2024-01-01', '2024-01-01')",
    )
    own = "youtuber_contents WHERE youtuber_id IN (1, 2)"
    off = await catalogue.rows(own) + 4
    for statement in changed:
        await catalogue.run(statement)
    (found,) = rebuild(catalogue.url, nothing, repairs=False)
    assert found == Drift("youtuber_contents", off)
    assert rebuild(catalogue.url, nothing) == [found]
    assert rebuild(catalogue.url, nothing) == []
    assert await catalogue.different_contents() == []


async def test_a_category_that_is_not_the_sponsors_is_found_and_mended(
    catalogue: Catalogue,
) -> None:
    await catalogue.run("UPDATE sponsor_months SET sponsor_category = 'other' WHERE sponsor_id = 1")
    (found,) = rebuild(catalogue.url, nothing)
    assert found.table == "sponsor_months"
    assert found.rows > 0
    assert rebuild(catalogue.url, nothing) == []


class TestTheCommand:
    """`sponsorgraph catalog rebuild-rollups`, on the database that the environment names."""

    @pytest.fixture
    def command(self, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
        monkeypatch.setenv("CATALOG_DATABASE_URL", catalogue.url)
        return lambda *options: CliRunner().invoke(cli, ["catalog", "rebuild-rollups", *options])

    async def test_it_says_that_nothing_is_off(self, command: Callable[..., Any]) -> None:
        result = command("--check")
        assert result.exit_code == 0, result.output
        assert "All rollups say what the sponsorships and videos say." in result.output

    async def test_it_names_what_was_off_and_mends_it(
        self, catalogue: Catalogue, command: Callable[..., Any]
    ) -> None:
        await catalogue.run("DELETE FROM facet_totals WHERE facet = 'kind:affiliate'")
        assert command("--check").exit_code == 1
        result = command()
        assert result.exit_code == 0, result.output
        assert "facet_totals" in result.output
        assert await catalogue.differences() == []

    async def test_it_says_that_another_one_is_at_work(
        self, catalogue: Catalogue, command: Callable[..., Any]
    ) -> None:
        results: list[Any] = []

        def while_comparing(_table: str, done: int, _ranges: int) -> None:
            if done and not results:
                results.append(command())

        rebuild(catalogue.url, while_comparing)
        assert results[0].exit_code == 1
        assert "being rebuilt already" in results[0].output
