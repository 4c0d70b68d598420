"""The periodic job: followed channels are imported again, findings of older detectors renewed."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import Final

from import_worker.detector import DETECTOR_VERSION
from import_worker.domain.channel_names import new_import, unread
from import_worker.domain.imports import Bounds
from import_worker.domain.ports import Clock, ImportTransactions, KnownChannel
from import_worker.domain.redetection import RedetectionRun, new_run
from import_worker.domain.redetections import enqueue
from import_worker.jobs.policy import Policy
from servicekit.observability import logs
from servicekit.process.steps import Step, run_steps

_AT_ONCE: Final = 100
_CHANNEL_SECONDS: Final = 20.0
"""How long the import of one channel may take to begin."""

_AFTER_FAILURES: Final = timedelta(hours=1)
"""The time after which a run that gave channels up, or a channel whose import did not begin, is tried once more."""

log = logs.get(__name__)


class Maintenance:
    """The work of the job `refresh_channels`."""

    def __init__(
        self,
        open_store: ImportTransactions,
        source_name: str,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._source_name = source_name
        self._policy = policy
        self._clock = clock

    async def refresh(self) -> int:
        """Start imports of the followed channels that are due, accounts in turn, and a run over videos of older detectors.

        None of the steps waits for another's success, and no channel for another channel's.
        """
        steps: list[Step] = [("advance_bulk_imports", self._advance_bulk_imports)]
        if self._policy.redetects:
            steps.append(("redetect_outdated", self._redetect_outdated))
        await run_steps(steps)
        # Last, and without a limit: each channel has its own, and many may reach it.
        done = await run_steps([("refresh_channels", self._refresh_due)], seconds=None)
        return done["refresh_channels"]

    async def _refresh_due(self) -> int:
        async with self._open() as store:
            due = await store.due(self._clock(), _AT_ONCE)
        channels: list[Step] = [
            (f"refresh_channel {channel.channel_id}", partial(self._refresh_or_put_off, channel))
            for channel in due
        ]
        done = await run_steps(channels, seconds=None)
        started = sum(done.values())
        if started:
            log.info("channels_refreshed", imports=started)
        return started

    async def _advance_bulk_imports(self) -> int:
        """Have all bulk imports go on, should the job of one have been lost; return their number."""
        async with self._open() as store:
            unfinished = await store.bulk.all_unfinished()
            for bulk_import_id in unfinished:
                await store.jobs.advance_bulk_import(bulk_import_id)
        return len(unfinished)

    async def _redetect_outdated(self) -> int:
        """Start a run unless none is needed; return the number of runs that were started."""
        async with self._open() as store:
            if not await store.videos.outdated_channels(DETECTOR_VERSION, 1):
                return 0
            newest = await store.redetections.get(None)
            if newest is not None and self._has_just_failed(newest):
                totals = await store.redetections.totals(newest.run_id)
                if totals.channels_failed:
                    return 0
            run = new_run(self._clock(), only_outdated=True, automatic=True)
            if not await enqueue(store, run):
                return 0
            log.info("redetection_started", run_id=run.run_id)
            return 1

    def _has_just_failed(self, run: RedetectionRun) -> bool:
        return (
            run.automatic
            and run.detector_version == DETECTOR_VERSION
            and run.finished_at is not None
            and self._clock() - run.finished_at < _AFTER_FAILURES
        )

    async def _refresh_or_put_off(self, channel: KnownChannel) -> bool:
        """Begin the import of a channel; have one that fails or hangs be due again later, behind the others."""
        try:
            async with asyncio.timeout(_CHANNEL_SECONDS):
                return await self._refresh_one(channel)
        except Exception:
            async with asyncio.timeout(_CHANNEL_SECONDS), self._open() as store:
                await store.put_off(channel, self._clock() + _AFTER_FAILURES)
            raise

    async def _refresh_one(self, channel: KnownChannel) -> bool:
        """Begin the import of a channel, unless another worker has; return whether one has begun."""
        now = self._clock()
        following = now + self._policy.refresh if self._policy.refresh else None
        async with self._open() as store:
            if not await store.put_off(channel, following) or not self._policy.refresh:
                return False
            import_ = new_import(
                unread(channel.channel_id, channel.title),
                channel.reference,
                self._source_name,
                Bounds(),
                now,
            )
            if not await store.add(import_):
                return False
            await store.jobs.run_import(import_)
            return True
