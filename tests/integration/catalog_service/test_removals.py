"""Videos that their source no longer shows."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.errors import NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.test_reports import (
    accepted,
    assert_sums_are_right,
    report,
    rows,
)

YEAR: dict[str, Any] = {"from_date": "2023-01-01", "to_date": "2023-12-31"}


@pytest.fixture
async def filled(empty_catalog: Catalog) -> AsyncGenerator[Catalog]:
    """The example catalogue, to be changed; afterwards its sums are still what the facts add up to."""
    await empty_catalog.ingest(example.FACTS)
    yield empty_catalog
    assert_sums_are_right(empty_catalog)


def removal(key: str) -> pb.IngestItem:
    return pb.IngestItem(removal=pb.VideoRemoval(key=key))


def facts_of(key: str) -> pb.IngestItem:
    (fact,) = [item for item in example.VIDEOS if item.video.key == key]
    return fact


async def test_a_removed_video_is_in_no_result(filled: Catalog) -> None:
    reply = await filled.ingest([removal("a2"), removal("never-there")])
    assert (reply.created, reply.updated, reply.unchanged) == (0, 1, 1)
    sponsor = await filled.call("GetSponsor", sponsor="azura-vpn")
    assert sponsor.sponsor.videos == 2
    page = await filled.call("ListYoutuberVideos", youtuber="ada", limit=50)
    assert [item.video.published_at for item in page.videos] == [
        "2023-11-30",
        "2023-05-20",
        "2023-01-10",
    ]
    with pytest.raises(NotFound):
        await filled.call("GetVideo", video="a2")


async def test_a_channel_without_any_video_left_stays(filled: Catalog) -> None:
    await filled.ingest([removal("e1")])
    found = await filled.call("GetYoutuber", youtuber="dan")
    assert found.youtuber.coverage.videos_scanned == 0
    assert not found.youtuber.coverage.HasField("last_video")


async def test_a_video_that_is_shown_again_is_taken_as_before(filled: Catalog) -> None:
    before = await filled.call("TopSponsors", **YEAR)
    await filled.ingest([removal("a2")])
    reply = await filled.ingest([facts_of("a2")])
    assert (reply.created, reply.updated) == (1, 0)
    assert await filled.call("TopSponsors", **YEAR) == before


async def test_what_was_reported_and_decided_outlives_its_video(filled: Catalog) -> None:
    await accepted(filled)  # a2 is no longer Azura VPN's
    await report(filled, video="a1", account_id="acc-2")
    await filled.ingest([removal("a1"), removal("a2")])

    own = await filled.call("ListOwnReports", account_id="acc-2", limit=50)
    (item,) = own.reports
    assert (item.report.state, item.report.video.published_at) == ("received", "2023-01-10")
    assert not item.report.video.HasField("title")
    left = "SELECT count(*) FROM videos v JOIN sponsorships p ON p.video_id = v.id WHERE v.key IN ('a1', 'a2')"
    assert rows(filled, left)[0][0] == 0
    assert (
        rows(
            filled,
            "SELECT count(*) FROM video_texts t JOIN videos v ON v.id = t.video_id WHERE v.key = 'a1'",
        )[0][0]
        == 0
    )

    reply = await filled.ingest([facts_of("a1"), facts_of("a2")])
    assert (reply.created, reply.updated) == (0, 2)
    page = await filled.call("ListYoutuberVideos", youtuber="ada", limit=50)
    sponsors = {
        item.video.published_at: {claim.sponsor.slug for claim in item.sponsorships}
        for item in page.videos
    }
    assert sponsors["2023-01-10"] == {"azura-vpn"}
    assert sponsors["2023-02-15"] == {"brightmeal"}  # the decision holds


async def test_a_removal_without_a_key_is_refused_with_its_place(filled: Catalog) -> None:
    reply = await filled.ingest([removal("a3"), removal(" ")])
    assert [(item.index, "key" in item.reason) for item in reply.rejected] == [(1, True)]
