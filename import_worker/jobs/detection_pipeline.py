"""Detection with the context of the whole channel, and writes of changed findings to the catalog."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from import_worker.detector import DETECTOR_VERSION, ChannelContext, channel_context
from import_worker.domain.ingest import CatalogWriter, Record
from import_worker.domain.ports import REFUSED, ImportTransactions, StoredVideo
from import_worker.domain.records import VideoRecord
from import_worker.domain.sources import SourceVideo
from import_worker.jobs import metrics
from import_worker.jobs.catalog_records import write_records
from import_worker.jobs.detections import DetectedVideo, records_of
from import_worker.jobs.proposals import propose_all
from import_worker.jobs.recent_proposals import RecentProposals
from import_worker.jobs.review import Review
from shapes.catalog.ingest import SponsorFact, YoutuberFact

_LEARNT_FROM: Final = 400
"""Videos that the context of a channel is learnt from; the detector reads no more."""

_BATCH: Final = 200

Keep = Callable[[Sequence[StoredVideo]], Awaitable[bool]]
"""Keeps what was read again; False ends the reading."""


class DetectionPipeline:
    """Reads texts: new ones from the source, and stored ones again.

    Args:
        open_store: The stored videos.
        catalog: Takes what was found.
        review: Decides on what the rules are unsure of; None for the rules alone.
    """

    def __init__(
        self, open_store: ImportTransactions, catalog: CatalogWriter, review: Review | None = None
    ) -> None:
        self._open = open_store
        self._catalog = catalog
        self._review = review
        self._recent = RecentProposals()

    async def read(
        self, channel_id: str, name: str, handle: str | None, videos: Sequence[SourceVideo],
        at: datetime,
    ) -> Sequence[DetectedVideo]:  # fmt: skip
        """Detect sponsors in videos that the source has just returned."""
        context = await self._context(channel_id, name, handle, videos)
        return await self._find("import", channel_id, [(video, at) for video in videos], context)

    async def write(
        self,
        findings: Sequence[DetectedVideo],
        known: Mapping[str, StoredVideo],
        about: YoutuberFact | None = None,
    ) -> Sequence[StoredVideo]:
        """Write those to the catalog that are not there as they are now; return all, to be kept.

        One that the catalog refuses counts no sponsorship, and is written again the next time.

        Raises:
            Unavailable: The catalog does not answer.
        """
        changed = [finding for finding in findings if _differs(finding, known)]
        sponsors = _distinct(sponsor for item in changed for sponsor in item.sponsors)
        records: list[Record] = [*sponsors.values()]
        records += [about] if about else []
        records += [item.record for item in changed]
        refused: dict[str, str] = {}
        for index, reason in (await write_records(self._catalog, records)).items():
            record = records[index]
            if isinstance(record, VideoRecord):
                refused[record.key] = f"{REFUSED}{reason}"
        return [
            replace(finding.stored, found=refused[finding.record.key], brands=(), sponsorships=None)
            if finding.record.key in refused
            else finding.stored
            for finding in findings
        ]

    async def read_again(self, channel_id: str, name: str, handle: str | None, keep: Keep) -> bool:
        """Read a channel's stored videos with all that is known of it now.

        Gives False when `keep` ended it.
        """
        async for stored, findings in self.detect_again(
            channel_id, name, handle, only_outdated=False
        ):
            known = {item.video.video_id: item for item in stored}
            written = await self.write(findings, known)
            if not await keep([item for item in written if item != known[item.video.video_id]]):
                return False
        return True

    async def detect_again(
        self,
        channel_id: str,
        name: str,
        handle: str | None,
        *,
        only_outdated: bool,
        after: str = "",
        dry_run: bool = False,
    ) -> AsyncIterator[tuple[Sequence[StoredVideo], Sequence[DetectedVideo]]]:
        """Yield a channel's stored videos from the one behind `after` in batches, with what is found now.

        A dry run costs nothing outside: of reviews it has what is stored of them.
        """
        context = await self._context(channel_id, name, handle, ())
        outdated = DETECTOR_VERSION if only_outdated else None
        while True:
            async with self._open() as store:
                stored = await store.videos.page(channel_id, after, _BATCH, outdated)
            if not stored:
                return
            after = stored[-1].video.video_id
            videos_read = [(item.video, item.read_at) for item in stored]
            yield (
                stored,
                await self._find("again", channel_id, videos_read, context, stored_only=dry_run),
            )

    async def _context(
        self, channel_id: str, name: str, handle: str | None, videos: Sequence[SourceVideo]
    ) -> ChannelContext:
        async with self._open() as store:
            stored = await store.videos.descriptions(channel_id, _LEARNT_FROM)
        new = {video.video_id: video.description for video in videos}
        texts = [*new.values(), *(text for video_id, text in stored if video_id not in new)]
        return await asyncio.to_thread(channel_context, name, texts, handle)

    async def _find(
        self,
        reason: str,
        channel_id: str,
        videos: Sequence[tuple[SourceVideo, datetime]],
        context: ChannelContext,
        *,
        stored_only: bool = False,
    ) -> Sequence[DetectedVideo]:
        with metrics.DETECTOR_SECONDS.time():
            proposed = await asyncio.to_thread(propose_all, videos, context, self._recent.propose)
        if self._review is not None:
            proposed = await self._review.review(
                channel_id, proposed, context, stored_only=stored_only
            )
        findings = await asyncio.to_thread(records_of, proposed)
        metrics.VIDEOS_READ.labels(reason).inc(len(findings))
        sponsorships = sum(len(finding.record.sponsorships) for finding in findings)
        metrics.SPONSORSHIPS_FOUND.labels(reason).inc(sponsorships)
        return findings


def _distinct(sponsors: Iterable[SponsorFact]) -> dict[str, SponsorFact]:
    """Return each sponsor once; what the rules found wins over what a second reader did."""
    distinct: dict[str, SponsorFact] = {}
    for sponsor in sponsors:
        if not (sponsor.only_if_new and sponsor.slug in distinct):
            distinct[sponsor.slug] = sponsor
    return distinct


def _differs(finding: DetectedVideo, known: Mapping[str, StoredVideo]) -> bool:
    before = known.get(finding.stored.video.video_id)
    return before is None or before.found != finding.stored.found
