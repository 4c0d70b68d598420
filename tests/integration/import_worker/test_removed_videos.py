"""Videos that YouTube no longer shows are removed by the next import of their channel."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from import_worker.domain.imports import Import
from import_worker.domain.sources import ChannelNotFound, SourceQuotaUsedUp, SourceUnavailable
from tests.fakes.imports import START, NoFailure, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OTHER = channel_id(2)


@pytest.fixture(autouse=True)
async def known(bench: Bench) -> None:
    """Two channels that were imported."""
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    bench.source.channels[OTHER] = some_videos(OTHER, 3, "w")
    for channel in (CHANNEL, OTHER):
        await bench.start(channel)
    await bench.work()


def delete(bench: Bench, *numbers: int) -> None:
    videos = bench.source.channels[CHANNEL]
    gone = {f"v{number:010d}" for number in numbers}
    videos[:] = [video for video in videos if video.video_id not in gone]


async def imported(bench: Bench, **bounds: Any) -> Import:
    view = await bench.start(CHANNEL, **bounds)
    await bench.work()
    return await bench.get(view)


async def stored(bench: Bench) -> Sequence[str]:
    rows = await bench.execute("SELECT video_id FROM imported_videos ORDER BY 1")
    return [row.video_id for row in rows]


async def test_deleted_videos_are_removed_here_and_in_the_catalogue(bench: Bench) -> None:
    delete(bench, 3, 70, 119)
    ended = await imported(bench)
    assert bench.catalog.removed == ["v0000000003", "v0000000070", "v0000000119"]
    assert not {"v0000000003", "v0000000070", "v0000000119"} & {*await stored(bench)}
    assert len(await stored(bench)) == 117 + 3, "other channels are left alone"
    assert " 3 videos of before are no longer on YouTube, and removed here." in ended.message
    assert ended.checkpoint.videos_seen == 117


async def test_an_unlisted_video_is_in_no_list_and_is_read_as_others(bench: Bench) -> None:
    bench.source.unlisted.add("v0000000005")
    videos = bench.source.channels[CHANNEL]
    videos[5] = replace(videos[5], description="Sponsored by NordVPN.")
    await bench.pass_time(days=1)
    ended = await imported(bench)
    assert bench.catalog.removed == []
    assert len(bench.catalog.sponsorships()["v0000000005"]) == 1
    assert ended.checkpoint.videos_seen == 120
    assert "no longer on YouTube" not in ended.message


async def test_an_import_of_the_newest_videos_removes_none_that_are_older(bench: Bench) -> None:
    delete(bench, 3, 70)
    await imported(bench, max_videos=10)
    assert bench.catalog.removed == ["v0000000003"]
    await imported(bench, since=START - timedelta(days=100))
    assert bench.catalog.removed == ["v0000000003", "v0000000070"]


async def test_an_import_since_a_day_removes_what_is_newer_also_where_it_finds_nothing(
    bench: Bench,
) -> None:
    delete(bench, 0, 1)
    ended = await imported(bench, since=START - timedelta(days=2))
    assert bench.catalog.removed == ["v0000000000", "v0000000001"]
    assert "2 videos of before are no longer on YouTube" in ended.message


async def test_a_channel_without_any_video_left_loses_all(bench: Bench) -> None:
    bench.source.channels[CHANNEL].clear()
    ended = await imported(bench)
    assert len(bench.catalog.removed) == 120
    assert ended.message == (
        "Finished: there was no public video to read. 120 videos of before are no longer on YouTube, and removed here."
    )


async def test_a_deleted_channel_loses_its_videos_and_its_import_fails(bench: Bench) -> None:
    del bench.source.channels[CHANNEL]
    ended = await imported(bench)
    assert (ended.state, ended.dead_reason) == ("failed", "CHANNEL_NOT_FOUND")
    assert "120 videos of before are no longer on YouTube, and removed here." in ended.message
    assert len(bench.catalog.removed) == 120
    assert await stored(bench) == ["w0000000000", "w0000000001", "w0000000002"]


async def test_a_channel_that_is_deleted_while_its_import_waits_loses_what_was_seen_too(
    bench: Bench,
) -> None:
    await bench.pass_time(minutes=1)
    view = await bench.start(CHANNEL)
    bench.source.failures["videos"] = [NoFailure(), SourceUnavailable("YouTube does not answer.")]
    await bench.work()
    assert (await bench.get(view)).checkpoint.videos_seen == 50
    del bench.source.channels[CHANNEL]
    await bench.pass_time(minutes=10)
    await bench.work()
    view_of_ended = await bench.imports.get("ann", view.import_.import_id)
    ended = view_of_ended.import_
    assert (ended.state, ended.checkpoint.videos_seen, view_of_ended.brands) == ("failed", 0, ())
    assert len(bench.catalog.removed) == 120

    with pytest.raises(ChannelNotFound):
        await bench.start(CHANNEL)


async def test_an_import_that_is_tried_again_counts_its_removals_anew(bench: Bench) -> None:
    channel = bench.source.channels.pop(CHANNEL)
    ended = await imported(bench)
    assert " 120 videos of before " in ended.message
    bench.source.channels[CHANNEL] = channel
    await bench.imports.retry("ann", ended.import_id)
    await bench.work()
    again = await bench.imports.get("ann", ended.import_id)
    assert again.import_.message == "Finished: 120 videos read, 60 sponsorships found."


async def test_a_wider_request_during_a_removal_is_read_as_well(bench: Bench) -> None:
    delete(bench, 0)
    await bench.pass_time(minutes=1)
    view = await bench.start(CHANNEL, max_videos=10)
    requested = 0

    async def widen() -> None:
        nonlocal requested
        requested += 1
        if requested == 2:  # the ten were read, and the missing one is asked for
            joined = await bench.start(CHANNEL, account="bob")
            assert joined.joined

    bench.source.on_videos = widen
    await bench.work()
    ended = await bench.get(view)
    assert (ended.state, ended.checkpoint.videos_seen) == ("done", 119)


async def test_an_import_of_the_newest_videos_reads_no_unlisted_ones(bench: Bench) -> None:
    bench.source.unlisted.add("v0000000005")
    ended = await imported(bench, max_videos=10)
    assert (ended.state, ended.checkpoint.videos_seen) == ("done", 10)
    assert bench.catalog.removed == []


async def test_an_import_that_is_cancelled_removes_no_further_videos(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("import_worker.jobs.removed_videos._WRITTEN_AT_ONCE", 50)
    bench.source.channels[CHANNEL].clear()
    view = await bench.start(CHANNEL)

    async def cancel() -> None:
        await bench.imports.cancel("ann", view.import_.import_id)

    bench.source.on_videos = cancel
    await bench.work()
    ended = await bench.get(view)
    assert ended.state == "cancelled"
    assert ended.message == (
        "Cancelled. Nothing was read. 50 videos of before are no longer on YouTube, and removed here."
    )
    assert len(bench.catalog.removed) == 50


async def test_units_that_are_used_up_during_a_removal_are_waited_for(bench: Bench) -> None:
    bench.source.channels[CHANNEL].clear()
    view = await bench.start(CHANNEL)
    bench.source.failures["videos"] = [
        NoFailure(),
        SourceQuotaUsedUp("Used up.", retry_after=3_600),
    ]
    await bench.work()
    assert (await bench.get(view)).state == "waiting"
    await bench.pass_time(hours=2)
    await bench.work()
    ended = await bench.get(view)
    assert ended.message.endswith(
        " 120 videos of before are no longer on YouTube, and removed here."
    )
    assert sorted(set(bench.catalog.removed)) == [f"v{number:010d}" for number in range(120)]


async def test_what_the_catalogue_refuses_to_remove_stays_for_the_next_time(bench: Bench) -> None:
    delete(bench, 3, 4)
    bench.catalog.refuses = frozenset({"v0000000003"})
    ended = await imported(bench)
    assert " 1 video of before is no longer on YouTube, and removed here." in ended.message
    assert "v0000000003" in await stored(bench)
    bench.catalog.refuses = frozenset()
    await imported(bench)
    assert "v0000000003" not in await stored(bench)


async def test_nothing_is_removed_while_youtube_does_not_respond(bench: Bench) -> None:
    delete(bench, 3)
    view = await bench.start(CHANNEL)
    bench.source.failures["videos"] = [SourceUnavailable("YouTube does not answer now.")]
    await bench.work()
    assert (await bench.get(view)).state == "waiting"
    assert bench.catalog.removed == []
    await bench.pass_time(minutes=10)
    await bench.work()
    assert (await bench.get(view)).state == "done"
    assert bench.catalog.removed == ["v0000000003"]


async def test_a_source_with_the_newest_videos_alone_removes_none(bench: Bench) -> None:
    bench.source.is_partial = True
    delete(bench, 3)
    await imported(bench)
    assert bench.catalog.removed == []
