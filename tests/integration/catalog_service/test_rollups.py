"""Whatever is taken in, in whatever batches: totals and rollups equal what the facts add up to."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain.corrections import Corrections
from catalog_service.domain.ingest import AnyFact, Ingest, Item
from catalog_service.domain.paging import Cursors, Paging
from catalog_service.domain.resolver import Resolver
from catalog_service.storage.connections import Database
from catalog_service.storage.corrections.review import PostgresReviews
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.store import PostgresSponsors, PostgresYoutubers
from servicekit.database import open_engine
from shapes.catalog.corrections import MergeSponsorsRequest
from shapes.catalog.ingest import (
    SponsorFact,
    SponsorshipFact,
    VideoFact,
    VideoRemoval,
    YoutuberFact,
)
from tests.integration.catalog_service import catalog_totals
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.sums import DIFFERENCES

SLUGS = ["one", "two", "three"]
KEYS = ["x", "y", "z"]
optional_category = st.sampled_from([None, "gaming", "music"])

sponsor_facts = st.builds(
    SponsorFact,
    slug=st.sampled_from(SLUGS),
    name=st.sampled_from(["Name", "Other name"]),
    aliases=st.sampled_from([(), ("alias",)]),
    domains=st.sampled_from([(), ("a.example", "b.example")]),
    category=st.sampled_from([None, "food", "ai", "software", "tech"]),
    country=st.sampled_from([None, "US"]),
)
youtuber_facts = st.builds(
    YoutuberFact,
    key=st.sampled_from(KEYS),
    channel_id=st.sampled_from([None, "UC" + "a" * 22, "UC" + "b" * 22]),
    handle=st.sampled_from([None, "@h"]),
    name=st.just("Name"),
    subscribers=st.sampled_from([None, 1, 2]),
    country=st.sampled_from([None, "DE", "FR"]),
    category=optional_category,
)
sponsorship_facts = st.builds(
    SponsorshipFact,
    sponsor_slug=st.sampled_from(SLUGS),
    kind=st.sampled_from(["affiliate", "promo_code", "free_product"]),
    confidence=st.sampled_from([0.3, 0.5, 0.75, 1.0]),
    detector_version=st.just("d"),
    reason=st.just("r"),
)
video_facts = st.builds(
    VideoFact,
    key=st.sampled_from(["v1", "v2", "v3", "v4", "v5", "v6"]),
    video_id=st.sampled_from([None, "aaaaaaaaaaa", "bbbbbbbbbbb"]),
    youtuber_key=st.sampled_from(KEYS),
    published_at=st.sampled_from(
        [
            "2023-12-31",
            "2024-01-01",
            "2024-01-31",
            "2024-02-29",
            "2024-03-31",
            "2024-04-01",
            "2024-05-01",
            "2024-11-30",
        ]
    ),
    views=st.sampled_from([None, 0, 10]),
    category=optional_category,
    sponsorships=st.lists(
        sponsorship_facts, max_size=3, unique_by=lambda item: item.sponsor_slug
    ).map(tuple),
)
some_facts = st.lists(sponsor_facts | youtuber_facts | video_facts, max_size=25)
BASE: list[AnyFact] = [
    *(SponsorFact(slug=slug, name=slug) for slug in SLUGS),
    *(YoutuberFact(key=key, name=key) for key in KEYS),
]

STORED = [
    "SELECT s.slug, y.key, v.key, to_jsonb(p) - '{video_id,sponsor_id,youtuber_id}'::text[] "
    "FROM sponsorships p JOIN sponsors s ON s.id = p.sponsor_id "
    "JOIN videos v ON v.id = p.video_id JOIN youtubers y ON y.id = p.youtuber_id",
    "SELECT to_jsonb(s) - 'id' FROM sponsors s",
    "SELECT to_jsonb(y) - '{id,last_import}'::text[] FROM youtubers y",
    "SELECT y.key, to_jsonb(v) - '{id,youtuber_id}'::text[] "
    "FROM videos v JOIN youtubers y ON y.id = v.youtuber_id",
    "SELECT s.slug, n.name_key, n.is_label, n.is_domain FROM sponsor_names n "
    "JOIN sponsors s ON s.id = n.sponsor_id",
    "SELECT first_sponsored, last_sponsored FROM catalog_state",
]


@pytest.fixture(scope="module")
async def engine(fresh_database: Callable[[], str]) -> AsyncGenerator[AsyncEngine]:
    opened = open_engine(new_settings(fresh_database()), "test")
    yield opened
    await opened.dispose()


async def stream(batches: Sequence[Sequence[Item]]) -> AsyncIterator[Sequence[Item]]:
    for batch in batches:
        yield batch


async def emptied(engine: AsyncEngine) -> None:
    tables = (
        "sponsors, youtubers, category_months, category_returns, sponsor_days, sponsor_day_returns, "
        "category_days, category_day_returns, sponsor_facets, facet_totals, sponsor_contents, "
        "category_facets, youtuber_contents, video_days"
    )
    async with engine.begin() as connection:
        await connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
        await connection.execute(text(catalog_totals.RESET))


async def _taken(engine: AsyncEngine, batches: Sequence[Sequence[Item]]) -> list[list[Any]]:
    """Take the batches; return the stored rows after checking that they add up."""
    await emptied(engine)
    ingest = Ingest(PostgresIngest(Database(engine, engine)), lambda: date(2024, 12, 31))
    reply = await ingest.take(stream(batches))
    taken = reply.created + reply.updated + reply.unchanged + len(reply.rejected)
    assert taken == sum(map(len, batches))
    return await _state(engine)


async def _state(engine: AsyncEngine) -> list[list[Any]]:
    async with engine.connect() as connection:
        for name, query in DIFFERENCES.items():
            assert not (await connection.execute(text(query))).all(), name
        stored = [(await connection.execute(text(query))).all() for query in STORED]
    return [sorted(rows, key=repr) for rows in stored]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    facts=some_facts,
    cuts=st.sets(st.integers(1, 24)),
)
async def test_any_split_into_batches_gives_the_same_catalogue(
    engine: AsyncEngine, facts: list[AnyFact], cuts: set[int]
) -> None:
    bounds = pairwise([0, *sorted(cuts), len(facts)])
    split = [facts[first:end] for first, end in bounds if first < end]
    assert await _taken(engine, [[*BASE, *facts]]) == await _taken(engine, [BASE, *split])


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(imports=st.lists(some_facts, min_size=2, max_size=4))
async def test_imports_at_the_same_time_leave_every_sum_right(
    engine: AsyncEngine, imports: list[list[AnyFact]]
) -> None:
    await emptied(engine)
    ingest = Ingest(PostgresIngest(Database(engine, engine)), lambda: date(2024, 12, 31))
    await ingest.take(stream([BASE]))
    # Each begins again with what another may have changed, and reads videos that another wrote.
    await asyncio.gather(*(ingest.take(stream([facts, BASE, facts[::-1]])) for facts in imports))
    await _state(engine)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    films=st.dictionaries(st.sampled_from(["v1", "v2", "v3", "v4", "v5", "v6"]), video_facts),
    removed=st.sets(st.sampled_from(["v1", "v2", "v3", "v7"])),
    at_once=st.booleans(),
)
async def test_a_removed_video_leaves_the_catalogue_as_if_it_had_never_been_there(
    engine: AsyncEngine,
    films: dict[str, VideoFact],
    removed: set[str],
    at_once: bool,  # noqa: FBT001 - drawn
) -> None:
    facts = [replace(fact, key=key, video_id=None) for key, fact in films.items()]
    removals: list[Item] = [VideoRemoval(key) for key in sorted(removed)]
    batches: list[list[Item]] = (
        [[*BASE, *removals, *facts]] if at_once else [[*BASE], [*facts], removals]
    )
    stay = [fact for fact in facts if fact.key not in removed]
    assert await _taken(engine, batches) == await _taken(engine, [BASE, stay])


@settings(max_examples=10, deadline=None)
@given(videos=st.dictionaries(st.sampled_from(["v1", "v2", "v3"]), video_facts))
async def test_taking_everything_twice_adds_nothing(
    engine: AsyncEngine, videos: dict[str, VideoFact]
) -> None:
    facts = [replace(fact, key=key) for key, fact in videos.items()]
    assert await _taken(engine, [BASE, facts]) == await _taken(engine, [BASE, facts, BASE, facts])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    names=st.dictionaries(st.sampled_from(SLUGS), sponsor_facts),
    films=st.dictionaries(st.sampled_from(["v1", "v2", "v3", "v4"]), video_facts),
    cut=st.integers(0, 7),
    chain=st.booleans(),
)
async def test_after_merges_sums_are_right_and_the_same_facts_change_nothing(
    engine: AsyncEngine,
    names: dict[str, SponsorFact],
    films: dict[str, VideoFact],
    cut: int,
    chain: bool,  # noqa: FBT001 - drawn
) -> None:
    facts: list[AnyFact] = [replace(fact, slug=slug) for slug, fact in names.items()]
    facts += [replace(fact, key=key) for key, fact in films.items()]
    await _taken(engine, [BASE, facts[:cut]])
    corrections = _corrections(engine)
    await corrections.merge(MergeSponsorsRequest("three", "two", None), "test")
    if chain:
        await corrections.merge(MergeSponsorsRequest("two", "one", None), "test")
    ingest = Ingest(PostgresIngest(Database(engine, engine)), lambda: date(2024, 12, 31))
    await ingest.take(stream([facts]))
    before = await _state(engine)
    again = await ingest.take(stream([facts]))
    assert (again.created, again.updated) == (0, 0)
    assert await _state(engine) == before
    async with engine.connect() as connection:
        left = (await connection.execute(text("SELECT count(*) FROM sponsors"))).scalar_one()
    assert left == (1 if chain else 2)


def _corrections(engine: AsyncEngine) -> Corrections:
    database = Database(engine, engine)
    sponsors = PostgresSponsors(database)
    resolver = Resolver(sponsors, PostgresYoutubers(database))
    return Corrections(PostgresReviews(database), sponsors, resolver, Paging(Cursors("secret")))
