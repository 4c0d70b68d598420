"""Imports whose source, catalog or worker fails."""

import math
from datetime import timedelta
from typing import Any

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from import_worker.domain.sources import (
    ChannelNotFound,
    PageExpired,
    SourceQuotaUsedUp,
    SourceRefused,
    SourceUnavailable,
)
from import_worker.storage.queue import rescue
from servicekit.errors import Unavailable
from tests.fakes.imports import NoFailure, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)


@pytest.fixture(autouse=True)
def channels(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 120)


async def test_begins_again_when_a_page_expires(bench: Bench) -> None:
    bench.source.failures["uploads"] = [NoFailure(), PageExpired("gone")]
    view = await bench.start(CHANNEL)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.page, found.attempts) == ("waiting", None, 0)
    assert "begins again" in found.message
    await bench.pass_time(minutes=1)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.videos_seen, found.checkpoint.sponsorships) == (
        "done",
        120,
        60,
    )
    assert bench.source.requested_pages == [None, "50", None, "50", "100"]
    assert len(bench.source.requested_videos) == 120


async def test_pages_that_always_expire_do_not_go_on_for_ever(bench: Bench) -> None:
    bench.source.failures["uploads"] = [PageExpired("gone") for _ in range(11)]
    view = await bench.start(CHANNEL)
    for _ in range(11):
        await bench.work()
        await bench.pass_time(minutes=10)
    found = await bench.get(view)
    assert (found.state, found.dead_reason) == ("failed", "SOURCE_UNAVAILABLE")


@pytest.mark.parametrize("away", ["source", "catalog", "bug"])
async def test_waits_and_goes_on_from_where_it_was(bench: Bench, away: str) -> None:
    view = await bench.start(CHANNEL)
    if away == "source":
        bench.source.failures["uploads"] = [NoFailure(), SourceUnavailable("Away.")]
    elif away == "bug":
        bench.source.failures["uploads"] = [NoFailure(), RuntimeError("a bug")]
    else:
        bench.catalog.failures = [Unavailable("Away.")]
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.attempts) == ("waiting", 1)
    assert found.retry_at is not None
    assert 30 <= (found.retry_at - bench.moment).total_seconds() <= 60
    await bench.work()
    assert (await bench.get(view)).state == "waiting"
    await bench.pass_time(seconds=60)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.videos_seen) == ("done", 120)


async def test_gives_up_after_so_many_attempts(bench: Bench) -> None:
    bench.source.failures["uploads"] = [SourceUnavailable("YouTube is away.") for _ in range(9)]
    view = await bench.start(CHANNEL)
    for _ in range(3):
        await bench.work()
        await bench.pass_time(minutes=10)
    found = await bench.get(view)
    assert (found.state, found.dead_reason, found.attempts) == ("failed", "SOURCE_UNAVAILABLE", 3)
    assert found.message == "The import failed. YouTube is away. It was tried 3 times."
    assert (await bench.start(CHANNEL)).import_.import_id != found.import_id


@pytest.mark.parametrize("error", [ChannelNotFound("It is gone."), SourceRefused("No key.")])
async def test_fails_at_once_for_good_reasons(bench: Bench, error: Any) -> None:
    bench.source.failures["uploads"] = [error]
    view = await bench.start(CHANNEL)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.dead_reason) == ("failed", error.reason)
    assert error.public_message in found.message


async def test_a_source_that_states_an_endless_wait_is_called_again_after_two_days(
    bench: Bench,
) -> None:
    bench.source.failures["uploads"] = [SourceUnavailable("Away.", retry_after=math.inf)]
    view = await bench.start(CHANNEL)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.retry_at) == ("waiting", bench.moment + timedelta(days=2))


async def test_waits_for_the_quota_as_often_as_it_takes(bench: Bench) -> None:
    bench.source.failures["uploads"] = [
        SourceQuotaUsedUp("The units are used up.", retry_after=3_600) for _ in range(5)
    ]
    view = await bench.start(CHANNEL)
    for _ in range(5):
        await bench.work()
        found = await bench.get(view)
        assert (found.state, found.attempts) == ("waiting", 0)
        await bench.pass_time(hours=2)
    await bench.work()
    assert (await bench.get(view)).state == "done"


async def test_a_known_channel_may_be_queued_while_the_quota_rests(bench: Bench) -> None:
    bench.source.failures["resolve"] = [SourceQuotaUsedUp("Used up.") for _ in range(2)]
    assert (await bench.start(CHANNEL)).import_.state == "queued"
    with pytest.raises(SourceQuotaUsedUp):
        await bench.start("@nobody")


async def test_a_page_done_twice_counts_once(bench: Bench) -> None:
    bench.catalog.after_write = Unavailable("The answer was lost.")
    view = await bench.start(CHANNEL)
    await bench.work()
    assert (await bench.get(view)).checkpoint.videos_seen == 0
    assert len(bench.catalog.videos) == 50
    await bench.pass_time(minutes=2)
    await bench.work()
    done = await bench.imports.get("ann", view.import_.import_id)
    assert (done.import_.checkpoint.videos_seen, done.import_.checkpoint.sponsorships) == (120, 60)
    assert done.brands[0].videos == 60
    assert len(bench.catalog.videos) == 170


async def test_jobs_of_killed_workers_are_taken_up(bench: Bench) -> None:
    view = await bench.start(CHANNEL)
    worker = await bench.jobs.job_manager.register_worker()
    job = await bench.jobs.job_manager.fetch_job(queues=None, worker_id=worker)
    assert job is not None
    assert await rescue(bench.engine, 10) == 0
    await bench.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '11 s'")
    assert await rescue(bench.engine, 10) == 1
    await bench.work()
    assert (await bench.get(view)).state == "done"


async def test_a_worker_that_was_taken_for_dead_takes_no_job_along_when_it_ends(
    bench: Bench,
) -> None:
    view = await bench.start(CHANNEL)
    manager = bench.jobs.job_manager
    slow = await manager.fetch_job(queues=None, worker_id=await manager.register_worker())
    assert slow is not None
    await bench.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '11 s'")
    assert await rescue(bench.engine, 10) == 1
    with pytest.raises(ConnectorException):
        await manager.finish_job(slow, Status.SUCCEEDED, delete_job=True)
    await bench.work()
    assert (await bench.get(view)).state == "done"


async def test_a_worker_that_was_taken_for_dead_writes_no_more(bench: Bench) -> None:
    view = await bench.start(CHANNEL)

    async def another_takes_over() -> None:
        await bench.execute("UPDATE imports SET run = run + 1")

    bench.source.on_videos = another_takes_over
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.videos_seen) == ("running", 0)
