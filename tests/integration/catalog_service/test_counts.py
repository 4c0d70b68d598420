"""Figures of any query equal what the sponsorships, read one by one, add up to."""

import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import asdict
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import arguments, kinds, periods, trends
from catalog_service.domain.categories import Scope
from catalog_service.domain.ingest import AnyFact
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import PartCounts
from catalog_service.domain.queries import (
    ProspectSearch,
    Ranking,
    SponsorStatsQuery,
    TrendQuery,
    YoutuberStatsQuery,
)
from catalog_service.domain.same_channels import ChannelSums, score
from catalog_service.domain.sponsors import METRICS
from catalog_service.storage.connections import Database
from catalog_service.storage.store import PostgresCategories, PostgresComparisons, PostgresYoutubers
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, YoutuberFact
from shapes.catalog.shared import Period, Totals
from tests.integration.catalog_service import random_videos
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.several import several
from tests.integration.catalog_service.test_rollups import BASE
from tests.integration.catalog_service.test_whole_months import Queries, periods_of_queries
from tests.same_channels import Channel, sums_of

ROWS = text(
    "SELECT p.*, s.slug FROM sponsorships p JOIN sponsors s ON s.id = p.sponsor_id ORDER BY 1, 2"
)
VIDEOS = text("SELECT youtuber_id, published_on FROM videos")
Known = dict[int, tuple[int, ...]]
SPAN = Period(date(2023, 12, 1), date(2024, 12, 31))
Rows = list[Any]

some_kinds = st.one_of(
    st.just(kinds.PAID),
    st.just(kinds.ALL),
    st.sets(st.sampled_from(kinds.ALL), min_size=1).map(
        lambda chosen: tuple(kind for kind in kinds.ALL if kind in chosen)
    ),
)
DAYS = ("2023-12-31", "2024-01-01", "2024-01-31", "2024-02-29", "2024-05-01")
CATEGORIES = (None, "food", "ai", "software", "tech")


def _facts(seed: int) -> list[AnyFact]:
    """Videos that mostly have several sponsors, of any kinds, in categories of one group."""
    chooser = random.Random(seed)
    slugs = [item.slug for item in BASE if isinstance(item, SponsorFact)] + ["four", "five"]
    sponsors = [SponsorFact(slug=s, name=s, category=chooser.choice(CATEGORIES)) for s in slugs]
    youtubers = [
        YoutuberFact(key=key, name=key, country=chooser.choice((None, "DE"))) for key in "xyz"
    ]
    return [*sponsors, *youtubers, *random_videos.videos(chooser, slugs, "xyz", DAYS)]


dense_facts = st.integers(0, 1_000_000).map(_facts)
rankings = st.builds(
    Ranking,
    categories=st.sampled_from([None, "food", "ai", "software", "tech"]).map(
        lambda category: arguments.sponsor_categories("category", category)
    ),
    content_category=st.sampled_from([None, None, None, "gaming"]),
    country=st.sampled_from([None, None, None, "DE"]),
    period=periods_of_queries,
    min_confidence=st.sampled_from([0.0, 0.0, 0.7]),
    metric=st.sampled_from(METRICS),
    kinds=some_kinds,
)


class Counted(Queries):
    """A catalogue whose rows can be read one by one."""

    def __init__(self, engine: AsyncEngine, readers: AsyncEngine) -> None:
        super().__init__(engine, readers)
        database = Database(engine, readers)
        self.youtubers = PostgresYoutubers(database)
        self.categories = PostgresCategories(database)
        self.comparisons = PostgresComparisons(database)

    async def known_videos(self, *periods_of: Period) -> Known:
        """Return the known videos of each youtuber in each period."""
        async with self.engine.connect() as connection:
            videos = (await connection.execute(VIDEOS)).all()
        return {
            number: tuple(
                sum(row.youtuber_id == number and covers(period, row) for row in videos)
                for period in periods_of
            )
            for number in {row.youtuber_id for row in videos}
        }

    async def rows(self) -> Rows:
        async with self.engine.connect() as connection:
            return list((await connection.execute(ROWS)).all())


