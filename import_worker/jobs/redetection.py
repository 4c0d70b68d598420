"""Run the detector over stored videos, channel by channel in batches, and record what that changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from import_worker.detector import DETECTOR_VERSION
from import_worker.domain.ports import (
    Clock,
    ImportStore,
    ImportTransactions,
    KnownChannel,
    StoredVideo,
    StoreUnavailable,
)
from import_worker.domain.redetection import (
    ChannelProgress,
    RedetectionRun,
    SponsorshipChange,
)
from import_worker.domain.redetection_changes import changes_between
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.detections import DetectedVideo
from servicekit.observability import logs

_QUEUED_CHANNELS: Final = 16
"""Channels of a run that are in the queue at a time; each that ends brings the next."""

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class _Work:
    """A channel of a run."""

    run: RedetectionRun
    progress: ChannelProgress
    known: KnownChannel | None


class RedetectionRunner:
    """The work of the jobs `plan_redetection` and `redetect`.

    A channel's job has the lock of its imports, so that neither writes over the other. A worker that
    is killed leaves the last batch of its channel: videos, changes and progress are one transaction.
    """

    def __init__(
        self,
        open_store: ImportTransactions,
        pipeline: DetectionPipeline,
        clock: Clock,
        max_attempts: int,
    ) -> None:
        self._open = open_store
        self._pipeline = pipeline
        self._clock = clock
        self._max_attempts = max_attempts

    async def plan(self, run_id: str) -> None:
        """Give a run its channels, and put the first ones into the queue."""
        async with self._open() as store:
            run = await store.redetections.get(run_id, lock=True)
            if run is None or run.state != "queued":
                return
            run = replace(run, state="running", detector_version=DETECTOR_VERSION)
            await store.redetections.change(run)
            await store.redetections.plan(run_id, DETECTOR_VERSION if run.only_outdated else None)
            for _ in range(_QUEUED_CHANNELS):
                await self._enqueue_next(store, run)
            await self._finish_if_done(store, run)

    async def channel(self, run_id: str, channel_id: str, attempts: int) -> None:
        """Read a channel's stored videos from where the run is in it, after so many attempts.

        Raises:
            StoreUnavailable: Our own database is away; the same job may be run again.
            Exception: Any other failure, before the last attempt.
        """
        work = await self._work(run_id, channel_id)
        if work is None:
            return
        failure: str | None = None
        try:
            if attempts >= self._max_attempts:  # its workers were killed
                failure = "INTERRUPTED"
            elif not await self._read(work):
                return
        except StoreUnavailable:
            raise
        except Exception as error:
            if attempts + 1 >= self._max_attempts:
                failure = type(error).__name__
            else:
                raise
        if failure is not None:
            log.error("redetection_failed", run_id=run_id, channel_id=channel_id, reason=failure)
        await self._finish(run_id, channel_id, failure)

    async def _work(self, run_id: str, channel_id: str) -> _Work | None:
        async with self._open() as store:
            run = await store.redetections.get(run_id)
            progress = await store.redetections.channel(run_id, channel_id)
            known = await store.known_channel(channel_id)
        if run is None or run.state != "running" or progress is None or progress.state != "queued":
            return None
        return _Work(run, progress, known)

    async def _read(self, work: _Work) -> bool:
        """Read to the last video; return false if the run was cancelled."""
        run, progress = work.run, work.progress
        name = work.known.title if work.known else ""
        reference = work.known.reference if work.known else ""
        batches = self._pipeline.detect_again(
            progress.channel_id,
            name,
            reference if reference.startswith("@") else None,
            after=progress.after_video,
            only_outdated=run.only_outdated,
            dry_run=run.dry_run,
        )
        async for stored, findings in batches:
            progress = replace(
                progress,
                after_video=stored[-1].video.video_id,
                videos_done=progress.videos_done + len(stored),
                videos_incomparable=progress.videos_incomparable
                + sum(video.sponsorships is None for video in stored),
            )
            if not await self._record(run, progress, stored, findings):
                return False
        return True

    async def _record(
        self,
        run: RedetectionRun,
        progress: ChannelProgress,
        stored: Sequence[StoredVideo],
        findings: Sequence[DetectedVideo],
    ) -> bool:
        """Write a batch, its progress and its changes; return false if the run was cancelled."""
        known = {video.video.video_id: video for video in stored}
        found = [finding.stored for finding in findings]
        written = found if run.dry_run else await self._pipeline.write(findings, known)
        async with self._open() as store:
            if not run.dry_run:
                await store.videos.save(
                    [video for video in written if video != known[video.video.video_id]]
                )
            changes = _changes(stored, found, written)
            await store.redetections.record(run.run_id, progress, changes)
            now = await store.redetections.get(run.run_id)
        return now is not None and now.state == "running"

    async def _finish(self, run_id: str, channel_id: str, failure: str | None) -> None:
        async with self._open() as store:
            run = await store.redetections.get(run_id, lock=True)
            if run is None or run.state != "running":
                return
            await store.redetections.finish_channel(run_id, channel_id, failure)
            await self._enqueue_next(store, run)
            await self._finish_if_done(store, run)

    async def _enqueue_next(self, store: ImportStore, run: RedetectionRun) -> None:
        channel_id = await store.redetections.next_channel(run.run_id)
        if channel_id is not None:
            await store.jobs.redetect(channel_id, run.run_id)

    async def _finish_if_done(self, store: ImportStore, run: RedetectionRun) -> None:
        if await store.redetections.has_open_channels(run.run_id):
            return
        await store.redetections.change(replace(run, state="done", finished_at=self._clock()))
        totals = await store.redetections.totals(run.run_id)
        log.info(
            "redetection_done",
            run_id=run.run_id,
            dry_run=run.dry_run,
            detector_version=run.detector_version,
            videos=totals.videos_done,
            channels_failed=totals.channels_failed,
            added=totals.added,
            removed=totals.removed,
            changed=totals.changed,
        )


def _changes(
    stored: Sequence[StoredVideo], found: Sequence[StoredVideo], written: Sequence[StoredVideo]
) -> list[SponsorshipChange]:
    """Return the changes of a batch, without those that the catalog refused."""
    return [
        change
        for before, wanted, now in zip(stored, found, written, strict=True)
        if now.found == wanted.found
        for change in changes_between(before, now)
    ]
