"""Whatever came first of facts, corrections and merges: what is stored is what they give from scratch.

A history mixes them at random. Its facts are then taken in twice more: all of them before, and all of
them behind its decisions, which keep their order. The three catalogues are the same.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain import amendments
from catalog_service.domain.amendments import Action, Correction
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.facts import VideoState, merged
from catalog_service.domain.ingest import AnyFact, Ingest
from catalog_service.domain.paging import Cursors, Paging
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.review_ports import NewReport
from catalog_service.storage.connections import Database
from catalog_service.storage.corrections.review import PostgresReviews
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.store import PostgresSponsors, PostgresYoutubers
from servicekit.database import open_engine
from shapes.catalog.corrections import MergeSponsorsRequest
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact, YoutuberFact
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.sums import DIFFERENCES
from tests.integration.catalog_service.test_rollups import emptied, stream

SLUGS = ["a", "b", "c"]
VIDEOS = ["v"]
YOUTUBER = YoutuberFact(key="y", name="Why", country="DE")
STORED = [
    "SELECT s.slug, v.key, to_jsonb(p) - '{video_id,sponsor_id,youtuber_id}'::text[] "
    "FROM sponsorships p JOIN sponsors s ON s.id = p.sponsor_id JOIN videos v ON v.id = p.video_id",
    "SELECT to_jsonb(s) - 'id' FROM sponsors s",
    "SELECT s.slug, n.name_key, n.is_label, n.is_domain FROM sponsor_names n "
    "JOIN sponsors s ON s.id = n.sponsor_id",
]


@dataclass(frozen=True, slots=True)
class Correct:
    """An operator's correction of the sponsor that `slug` stands for by then."""

    video: str
    slug: str
    action: Action
    kind: str | None


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge of the sponsors that two slugs stand for by then, if these are two."""

    gone: str
    target: str


Decision = Correct | Merge
Event = Decision | SponsorFact | VideoFact
When = Literal["as they came", "facts first", "facts last"]

claims = st.builds(
    SponsorshipFact,
    sponsor_slug=st.sampled_from(SLUGS),
    kind=st.sampled_from(["affiliate", "promo_code"]),
    code=st.sampled_from([None, "CODE"]),
    confidence=st.sampled_from([0.5, 0.7, 1.0]),
    detector_version=st.just("d"),
    reason=st.just("r"),
)
video_facts = st.builds(
    VideoFact,
    key=st.sampled_from(VIDEOS),
    youtuber_key=st.just("y"),
    published_at=st.just("2024-01-31"),
    views=st.sampled_from([1, 10]),
    sponsorships=st.lists(
        claims, min_size=1, max_size=3, unique_by=lambda item: item.sponsor_slug
    ).map(tuple),
)
sponsor_facts = st.builds(
    SponsorFact,
    slug=st.sampled_from(SLUGS),
    name=st.sampled_from(["Name", "Other name"]),
    aliases=st.sampled_from([(), ("alias",), ("Name", "else")]),
    domains=st.sampled_from([(), ("a.example", "b.example")]),
    category=st.sampled_from([None, "food", "ai"]),
    website=st.sampled_from([None, "https://a.example", "https://b.example"]),
)
corrections = st.builds(
    Correct,
    video=st.sampled_from(VIDEOS),
    slug=st.sampled_from(SLUGS),
    action=st.sampled_from(["hidden", "kind", "added"]),
    kind=st.sampled_from(["affiliate", "free_product"]),
).map(lambda item: replace(item, kind=None) if item.action == "hidden" else item)
merges = st.builds(Merge, gone=st.sampled_from(SLUGS), target=st.sampled_from(SLUGS))
facts = video_facts | sponsor_facts
histories = st.tuples(
    st.lists(facts, max_size=3),
    st.lists(corrections | merges, min_size=2, max_size=6),
    st.lists(facts | corrections | merges, max_size=5),
).map(lambda parts: [event for part in parts for event in part])


class Catalogue:
    """A catalogue to which a history happens."""

    def __init__(self, engine: AsyncEngine) -> None:
        database = Database(engine, engine)
        sponsors = PostgresSponsors(database)
        resolver = Resolver(sponsors, PostgresYoutubers(database))
        self.reviews = PostgresReviews(database)
        paging = Paging(Cursors("secret"))
        self.corrections = Corrections(self.reviews, sponsors, resolver, paging)
        self.ingest = Ingest(PostgresIngest(database), lambda: date(2024, 12, 31))
        self.present = {slug: slug for slug in SLUGS}

    async def happen(self, event: Event) -> None:
        if isinstance(event, Merge):
            await self._merge(self.present[event.gone], self.present[event.target])
        elif isinstance(event, Correct):
            await self._correct(event, self.present[event.slug])
        else:
            await self.take([event])

    async def take(self, facts: Sequence[AnyFact]) -> None:
        reply = await self.ingest.take(stream([facts]))
        assert reply.rejected == ()

    async def _merge(self, gone: str, target: str) -> None:
        if gone == target:
            return
        await self.corrections.merge(MergeSponsorsRequest(gone, target, None), "test")
        self.present = {slug: target if now == gone else now for slug, now in self.present.items()}

    async def _correct(self, event: Correct, slug: str) -> None:
        """As the acceptance of a report does it."""
        async with self.reviews.reporting("ann") as reporting:
            new = NewReport("ann", event.video, "missing", None, None, "brand", None, None)
            report = await reporting.add(new)
        correction = Correction(slug, event.action, event.kind)
        async with self.reviews.review() as review:
            before = (await review.videos([event.video]))[event.video]
            await review.save_correction(event.video, correction, "test", report)
            after = amendments.corrected(before, [correction])
            if after != before:
                digests = await review.video_digests([event.video])
                await review.save_videos([VideoState.of(after, digests[event.video])])
            await review.finish()


@pytest.fixture(scope="module")
async def engine(fresh_database: Callable[[], str]) -> AsyncGenerator[AsyncEngine]:
    opened = open_engine(new_settings(fresh_database()), "test")
    yield opened
    await opened.dispose()


async def _stored(engine: AsyncEngine, history: Sequence[Event], when: When) -> list[list[Any]]:
    """Return the stored rows after checking that they add up."""
    await emptied(engine)
    catalogue = Catalogue(engine)
    bare = [VideoFact(key=key, youtuber_key="y", published_at="2024-01-31") for key in VIDEOS]
    await catalogue.take([*(SponsorFact(slug=slug, name=slug) for slug in SLUGS), YOUTUBER, *bare])
    facts = [event for event in history if isinstance(event, SponsorFact | VideoFact)]
    decisions = [event for event in history if isinstance(event, Merge | Correct)]
    if when == "facts first":
        await catalogue.take(_latest(facts))
    for event in history if when == "as they came" else decisions:
        await catalogue.happen(event)
    if when == "facts last":
        await catalogue.take(_latest(facts))
    async with engine.connect() as connection:
        for name, query in DIFFERENCES.items():
            assert not (await connection.execute(text(query))).all(), name
        stored = [(await connection.execute(text(query))).all() for query in STORED]
    return [sorted(rows, key=repr) for rows in stored]


def _latest(facts: Sequence[SponsorFact | VideoFact]) -> list[AnyFact]:
    """Join all facts about each thing into one."""
    sponsors: dict[str, SponsorFact] = {}
    videos: dict[str, VideoFact] = {}
    for fact in facts:
        if isinstance(fact, SponsorFact):
            sponsors[fact.slug] = merged(sponsors.get(fact.slug, fact), fact)
        else:
            videos[fact.key] = merged(videos.get(fact.key, fact), fact)
    return [*sponsors.values(), *videos.values()]


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(history=histories)
async def test_a_history_gives_what_its_facts_and_decisions_give_from_scratch(
    engine: AsyncEngine, history: list[Event]
) -> None:
    as_they_came = await _stored(engine, history, "as they came")
    assert await _stored(engine, history, "facts first") == as_they_came
    assert await _stored(engine, history, "facts last") == as_they_came
