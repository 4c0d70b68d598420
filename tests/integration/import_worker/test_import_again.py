"""Channels that are imported a second time, and stored videos that are read again."""

from dataclasses import replace

import pytest

from shapes.catalog.ingest import YoutuberFact
from tests.fakes.imports import channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OTHER = channel_id(2)


@pytest.fixture(autouse=True)
def channels(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    bench.source.channels[OTHER] = some_videos(OTHER, 3, "w")


async def test_reads_only_what_is_new_the_next_time(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    bench.source.requested_videos.clear()
    bench.catalog.writes.clear()
    bench.source.channels[CHANNEL].insert(0, some_videos(CHANNEL, 1, "n")[0])
    view = await bench.start(CHANNEL)
    await bench.work()
    assert bench.source.requested_videos == ["n0000000000"]
    assert bench.catalog.videos == ["n0000000000"]
    assert (await bench.get(view)).checkpoint.videos_seen == 121


async def test_each_import_records_when_the_channel_was_read(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    written = [record for write in bench.catalog.writes for record in write]
    youtubers = [record for record in written if isinstance(record, YoutuberFact)]
    assert youtubers
    assert all(youtuber.imported_at for youtuber in youtubers)


async def test_reads_old_videos_again_and_writes_what_has_changed(bench: Bench) -> None:
    await bench.start(CHANNEL)
    await bench.work()
    bench.catalog.writes.clear()
    await bench.pass_time(days=31)
    videos = bench.source.channels[CHANNEL]
    videos[1] = replace(videos[1], description="Sponsored by NordVPN.")
    view = await bench.start(CHANNEL)
    await bench.work()
    assert bench.catalog.videos == [videos[1].video_id]
    assert (await bench.get(view)).checkpoint.sponsorships == 61


async def test_what_the_catalog_refuses_is_written_again(bench: Bench) -> None:
    bench.catalog.refuses = frozenset({"w0000000000"})
    view = await bench.start(OTHER)
    await bench.work()
    assert (await bench.get(view)).checkpoint.sponsorships == 1
    bench.catalog.refuses = frozenset()
    view = await bench.start(OTHER)
    await bench.work()
    assert (await bench.get(view)).checkpoint.sponsorships == 2


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
