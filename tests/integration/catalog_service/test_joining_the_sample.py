"""Importing the sample's channels over the sample gives the rows that importing them alone gives.

The channels are those that the stand-in for YouTube makes of the raw data of the sample, which are
beside the repository and not in it.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.domain.ingest import AnyFact, Ingest
from catalog_service.domain.references import read_youtuber, settle_youtuber
from catalog_service.storage.connections import Database
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.store import PostgresYoutubers
from devstack.catalog_files import BadLine, read_catalog_files
from devstack.sample.sponsors import with_public_facts
from devstack.youtube.catalogue import MadeChannel
from devstack.youtube.from_data import from_data
from import_worker.detector import channel_context
from import_worker.domain.records import VideoRecord
from import_worker.domain.sources import Channel, SourceVideo
from import_worker.jobs.detections import records_of, youtuber
from import_worker.jobs.proposals import propose_all
from servicekit.database import open_engine
from servicekit.errors import Conflict
from shapes.catalog.ingest import VideoFact, YoutuberFact
from tests.integration.catalog_service.conftest import new_settings
from tests.integration.catalog_service.sums import DIFFERENCES

ROOTS = Path(__file__).resolve().parents
DATA: Final = next(
    (path / "shared" / "data" for path in ROOTS if (path / "shared/data").is_dir()), None
)
READ_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(600, func_only=True),
    pytest.mark.skipif(DATA is None, reason="the raw data of the sample are not there"),
]

ROWS: Final = {
    "youtubers": "SELECT to_jsonb(y) - '{id,last_import}'::text[] FROM youtubers y "
    "WHERE videos_scanned > 0",
    # The sample has the language of a video by its text, which an import leaves to YouTube; the digest is of the facts that
    # changed a video last.
    "videos": "SELECT y.key, to_jsonb(v) - '{id,youtuber_id,language,digest}'::text[] "
    "FROM videos v JOIN youtubers y ON y.id = v.youtuber_id",
    "sponsorships": "SELECT s.slug, y.key, v.key, "
    "to_jsonb(p) - '{video_id,sponsor_id,youtuber_id}'::text[] "
    "FROM sponsorships p JOIN sponsors s ON s.id = p.sponsor_id "
    "JOIN videos v ON v.id = p.video_id JOIN youtubers y ON y.id = p.youtuber_id",
    # What a brand that no directory has is called depends on the video that was read last.
    "sponsors": "SELECT slug, videos, youtubers, views, first_seen::text, last_seen::text "
    "FROM sponsors WHERE videos > 0",
}
SEVERAL: Final = (
    "SELECT name FROM youtubers WHERE name_key IN "
    "(SELECT name_key FROM youtubers GROUP BY 1 HAVING count(*) > 1)"
)


def sample() -> Iterator[AnyFact]:
    with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
        for record in read_catalog_files([file]):
            assert not isinstance(record, BadLine)
            yield _video(record) if isinstance(record, VideoRecord) else record


def imported(channel: MadeChannel) -> Iterator[AnyFact]:
    """The facts that an import of the channel writes."""
    read = [_read(channel, item) for item in channel.public()]
    descriptions = [video.description for video in read][:400]
    context = channel_context(channel.title, descriptions, channel.handle)
    found = records_of(propose_all([(video, READ_AT) for video in read], context))
    sponsors = {item.slug: item for detected in found for item in detected.sponsors}
    # An import cannot know what the sample knows of brands besides its videos; the category stands beside each sponsorship.
    yield from map(with_public_facts, sponsors.values())
    known = Channel(
        channel_id=channel.channel_id,
        title=channel.title,
        handle=channel.handle,
        description="",
        country=channel.country,
        subscribers=channel.subscribers,
        video_count=None,
        uploads=channel.uploads,
    )
    yield youtuber(known, read[0].category_number, "youtube-api", READ_AT)
    yield from (_video(detected.record) for detected in found)


def _read(channel: MadeChannel, video: Any) -> SourceVideo:
    return SourceVideo(
        video_id=video.video_id,
        channel_id=channel.channel_id,
        title=video.title,
        description=video.description,
        published_at=video.published_at,
        category_number=int(video.category),
        duration_seconds=60,
        views=video.views,
        language=None,
        declares_placement=None,
    )


def _video(record: VideoRecord) -> VideoFact:
    fields: dict[str, Any] = {
        name: getattr(record, name) for name in VideoFact.__dataclass_fields__
    }
    fields["published_at"] = record.published_at.isoformat()
    if record.observed_at is not None:
        fields["observed_at"] = record.observed_at.isoformat()
    return VideoFact(**fields)


async def ingested(engine: AsyncEngine, facts: Sequence[AnyFact]) -> None:
    async def batches() -> AsyncIterator[Sequence[AnyFact]]:
        for start in range(0, len(facts), 1_000):
            yield facts[start : start + 1_000]

    ingest = Ingest(PostgresIngest(Database(engine, engine)), READ_AT.date)
    reply = await ingest.take(batches())
    assert reply.rejected == ()


async def rows(engine: AsyncEngine, query: str) -> list[Any]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def test_importing_every_channel_over_the_sample_is_importing_it_alone(
    fresh_database: Callable[[], str],
) -> None:
    assert DATA is not None
    channels = from_data(DATA).channels
    facts = [fact for channel in channels for fact in imported(channel)]
    alone = open_engine(new_settings(fresh_database()), "test")
    over = open_engine(new_settings(fresh_database()), "test")
    bundled = list(sample())
    await ingested(alone, facts)
    await ingested(over, bundled)
    await ingested(over, facts)
    await assert_same(over, alone)
    assert not await rows(over, "SELECT key FROM youtubers WHERE channel_id IS NULL")
    assert not await rows(over, "SELECT key FROM videos WHERE video_id IS NULL")
    for name, query in DIFFERENCES.items():
        assert not await rows(over, query), name

    # The other way round, and the sample once more: what an import read stays.
    await ingested(alone, bundled)
    await assert_same(over, alone)
    await ingested(over, bundled)
    await assert_same(over, alone)
    for name, query in DIFFERENCES.items():
        assert not await rows(alone, query), name

    youtubers = PostgresYoutubers(Database(over, over))
    known = [fact for fact in bundled if isinstance(fact, YoutuberFact)]
    names = {fact.name for fact in known if not fact.channel_id}
    names |= {name for (name,) in await rows(over, "SELECT name FROM youtubers")}
    ambiguous: set[str] = set()
    for name in sorted(names):
        reference = read_youtuber("youtuber", name)
        try:
            settle_youtuber("youtuber", name, await youtubers.find_youtubers(reference), ())
        except Conflict:
            ambiguous.add(name)
    # Of these YouTube itself has several: each has an id.
    several = await rows(over, SEVERAL)
    assert ambiguous <= {name for (name,) in several}
    for spoken in ("@mkbhd", "MKBHD", "mkbhd", "Marques Brownlee"):
        found = await youtubers.find_youtubers(read_youtuber("youtuber", spoken))
        assert settle_youtuber("youtuber", spoken, found, ()).name == "Marques Brownlee"
    await alone.dispose()
    await over.dispose()


async def assert_same(over: AsyncEngine, alone: AsyncEngine) -> None:
    for name, query in ROWS.items():
        differing = _both(await rows(over, query), await rows(alone, query))
        assert not differing, f"{len(differing)} {name}: {differing[:6]}"


def _both(some: list[Any], others: list[Any]) -> list[str]:
    encoded = [{msgspec.json.encode(row).decode() for row in part} for part in (some, others)]
    assert [len(part) for part in encoded] == [len(some), len(others)]
    return sorted(encoded[0] ^ encoded[1])
