"""What was looked at in a period is what its videos are, however many they are, and stays so when they change."""

import random
from collections.abc import AsyncGenerator, Callable
from datetime import date, timedelta
from typing import Any, Final

import pytest
from sqlalchemy import text

from catalog_service.domain.coverage import Scope
from catalog_service.domain.ingest import AnyFact, Ingest
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.storage import scanned_totals
from catalog_service.storage.connections import Database
from catalog_service.storage.ingest.batches import PostgresIngest
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.test_rollups import stream

FIRST: Final = date(2024, 1, 1)
YOUTUBERS: Final = 10
VIDEOS: Final = 40
"""Of each youtuber, half of them in ten days of spring, half in ten days of autumn."""

_COUNTED: Final = text("""
    SELECT count(DISTINCT v.youtuber_id), count(DISTINCT v.id), count(DISTINCT p.video_id), min(v.published_on), max(v.published_on)
    FROM videos AS v LEFT JOIN sponsorships AS p ON p.video_id = v.id
    WHERE (CAST(:start AS date) IS NULL OR v.published_on >= :start) AND (CAST(:end AS date) IS NULL OR v.published_on <= :end)
""")


def _video(number: int, youtuber: int, day: int, claims: int) -> VideoFact:
    kinds = ("affiliate", "free_product")[:claims]
    return VideoFact(
        key=f"v{number}",
        youtuber_key=f"y{youtuber}",
        published_at=str(FIRST + timedelta(days=day)),
        sponsorships=tuple(
            SponsorshipFact(
                sponsor_slug=slug, kind=kind, confidence=1.0, detector_version="d", reason="r"
            )
            for slug, kind in zip(("one", "two"), kinds, strict=False)
        ),
    )


def _facts(chooser: random.Random) -> list[AnyFact]:
    facts: list[AnyFact] = [SponsorFact(slug=slug, name=slug) for slug in ("one", "two")]
    facts += [YoutuberFact(key=f"y{number}", name="Name") for number in range(YOUTUBERS)]
    for number in range(YOUTUBERS * VIDEOS):
        youtuber = number % YOUTUBERS
        season = 200 * (number // YOUTUBERS % 2)
        day = 10 * youtuber + season + chooser.randrange(10)
        facts.append(_video(number, youtuber, day, chooser.choice((0, 0, 1, 2))))
    return facts


class Coverage:
    """A catalogue, and what it says was looked at in a period."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._ingest = Ingest(PostgresIngest(database), lambda: date(2024, 12, 31))

    async def take(self, facts: list[AnyFact]) -> None:
        assert not (await self._ingest.take(stream([facts]))).rejected

    async def assert_all_is_counted(self, chooser: random.Random) -> None:
        days = [FIRST + timedelta(days=day) for day in (-5, 0, 9, 60, 99, 150, 200, 260, 299, 400)]
        days += [FIRST + timedelta(days=chooser.randrange(310)) for _ in range(8)]
        bounds = [None, *sorted(days)]
        for start in bounds:
            for end in bounds:
                if (start is None and end is None) or (start and end and start > end):
                    continue
                assert await self._returned(start, end) == await self._counted(start, end)

    async def _returned(self, start: date | None, end: date | None) -> tuple[Any, ...]:
        scope = Scope(period=RequestedPeriod(start, end))
        async with self.database.reader() as connection:
            found = await connection.execute(*scanned_totals.statement_of(scope))
        return tuple(found.one())

    async def _counted(self, start: date | None, end: date | None) -> tuple[Any, ...]:
        async with self.database.report_transaction() as connection:
            found = await connection.execute(_COUNTED, {"start": start, "end": end})
        return tuple(found.one())


@pytest.fixture
async def coverage(fresh_database: Callable[[], str]) -> AsyncGenerator[Coverage]:
    settings = new_settings(fresh_database())
    engine, readers = open_engine(settings, "test"), open_reading_engine(settings, "questions")
    yield Coverage(Database(engine, readers))
    await engine.dispose()
    await readers.dispose()


async def test_periods_of_many_videos_of_few_channels(coverage: Coverage) -> None:
    chooser = random.Random(4)
    await coverage.take(_facts(chooser))
    await coverage.assert_all_is_counted(chooser)

    moved = [
        _video(number, number % YOUTUBERS, chooser.randrange(300), chooser.choice((0, 1)))
        for number in chooser.sample(range(YOUTUBERS * VIDEOS), 60)
    ]
    await coverage.take([*moved])
    await coverage.assert_all_is_counted(chooser)

    gone = [f"v{number}" for number in range(0, YOUTUBERS * VIDEOS, 3)]
    async with PostgresIngest(coverage.database).batch() as batch:
        await batch.remove_videos(gone)
        await batch.finish()
    await coverage.assert_all_is_counted(chooser)
