"""Evidence: the sample has the place and the hash of the words, an import brings the words."""

import hashlib
import json
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from devstack.catalog_files import BadLine, read_catalog_files
from devstack.sample.build import sample, write
from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.detector import channel_context
from import_worker.domain.ingest import Record
from import_worker.domain.sources import SourceVideo
from import_worker.jobs.detections import records_of
from import_worker.jobs.proposals import propose_all
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog

CHANNEL = "UC" + "l" * 22
DESCRIPTION = (
    "A day at the lake 🛶\n\nThis video is sponsored by NordVPN: https://nordvpn.com/lake\n"
)
RAW: dict[str, Any] = {
    "video_id": "abcdefghijk",
    "title": "A day at the lake",
    "channel_title": "Lakeside Diary",
    "channel_id": CHANNEL,
    "published_at": "2023-05-01T10:00:00Z",
    "category_id": "28",
    "views": 1200,
    "description": DESCRIPTION,
}


async def _write(catalog: Catalog, records: Iterable[Record]) -> None:
    async def each() -> AsyncIterator[Record]:
        for record in records:
            yield record

    report = await GrpcCatalogWriter(catalog.channel, timeout=20).write(each())
    assert not report.rejected


async def _evidence(catalog: Catalog) -> Any:
    (video,) = (await catalog.call("ListSponsorVideos", sponsor="nordvpn")).videos
    return video.evidence


async def test_an_import_over_the_sample_fills_in_the_words(
    empty_catalog: Catalog, tmp_path: Path
) -> None:
    raw = tmp_path / "videos.jsonl"
    raw.write_text(json.dumps(RAW))
    bundled = tmp_path / "catalog.jsonl.gz"
    write(bundled, sample(read_catalog_files([raw])))
    records = [item for item in read_catalog_files([bundled]) if not isinstance(item, BadLine)]
    await _write(empty_catalog, records)

    before = await _evidence(empty_catalog)
    words = DESCRIPTION[before.start : before.end]
    assert before.source == "description"
    assert "sponsored by NordVPN" in words
    assert not before.HasField("excerpt")
    assert before.excerpt_hash == hashlib.sha256(words.encode()).hexdigest()

    await _write(empty_catalog, _imported())
    after = await _evidence(empty_catalog)
    assert after.excerpt == words
    assert (after.start, after.end) == (before.start, before.end)
    assert after.excerpt_hash == before.excerpt_hash


def _imported() -> Iterable[Record]:
    """Return the fact that an import of the channel writes about the video."""
    now = datetime(2024, 1, 1, tzinfo=UTC)
    video = SourceVideo(
        video_id=RAW["video_id"],
        channel_id=CHANNEL,
        title=RAW["title"],
        description=DESCRIPTION,
        published_at=datetime(2023, 5, 1, 10, tzinfo=UTC),
        category_number=28,
        duration_seconds=600,
        views=1300,
        language=None,
        declares_placement=None,
    )
    context = channel_context(RAW["channel_title"], [DESCRIPTION], None)
    for finding in records_of(propose_all([(video, now)], context)):
        yield from finding.sponsors
        yield finding.record


async def test_the_hash_of_an_excerpt_is_made_where_none_is_sent(catalog: Catalog) -> None:
    (video, *_) = (await catalog.call("ListSponsorVideos", sponsor="azura-vpn")).videos
    known = hashlib.sha256(b"thanks to them").hexdigest()
    assert video.evidence.excerpt_hash == known
    (video, *_) = (await catalog.call("ListYoutuberVideos", youtuber="bob", sponsored=True)).videos
    assert video.sponsorships[0].evidence.excerpt_hash == known


async def test_a_hash_of_other_words_is_refused(empty_catalog: Catalog) -> None:
    claim = example.claim("brightmeal", "affiliate", 0.9)
    claim.excerpt_hash = "0" * 64
    video = example.video("b9", "bob", "2023-01-01", 1, claim)
    reply = await empty_catalog.ingest([*example.SPONSORS, *example.YOUTUBERS, video])
    assert [item.reason for item in reply.rejected] == ["excerpt_hash is not that of the excerpt"]
