"""Coverage of any query equals what the videos and channels, read one by one, add up to."""

import random
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import arguments, kinds, public_ids
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.ingest import AnyFact
from catalog_service.domain.queries import Page, Ranking, SponsorSearch, YoutuberSearch
from catalog_service.storage.catalog_coverage import PostgresCoverage
from catalog_service.storage.connections import Database
from servicekit.database import open_engine, open_reading_engine
from shapes.catalog.ingest import SponsorFact, YoutuberFact
from shapes.catalog.shared import CatalogCoverage
from tests.integration.catalog_service import random_videos
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.several import several
from tests.integration.catalog_service.test_rollups import BASE
from tests.integration.catalog_service.test_whole_months import Queries, periods_of_queries

VIDEOS = text(
    "SELECT v.id, v.published_on, v.category, y.id AS youtuber, y.country, y.category AS about, "
    "y.subscribers, EXISTS (SELECT FROM sponsorships p WHERE p.video_id = v.id) AS sponsored "
    "FROM videos v JOIN youtubers y ON y.id = v.youtuber_id"
)
SPONSORSHIPS = text(
    "SELECT v.id AS video, v.published_on, v.category AS content, y.id AS youtuber, y.country, "
    "p.kind, p.confidence, s.id AS sponsor, s.category, s.country AS home, "
    "max(v.published_on) OVER (PARTITION BY s.id) AS last_seen "
    "FROM sponsorships p JOIN videos v ON v.id = p.video_id JOIN youtubers y ON y.id = v.youtuber_id "
    "JOIN sponsors s ON s.id = p.sponsor_id"
)
YOUTUBERS = text(
    "SELECT id AS youtuber, country, category AS about, subscribers, "
    "(SELECT count(DISTINCT v.id) FROM videos v JOIN sponsorships p ON p.video_id = v.id "
    " WHERE v.youtuber_id = y.id) AS sponsored, "
    "(SELECT array_agg(s.category) FROM videos v JOIN sponsorships p ON p.video_id = v.id "
    " JOIN sponsors s ON s.id = p.sponsor_id WHERE v.youtuber_id = y.id) AS sponsor_categories "
    "FROM youtubers y"
)
DAYS = ("2023-12-31", "2024-01-01", "2024-01-31", "2024-02-29", "2024-05-01")
some_kinds = st.sampled_from([kinds.PAID, kinds.ALL, ("affiliate",), ("promo_code", "affiliate")])


def _facts(seed: int) -> list[AnyFact]:
    """Sponsors, youtubers and videos of whom each field may be unknown."""
    chooser = random.Random(seed)
    slugs = [item.slug for item in BASE if isinstance(item, SponsorFact)] + ["four", "five"]
    sponsors = [
        SponsorFact(
            slug=slug,
            name=slug,
            category=chooser.choice((None, "food", "ai", "software")),
            country=chooser.choice((None, "DE", "US")),
        )
        for slug in slugs
    ]
    youtubers = [
        YoutuberFact(
            key=key,
            name=key,
            country=chooser.choice((None, "DE", "US")),
            category=chooser.choice((None, "gaming", "music")),
            subscribers=chooser.choice((None, 10, 1_000)),
        )
        for key in "uvxyz"
    ]
    return [*sponsors, *youtubers, *random_videos.videos(chooser, slugs, "uvxyz", DAYS)]


facts_with_gaps = st.integers(0, 1_000_000).map(_facts)
rankings = st.builds(
    Ranking,
    categories=st.sampled_from([None, "food", "ai", "software", "tech"]).map(
        lambda category: arguments.sponsor_categories("category", category)
    ),
    content_category=st.sampled_from([None, "gaming"]),
    country=st.sampled_from([None, "DE"]),
    period=periods_of_queries,
    min_confidence=st.sampled_from([0.0, 0.0, 0.7]),
    metric=st.just("videos"),
    kinds=some_kinds,
)
youtuber_searches = st.builds(
    YoutuberSearch,
    words=st.none(),
    category=st.sampled_from([None, "gaming"]),
    country=st.sampled_from([None, "DE"]),
    min_subscribers=st.sampled_from([None, 100]),
    max_subscribers=st.sampled_from([None, 100]),
    sponsored_by=st.none(),
    not_sponsored_by=st.none(),
    sort=st.just("relevance"),
)
sponsor_searches = st.builds(
    SponsorSearch,
    words=st.sampled_from([None, None, "four", "one"]),
    categories=st.sampled_from([None, ("food",), ("ai", "food")]),
    country=st.sampled_from([None, "DE"]),
    active_since=st.sampled_from([None, date(2024, 2, 1)]),
    min_videos=st.none(),
    sort=st.just("relevance"),
)


class Covering(Queries):
    """A catalogue whose rows can be read one by one."""

    def __init__(self, engine: AsyncEngine, readers: AsyncEngine) -> None:
        super().__init__(engine, readers)
        self._readers = readers

    async def shown(self, query: Any) -> CatalogCoverage:
        """Return the coverage of a service that has cached nothing."""
        store = PostgresCoverage(Database(self.engine, self._readers))
        return (await CoverageQueries(store).of(query)).shown

    async def rows(self, statement: Any) -> list[Any]:
        async with self.engine.connect() as connection:
            return list((await connection.execute(statement)).all())


@pytest.fixture(scope="module")
async def covering(fresh_database: Callable[[], str]) -> AsyncGenerator[Covering]:
    service = new_settings(fresh_database())
    engine, readers = open_engine(service, "test"), open_reading_engine(service, "test queries")
    yield Covering(engine, readers)
    await engine.dispose()
    await readers.dispose()


