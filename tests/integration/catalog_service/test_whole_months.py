"""Whole months and few days are answered from rollups, and say what the sponsorships say one by one.

A least confidence that all sponsorships have makes the same question go the other way.
"""

import random
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import arguments, confidence_steps, kinds, periods
from catalog_service.domain.ingest import AnyFact, Ingest
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import GRANULARITIES, RequestedPeriod
from catalog_service.domain.queries import Page, Ranking, SponsorStatsQuery
from catalog_service.domain.sponsors import METRICS
from catalog_service.storage.catalog_coverage import PostgresCoverage
from catalog_service.storage.connections import Database
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.rollups import facet_sums
from catalog_service.storage.stats import voice_of_days
from catalog_service.storage.store import PostgresSponsors
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact
from shapes.catalog.shared import Period
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.several import several
from tests.integration.catalog_service.test_rollups import (
    BASE,
    emptied,
    optional_category,
    some_facts,
    stream,
)

ONE_BY_ONE = 1e-9
bounds = st.sampled_from(
    ["2023-12-31", "2024-01-01", "2024-01-15", "2024-01-31", "2024-02-01", "2024-02-29",
     "2024-05-01", "2024-05-31", "2024-12-31"]
)  # fmt: skip
periods_of_queries = st.one_of(
    st.tuples(bounds, bounds).map(lambda days: periods.requested(min(days), max(days))),
    bounds.map(lambda start: periods.requested(start, None)),
    bounds.map(lambda end: periods.requested(None, end)),
    st.just(periods.requested(None, None)),
)
kinds_of_queries = st.sampled_from(
    [kinds.PAID, kinds.PAID, kinds.ALL, ("affiliate", "free_product")]
)
categories_of_queries = st.sampled_from([None, "food", "ai", "software", "tech", "pets"])


class Queries:
    """A catalogue that takes facts, and its store."""

    def __init__(self, engine: AsyncEngine, readers: AsyncEngine) -> None:
        self.engine = engine
        self.database = database = Database(engine, readers)
        self.sponsors = PostgresSponsors(database)
        self.coverage = PostgresCoverage(database)
        self._ingest = Ingest(PostgresIngest(database), lambda: date(2024, 12, 31))

    async def hold(self, batches: Sequence[Sequence[AnyFact]]) -> None:
        await emptied(self.engine)
        reply = await self._ingest.take(stream(batches))
        assert reply.created

    async def ranked(self, query: Ranking, limit: int, skipped: int = 0) -> tuple[Any, Any]:
        """Return the totals, and `limit` entries behind the first `skipped`."""
        page = Page(limit)
        if skipped:
            totals, before = await self.sponsors.top_sponsors(query, Page(skipped))
            if before.last is None:
                return totals, ()
            page = Page(limit, before.last, skipped)
        totals, found = await self.sponsors.top_sponsors(query, page)
        return totals, found.entries


@pytest.fixture(scope="module")
async def queries(fresh_database: Callable[[], str]) -> AsyncGenerator[Queries]:
    own_settings = new_settings(fresh_database())
    engine, readers = (
        open_engine(own_settings, "test"),
        open_reading_engine(own_settings, "test questions"),
    )
    yield Queries(engine, readers)
    await engine.dispose()
    await readers.dispose()


def ranking(
    period: RequestedPeriod, category: str | None, metric: str, of_kinds: Kinds = kinds.PAID
) -> Ranking:
    return Ranking(
        categories=arguments.sponsor_categories("category", category),
        content_category=None,
        country=None,
        period=period,
        min_confidence=0.0,
        metric=metric,
        kinds=of_kinds,
    )


@settings(max_examples=14, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=some_facts,
    drawn=several(
        st.tuples(
            st.builds(
                ranking,
                periods_of_queries,
                categories_of_queries,
                st.sampled_from(METRICS),
                kinds_of_queries,
            ),
            st.integers(1, 3),
            st.integers(0, 3),
        )
    ),
)
async def test_rankings(
    queries: Queries, facts: list[AnyFact], drawn: list[tuple[Ranking, int, int]]
) -> None:
    await queries.hold([BASE, facts[:8], facts[8:]])
    for query, limit, skipped in drawn:
        one_by_one = replace(query, min_confidence=ONE_BY_ONE)
        found = await queries.ranked(query, limit, skipped)
        assert found == await queries.ranked(one_by_one, limit, skipped)