@pytest.fixture(scope="module")
async def counted(fresh_database: Callable[[], str]) -> AsyncGenerator[Counted]:
    service = new_settings(fresh_database())
    engine, readers = open_engine(service, "test"), open_reading_engine(service, "test queries")
    yield Counted(engine, readers)
    await engine.dispose()
    await readers.dispose()


def in_period(row: Any, period: RequestedPeriod) -> bool:
    start, end = period.start or date.min, period.end or date.max
    return start <= row.published_on <= end


def covers(period: Period, row: Any) -> bool:
    return period.from_date <= row.published_on <= period.to_date


def channels_of(own: Rows, now: Period, before: Period, known: Known) -> list[Channel]:
    """Return the youtubers of a sponsor in either period, as `sums_of` takes them."""
    later = Counter(row.youtuber_id for row in own if covers(now, row))
    earlier = Counter(row.youtuber_id for row in own if covers(before, row))
    return [(later[each], earlier[each], *known[each][:2]) for each in {*later, *earlier}]  # type: ignore[misc]


def close_to(found: ChannelSums, expected: ChannelSums) -> bool:
    return asdict(found) == pytest.approx(asdict(expected), abs=1e-9)


def totals_of(rows: Iterable[Any]) -> Totals:
    chosen = list(rows)
    views = {row.video_id: row.views or 0 for row in chosen}
    youtubers = {row.youtuber_id for row in chosen}
    return Totals(len(views), len(youtubers), sum(views.values()), len(chosen))


def parts_of(rows: Iterable[Any], key: str) -> PartCounts:
    videos: defaultdict[Any, set[int]] = defaultdict(set)
    sponsorships: Counter[Any] = Counter()
    for row in rows:
        videos[getattr(row, key)].add(row.video_id)
        sponsorships[getattr(row, key)] += 1
    return PartCounts(dict(sponsorships), {part: len(ids) for part, ids in videos.items()})


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, queries=several(rankings))
async def test_rankings(counted: Counted, facts: list[AnyFact], queries: list[Ranking]) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    every = await counted.rows()
    for query in queries:
        rows = [
            row
            for row in every
            if in_period(row, query.period)
            and row.confidence >= query.min_confidence
            and (query.categories is None or row.sponsor_category in query.categories)
            and query.content_category in {None, row.content_category}
            and query.country in {None, row.country}
        ]
        chosen = [row for row in rows if row.kind in query.kinds]
        sums, ranked = await counted.ranked(query, 50)
        assert (sums.totals, sums.by_kind) == (totals_of(chosen), parts_of(rows, "kind"))
        by_slug = {row.slug: [each for each in rows if each.slug == row.slug] for row in chosen}
        expected = {
            slug: (totals_of(row for row in own if row.kind in query.kinds), free_products(own))
            for slug, own in by_slug.items()
        }
        assert {
            item.sponsor.slug: (
                Totals(item.videos, item.youtubers, item.views, item.videos),
                item.free_products,
            )
            for item in ranked
        } == expected
        assert sum(item.share for item in ranked) == pytest.approx(1 if ranked else 0)


def free_products(rows: Rows) -> int:
    return sum(row.kind == "free_product" for row in rows)


