"""Writes of a running import's row. Only the newest start of an import may write."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from import_worker.domain import messages
from import_worker.domain.cancellations import slot_released
from import_worker.domain.follow_requests import follow_imported
from import_worker.domain.imports import Import
from import_worker.domain.ports import Clock, ImportStore, ImportTransactions, StoredVideo
from import_worker.domain.sources import ChannelNotFound
from import_worker.jobs import metrics


class Superseded(Exception):  # noqa: N818 - no error: another worker goes on
    """The import was taken up by another worker, or is gone."""


class ImportRecorder:
    """Each method is one transaction."""

    def __init__(
        self,
        open_store: ImportTransactions,
        clock: Clock,
        next_refresh: Callable[[], datetime | None],
        max_attempts: int,
    ) -> None:
        self._open = open_store
        self._clock = clock
        self._next_refresh = next_refresh
        self._max_attempts = max_attempts

    async def begin(self, import_id: str) -> Import | None:
        """Take up an import; None when there is nothing to do."""
        async with self._open() as store:
            import_ = await store.get(import_id, lock=True)
            if import_ is None or import_.has_ended:
                return None
            if import_.cancel_requested_at is not None:
                await self._end(store, import_.cancelled(self._clock()))
                return None
            begun = import_.begun(self._clock())
            if begun.attempts >= self._max_attempts:
                why = messages.gave_up(messages.INTERRUPTED, begun.attempts)
                await self._end(store, begun.failed(self._clock(), why, "INTERRUPTED"))
                metrics.IMPORT_RUNS.labels("failed").inc()
                return None
            await store.change(begun)
            return begun

    async def record(
        self,
        mine: Import,
        change: Callable[[Import], Import],
        videos: Sequence[StoredVideo] = (),
        seen: Sequence[str] = (),
        removed: Sequence[str] = (),
    ) -> Import:
        """Keep videos and a change together; what comes back may have been cancelled meanwhile.

        Args:
            mine: The import, as it was read last.
            change: Gives the import's next state.
            videos: Videos as they were read.
            seen: Ids of videos that count for the import.
            removed: Ids of stored videos that are there no longer.

        Raises:
            Superseded: Another worker has taken up the import.
        """
        async with self._open() as store:
            before = await self._locked(store, mine)
            await store.videos.save(videos)
            await store.videos.remove(removed)
            await store.see(mine.import_id, seen)
            if videos or seen:
                await store.recount(mine.import_id)
            now = await self._locked(store, mine)
            now = now.with_removed(len(removed))
            if now.checkpoint.videos_seen > before.checkpoint.videos_seen or removed:
                now = replace(now, attempts=0)
            now = change(now)
            if now.cancel_requested_at is not None and not now.has_ended:
                now = now.cancelled(self._clock())
            await self._end(store, now) if now.has_ended else await store.change(now)
            if now.state == "waiting":
                await store.jobs.run_import(now, now.retry_at)
        if now.state != "running":
            metrics.IMPORT_RUNS.labels(now.state).inc()
        return now

    async def forget_seen(self, mine: Import) -> None:
        """Let an import have seen no video, and found nothing.

        Raises:
            Superseded: Another worker has taken up the import.
        """
        async with self._open() as store:
            await self._locked(store, mine)
            await store.clear_seen_videos(mine.import_id)
            await store.recount(mine.import_id)

    async def finish(self, mine: Import, *, is_partial: bool) -> Import:
        """End an import well; it goes on when more was asked for while it ran."""
        async with self._open() as store:
            refusals = await store.refusals(mine.import_id)
            read_before = await store.read_before(mine.import_id, mine.created_at)

        def change(now: Import) -> Import:
            if now.cancel_requested_at is not None:
                return now
            if now.bounds != mine.bounds:
                return now.restarted()
            return now.done(self._clock(), refusals, read_before=read_before, is_partial=is_partial)

        return await self.record(mine, change)

    async def _locked(self, store: ImportStore, mine: Import) -> Import:
        import_ = await store.get(mine.import_id, lock=True)
        if import_ is None or import_.run != mine.run or import_.state != "running":
            raise Superseded
        return import_

    async def _end(self, store: ImportStore, ended: Import) -> None:
        await store.change(ended)
        await store.clear_seen_videos(ended.import_id)
        if ended.state == "done":
            await store.imported(ended, self._next_refresh())
            await follow_imported(store, ended)
        elif ended.dead_reason == ChannelNotFound.default_reason:
            await store.stop_refreshes(ended.channel_id)
        await slot_released(store, ended.import_id)