conditions_of_queries = st.one_of(
    st.sampled_from(confidence_steps.STEPS).map(lambda step: {"min_confidence": step}),
    optional_category.map(lambda category: {"content_category": category or "gaming"}),
    st.sampled_from(["DE", "FR", "US"]).map(lambda country: {"country": country}),
    st.sets(st.sampled_from(kinds.ALL), min_size=1).map(
        lambda chosen: {"kinds": tuple(kind for kind in kinds.ALL if kind in chosen)}
    ),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=some_facts,
    drawn=several(
        st.tuples(
            conditions_of_queries,
            st.sampled_from([periods.requested(None, None), periods.requested("2023-01-01", None)]),
            st.sampled_from(METRICS),
            st.integers(1, 3),
            st.integers(0, 3),
        )
    ),
)
async def test_rankings_by_one_condition(
    queries: Queries,
    facts: list[AnyFact],
    drawn: list[tuple[dict[str, Any], RequestedPeriod, str, int, int]],
) -> None:
    await queries.hold([BASE, facts[:8], facts[8:]])
    for condition, period, metric, limit, skipped in drawn:
        query = replace(ranking(period, None, metric), **condition)
        # No sponsorship has a confidence so little below a step.
        one_by_one = replace(query, min_confidence=abs(query.min_confidence - ONE_BY_ONE))
        assert facet_sums.values(one_by_one) is None
        found = await queries.ranked(query, limit, skipped)
        assert found == await queries.ranked(one_by_one, limit, skipped)


@settings(max_examples=14, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=some_facts,
    drawn=several(
        st.tuples(
            periods_of_queries,
            st.sampled_from(sorted(GRANULARITIES)),
            st.sampled_from([None, "food", "ai", "tech"]),
            kinds_of_queries,
        )
    ),
)
async def test_figures_of_a_sponsor(
    queries: Queries,
    facts: list[AnyFact],
    drawn: list[tuple[RequestedPeriod, str, str | None, Kinds]],
) -> None:
    await queries.hold([BASE, facts[:8], facts[8:]])
    for period, granularity, category, of_kinds in drawn:
        totals = await queries.coverage.catalog_totals()
        closed = period.within(totals.sponsored_span(date(2024, 1, 1)), date(2024, 1, 1))
        query = SponsorStatsQuery(
            sponsor=1,
            category=category,
            period=closed,
            previous=periods.before(closed),
            granularity=granularity,
            min_confidence=0.0,
            is_of_all=period == RequestedPeriod(None, None),
            kinds=of_kinds,
            voice_kinds=kinds.PAID,
        )
        one_by_one = replace(query, min_confidence=ONE_BY_ONE, is_of_all=False)
        by_rollups = await queries.sponsors.sponsor_sums(query)
        expected = await queries.sponsors.sponsor_sums(one_by_one)
        assert _comparable(by_rollups) == _comparable(expected)


def _comparable(sums: Any) -> Any:
    """Parts of an unknown value are told as empty or as nothing, steps in any order."""
    parts = {
        name: {key or "": videos for key, videos in getattr(sums, name).items()}
        for name in ("by_category", "by_country", "by_kind")
    }
    return replace(sums, series=tuple(sorted(sums.series, key=lambda item: item.start)), **parts)


def many(seed: int, count: int, sponsors: int, days: int) -> list[AnyFact]:
    """Sponsors that hardly differ: which are the first is hard to tell from the heads of lists."""
    chooser = random.Random(seed)
    slugs = [f"s{number}" for number in range(sponsors)]
    names = ("food", "ai", "software")
    facts: list[AnyFact] = [
        SponsorFact(slug=slug, name=slug, category=names[number % len(names)])
        for number, slug in enumerate(slugs)
    ]
    facts += [YoutuberFact(key=f"y{number}", name="Name") for number in range(30)]
    for number in range(count):
        claim = SponsorshipFact(
            sponsor_slug=chooser.choice(slugs),
            kind=chooser.choice(kinds.ALL),
            confidence=1.0,
            detector_version="d",
            reason="r",
        )
        day = date(2024, 1, 1) + timedelta(days=chooser.randrange(days))
        facts.append(
            VideoFact(key=f"v{number}", youtuber_key=f"y{chooser.randrange(30)}", published_at=day.isoformat(),
                views=chooser.randrange(1000), category=("gaming", "music")[number % 2], sponsorships=(claim,))
        )  # fmt: skip
    return facts