@settings(max_examples=14, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=dense_facts,
    drawn=several(
        st.tuples(
            periods_of_queries, some_kinds, st.booleans(), st.sampled_from([0.0, 0.0, 0.65, 0.7])
        )
    ),
)
async def test_figures_of_a_sponsor(
    counted: Counted,
    facts: list[AnyFact],
    drawn: list[tuple[RequestedPeriod, Kinds, bool, float]],
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    for period, of_kinds, given_kinds, min_confidence in drawn:
        every = await counted.rows()
        category = next((row.sponsor_category for row in every if row.sponsor_id == 1), None)
        rows = [row for row in every if row.confidence >= min_confidence]
        query = SponsorStatsQuery(
            sponsor=1,
            category=category,
            period=period.within(SPAN, SPAN.to_date),
            previous=periods.before(period.within(SPAN, SPAN.to_date)),
            granularity="month",
            min_confidence=min_confidence,
            is_of_all=period == RequestedPeriod(None, None),
            kinds=of_kinds if given_kinds else kinds.ALL,
            voice_kinds=of_kinds if given_kinds else kinds.PAID,
        )
        sums = await counted.sponsors.sponsor_sums(query)
        own = [row for row in rows if row.sponsor_id == 1 and row.kind in query.kinds]
        now = [row for row in own if in_period(row, period)]
        assert sums.totals == totals_of(now)
        assert sums.by_kind == parts_of(now, "kind").sponsorships
        before = RequestedPeriod(query.previous.from_date, query.previous.to_date)
        assert sums.previous_totals == totals_of(row for row in own if in_period(row, before))
        known = await counted.known_videos(query.period, query.previous)
        assert close_to(
            sums.same_channels, sums_of(channels_of(own, query.period, query.previous, known))
        )
        voices = [
            row
            for row in rows
            if row.sponsor_category == category
            and in_period(row, period)
            and row.kind in query.voice_kinds
        ]
        if category is None or not voices:
            assert sums.share_of_voice is None
            continue
        assert sums.share_of_voice is not None
        assert sums.share_of_voice.category_sponsorships == len(voices)
        assert sums.share_of_voice.category_videos == totals_of(voices).videos
        mine = sum(row.sponsor_id == 1 for row in voices)
        assert sums.share_of_voice.share == pytest.approx(mine / len(voices))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, drawn=several(st.tuples(rankings, st.sampled_from(trends.DIRECTIONS))))
