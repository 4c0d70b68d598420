"""No data of a source keeps an import busy for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import procrastinate
import pytest
import redis.asyncio as redis

from import_worker.clients.youtube_api import YouTubeApi
from import_worker.clients.youtube_http import YouTubeHttp
from import_worker.clients.youtube_quota import Quota
from import_worker.domain.page_path import MAX_EMPTY_PAGES
from import_worker.domain.sources import PageExpired, SourceQuotaUsedUp, Upload, UploadPage
from import_worker.jobs.channel_crawler import ChannelCrawler
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.import_recorder import ImportRecorder
from import_worker.jobs.removed_videos import RemovedVideos
from import_worker.jobs.run import ImportRunner
from servicekit.errors import Unavailable
from tests.fakes.imports import FakeSource, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OPENING: Any = redis.Redis


class Pages(FakeSource):
    """Shows pages of a test's own."""

    def __init__(self, pages: Any) -> None:
        super().__init__()
        self.pages = pages

    async def uploads(self, channel: Any, page: str | None) -> UploadPage:
        await super().uploads(channel, None)
        assert len(self.requested_pages) < 3 * MAX_EMPTY_PAGES, "it goes on and on"
        return self.pages(page)


class Api(FakeSource):
    """Asks the Data API for its pages."""

    def __init__(self, api: YouTubeApi) -> None:
        super().__init__()
        self.api = api

    async def uploads(self, channel: Any, page: str | None) -> UploadPage:
        self.requested_pages.append(page)
        return await self.api.uploads(channel, page)


def some_uploads(first: int, count: int) -> tuple[Upload, ...]:
    return tuple(Upload(f"v{number:010d}", None) for number in range(first, first + count))


@pytest.mark.parametrize(
    ("names", "max_pages"),
    [
        ({None: "A", "A": "A"}, 2),
        ({None: "A", "A": "B", "B": "A"}, 3),
        ({None: "A", "A": "B", "B": "C", "C": "D", "D": "B"}, 5),
    ],
)
async def test_pages_that_lead_in_a_circle_end_the_import_with_its_reason(
    bench: Bench, names: dict[str | None, str], max_pages: int
) -> None:
    order = list(names)

    def page(here: str | None) -> UploadPage:
        return UploadPage(some_uploads(order.index(here) * 5, 5), names[here], None)

    bench = Bench(bench.engine, fresh_jobs(bench), Pages(page))
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 50)
    view = await bench.start(CHANNEL)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.dead_reason) == ("failed", "UPLOADS_ENDLESS")
    assert "leads back" in found.message
    assert len(bench.source.requested_pages) == max_pages
    assert found.checkpoint.videos_seen == 5 * (max_pages - 1)


@pytest.mark.parametrize("uploads", [(), some_uploads(0, 5)])
async def test_pages_that_bring_nothing_new_end_the_import_with_its_reason(
    bench: Bench, uploads: tuple[Upload, ...]
) -> None:
    def page(here: str | None) -> UploadPage:
        return UploadPage(uploads, str(int(here or 0) + 1), None)

    bench = Bench(bench.engine, fresh_jobs(bench), Pages(page))
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 50)
    view = await bench.start(CHANNEL)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.dead_reason) == ("failed", "UPLOADS_ENDLESS")
    assert len(bench.source.requested_pages) <= MAX_EMPTY_PAGES + 2


async def test_a_page_token_that_is_too_long_to_request_ends_the_import_at_once(
    bench: Bench, fresh_valkey: str
) -> None:
    requested: list[str] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        requested.append(request.url.path)
        return httpx2.Response(200, json={"items": [], "nextPageToken": "x" * 200_000})

    async with (
        OPENING.from_url(fresh_valkey) as valkey,
        httpx2.AsyncClient(
            base_url="https://youtube.example", transport=httpx2.MockTransport(respond)
        ) as client,
    ):
        quota = Quota(valkey, "key", budget=1_000, clock=bench.now)
        source = Api(YouTubeApi(YouTubeHttp(client, 5), "key", quota))
        bench = Bench(bench.engine, fresh_jobs(bench), source)
        bench.source.channels[CHANNEL] = some_videos(CHANNEL, 50)
        view = await bench.start(CHANNEL)
        await bench.work()
    found = await bench.get(view)
    assert (found.state, found.dead_reason, found.attempts) == ("failed", "PAGE_TOKEN_TOO_LONG", 0)
    assert "next page" in found.message
    assert len(requested) == 1


async def test_a_channel_that_hides_many_videos_is_read_to_its_end(bench: Bench) -> None:
    def page(here: str | None) -> UploadPage:
        number = int(here or 0)
        uploads = some_uploads(0, 5) if number == MAX_EMPTY_PAGES - 1 else ()
        return UploadPage(uploads, str(number + 1) if number < MAX_EMPTY_PAGES else None, None)

    bench = Bench(bench.engine, fresh_jobs(bench), Pages(page))
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 50)
    view = await bench.start(CHANNEL)
    await bench.work()
    assert (await bench.get(view)).state == "done"


