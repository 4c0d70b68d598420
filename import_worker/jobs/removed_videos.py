"""Remove the videos of a channel that its source no longer shows: deleted and private ones.

YouTube asks of its API's clients that they refresh or delete what they store (Developer Policies, III.E.4).
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from import_worker.domain.imports import Import
from import_worker.domain.ingest import CatalogWriter
from import_worker.domain.ports import ImportTransactions
from import_worker.domain.sources import MAX_VIDEOS, Source
from import_worker.jobs.catalog_records import write_records
from import_worker.jobs.import_recorder import ImportRecorder
from servicekit.observability import logs
from shapes.catalog.ingest import VideoRemoval

_WRITTEN_AT_ONCE: Final = 1_000
"""Removals of one transaction of the catalogue, which counts the channel anew."""

log = logs.get(__name__)


class RemovedVideos:
    """Compares stored videos with those that an import has seen in the list of uploads."""

    def __init__(
        self,
        open_store: ImportTransactions,
        ledger: ImportRecorder,
        source: Source,
        catalog: CatalogWriter,
    ) -> None:
        self._open = open_store
        self._ledger = ledger
        self._source = source
        self._catalog = catalog

    async def remove(self, import_: Import, *, is_whole: bool) -> tuple[Import, int]:
        """Remove stored videos that the import has not seen and the source does not return.

        Unless the import is whole, those alone that are as new as what it has seen. Unlisted videos are in no list of uploads, but are
        returned, and stay as they were read. A source with the newest videos alone cannot say.

        Returns:
            The import, which may have been cancelled meanwhile, and how many were removed.

        Raises:
            Superseded: Another worker has taken up the import.
            Unavailable: The source or the catalog does not respond.
        """
        removed, gone = 0, list[str]()
        async for missing in self._unseen(import_, is_whole=is_whole):
            shown = {video.video_id for video in await self._source.videos(missing)}
            gone += [video_id for video_id in missing if video_id not in shown]
            if len(gone) >= _WRITTEN_AT_ONCE:
                import_, number = await self._write(import_, gone)
                removed, gone = removed + number, []
            if import_.has_ended:
                return import_, removed
        import_, number = await self._write(import_, gone)
        return import_, removed + number

    async def remove_all(self, import_: Import) -> None:
        """Remove the videos of a channel that the source no longer has, those that the import has seen before among them."""
        async with self._open() as store:
            await store.clear_seen_videos(import_.import_id)
        await self.remove(import_, is_whole=True)

    async def _unseen(self, import_: Import, *, is_whole: bool) -> AsyncIterator[Sequence[str]]:
        """Yield ids of stored videos that the import has not seen, as many at once as a source is asked for."""
        after = ""
        while not self._source.is_partial:
            async with self._open() as store:
                missing = await store.unseen_videos(
                    import_.import_id, import_.channel_id, after, MAX_VIDEOS, is_whole=is_whole
                )
            if not missing:
                return
            after = missing[-1]
            yield missing

    async def _write(self, import_: Import, video_ids: Sequence[str]) -> tuple[Import, int]:
        refused = await write_records(self._catalog, [VideoRemoval(key) for key in video_ids])
        removed = [key for index, key in enumerate(video_ids) if index not in refused]
        if removed:
            import_ = await self._ledger.record(import_, lambda now: now, removed=removed)
            log.info("videos_removed", import_id=import_.import_id, videos=len(removed))
        return import_, len(removed)