async def test_trends(
    counted: Counted, facts: list[AnyFact], drawn: list[tuple[Ranking, str]]
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    for query, direction in drawn:
        now = query.period.within(SPAN, SPAN.to_date)
        before = periods.before(now)
        found = await counted.comparisons.changes(TrendQuery(query, now, before, direction, 50))
        rows = [
            row
            for row in await counted.rows()
            if (covers(now, row) or covers(before, row))
            and row.confidence >= query.min_confidence
            and (query.categories is None or row.sponsor_category in query.categories)
            and query.content_category in {None, row.content_category}
            and query.country in {None, row.country}
            and row.kind in query.kinds
        ]
        known = await counted.known_videos(now, before)
        both = {row.youtuber_id for row in rows if all(known[row.youtuber_id])}
        assert (found.all_videos, found.all_previous) == (
            sum(covers(now, row) for row in rows), sum(covers(before, row) for row in rows),
        )  # fmt: skip
        assert (found.youtubers, found.compared_youtubers) == (
            len({row.youtuber_id for row in rows}), len(both),
        )  # fmt: skip
        assert (found.known_videos, found.previous_known_videos) == (
            sum(known[each][0] for each in both), sum(known[each][1] for each in both),
        )  # fmt: skip
        expected = {
            slug: sums_of(
                channels_of([row for row in rows if row.slug == slug], now, before, known)
            )
            for slug in {row.slug for row in rows if row.youtuber_id in both}
        }
        signs = {"rising": 1, "falling": -1}
        expected = {
            slug: sums
            for slug, sums in expected.items()
            if direction == "all" or score(sums) * signs[direction] > 1e-9
        }
        assert {item.sponsor.slug for item in found.sponsors} == set(expected)
        for item in found.sponsors:
            assert close_to(item.sums, expected[item.sponsor.slug])
        found_trends = [trends.trend_of(item.sums) for item in found.sponsors]
        assert found_trends == sorted(found_trends, key=lambda trend: trend == trends.TOO_LITTLE)


@settings(max_examples=14, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, drawn=several(st.tuples(periods_of_queries, some_kinds)))
async def test_figures_of_a_youtuber(
    counted: Counted, facts: list[AnyFact], drawn: list[tuple[RequestedPeriod, Kinds]]
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    for period, of_kinds in drawn:
        rows = [
            row
            for row in await counted.rows()
            if row.youtuber_id == 1 and in_period(row, period) and row.kind in of_kinds
        ]
        query = YoutuberStatsQuery(1, period.within(SPAN, SPAN.to_date), "month", 0.0, of_kinds)
        sums = await counted.youtubers.youtuber_sums(query)
        assert (sums.sponsored_videos, sums.sponsorships) == (totals_of(rows).videos, len(rows))
        assert sums.sponsors == len({row.sponsor_id for row in rows})
        assert sums.by_category == parts_of(rows, "sponsor_category")
        assert sums.by_kind == parts_of(rows, "kind")


@settings(max_examples=7, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, drawn=several(some_kinds))
async def test_categories(counted: Counted, facts: list[AnyFact], drawn: list[Kinds]) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    for of_kinds in drawn:
        every = await counted.rows()
        rows = [row for row in every if row.kind in of_kinds]
        scopes: tuple[Scope, ...] = ("sponsor", "content")
        for scope in scopes:
            for category, counts in (
                await counted.categories.category_counts(scope, of_kinds)
            ).items():
                own = [row for row in rows if _is_in(row, scope, category)]
                assert (counts.videos, counts.sponsorships, counts.free_products) == (
                    totals_of(own).videos, len(own), free_products(own),
                ), category  # fmt: skip
                if scope == "sponsor":
                    assert counts.youtubers == len({row.youtuber_id for row in own}), category
                elif category:  # the unknown one is empty, and not listed
                    assert counts.sponsors == len({row.sponsor_id for row in own}), category


def _is_in(row: Any, scope: str, category: str) -> bool:
    if scope == "content":
        return row.content_category == category
    return row.sponsor_category in (arguments.sponsor_categories("category", category) or ())


@settings(max_examples=14, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, drawn=several(some_kinds))
async def test_similarity_rests_on_the_kinds(
    counted: Counted, facts: list[AnyFact], drawn: list[Kinds]
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    for of_kinds in drawn:
        youtubers: defaultdict[int, set[int]] = defaultdict(set)
        held: defaultdict[int, set[int]] = defaultdict(set)
        for row in await counted.rows():
            held[row.youtuber_id].add(row.sponsor_id)
            if row.kind in of_kinds:
                youtubers[row.sponsor_id].add(row.youtuber_id)
        matches, found = await counted.sponsors.similar_sponsors(1, 50, of_kinds)
        assert matches == len(found)
        population = len({number for numbers in youtubers.values() for number in numbers})
        shared = {
            number: (
                len(both),
                pytest.approx(len(both) / len(youtubers[1] | theirs)),
                pytest.approx(len(youtubers[1]) * len(theirs) / population),
            )
            for number, theirs in list(youtubers.items())
            if number != 1 and (both := youtubers[1] & theirs)
        }
        assert {
            _number(item.sponsor.id): (
                item.shared_youtubers,
                item.similarity,
                item.expected_youtubers,
            )
            for item in found
        } == shared
        search = ProspectSearch(1, None, None, 50, of_kinds)
        peers = await counted.youtubers.prospects(search, "sponsors")
        own = {number for number, theirs in youtubers.items() if 1 in theirs}
        alike = {peer for number in own for peer in youtubers[number]} - {1}
        assert peers.count == len(alike)
        assert {
            _number(item.card.id): (item.youtubers, item.expected) for item in peers.sponsors
        } == {
            number: (
                len(theirs & alike),
                pytest.approx(len(alike) * len(theirs) / population),
            )
            for number, theirs in youtubers.items()
            if theirs & alike and number not in held[1]
        }


def _number(public_id: str) -> int:
    return int(public_id.removeprefix("sp_"))