async def test_pages_that_expire_after_each_new_video_are_given_up_with_pauses_between(
    bench: Bench,
) -> None:
    passes = 0

    def page(here: str | None) -> UploadPage:
        nonlocal passes
        if here is not None:
            raise PageExpired("gone")
        passes += 1
        return UploadPage(some_uploads(10 * (passes - 1), 10), "p2", None)

    bench = Bench(bench.engine, fresh_jobs(bench), Pages(page))
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 1_000)
    view = await bench.start(CHANNEL)
    pauses: list[float] = []
    await bench.work()
    while (current := await bench.get(view)).state == "waiting":
        assert current.retry_at is not None
        pauses.append((current.retry_at - bench.moment).total_seconds())
        await bench.pass_time(seconds=pauses[-1])
        await bench.work()
    assert (current.state, current.dead_reason) == ("failed", "SOURCE_UNAVAILABLE")
    assert "keeps changing. It was begun again 10 times." in current.message
    assert (passes, current.attempts, current.checkpoint.videos_seen) == (11, 0, 110)
    assert pauses == [45, 90, 180, 360] + [450] * 6, "the pauses grow"


async def test_an_import_that_ends_each_worker_is_given_up(bench: Bench) -> None:
    """A worker that is killed, as by the system when memory runs out, only begins."""
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    view = await bench.start(CHANNEL)
    ledger = ImportRecorder(bench.open, bench.now, lambda: None, 3)
    begun = [await ledger.begin(view.import_.import_id) for _ in range(5)]
    assert [item and item.attempts for item in begun] == [0, 1, 2, None, None]
    found = await bench.get(view)
    assert (found.state, found.dead_reason, found.attempts) == ("failed", "INTERRUPTED", 3)
    assert "tried 3 times" in found.message


async def test_a_worker_that_is_stopped_costs_no_attempt(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    view = await bench.start(CHANNEL)
    ledger = ImportRecorder(bench.open, bench.now, lambda: None, 3)
    reader = DetectionPipeline(bench.open, bench.catalog)
    crawler = ChannelCrawler(bench.open, ledger, bench.source, reader, bench.policy, bench.now)
    removed_videos = RemovedVideos(bench.open, ledger, bench.source, bench.catalog)
    runner = ImportRunner(ledger, bench.source, crawler, removed_videos, bench.policy, bench.now)
    reached = asyncio.Event()

    async def hangs() -> None:
        reached.set()
        await asyncio.Event().wait()

    bench.source.on_videos = hangs
    for _ in range(5):
        reached.clear()
        working = asyncio.create_task(runner.run(view.import_.import_id))
        await reached.wait()
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        found = await bench.get(view)
        assert (found.state, found.attempts) == ("queued", 0)
    bench.source.on_videos = None
    await bench.work()
    assert (await bench.get(view)).state == "done"


@pytest.mark.parametrize("part", ["source", "catalog"])
async def test_a_call_that_a_library_cancels_is_a_failure_with_a_wait(
    bench: Bench, part: str
) -> None:
    """grpc.aio does that; nobody asked the worker to stop."""
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)

    async def cancelled() -> None:
        assert len(bench.source.requested_videos) < 10 * 50, "it is asked again and again"
        raise asyncio.CancelledError

    view = await bench.start(CHANNEL)
    if part == "source":
        bench.source.on_videos = cancelled
    else:
        bench.catalog.failures = [asyncio.CancelledError() for _ in range(9)]  # pyright: ignore[reportAttributeAccessIssue]
    for attempt in (1, 2):
        await bench.work()
        found = await bench.get(view)
        assert (found.state, found.attempts) == ("waiting", attempt)
        await bench.pass_time(minutes=10)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.dead_reason) == ("failed", "CancelledError")
    # In each attempt the first page, and at most the one that is fetched ahead.
    assert 3 * 50 <= len(bench.source.requested_videos) <= 3 * 100


async def test_nobody_waits_for_the_quota_for_ever(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)
    bench.source.failures["uploads"] = [
        SourceQuotaUsedUp("The units are used up.", retry_after=3_600) for _ in range(99)
    ]
    view = await bench.start(CHANNEL)
    days = 0
    while (await bench.get(view)).state in ("queued", "waiting"):
        await bench.work()
        await bench.pass_time(days=1)
        days += 1
        assert days < 40
    assert (await bench.get(view)).dead_reason == "SOURCE_QUOTA_USED_UP"
    assert days > 29


async def test_findings_that_cannot_be_brought_up_to_date_are_given_up(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 10)
    await bench.start(CHANNEL)
    await bench.work()
    await bench.execute("UPDATE imported_videos SET detector_version = 'old', found = 'old'")
    bench.catalog.failures = [Unavailable("Away.") for _ in range(99)]
    await bench.redetections.start(dry_run=False, only_outdated=True)
    for _ in range(9):
        await bench.work()
        await bench.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")
    assert len(bench.catalog.failures) == 99 - 3
    view = await bench.redetections.get(None)
    assert (view.run.state, view.totals.channels_failed) == ("done", 1)
    # The third failure is the reason itself, not a fourth job that finds no attempt left.
    reasons = await bench.execute("SELECT failure FROM detection_run_channels")
    assert [reason for (reason,) in reasons] == ["Unavailable"]


def fresh_jobs(bench: Bench) -> Any:
    """The queue of a bench without the tasks that it has registered."""
    return procrastinate.App(connector=bench.jobs.connector)
