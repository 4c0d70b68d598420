"""Periodic jobs: channels are imported again, findings of older detectors renewed."""

from collections.abc import Sequence
from typing import Final

from import_worker.detector import DETECTOR_VERSION
from import_worker.domain.channel_names import new_import, unread
from import_worker.domain.imports import Bounds
from import_worker.domain.ports import Clock, ImportTransactions, StoredVideo
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.policy import Policy
from servicekit.observability import logs

_AT_ONCE: Final = 100

log = logs.get(__name__)


class Maintenance:
    """The work of the jobs `refresh_channels` and `redetect`."""

    def __init__(
        self,
        open_store: ImportTransactions,
        reader: DetectionPipeline,
        source_name: str,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._reader = reader
        self._source_name = source_name
        self._policy = policy
        self._clock = clock

    async def refresh(self) -> int:
        """Starts imports of the channels that are due, and redetection of those that are old."""
        started = 0
        while started < _AT_ONCE and await self._refresh_one():
            started += 1
        async with self._open() as store:
            outdated = await store.videos.outdated_channels(DETECTOR_VERSION, _AT_ONCE)
            for channel_id in outdated:
                await store.jobs.redetect(channel_id)
        if started or outdated:
            log.info("channels_refreshed", imports=started, redetections=len(outdated))
        return started

    async def redetect(self, channel_id: str) -> None:
        """Reads a channel's stored videos that an older detector has read; asks no source."""
        async with self._open() as store:
            channel = await store.known_channel(channel_id)
        name = channel.title if channel else ""
        reference = channel.reference if channel else ""
        handle = reference if reference.startswith("@") else None
        await self._reader.read_again(channel_id, name, handle, self._keep, only_outdated=True)

    async def _keep(self, videos: Sequence[StoredVideo]) -> bool:
        async with self._open() as store:
            await store.videos.save(videos)
        return True

    async def _refresh_one(self) -> bool:
        now = self._clock()
        async with self._open() as store:
            due = await store.due(now, 1)
            if not due:
                return False
            (channel,) = due
            following = now + self._policy.refresh if self._policy.refresh else None
            await store.put_off(channel.channel_id, following)
            if not self._policy.refresh:
                return True
            import_ = new_import(
                unread(channel.channel_id, channel.title),
                channel.reference,
                self._source_name,
                Bounds(),
                now,
            )
            if await store.add(import_):
                await store.jobs.run_import(import_)
            return True