def _assert_counts(shown: CatalogCoverage, videos: list[Any]) -> None:
    days = [row.published_on for row in videos]
    assert (shown.videos, shown.youtubers, shown.sponsored_videos) == (
        len(videos),
        len({row.youtuber for row in videos}),
        sum(row.sponsored for row in videos),
    )
    assert (shown.first_video, shown.last_video) == (
        min(days, default=None),
        max(days, default=None),
    )


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=facts_with_gaps, queries=several(rankings))
async def test_videos_scanned_are_those_of_the_period_and_the_filter(
    covering: Covering, facts: list[AnyFact], queries: list[Ranking]
) -> None:
    await covering.hold([BASE, facts[:20], facts[20:]])
    for query in queries:
        start, end = query.period.start or date.min, query.period.end or date.max
        _assert_counts(
            await covering.shown(query),
            [
                row
                for row in await covering.rows(VIDEOS)
                if start <= row.published_on <= end
                and query.content_category in {None, row.category}
                and query.country in {None, row.country}
            ],
        )


@settings(max_examples=14, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=facts_with_gaps, queries=several(youtuber_searches))
async def test_channels_scanned_are_those_of_the_profile(
    covering: Covering, facts: list[AnyFact], queries: list[YoutuberSearch]
) -> None:
    await covering.hold([BASE, facts[:20], facts[20:]])
    for query in queries:
        _assert_counts(
            await covering.shown(query),
            [row for row in await covering.rows(VIDEOS) if _fits(query, row)],
        )


def _fits(query: YoutuberSearch, row: Any) -> bool:
    if query.category not in {None, row.about} or query.country not in {None, row.country}:
        return False
    if query.min_subscribers is not None and (row.subscribers or -1) < query.min_subscribers:
        return False
    return query.max_subscribers is None or (row.subscribers or 10**9) <= query.max_subscribers


def _is(value: Any, wanted: Any) -> bool | None:
    """Return None where it is not known; a filter that is not given holds."""
    if wanted is None:
        return True
    if value is None:
        return None
    return value in wanted if isinstance(wanted, tuple) else value == wanted


def _all(*parts: bool | None) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


@settings(max_examples=27, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=facts_with_gaps, queries=several(rankings))
async def test_videos_left_out_are_those_that_only_an_unknown_field_keeps_out(
    covering: Covering, facts: list[AnyFact], queries: list[Ranking]
) -> None:
    await covering.hold([BASE, facts[:20], facts[20:]])
    for query in queries:
        start, end = query.period.start or date.min, query.period.end or date.max
        matches = [
            (
                row.video,
                _all(
                    start <= row.published_on <= end,
                    row.kind in query.kinds,
                    row.confidence >= query.min_confidence,
                    _is(row.category, query.categories),
                    _is(row.content, query.content_category),
                    _is(row.country, query.country),
                ),
            )
            for row in await covering.rows(SPONSORSHIPS)
        ]
        counted = {number for number, is_match in matches if is_match}
        possible = {number for number, is_match in matches if is_match is None}
        assert (await covering.shown(query)).left_out == len(possible - counted)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(facts=facts_with_gaps, queries=several(sponsor_searches))
async def test_a_search_of_sponsors_leaves_out_those_of_unknown_category_or_country(
    covering: Covering, facts: list[AnyFact], queries: list[SponsorSearch]
) -> None:
    await covering.hold([BASE, facts[:20], facts[20:]])
    for query in queries:
        named = await covering.sponsors.search_sponsors(_of_words(query.words), Page(50))
        numbers = {public_ids.number(card.id) for card in named.entries}
        possible = {
            row.video
            for row in await covering.rows(SPONSORSHIPS)
            if row.sponsor in numbers
            and (query.active_since is None or row.last_seen >= query.active_since)
            and _all(_is(row.category, query.categories), _is(row.home, query.country)) is None
        }
        assert (await covering.shown(query)).left_out == len(possible)


def _of_words(words: str | None) -> SponsorSearch:
    return SponsorSearch(words, None, None, None, None, "relevance")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=facts_with_gaps,
    drawn=several(st.tuples(youtuber_searches, st.sampled_from([None, ("food",), ("ai", "food")]))),
)
async def test_a_search_of_youtubers_leaves_out_those_of_an_unknown_profile(
    covering: Covering,
    facts: list[AnyFact],
    drawn: list[tuple[YoutuberSearch, tuple[str, ...] | None]],
) -> None:
    await covering.hold([BASE, facts[:20], facts[20:]])
    for search, categories in drawn:
        mask = None if categories is None else kinds.mask(kinds.ALL)
        query = replace(search, sponsored_by_categories=categories, kinds_mask=mask)
        left_out = [
            row
            for row in await covering.rows(YOUTUBERS)
            if _all(
                _is(row.about, query.category),
                _is(row.country, query.country),
                _is_within(row.subscribers, query.min_subscribers, query.max_subscribers),
                _has_sponsor_of(row.sponsor_categories or [], categories),
            )
            is None
        ]
        expected = sum(row.sponsored for row in left_out)
        if categories is not None:
            # Videos of brands that are known to be of other categories are in no way what is searched.
            numbers = {row.youtuber for row in left_out}
            expected = len(
                {
                    row.video
                    for row in await covering.rows(SPONSORSHIPS)
                    if row.youtuber in numbers and row.category in {None, *categories}
                }
            )
        assert (await covering.shown(query)).left_out == expected


def _is_within(subscribers: int | None, lowest: int | None, highest: int | None) -> bool | None:
    if lowest is None and highest is None:
        return True
    if subscribers is None:
        return None
    return (lowest or 0) <= subscribers <= (highest or subscribers)


def _has_sponsor_of(held: list[str | None], wanted: tuple[str, ...] | None) -> bool | None:
    if wanted is None or set(held) & set(wanted):
        return True
    return None if None in held else False
