"""Imports that failed or were cancelled are tried again, for the accounts that had them."""

from __future__ import annotations

import asyncio

import pytest

from import_worker.domain.import_operations import Units
from import_worker.domain.imports import (
    ChannelUnderWay,
    Import,
    ImportDone,
    ImportNotFound,
    ImportStopping,
)
from import_worker.domain.sources import SourceRefused
from import_worker.domain.views import ImportView
from servicekit.errors import InvalidInput
from tests.fakes.imports import NoFailure, channel_id, some_videos
from tests.integration.import_worker.conftest import Bench, operations

CHANNEL = channel_id(1)


async def failed(bench: Bench, account: str = "ann", channel: str = CHANNEL) -> ImportView:
    """Return an import whose source refused it after it had begun."""
    bench.source.channels[channel] = some_videos(channel, 60)
    view = await bench.start(channel, account)
    bench.source.failures["uploads"] = [NoFailure(), SourceRefused("The key is refused.")]
    await bench.work()
    assert (await bench.get(view, account)).state == "failed"
    return view


async def retried(bench: Bench, view: ImportView, account: str = "ann") -> Import:
    return (await bench.imports.retry(account, view.import_.import_id)).import_


async def test_a_failed_import_is_done_after_its_retry_and_is_its_accounts_still(
    bench: Bench,
) -> None:
    view = await failed(bench)
    again = await retried(bench, view)
    assert (again.import_id, again.state) == (view.import_.import_id, "queued")
    assert (again.finished_at, again.dead_reason, again.attempts) == (None, None, 0)
    counts = (await bench.get(view)).checkpoint
    assert (counts.videos_seen, counts.page) == (0, None)
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.videos_seen) == ("done", 60)
    listed, _ = await bench.imports.listed("ann", None, 10)
    assert [item.import_.import_id for item in listed] == [view.import_.import_id]


async def test_retries_at_the_same_moment_put_one_job_into_the_queue(bench: Bench) -> None:
    view = await failed(bench)
    outcomes = await asyncio.gather(*(retried(bench, view) for _ in range(5)))
    assert {outcome.state for outcome in outcomes} == {"queued"}
    jobs = await bench.execute("SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'")
    assert jobs[0][0] == 1


async def test_a_cancelled_import_is_retried_from_its_first_page_for_who_cancelled_it(
    bench: Bench,
) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 60)
    view = await bench.start(CHANNEL)
    await bench.imports.cancel("ann", view.import_.import_id)
    assert (await retried(bench, view)).state == "queued"
    await bench.work()
    found = await bench.get(view)
    assert (found.state, found.checkpoint.videos_seen) == ("done", 60)


async def test_no_limit_of_the_account_counts_for_a_retry(bench: Bench) -> None:
    view = await failed(bench)
    other = channel_id(2)
    bench.source.channels[other] = some_videos(other, 1)
    await bench.start(other, limit=1)
    assert (await retried(bench, view)).state == "queued"


async def test_another_import_of_the_channel_that_is_under_way_is_named(bench: Bench) -> None:
    view = await failed(bench)
    other = await bench.start(CHANNEL, "bob")
    with pytest.raises(ChannelUnderWay) as refused:
        await retried(bench, view)
    assert other.import_.import_id in refused.value.public_message
    assert refused.value.details == {"import_id": other.import_.import_id}
    assert (await bench.get(view)).state == "failed"


async def test_what_is_done_or_still_stopping_is_not_retried(bench: Bench) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 1)
    view = await bench.start(CHANNEL)
    await bench.execute("UPDATE imports SET state = 'running', cancel_requested_at = now()")
    with pytest.raises(ImportStopping):
        await retried(bench, view)
    await bench.execute(
        "UPDATE imports SET state = 'done', cancel_requested_at = NULL, finished_at = now()"
    )
    with pytest.raises(ImportDone):
        await retried(bench, view)


async def test_anothers_import_is_as_unknown_as_none(bench: Bench) -> None:
    view = await failed(bench)
    messages: list[str] = []
    for import_id in (view.import_.import_id, "imp_unknown"):
        with pytest.raises(ImportNotFound) as refused:
            await bench.imports.retry("bob", import_id)
        messages.append(refused.value.public_message.replace(import_id, "ID"))
    assert messages[0] == messages[1]


async def test_an_operators_retry_keeps_the_accounts(bench: Bench) -> None:
    view = await failed(bench)
    seen = await operations(bench).retry(view.import_.import_id)
    assert (seen.import_.state, seen.account_id, seen.accounts) == ("queued", "ann", 1)
    await bench.work()
    assert (await bench.get(view)).state == "done"


async def test_an_operator_stops_an_import_for_all_and_gives_it_back_to_the_first(
    bench: Bench,
) -> None:
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 1)
    view = await bench.start(CHANNEL)
    await bench.start(CHANNEL, "bob")
    stopped = await operations(bench).cancel(view.import_.import_id)
    assert (stopped.import_.state, stopped.account_id, stopped.accounts) == ("cancelled", "ann", 2)
    assert (await bench.get(view, "bob")).state == "cancelled"
    await operations(bench).retry(view.import_.import_id)
    assert (await bench.get(view)).state == "queued"
    assert (await bench.get(view, "bob")).state == "cancelled"


async def test_operators_see_the_queue_the_failures_the_units_and_the_coverage(
    bench: Bench,
) -> None:
    view = await failed(bench)
    other = channel_id(2)
    bench.source.channels[other] = some_videos(other, 3, "w")
    done = await bench.start(other, "bob")
    await bench.work()
    await bench.start(channel_id(2), "cat")
    assert (await bench.get(done, "bob")).state == "done"
    found = await operations(bench).overview(10)
    assert found.queue.states == {"failed": 1, "queued": 1}
    assert [item.account_id for item in found.queue.under_way] == ["cat"]
    assert [item.import_.import_id for item in found.queue.failures] == [view.import_.import_id]
    assert [videos for _, videos in found.queue.coverage] == [53]
    assert found.units == Units(40, 10_000)
    for limit in (0, 101):
        with pytest.raises(InvalidInput):
            await operations(bench).overview(limit)


async def test_a_failure_of_last_week_is_not_listed(bench: Bench) -> None:
    await failed(bench)
    await bench.pass_time(days=8)
    found = await operations(bench).overview(10)
    assert (found.queue.states, list(found.queue.failures)) == ({"failed": 0}, [])
