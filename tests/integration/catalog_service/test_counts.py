"""Figures of any query equal what the sponsorships, read one by one, add up to."""

import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import arguments, kinds, periods
from catalog_service.domain.categories import Scope
from catalog_service.domain.ingest import AnyFact
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import PartCounts
from catalog_service.domain.queries import (
    Page,
    ProspectSearch,
    Ranking,
    SponsorStatsQuery,
    YoutuberStatsQuery,
)
from catalog_service.domain.sponsors import METRICS
from catalog_service.storage.connections import Database
from catalog_service.storage.store import PostgresCategories, PostgresYoutubers
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact
from shapes.catalog.shared import Period, Totals
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.test_rollups import BASE
from tests.integration.catalog_service.test_whole_months import Asked, asked_periods

ROWS = text(
    "SELECT p.*, s.slug FROM sponsorships p JOIN sponsors s ON s.id = p.sponsor_id ORDER BY 1, 2"
)
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
    return [*sponsors, *youtubers, *(_video(chooser, slugs, number) for number in range(24))]


def _video(chooser: random.Random, slugs: list[str], number: int) -> VideoFact:
    claims = [
        SponsorshipFact(
            sponsor_slug=slug,
            kind=chooser.choice(kinds.ALL),
            confidence=chooser.choice((0.5, 1.0)),
            detector_version="d",
            reason="r",
        )
        for slug in chooser.sample(slugs, chooser.randint(0, 3))
    ]
    return VideoFact(
        key=f"v{chooser.randrange(18) if number > 18 else number}",
        youtuber_key=chooser.choice("xyz"),
        published_at=chooser.choice(DAYS),
        views=chooser.choice((None, 0, 10, 25)),
        category=chooser.choice((None, "gaming", "music")),
        sponsorships=tuple(claims),
    )


dense_facts = st.integers(0, 1_000_000).map(_facts)
rankings = st.builds(
    Ranking,
    categories=st.sampled_from([None, "food", "ai", "software", "tech"]).map(
        lambda category: arguments.sponsor_categories("category", category)
    ),
    content_category=st.sampled_from([None, None, None, "gaming"]),
    country=st.sampled_from([None, None, None, "DE"]),
    period=asked_periods,
    min_confidence=st.sampled_from([0.0, 0.0, 0.7]),
    metric=st.sampled_from(METRICS),
    kinds=some_kinds,
)


class Counted(Asked):
    """A catalogue whose rows can be read one by one."""

    def __init__(self, engine: AsyncEngine, readers: AsyncEngine) -> None:
        super().__init__(engine, readers)
        database = Database(engine, readers)
        self.youtubers = PostgresYoutubers(database)
        self.categories = PostgresCategories(database)

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


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, query=rankings)
async def test_rankings(counted: Counted, facts: list[AnyFact], query: Ranking) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    rows = [
        row
        for row in await counted.rows()
        if in_period(row, query.period)
        and row.confidence >= query.min_confidence
        and (query.categories is None or row.sponsor_category in query.categories)
        and query.content_category in {None, row.content_category}
        and query.country in {None, row.country}
    ]
    chosen = [row for row in rows if row.kind in query.kinds]
    sums, ranked = await counted.ranked(query, Page(50))
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


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, period=asked_periods, of_kinds=some_kinds, given_kinds=st.booleans())
async def test_figures_of_a_sponsor(
    counted: Counted,
    facts: list[AnyFact],
    period: RequestedPeriod,
    of_kinds: Kinds,
    given_kinds: bool,  # noqa: FBT001 - drawn
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    rows = await counted.rows()
    category = next((row.sponsor_category for row in rows if row.sponsor_id == 1), None)
    query = SponsorStatsQuery(
        sponsor=1,
        category=category,
        period=period.within(SPAN),
        previous=periods.before(period.within(SPAN)),
        granularity="month",
        min_confidence=0.0,
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
    voices = [
        row
        for row in rows
        if row.sponsor_category == category
        and in_period(row, period)
        and row.kind in query.voice_kinds
    ]
    if category is None or not voices:
        assert sums.share_of_voice is None
        return
    assert sums.share_of_voice is not None
    assert sums.share_of_voice.category_sponsorships == len(voices)
    assert sums.share_of_voice.category_videos == totals_of(voices).videos
    mine = sum(row.sponsor_id == 1 for row in voices)
    assert sums.share_of_voice.share == pytest.approx(mine / len(voices))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, period=asked_periods, of_kinds=some_kinds)
async def test_figures_of_a_youtuber(
    counted: Counted, facts: list[AnyFact], period: RequestedPeriod, of_kinds: Kinds
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    rows = [
        row
        for row in await counted.rows()
        if row.youtuber_id == 1 and in_period(row, period) and row.kind in of_kinds
    ]
    query = YoutuberStatsQuery(1, period.within(SPAN), "month", 0.0, of_kinds)
    sums = await counted.youtubers.youtuber_sums(query)
    assert (sums.sponsored_videos, sums.sponsorships) == (totals_of(rows).videos, len(rows))
    assert sums.sponsors == len({row.sponsor_id for row in rows})
    assert sums.by_category == parts_of(rows, "sponsor_category")
    assert sums.by_kind == parts_of(rows, "kind")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts)
async def test_categories(counted: Counted, facts: list[AnyFact]) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    rows = await counted.rows()
    scopes: tuple[Scope, ...] = ("sponsor", "content")
    for scope in scopes:
        for category, counts in (await counted.categories.category_counts(scope)).items():
            own = [row for row in rows if _is_in(row, scope, category)]
            assert (counts.videos, counts.sponsorships, counts.free_products) == (
                totals_of(own).videos, len(own), free_products(own),
            ), category  # fmt: skip


def _is_in(row: Any, scope: str, category: str) -> bool:
    if scope == "content":
        return row.content_category == category
    return row.sponsor_category in (arguments.sponsor_categories("category", category) or ())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=dense_facts, of_kinds=some_kinds)
async def test_similarity_rests_on_the_kinds(
    counted: Counted, facts: list[AnyFact], of_kinds: Kinds
) -> None:
    await counted.hold([BASE, facts[:20], facts[20:]])
    youtubers: defaultdict[int, set[int]] = defaultdict(set)
    held: defaultdict[int, set[int]] = defaultdict(set)
    for row in await counted.rows():
        held[row.youtuber_id].add(row.sponsor_id)
        if row.kind in of_kinds:
            youtubers[row.sponsor_id].add(row.youtuber_id)
    found = await counted.sponsors.similar_sponsors(1, 50, of_kinds)
    shared = {
        number: (len(both), pytest.approx(len(both) / len(youtubers[1] | theirs)))
        for number, theirs in list(youtubers.items())
        if number != 1 and (both := youtubers[1] & theirs)
    }
    assert {
        _number(item.sponsor.id): (item.shared_youtubers, item.similarity) for item in found
    } == shared
    search = ProspectSearch(1, None, None, 50, of_kinds)
    peers = await counted.youtubers.prospects(search, "sponsors")
    own = {number for number, theirs in youtubers.items() if 1 in theirs}
    alike = {peer for number in own for peer in youtubers[number]} - {1}
    assert peers.count == len(alike)
    assert {_number(item.card.id): item.youtubers for item in peers.sponsors} == {
        number: len(theirs & alike)
        for number, theirs in youtubers.items()
        if theirs & alike and number not in held[1]
    }


def _number(public_id: str) -> int:
    return int(public_id.removeprefix("sp_"))
