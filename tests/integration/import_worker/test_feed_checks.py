"""New videos of imported channels, found in their feeds and imported without a request."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from import_worker.domain.sources import Channel, SourceUnavailable, SourceVideo, UploadPage
from import_worker.jobs import feed_checks
from import_worker.jobs.feed_checks import FeedChecks
from import_worker.settings import ImportSettings
from tests.fakes.imports import channel_id, some_videos
from tests.integration.import_worker.conftest import Bench, open_bench, operations


async def imported(bench: Bench, number: int = 1, account: str = "ann", videos: int = 60) -> str:
    """A channel that an account has imported; its feed shows the newest fifteen videos."""
    channel = channel_id(number)
    bench.source.channels[channel] = some_videos(channel, videos, prefix=chr(96 + number))
    bench.feed.channels[channel] = bench.source.channels[channel][:15]
    await bench.start(channel, account)
    await bench.work()
    return channel


def publish(bench: Bench, channel: str, count: int) -> list[str]:
    """New videos in the channel and in its feed; their ids."""
    made: list[SourceVideo] = [
        replace(
            video,
            video_id=f"n{channel[-1]}{number:09d}",
            published_at=bench.moment - timedelta(minutes=number),
        )
        for number, video in enumerate(some_videos(channel, count))
    ]
    bench.source.channels[channel] = [*made, *bench.source.channels[channel]]
    bench.feed.channels[channel] = bench.source.channels[channel][:15]
    return [video.video_id for video in made]


async def check(bench: Bench, *, spare: bool = True) -> None:
    """Check the feeds that are due, and do the imports that this begins."""

    async def has_spare_units() -> bool:
        return spare

    policy = replace(bench.policy, follow=timedelta(hours=6))
    name = bench.source.name
    await FeedChecks(bench.open, bench.feed, name, has_spare_units, policy, bench.now).check()
    await bench.work()


async def refreshes(bench: Bench) -> int:
    (row,) = await bench.execute(
        "SELECT count(*) AS number FROM imports WHERE id NOT IN (SELECT import_id FROM import_requests)"
    )
    return row.number


async def test_new_videos_of_the_feed_are_imported_and_nothing_else_is_requested(
    bench: Bench,
) -> None:
    channel = await imported(bench)
    new = publish(bench, channel, 2)
    bench.source.requested_videos.clear()
    bench.source.requested_pages.clear()
    await check(bench)
    assert await refreshes(bench) == 1
    assert bench.source.requested_pages == [None]
    assert bench.source.requested_videos == new
    assert set(new) <= set(bench.catalog.videos)


async def test_a_feed_without_a_new_video_costs_no_request_of_the_source(bench: Bench) -> None:
    await imported(bench)
    bench.source.requested_pages.clear()
    await check(bench)
    assert bench.source.requested_pages == []
    assert await refreshes(bench) == 0
    assert bench.feed.requested_pages == [None]


async def test_more_new_videos_than_the_feed_shows_are_all_imported(bench: Bench) -> None:
    channel = await imported(bench)
    new = publish(bench, channel, 20)
    await check(bench)
    assert set(new) <= set(bench.catalog.videos)


async def test_a_feed_is_checked_again_when_its_time_has_come(bench: Bench) -> None:
    channel = await imported(bench)
    await check(bench)
    publish(bench, channel, 1)
    await check(bench)
    assert await refreshes(bench) == 0
    await bench.pass_time(hours=6)
    await check(bench)
    assert await refreshes(bench) == 1


async def test_an_old_video_that_an_import_has_left_out_is_not_new(bench: Bench) -> None:
    channel = await imported(bench)
    hidden = some_videos(channel, 1, prefix="h")[0]
    old = replace(hidden, published_at=bench.moment - timedelta(days=3))
    bench.feed.channels[channel] = [*bench.feed.channels[channel][:3], old]
    await check(bench)
    assert await refreshes(bench) == 0


async def test_feeds_begin_no_import_while_units_are_reserved_for_accounts(bench: Bench) -> None:
    channel = await imported(bench)
    publish(bench, channel, 1)
    await check(bench, spare=False)
    assert (await refreshes(bench), bench.feed.requested_pages) == (0, [])
    await check(bench)
    assert await refreshes(bench) == 1


async def test_accounts_take_turns(bench: Bench) -> None:
    for number in (1, 2, 3):
        await imported(bench, number, "ann", videos=1)
    await imported(bench, 4, "bob", videos=1)
    async with bench.open() as store:
        due = [channel.channel_id for channel in await store.unchecked(bench.now(), 2)]
    assert due == [channel_id(1), channel_id(4)]


async def test_a_feed_that_does_not_respond_is_tried_again_soon_and_says_why(bench: Bench) -> None:
    channel = await imported(bench)
    publish(bench, channel, 1)
    bench.feed.failures["uploads"] = [SourceUnavailable("No answer.")]
    await check(bench)
    assert await refreshes(bench) == 0
    (row,) = await bench.execute("SELECT check_problem, last_check_at FROM imported_channels")
    assert (row.check_problem, row.last_check_at) == ("No answer.", None)
    bench.moment += timedelta(minutes=16)
    await check(bench)
    assert await refreshes(bench) == 1


async def test_feeds_that_do_not_respond_let_those_behind_them_go_first(bench: Bench) -> None:
    silent = [await imported(bench, number, videos=1) for number in (1, 2, 3)]
    channel = await imported(bench, 4, videos=1)
    publish(bench, channel, 1)
    async with bench.open() as store:
        due = [item.channel_id for item in await store.unchecked(bench.now(), 10)]
    assert due == [*silent, channel]
    bench.feed.failures["uploads"] = [SourceUnavailable("No answer.") for _ in silent]
    await check(bench)
    assert await refreshes(bench) == 0
    await check(bench)
    assert await refreshes(bench) == 1


async def test_a_feed_whose_check_fails_unexpectedly_keeps_no_other_waiting(bench: Bench) -> None:
    failing, channel = [await imported(bench, number, videos=1) for number in (1, 2)]
    publish(bench, channel, 1)
    bench.feed.failures["uploads"] = [IndexError("list index out of range")]
    with capture_logs() as lines:
        await check(bench)
    assert await refreshes(bench) == 1
    (failure,) = (line for line in lines if line["event"] == "feed_check_failed")
    assert failure["channel_id"] == failing
    bench.moment += timedelta(minutes=16)
    async with bench.open() as store:
        due = [item.channel_id for item in await store.unchecked(bench.now(), 10)]
    assert due == [failing]


async def test_a_feed_whose_check_hangs_keeps_no_other_waiting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_checks, "_CHANNEL_SECONDS", 0.2)
    _, channel = [await imported(bench, number, videos=1) for number in (1, 2)]
    publish(bench, channel, 1)
    responses = bench.feed.uploads
    polled = 0

    async def uploads(channel: Channel, page: str | None) -> UploadPage:
        nonlocal polled
        polled += 1
        if polled == 1:
            await asyncio.Event().wait()
        return await responses(channel, page)

    monkeypatch.setattr(bench.feed, "uploads", uploads)
    await check(bench)
    assert await refreshes(bench) == 1


async def test_a_periodic_job_checks_the_feeds(import_settings: ImportSettings) -> None:
    async with open_bench(import_settings, follow=timedelta(hours=6)) as bench:
        channel = await imported(bench)
        new = publish(bench, channel, 1)
        await bench.pass_time(hours=7)  # the worker may have checked it already
        await bench.defer("check_feeds", timestamp=0)
        await bench.work()
        assert set(new) <= set(bench.catalog.videos)


async def test_operators_see_which_feeds_are_due_and_what_was_begun(bench: Bench) -> None:
    channel = await imported(bench)
    await imported(bench, 2, account="bob")
    before = (await operations(bench).overview(10)).queue.followed
    assert (before.channels, before.due, before.unchecked, before.due_since) == (2, 2, 2, None)
    publish(bench, channel, 1)
    await check(bench)
    checked = (await operations(bench).overview(10)).queue.followed
    assert (checked.due, checked.unchecked, checked.begun) == (0, 0, 1)
    due_at = bench.moment + timedelta(hours=6)
    bench.moment = due_at + timedelta(minutes=1)
    late = (await operations(bench).overview(10)).queue.followed
    assert (late.due, late.unchecked, late.due_since) == (2, 0, due_at)
