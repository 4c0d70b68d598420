"""Imports from the request to their end."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from import_worker.domain.imports import ImportNotFound, TooManyImports
from import_worker.domain.sources import (
    SourceUnavailable,
)
from import_worker.domain.views import ImportView
from tests.fakes.imports import START, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OTHER = channel_id(2)


@pytest.fixture(autouse=True)
def channels(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    bench.source.channels[OTHER] = some_videos(OTHER, 3, "w")


async def unfinished(bench: Bench) -> int:
    rows = await bench.execute("SELECT count(*) FROM imports WHERE finished_at IS NULL")
    return int(rows[0][0])


async def test_reads_all_of_a_channel(bench: Bench) -> None:
    view = await bench.start(CHANNEL)
    assert (view.import_.state, view.joined) == ("queued", False)
    await bench.work()
    done = await bench.imports.get("ann", view.import_.import_id)
    assert done.import_.state == "done"
    assert done.import_.message == "Finished: 120 videos read, 60 sponsorships found."
    assert done.import_.checkpoint.videos_total == 120
    assert [(brand.slug, brand.videos) for brand in done.brands] == [("nordvpn", 60)]
    assert sorted(set(bench.catalog.videos)) == [f"v{n:010d}" for n in range(120)]


async def test_a_request_that_joins_a_refresh_says_what_was_not_read_again_before_it(
    bench: Bench,
) -> None:
    videos = [
        replace(video, published_at=video.published_at - timedelta(days=400))
        for video in some_videos(CHANNEL, 121)
    ]
    bench.source.channels[CHANNEL] = [*videos[:70], *videos[71:]]
    await bench.start(CHANNEL)
    await bench.work()
    await bench.pass_time(days=7)
    bench.source.channels[CHANNEL] = videos  # one on the second page is new
    joined: list[ImportView] = []

    async def join() -> None:
        if not joined:
            joined.append(await bench.start(CHANNEL))

    bench.source.on_videos = join
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    ended = await bench.get(joined[0])
    assert joined[0].joined
    assert ended.message.startswith("Finished: 121 videos read, ")
    assert ended.message.endswith(
        " 50 of them were read lately and not again: what changed there since then is not known yet."
    )
    assert bench.source.requested_videos[-21:] == [video.video_id for video in videos[100:]]


async def test_the_next_page_is_fetched_while_one_is_written(bench: Bench) -> None:
    fetched = asyncio.Event()

    async def second_page_is_requested() -> None:
        if len(bench.source.requested_videos) > 50:
            fetched.set()

    bench.source.on_videos = second_page_is_requested
    bench.catalog.on_write = lambda: asyncio.wait_for(fetched.wait(), 20)
    view = await bench.start(CHANNEL)
    await bench.work()

    done = await bench.get(view)
    assert (done.state, done.checkpoint.videos_seen) == ("done", 120)
    assert len(bench.source.requested_videos) == 120
    assert bench.source.requested_pages == [None, "50", "100"]


async def test_a_prefetched_page_that_fails_is_tried_again_behind_the_one_before(
    bench: Bench,
) -> None:
    failures = [SourceUnavailable("YouTube does not answer now.")]

    async def fail_second() -> None:
        if len(bench.source.requested_videos) > 50 and failures:
            raise failures.pop()

    bench.source.on_videos = fail_second
    view = await bench.start(CHANNEL)
    await bench.work()
    waiting = await bench.get(view)
    assert (waiting.state, waiting.checkpoint.videos_seen) == ("waiting", 50)
    await bench.pass_time(minutes=10)
    await bench.work()
    assert (await bench.get(view)).checkpoint.videos_seen == 120


async def test_a_page_that_was_prefetched_is_as_wide_as_what_is_wanted_when_it_is_read(
    bench: Bench,
) -> None:
    first = await bench.start(CHANNEL, max_videos=70)

    async def join() -> None:
        if len(bench.source.requested_videos) == 70:  # the second page, ahead
            bench.source.on_videos = None
            assert (await bench.start(CHANNEL, "bob", max_videos=110)).joined

    bench.source.on_videos = join
    await bench.work()

    done = await bench.get(first)
    assert (done.state, done.checkpoint.videos_seen) == ("done", 110)


async def test_takes_no_more_than_was_requested(bench: Bench) -> None:
    newest = await bench.start(CHANNEL, max_videos=70)
    await bench.work()
    assert (await bench.get(newest)).checkpoint.videos_seen == 70
    recent = await bench.start(
        CHANNEL, since=START - (START - some_videos("", 11)[10].published_at)
    )
    await bench.work()
    assert (await bench.get(recent)).checkpoint.videos_seen == 11


async def test_a_channel_has_one_unfinished_import_which_others_join(bench: Bench) -> None:
    views = await asyncio.gather(*(bench.start(CHANNEL, account=f"a{n}") for n in range(6)))
    assert len({view.import_.import_id for view in views}) == 1
    assert sorted(view.joined for view in views) == [False] + [True] * 5
    assert await unfinished(bench) == 1
    jobs = await bench.execute("SELECT count(*) FROM procrastinate_jobs")
    assert jobs[0][0] == 1


async def test_joining_widens_what_is_read(bench: Bench) -> None:
    first = await bench.start(CHANNEL, max_videos=10)

    async def join() -> None:
        bench.source.on_videos = None
        assert (await bench.start(CHANNEL, "bob")).joined

    bench.source.on_videos = join
    await bench.work()
    done = await bench.get(first)
    assert (done.state, done.checkpoint.videos_seen) == ("done", 120)


async def test_the_same_key_gives_the_same_import(bench: Bench) -> None:
    first = await bench.start(CHANNEL, key="k")
    await bench.work()
    again = await bench.start(CHANNEL, key="k")
    assert (again.import_.import_id, again.import_.state, again.joined) == (
        first.import_.import_id, "done", False,
    )  # fmt: skip
    other = await bench.start(CHANNEL, account="bob", key="k")
    assert other.import_.import_id != first.import_.import_id


async def test_an_account_has_so_many_at_once(bench: Bench) -> None:
    await bench.start(CHANNEL, limit=1)
    assert (await bench.start(CHANNEL, limit=1)).joined
    with pytest.raises(TooManyImports, match="1 import at a time"):
        await bench.start(OTHER, limit=1)


async def test_anothers_import_is_not_found(bench: Bench) -> None:
    view = await bench.start(CHANNEL)
    for method in (bench.imports.get, bench.imports.cancel):
        with pytest.raises(ImportNotFound):
            await method("eve", view.import_.import_id)
    assert await bench.imports.listed("eve", None, 10) == ([], None)


async def test_lists_newest_first_by_pages(bench: Bench) -> None:
    first = await bench.start(CHANNEL)
    await bench.pass_time(seconds=1)
    second = await bench.start(OTHER)
    views, cursor = await bench.imports.listed("ann", None, 1)
    assert [v.import_.import_id for v in views] == [second.import_.import_id]
    views, cursor = await bench.imports.listed("ann", cursor, 1)
    assert ([v.import_.import_id for v in views], cursor) == ([first.import_.import_id], None)


async def test_cancels_within_a_batch(bench: Bench) -> None:
    view = await bench.start(CHANNEL)

    accepted: list[str] = []

    async def cancel() -> None:
        now = (await bench.imports.cancel("ann", view.import_.import_id)).import_
        accepted.append(f"{now.state}: {now.message}")

    bench.source.on_videos = cancel
    await bench.work()
    assert accepted[0] == "running: Cancelled: it stops after the videos that are being read now."
    found = await bench.get(view)
    assert (found.state, found.message) == (
        "cancelled",
        "Cancelled. 50 videos had been read and stay.",
    )
    assert len(bench.source.requested_videos) in (50, 100)  # one page is prefetched, or about to be


async def test_an_import_that_somebody_joins_after_it_was_cancelled_goes_on(bench: Bench) -> None:
    view = await bench.start(CHANNEL)
    joined: list[str] = []

    async def cancel_and_join() -> None:
        if not joined:
            await bench.imports.cancel("ann", view.import_.import_id)
            joined.append((await bench.start(CHANNEL, "bob")).import_.message)

    bench.source.on_videos = cancel_and_join
    await bench.work()
    assert joined == [f"Reading the videos of {view.import_.title}."]
    assert (await bench.imports.get("bob", view.import_.import_id)).import_.state == "done"


async def test_a_cancelled_wait_frees_its_channel(bench: Bench) -> None:
    bench.source.failures["uploads"] = [SourceUnavailable("YouTube does not answer now.")]
    view = await bench.start(CHANNEL)
    await bench.work()
    assert (await bench.imports.cancel("ann", view.import_.import_id)).import_.state == "cancelled"
    again = await bench.start(CHANNEL)
    await bench.work()
    assert (await bench.get(again)).state == "done"


async def test_goes_on_for_those_who_joined(bench: Bench) -> None:
    view = await bench.start(CHANNEL)
    await bench.start(CHANNEL, account="bob")
    left = await bench.imports.cancel("ann", view.import_.import_id)
    assert (left.import_.state, "goes on" in left.import_.message) == ("cancelled", True)
    await bench.work()
    assert (await bench.get(view, "bob")).state == "done"
    assert (await bench.get(view)).state == "cancelled"


async def test_watching_ends_with_the_import(bench: Bench) -> None:
    view = await bench.start(OTHER)
    seen = [
        (shown.import_.state, shown.import_.checkpoint.videos_seen)
        async for shown in bench.imports.watch("ann", view.import_.import_id, bench.work)
    ]
    assert seen == [("queued", 0), ("done", 3)]
