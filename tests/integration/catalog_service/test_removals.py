"""Videos that their source no longer shows."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from protos.catalog.v1 import catalog_pb2 as pb
from servicekit.database_url import driver_url
from servicekit.errors import NotFound
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog
from tests.integration.catalog_service.sums import rows
from tests.integration.catalog_service.test_reports import (
    accepted,
    report,
)

YEAR: dict[str, Any] = {"from_date": "2023-01-01", "to_date": "2023-12-31"}


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


async def test_reports_and_decisions_go_with_their_video_and_stay_in_the_log(
    filled: Catalog,
) -> None:
    decision = await accepted(filled)  # a2 is no longer Azura VPN's
    reported = await report(filled, video="a1", account_id="acc-2", note="Between us.")
    await filled.ingest([removal("a1"), removal("a2")])

    for account in ("acc-1", "acc-2"):
        own = await filled.call("ListOwnReports", account_id=account, limit=50)
        assert not own.reports
    log = rows(
        filled,
        "SELECT action, report_id, video_key, sponsor_slug, detail FROM correction_log WHERE actor = 'import' ORDER BY id",
    )
    assert [tuple(entry)[:4] for entry in log] == [
        ("report_removed", 1, "a2", "azura-vpn"),
        ("report_removed", 2, "a1", "azura-vpn"),
        ("correction_removed", 1, "a2", "azura-vpn"),
    ]
    assert (decision.report.report.id, reported.id) == ("r_1", "r_2")
    assert log[0].detail["state"] == "accepted"
    assert log[2].detail["action"] == "hidden"
    assert "Between us." not in str(log)

    reply = await filled.ingest([facts_of("a1"), facts_of("a2")])
    assert (reply.created, reply.updated) == (2, 0)


async def test_a_report_that_is_made_during_a_removal_goes_with_its_video(filled: Catalog) -> None:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    engine = create_engine(driver_url(filled.settings.database_url))
    with engine.connect() as connection:
        connection.execute(
            text(
                "INSERT INTO sponsorship_reports (account_id, video_key, kind) VALUES ('a', 'a1', 'missing')"
            )
        )
        removing = asyncio.create_task(filled.ingest([removal("a1")]))
        async with asyncio.timeout(30):
            while not rows(filled, waiting)[0][0]:  # noqa: ASYNC110
                await asyncio.sleep(0)
        connection.commit()
        assert (await removing).updated == 1
    engine.dispose()
    assert rows(filled, "SELECT count(*) FROM sponsorship_reports")[0][0] == 0
    with pytest.raises(NotFound):
        await report(filled, video="a1")


async def test_a_removal_without_a_key_is_refused_with_its_place(filled: Catalog) -> None:
    reply = await filled.ingest([removal("a3"), removal(" ")])
    assert [(item.index, "key" in item.reason) for item in reply.rejected] == [(1, True)]
