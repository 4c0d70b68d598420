"""Channels that are imported a second time, and stored videos that are read again."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shapes.catalog.ingest import YoutuberFact
from tests.fakes.imports import START, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OTHER = channel_id(2)


@pytest.fixture(autouse=True)
def channels(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    bench.source.channels[OTHER] = some_videos(OTHER, 3, "w")


async def test_a_refresh_reads_only_what_is_new_or_was_not_read_for_long(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    new = replace(some_videos(CHANNEL, 1, "n")[0], published_at=START + timedelta(days=6))
    bench.source.channels[CHANNEL] = [
        new,
        *(
            replace(video, published_at=START - timedelta(days=400))
            for video in some_videos(CHANNEL, 120)
        ),
    ]
    await bench.execute(
        "UPDATE imported_videos SET published_at = published_at - interval '400 days', "
        "read_at = CASE WHEN video_id = 'v0000000007' THEN read_at - interval '30 days' ELSE read_at END"
    )
    bench.source.requested_videos.clear()
    await bench.pass_time(days=7)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert bench.source.requested_videos == ["n0000000000", "v0000000007"]


async def test_each_import_records_when_the_channel_was_read(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    written = [record for write in bench.catalog.writes for record in write]
    youtubers = [record for record in written if isinstance(record, YoutuberFact)]
    assert youtubers
    assert all(youtuber.imported_at for youtuber in youtubers)


async def test_reads_old_videos_again_and_writes_what_has_changed_and_what_was_observed(
    bench: Bench,
) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    before = {record.video_id: record for record in bench.catalog.video_records()}
    bench.catalog.writes.clear()
    await bench.pass_time(days=31)
    videos = bench.source.channels[CHANNEL]
    videos[1] = replace(videos[1], description="Sponsored by NordVPN.")
    view = await bench.start(CHANNEL)
    await bench.work()
    written = bench.catalog.video_records()
    changed = [
        record.video_id
        for record in written
        if replace(record, observed_at=None) != replace(before[record.video_id], observed_at=None)
    ]
    assert changed == [videos[1].video_id]
    assert (await bench.get(view)).checkpoint.sponsorships == 61
    first, second = ({record.observed_at for record in some} for some in (before.values(), written))
    assert len(written) == len(before)
    assert [day - timedelta(days=31) for day in second if day] == list(first)


async def test_a_video_is_read_again_when_it_reaches_an_age_at_which_views_are_compared(
    bench: Bench,
) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    bench.source.requested_videos.clear()
    await bench.pass_time(days=7)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    # The first was a day old, the others a day more each.
    came_of_age = [
        video.video_id
        for age, video in enumerate(bench.source.channels[CHANNEL], start=1)
        if any(age < compared <= age + 7 for compared in (2, 3, 7, 14, 30, 60, 90, 180))
    ]
    assert bench.source.requested_videos == came_of_age


async def test_an_import_on_request_reads_all_of_its_videos(bench: Bench) -> None:
    await bench.start(OTHER)
    await bench.work()
    bench.source.requested_videos.clear()
    await bench.pass_time(minutes=1)
    videos = bench.source.channels[OTHER]
    videos[1] = replace(videos[1], description="Sponsored by NordVPN.")
    view = await bench.start(OTHER)
    await bench.work()
    assert bench.source.requested_videos == [video.video_id for video in videos]
    assert (await bench.get(view)).checkpoint.sponsorships == 3


async def test_what_a_creator_disclosed_is_written_and_an_unknown_stays_unknown(
    bench: Bench,
) -> None:
    videos = bench.source.channels[OTHER]
    disclosed = (True, False, None)
    videos[:] = [
        replace(video, declares_placement=mark)
        for video, mark in zip(videos, disclosed, strict=True)
    ]
    await bench.start(OTHER)
    await bench.work()
    written = {
        record.video_id: record.paid_promotion_disclosed for record in bench.catalog.video_records()
    }
    assert tuple(written[video.video_id] for video in videos) == disclosed


async def test_the_chapter_of_a_sponsor_is_written_with_its_sponsorship(bench: Bench) -> None:
    videos = bench.source.channels[OTHER]
    listed = "Sponsored by NordVPN.\n0:00 Start\n3:15 Sponsor: NordVPN\n4:20 The lake"
    videos[:] = [replace(videos[0], description=listed)]
    await bench.start(OTHER)
    await bench.work()
    (claim,) = bench.catalog.sponsorships()[videos[0].video_id]
    assert (claim.segment_start, claim.segment_end, claim.segment_source) == (195, 260, "chapter")


async def test_what_the_catalog_refuses_is_written_again(bench: Bench) -> None:
    bench.catalog.refuses = frozenset({"w0000000000"})
    view = await bench.start(OTHER)
    await bench.work()
    ended = await bench.get(view)
    assert ended.checkpoint.sponsorships == 1
    assert " The catalogue refused 1 video: " in ended.message
    bench.catalog.refuses = frozenset()
    view = await bench.start(OTHER)
    await bench.work()
    ended = await bench.get(view)
    assert ended.checkpoint.sponsorships == 2
    assert "refused" not in ended.message


async def test_refreshes_channels_that_are_due(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    await bench.pass_time(days=6)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    count = "SELECT count(*), count(*) FILTER (WHERE state = 'done') FROM imports"
    assert (await bench.execute(count))[0] == (1, 1)
    await bench.pass_time(days=1)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert (await bench.execute(count))[0] == (2, 2)
    assert len((await bench.imports.listed("ann", None, 10))[0]) == 1


async def test_a_channel_that_is_gone_is_refreshed_no_more_until_it_is_imported(
    bench: Bench,
) -> None:
    await bench.start(OTHER)
    await bench.work()
    videos = bench.source.channels.pop(OTHER)
    states = "SELECT state FROM imports ORDER BY created_at"
    for _ in range(3):
        await bench.pass_time(days=7)
        await bench.defer("refresh_channels", timestamp=0)
        await bench.work()
    assert [row.state for row in await bench.execute(states)] == ["done", "failed"]
    bench.source.channels[OTHER] = videos
    await bench.start(OTHER)
    await bench.work()
    await bench.pass_time(days=7)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert [row.state for row in await bench.execute(states)] == ["done", "failed", "done", "done"]


async def test_detects_again_without_calling_the_source(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    bench.source.requested_pages.clear()
    bench.source.requested_videos.clear()
    bench.catalog.writes.clear()
    await bench.execute(
        "UPDATE imported_videos SET detector_version = '0', found = ''"
        " WHERE video_id <= 'v0000000001'"
    )
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert bench.catalog.videos == ["v0000000000", "v0000000001"]
    assert bench.source.requested_pages == bench.source.requested_videos == []
    left = await bench.execute("SELECT count(*) FROM imported_videos WHERE detector_version = '0'")
    assert left[0][0] == 0