async def test_the_first_of_many_that_hardly_differ(queries: Queries) -> None:
    facts = many(seed=7, count=1_500, sponsors=200, days=150)
    await queries.hold([facts[start : start + 500] for start in range(0, len(facts), 500)])
    early = periods.requested("2024-01-01", "2024-04-30")
    few_days = periods.requested("2024-01-20", "2024-02-16")
    for period in (early, few_days):
        for metric in METRICS:
            for category in (None, "ai", "tech"):
                for page in ((1, 0), (1, 5), (10, 0), (10, 60), (100, 150)):
                    query = ranking(period, category, metric)
                    one_by_one = replace(query, min_confidence=ONE_BY_ONE)
                    assert await queries.ranked(query, *page) == await queries.ranked(
                        one_by_one, *page
                    )


async def test_shares_of_voice_among_many_that_hardly_differ(queries: Queries) -> None:
    facts = many(seed=11, count=2_500, sponsors=24, days=200)
    await queries.hold([facts[start : start + 500] for start in range(0, len(facts), 500)])
    spans = [
        ("2024-01-20", "2024-04-19"),  # whole months between days
        ("2024-02-10", "2024-02-28"),  # a part of a month
        ("2024-02-20", "2024-03-10"),  # parts of two, and none whole
        ("2024-03-01", "2024-05-05"),  # days after whole months
        ("2023-06-03", "2024-02-29"),  # from before the data
        ("2024-05-30", "2025-07-10"),  # beyond the data
        ("2024-04-17", "2024-04-17"),
    ]
    summed = 0
    for since, until in spans:
        period = Period(date.fromisoformat(since), date.fromisoformat(until))
        for number in (1, 2, 3, 13, 24):
            query = SponsorStatsQuery(
                sponsor=number,
                category=("software", "food", "ai")[number % 3],
                period=period,
                previous=periods.before(period),
                granularity="month",
                min_confidence=0.0,
                is_of_all=False,
                kinds=kinds.ALL,
                voice_kinds=kinds.PAID,
            )
            one_by_one = replace(query, min_confidence=ONE_BY_ONE)
            by_sums = await queries.sponsors.sponsor_sums(query)
            expected = await queries.sponsors.sponsor_sums(one_by_one)
            assert by_sums.share_of_voice == expected.share_of_voice
            async with queries.database.snapshot() as connection:
                summed += await voice_of_days.voice(connection, query) is not None
    assert summed > len(spans)


@pytest.mark.parametrize("condition", [{"country": "DE"}, {"kinds": ("affiliate",)}])
async def test_a_sponsor_whose_videos_have_no_views_is_ranked_by_views_as_well(
    queries: Queries, condition: dict[str, Any]
) -> None:
    claim = SponsorshipFact(
        sponsor_slug="one", kind="affiliate", confidence=1.0, detector_version="d", reason="r"
    )
    await queries.hold(
        [[
            SponsorFact(slug="one", name="One"),
            YoutuberFact(key="y", name="Name", country="DE"),
            VideoFact(key="v", youtuber_key="y", published_at="2024-01-01", views=None, sponsorships=(claim,)),
        ]]
    )  # fmt: skip
    query = replace(ranking(periods.requested(None, None), None, "views"), **condition)
    _, entries = await queries.ranked(query, 10)
    assert [(entry.sponsor.slug, entry.videos, entry.views) for entry in entries] == [("one", 1, 0)]


class TestWhereAPeriodIsReadFrom:
    """An answer from cells by day does not read the sponsorships."""

    @pytest.fixture
    async def moved(self, queries: Queries) -> Queries:
        facts = many(seed=5, count=60, sponsors=5, days=140)
        await queries.hold([facts])
        async with queries.engine.begin() as connection:
            await connection.execute(text("UPDATE sponsorships SET views = 0, kind = 'affiliate'"))
        return queries

    @pytest.mark.parametrize(
        ("since", "until", "is_by_cells"),
        [
            ("2024-01-10", "2024-02-06", True),
            ("2024-01-10", "2024-04-10", True),  # 92 days
            ("2024-01-10", "2024-04-11", False),
            ("2024-03-20", None, True),  # to the end of the data
            (None, "2024-02-10", True),
        ],
    )
    async def test_periods_of_at_most_92_days_come_from_cells(
        self, moved: Queries, since: str | None, until: str | None, *, is_by_cells: bool
    ) -> None:
        query = ranking(periods.requested(since, until), None, "views")
        totals, _ = await moved.ranked(query, 10)
        assert (totals.totals.views > 0) is is_by_cells
