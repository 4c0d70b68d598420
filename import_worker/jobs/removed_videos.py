"""Remove the videos of a channel that its source no longer shows: deleted and private ones.

YouTube asks of its API's clients that they refresh or delete what they store (Developer Policies, III.E.4).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from import_worker.domain.imports import Bounds, Import
from import_worker.domain.ingest import CatalogWriter
from import_worker.domain.ports import ImportTransactions
from import_worker.domain.sources import MAX_VIDEOS, Source, SourceVideo
from import_worker.jobs.catalog_records import write_records
from import_worker.jobs.import_recorder import ImportRecorder
from servicekit.observability import logs
from shapes.catalog.ingest import VideoRemoval

ReadUnlisted = Callable[[Import, Sequence[SourceVideo]], Awaitable[Import]]
"""Reads videos that are in no list, for an import; what comes back may have been cancelled meanwhile."""

_WRITTEN_AT_ONCE: Final = 1_000
"""Removals of one transaction of the catalogue, which counts the channel anew."""

log = logs.get(__name__)


class RemovedVideos:
    """Compares stored videos with those that an import has seen in the list of uploads."""

    def __init__(
        self,
        open_store: ImportTransactions,
        recorder: ImportRecorder,
        source: Source,
        catalog: CatalogWriter,
    ) -> None:
        self._open = open_store
        self._recorder = recorder
        self._source = source
        self._catalog = catalog

    async def remove(self, import_: Import, read: ReadUnlisted) -> Import:
        """Remove stored videos that the import has not seen and the source does not return; have the others read.

        An import with bounds compares only the videos within them. Unlisted videos are in no list of uploads, but the source
        returns them by id. With a source that has only the newest videos nothing is removed.

        Returns:
            The import, which may have been cancelled meanwhile.

        Raises:
            Superseded: Another worker has taken up the import.
            Unavailable: The source or the catalog does not respond.
        """
        gone: list[str] = []
        async for missing in self._unseen(import_):
            shown = await self._source.videos(missing)
            if shown:
                import_ = await read(import_, shown)
                if import_.has_ended:
                    return import_
            gone += sorted({*missing} - {video.video_id for video in shown})
            if len(gone) >= _WRITTEN_AT_ONCE:
                import_, gone = await self._write(import_, gone), []
            if import_.has_ended:
                return import_
        return await self._write(import_, gone)

    async def remove_all(self, import_: Import) -> None:
        """Remove the videos of a channel that the source no longer has, those that the import has seen before among them."""
        await self._recorder.forget_seen(import_)
        await self.remove(replace(import_, bounds=Bounds()), _read_none)

    async def _unseen(self, import_: Import) -> AsyncIterator[Sequence[str]]:
        """Yield ids of stored videos that the import has not seen, as many at once as a source is asked for."""
        after = ""
        while not self._source.is_partial:
            async with self._open() as store:
                missing = await store.unseen_videos(import_, after, MAX_VIDEOS)
            if not missing:
                return
            after = missing[-1]
            yield missing

    async def _write(self, import_: Import, video_ids: Sequence[str]) -> Import:
        refused = await write_records(self._catalog, [VideoRemoval(key) for key in video_ids])
        removed = [key for index, key in enumerate(video_ids) if index not in refused]
        if removed:
            log.info("videos_removed", import_id=import_.import_id, videos=len(removed))
            return await self._recorder.record(import_, lambda now: now, removed=removed)
        return import_


async def _read_none(import_: Import, _videos: Sequence[SourceVideo]) -> Import:
    return import_
