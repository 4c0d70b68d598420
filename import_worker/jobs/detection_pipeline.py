"""Detection with the context of the whole channel, and writes of changed findings to the catalog."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from import_worker.detector import DETECTOR_VERSION, ChannelContext, channel_context
from import_worker.domain.ingest import CatalogWriter, IngestReport, Record
from import_worker.domain.ports import ImportTransactions, StoredVideo
from import_worker.domain.records import VideoRecord
from import_worker.domain.sources import SourceVideo
from import_worker.jobs import metrics
from import_worker.jobs.detections import DetectedSponsorship, find
from servicekit.observability import logs
from shapes.catalog.ingest import SponsorFact, YoutuberFact

_LEARNT_FROM: Final = 400
"""Videos that the context of a channel is learnt from; the detector reads no more."""

_BATCH: Final = 200
_NOTHING: Final = IngestReport(0, 0, 0, ())

log = logs.get(__name__)

Keep = Callable[[Sequence[StoredVideo]], Awaitable[bool]]
"""Keeps what was read again; False ends the reading."""


class DetectionPipeline:
    """Reads texts: new ones from the source, and stored ones again."""

    def __init__(self, open_store: ImportTransactions, catalog: CatalogWriter) -> None:
        self._open = open_store
        self._catalog = catalog

    async def read(
        self, channel_id: str, name: str, handle: str | None, videos: Sequence[SourceVideo],
        at: datetime,
    ) -> Sequence[DetectedSponsorship]:  # fmt: skip
        """Detect sponsors in videos that the source has just returned."""
        context = await self._context(channel_id, name, handle, videos)
        return await _counted("import", [(video, at) for video in videos], context)

    async def write(
        self,
        findings: Sequence[DetectedSponsorship],
        known: Mapping[str, StoredVideo],
        about: YoutuberFact | None = None,
    ) -> Sequence[StoredVideo]:
        """Writes those to the catalog that are not there as they are now; gives all, to be kept.

        One that the catalog refuses counts no sponsorship, and is written again the next time.

        Raises:
            Unavailable: The catalog does not answer.
        """
        changed = [finding for finding in findings if _differs(finding, known)]
        sponsors = {sponsor.slug: sponsor for item in changed for sponsor in item.sponsors}
        records: list[Record] = [*sponsors.values()]
        records += [about] if about else []
        records += [item.record for item in changed]
        refused: set[str] = set()
        report = await self._catalog.write(_each(records)) if records else _NOTHING
        for rejection in report.rejected:
            record = records[rejection.index]
            metrics.RECORDS_REFUSED.inc()
            log.warning("record_rejected", record=_name(record), reason=rejection.reason)
            if isinstance(record, VideoRecord):
                refused.add(record.key)
        return [
            replace(finding.stored, found="", brands=())
            if finding.record.key in refused
            else finding.stored
            for finding in findings
        ]

    async def read_again(
        self, channel_id: str, name: str, handle: str | None, keep: Keep, *, only_outdated: bool
    ) -> bool:
        """Reads a channel's stored videos with all that is known of it now.

        Gives False when `keep` ended it.
        """
        context = await self._context(channel_id, name, handle, ())
        outdated = DETECTOR_VERSION if only_outdated else None
        after = ""
        while True:
            async with self._open() as store:
                stored = await store.videos.page(channel_id, after, _BATCH, outdated)
            if not stored:
                return True
            after = stored[-1].video.video_id
            videos_read = [(item.video, item.read_at) for item in stored]
            findings = await _counted("again", videos_read, context)
            known = {item.video.video_id: item for item in stored}
            written = await self.write(findings, known)
            if not await keep([item for item in written if item != known[item.video.video_id]]):
                return False

    async def _context(
        self, channel_id: str, name: str, handle: str | None, videos: Sequence[SourceVideo]
    ) -> ChannelContext:
        async with self._open() as store:
            stored = await store.videos.descriptions(channel_id, _LEARNT_FROM)
        new = {video.video_id: video.description for video in videos}
        texts = [*new.values(), *(text for video_id, text in stored if video_id not in new)]
        return await asyncio.to_thread(channel_context, name, texts, handle)


async def _counted(
    reason: str, videos: Sequence[tuple[SourceVideo, datetime]], context: ChannelContext
) -> Sequence[DetectedSponsorship]:
    with metrics.DETECTOR_SECONDS.time():
        findings = await asyncio.to_thread(find, videos, context)
    metrics.VIDEOS_READ.labels(reason).inc(len(findings))
    sponsorships = sum(len(finding.record.sponsorships) for finding in findings)
    metrics.SPONSORSHIPS_FOUND.labels(reason).inc(sponsorships)
    return findings


def _name(record: Record) -> str:
    return record.slug if isinstance(record, SponsorFact) else record.key


def _differs(finding: DetectedSponsorship, known: Mapping[str, StoredVideo]) -> bool:
    before = known.get(finding.stored.video.video_id)
    return before is None or before.found != finding.stored.found


async def _each(records: Iterable[Record]) -> AsyncIterator[Record]:
    for record in records:
        yield record
