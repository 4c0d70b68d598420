"""Runs of the detector over stored videos: what they change, count, survive and leave alone."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from import_worker.domain.imports import Import
from import_worker.domain.ports import KnownChannel
from import_worker.domain.redetection import (
    RedetectionNotFound,
    RedetectionUnderWay,
    RedetectionView,
)
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.maintenance import Maintenance
from import_worker.jobs.redetection import RedetectionRunner
from import_worker.storage.queue import rescue
from import_worker.storage.store import PostgresImportStore
from servicekit.errors import Unavailable
from tests.fakes.imports import channel_id, some_videos
from tests.integration.import_worker.conftest import Bench

CHANNEL = channel_id(1)
OTHER = channel_id(2)
STORED = "SELECT video_id, detector_version, found, sponsorships FROM imported_videos ORDER BY 1"


@pytest.fixture(autouse=True)
async def imported(bench: Bench) -> None:
    """Both channels are imported; what the catalog was written until then is forgotten."""
    bench.source.channels[CHANNEL] = some_videos(CHANNEL, 6)
    bench.source.channels[OTHER] = some_videos(OTHER, 2, "w")
    for channel in (CHANNEL, OTHER):
        await bench.start(channel)
    await bench.work()
    bench.catalog.writes.clear()
    bench.source.requested_pages.clear()
    bench.source.requested_videos.clear()


async def run(
    bench: Bench, *, dry_run: bool = False, only_outdated: bool = False
) -> RedetectionView:
    begun = await bench.redetections.start(dry_run=dry_run, only_outdated=only_outdated)
    await bench.work()
    return await bench.redetections.get(begun.run.run_id)


async def forget(bench: Bench, video_id: str) -> None:
    """Let a video be stored as one in which an older detector found nothing."""
    await bench.execute(
        "UPDATE imported_videos SET brand_slugs = '{}', brand_names = '{}', sponsorships = '[]',"
        " found = '', detector_version = '0' WHERE video_id = :video_id",
        video_id=video_id,
    )


async def spoil(bench: Bench) -> None:
    """One sponsorship to add, one to remove and one to change."""
    await forget(bench, "v0000000000")
    await bench.execute(
        "UPDATE imported_videos SET description = 'A walk by the lake.' WHERE video_id = 'v0000000002'"
    )
    await bench.execute(
        "UPDATE imported_videos SET sponsorships ="
        " replace(sponsorships, 'paid_sponsorship', 'affiliate'), found = ''"
        " WHERE video_id = 'v0000000004'"
    )


def counts(view: RedetectionView) -> tuple[int, int, int]:
    return view.totals.added, view.totals.removed, view.totals.changed


async def test_a_run_says_what_it_changed_and_a_second_one_changes_nothing(bench: Bench) -> None:
    await spoil(bench)
    view = await run(bench)
    assert (view.run.state, counts(view)) == ("done", (1, 1, 1))
    assert (view.totals.videos_done, view.totals.videos, view.totals.videos_changed) == (8, 8, 3)
    assert (view.totals.channels_done, view.totals.channels) == (2, 2)
    (brand,) = view.brands
    assert (brand.name, brand.added, brand.removed, brand.changed) == ("NordVPN", 1, 1, 1)
    assert bench.catalog.videos == ["v0000000000", "v0000000002", "v0000000004"]
    assert [len(claims) for claims in bench.catalog.sponsorships().values()] == [1, 0, 1]
    assert bench.source.requested_pages == bench.source.requested_videos == []
    bench.catalog.writes.clear()
    again = await run(bench)
    assert (counts(again), bench.catalog.writes) == ((0, 0, 0), [])
    assert (await bench.redetections.get(view.run.run_id)).brands == view.brands


async def test_a_dry_run_counts_the_same_and_writes_nothing(bench: Bench) -> None:
    await spoil(bench)
    before = await bench.execute(STORED)
    view = await run(bench, dry_run=True)
    assert (view.run.state, counts(view)) == ("done", (1, 1, 1))
    assert bench.catalog.writes == []
    assert await bench.execute(STORED) == before
    assert counts(await run(bench)) == (1, 1, 1)


async def test_only_outdated_videos_are_read_where_that_is_wanted(bench: Bench) -> None:
    await forget(bench, "v0000000000")
    view = await run(bench, only_outdated=True)
    assert (view.totals.videos, view.totals.videos_done, counts(view)) == (1, 1, (1, 0, 0))
    assert (await run(bench, only_outdated=True)).totals.videos == 0


async def test_another_detector_version_alone_is_no_change(bench: Bench) -> None:
    await bench.execute(
        "UPDATE imported_videos SET detector_version = '0', found = '', sponsorships ="
        ' replace(sponsorships, \'"detector_version":"\', \'"detector_version":"old \')'
    )
    view = await run(bench)
    assert (counts(view), view.totals.videos_changed) == ((0, 0, 0), 0)
    assert len(bench.catalog.videos) == 8


async def test_videos_of_older_releases_show_only_added_and_removed_brands(bench: Bench) -> None:
    await bench.execute("UPDATE imported_videos SET sponsorships = NULL, found = ''")
    view = await run(bench)
    assert (counts(view), view.totals.videos_incomparable) == ((0, 0, 0), 8)
    assert (await run(bench)).totals.videos_incomparable == 0


async def test_a_record_that_the_catalog_refuses_counts_as_no_change(bench: Bench) -> None:
    await spoil(bench)
    bench.catalog.refuses = frozenset({"v0000000000"})
    assert counts(await run(bench)) == (0, 1, 1)


async def test_a_run_goes_on_behind_its_last_batch_and_counts_each_change_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("import_worker.jobs.detection_pipeline._BATCH", 2)
    await spoil(bench)
    begun = await bench.redetections.start(dry_run=False, only_outdated=False)
    written: list[str] = []
    save = bench.catalog.write

    async def write(records: Any) -> Any:
        report = await save(records)
        written[:] = bench.catalog.videos
        if written == ["v0000000000", "v0000000002"]:
            raise Unavailable("The catalog went away when it had written.")
        return report

    monkeypatch.setattr(bench.catalog, "write", write)
    await bench.work()
    half = await bench.redetections.get(begun.run.run_id)
    assert (half.run.state, half.totals.videos_done, counts(half)) == ("running", 4, (1, 0, 0))
    # The worker that has the job is killed: another finds it.
    await bench.execute("UPDATE procrastinate_jobs SET status = 'doing', scheduled_at = NULL")
    assert await rescue(bench.engine, 1) == 1
    await bench.work()
    view = await bench.redetections.get(begun.run.run_id)
    assert (view.run.state, counts(view), view.totals.videos_done) == ("done", (1, 1, 1), 8)
    assert bench.catalog.videos == ["v0000000000", "v0000000002", "v0000000002", "v0000000004"]


async def test_a_run_that_is_under_way_is_joined_but_not_with_other_options(bench: Bench) -> None:
    first = await bench.redetections.start(dry_run=True, only_outdated=False)
    assert (await bench.redetections.start(dry_run=True, only_outdated=False)).run == first.run
    with pytest.raises(RedetectionUnderWay):
        await bench.redetections.start(dry_run=False, only_outdated=False)


async def test_a_cancelled_run_stops_and_another_may_begin(bench: Bench) -> None:
    await spoil(bench)
    await bench.redetections.start(dry_run=False, only_outdated=False)
    cancelled = await bench.redetections.cancel(None)
    await bench.work()
    assert (await bench.redetections.get(None)).run == cancelled.run
    assert bench.catalog.writes == []
    assert counts(await run(bench)) == (1, 1, 1)


async def test_a_channel_that_cannot_be_read_is_given_up_and_the_run_ends(bench: Bench) -> None:
    await spoil(bench)
    bench.catalog.failures = [ValueError("odd")] * bench.policy.max_attempts
    await bench.redetections.start(dry_run=False, only_outdated=False)
    for _ in range(bench.policy.max_attempts):
        await bench.work()
        await bench.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")
    view = await bench.redetections.get(None)
    assert (view.run.state, view.totals.channels_failed) == ("done", 1)
    assert view.totals.channels_done == 1


async def test_a_channel_that_ends_each_worker_is_given_up(bench: Bench) -> None:
    begun = await bench.redetections.start(dry_run=False, only_outdated=False)
    (plan,) = await bench.execute("SELECT id FROM procrastinate_jobs")
    await spoil(bench)
    pipeline = DetectionPipeline(bench.open, bench.catalog)
    runner = RedetectionRunner(bench.open, pipeline, bench.now, bench.policy.max_attempts)
    await runner.plan(begun.run.run_id)
    await bench.execute("UPDATE procrastinate_jobs SET attempts = 3 WHERE id > :plan", plan=plan.id)
    await bench.work()
    view = await bench.redetections.get(None)
    assert (view.run.state, view.totals.channels_failed) == ("done", 2)
    assert bench.catalog.writes == []


async def test_an_upgrade_starts_one_run_by_itself(
    bench: Bench,
) -> None:
    await forget(bench, "v0000000000")
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    view = await bench.redetections.get(None)
    assert (view.run.automatic, view.run.state, counts(view)) == (True, "done", (1, 0, 0))
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert (await bench.redetections.get(None)).run == view.run


async def test_a_channel_that_cannot_be_refreshed_keeps_no_other_step_from_its_work(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await forget(bench, "v0000000000")
    await bench.pass_time(days=8)

    put_off = PostgresImportStore.put_off

    async def broken(store: PostgresImportStore, channel: KnownChannel, at: datetime) -> bool:
        if channel.channel_id == CHANNEL:
            raise ValueError("odd")
        return await put_off(store, channel, at)

    monkeypatch.setattr(PostgresImportStore, "put_off", broken)
    maintenance = Maintenance(bench.open, "youtube-api", bench.policy, bench.now)
    with capture_logs() as lines:
        assert await maintenance.refresh() == 1
    (failed,) = [line for line in lines if line["event"] == "step_failed"]
    assert failed["step"] == f"refresh_channel {CHANNEL}"
    assert (await bench.redetections.get(None)).run.state == "queued"


async def test_a_followed_channel_that_hangs_is_named_and_put_off_and_the_others_are_refreshed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.pass_time(days=8)
    add = PostgresImportStore.add

    async def hanging(store: PostgresImportStore, import_: Import) -> bool:
        if import_.channel_id == CHANNEL:
            await asyncio.Event().wait()
        return await add(store, import_)

    monkeypatch.setattr(PostgresImportStore, "add", hanging)
    monkeypatch.setattr("import_worker.jobs.maintenance._CHANNEL_SECONDS", 2.0)
    maintenance = Maintenance(bench.open, "youtube-api", bench.policy, bench.now)
    with capture_logs() as lines:
        assert await maintenance.refresh() == 1
        assert await maintenance.refresh() == 0
    (failed,) = [line for line in lines if line["event"] == "step_failed"]
    assert (failed["step"], failed["reason"]) == (f"refresh_channel {CHANNEL}", "TimeoutError")
    await bench.pass_time(hours=1)
    async with bench.open() as store:
        due = await store.due(bench.now(), 10)
    assert [channel.channel_id for channel in due] == [CHANNEL]


async def test_no_run_starts_by_itself_where_the_operator_wants_none(bench: Bench) -> None:
    await forget(bench, "v0000000000")
    policy = replace(bench.policy, redetects=False)
    await Maintenance(bench.open, "youtube-api", policy, bench.now).refresh()
    with pytest.raises(RedetectionNotFound):
        await bench.redetections.get(None)


async def test_an_automatic_run_that_gave_up_is_tried_again_an_hour_later(bench: Bench) -> None:
    await forget(bench, "v0000000000")
    bench.catalog.failures = [ValueError("odd")] * bench.policy.max_attempts
    await bench.defer("refresh_channels", timestamp=0)
    for _ in range(bench.policy.max_attempts):
        await bench.work()
        await bench.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")
    failed = await bench.redetections.get(None)
    assert failed.totals.channels_failed == 1
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert (await bench.redetections.get(None)).run == failed.run
    await bench.pass_time(hours=1)
    await bench.defer("refresh_channels", timestamp=0)
    await bench.work()
    assert counts(await bench.redetections.get(None)) == (1, 0, 0)


async def test_a_channels_imports_and_runs_wait_for_each_other(bench: Bench) -> None:
    async with bench.open() as store:
        await store.jobs.redetect(CHANNEL, "det_1")
    await bench.start(CHANNEL)
    locks = await bench.execute("SELECT task_name, lock FROM procrastinate_jobs ORDER BY 1")
    assert [tuple(row) for row in locks] == [
        ("redetect", f"channel:{CHANNEL}"),
        ("run_import", f"channel:{CHANNEL}"),
    ]
