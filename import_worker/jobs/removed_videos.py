"""Remove the videos of a channel that its source no longer shows: deleted and private ones.

YouTube asks of its API's clients that they delete what it has deleted (Developer Policies, III.E.4).
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from import_worker.domain.imports import Import
from import_worker.domain.ingest import CatalogWriter, Record
from import_worker.domain.ports import ImportTransactions
from import_worker.domain.sources import Source
from import_worker.jobs import metrics
from import_worker.jobs.import_recorder import ImportRecorder
from servicekit.observability import logs
from shapes.catalog.ingest import VideoRemoval

_AT_ONCE: Final = 50
"""Videos that a source is asked for at once."""

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

    async def remove(self, import_: Import, *, is_whole: bool) -> int:
        """Remove stored videos that the import has not seen and the source does not return; return how many.

        Unless the import is whole, those alone that are as new as what it has seen. Unlisted videos are in no list of uploads, but
        are returned, and stay. A source with the newest videos alone cannot say.

        Raises:
            Superseded: Another worker has taken up the import.
            Unavailable: The source or the catalog does not respond.
        """
        if self._source.is_partial:
            return 0
        removed, after = 0, ""
        while True:
            async with self._open() as store:
                missing = await store.unseen_videos(
                    import_.import_id, import_.channel_id, after, _AT_ONCE, is_whole=is_whole
                )
            if not missing:
                break
            after = missing[-1]
            shown = {video.video_id for video in await self._source.videos(missing)}
            removed += await self._remove(import_, [id_ for id_ in missing if id_ not in shown])
        if removed:
            log.info("videos_removed", import_id=import_.import_id, videos=removed)
        return removed

    async def _remove(self, import_: Import, video_ids: Sequence[str]) -> int:
        if not video_ids:
            return 0
        report = await self._catalog.write(_removals(video_ids))
        refused = {rejection.index for rejection in report.rejected}
        for rejection in report.rejected:
            metrics.RECORDS_REFUSED.inc()
            log.warning(
                "record_rejected", record=video_ids[rejection.index], reason=rejection.reason
            )
        removed = [id_ for index, id_ in enumerate(video_ids) if index not in refused]
        await self._ledger.remove(import_, removed)
        return len(removed)


async def _removals(video_ids: Sequence[str]) -> AsyncIterator[Record]:
    for video_id in video_ids:
        yield VideoRemoval(video_id)
