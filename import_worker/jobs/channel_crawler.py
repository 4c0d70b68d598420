"""Read the uploads of a channel page by page, and their videos in batches."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from import_worker.domain.imports import Checkpoint, Import
from import_worker.domain.page_path import PagePath
from import_worker.domain.ports import Clock, ImportTransactions, StoredVideo
from import_worker.domain.sources import Channel, Source, SourceVideo, UploadPage
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.detections import youtuber
from import_worker.jobs.import_recorder import ImportRecorder
from import_worker.jobs.policy import Policy
from import_worker.jobs.upload_pages import FetchedPage, UploadPages, wanted_of


class ChannelCrawler:
    """From the checkpoint of an import to the last of the wanted uploads."""

    def __init__(
        self,
        open_store: ImportTransactions,
        recorder: ImportRecorder,
        source: Source,
        pipeline: DetectionPipeline,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._recorder = recorder
        self._source = source
        self._pipeline = pipeline
        self._policy = policy
        self._clock = clock

    async def run(self, import_: Import, channel: Channel) -> Import:
        """Read pages until all are read or the import has ended.

        Raises:
            UploadsEndless: There is no last page.
            PageExpired: The import has to begin again at the first page.
        """
        path = PagePath()
        async with self._pages(channel).opened() as pages:
            while not import_.has_ended and not import_.checkpoint.is_fully_read:
                point = import_.checkpoint
                if point.page is None:
                    path = PagePath()
                fetched = await pages.fetch(import_)
                path.follow(point.page, fetched.page, point.uploads_read)
                following = _following(fetched.page, import_)
                if not following.is_fully_read:
                    pages.prefetch(import_, following)
                import_ = await self._process(import_, channel, fetched, following)
        return import_

    def _pages(self, channel: Channel) -> UploadPages:
        return UploadPages(self._open, self._source, self._policy, self._clock, channel)

    async def read_again(self, import_: Import, channel: Channel) -> bool:
        """Detect again in all of a channel's videos, as the first pages were read before it was known as a whole.

        Return false if the import ended meanwhile.
        """

        async def keep(videos: Sequence[StoredVideo]) -> bool:
            now = await self._recorder.record(import_, _unchanged, videos)
            return not now.has_ended

        return await self._pipeline.read_again(
            channel.channel_id, channel.title, channel.handle, keep
        )

    async def read_unlisted(
        self, import_: Import, channel: Channel, videos: Sequence[SourceVideo]
    ) -> Import:
        """Detect in stored videos that are in no list of uploads any more, and count them for the import."""
        async with self._open() as store:
            stored = await store.videos.stored([video.video_id for video in videos])
            category = await store.videos.main_category(channel.channel_id)
        known = {video.video.video_id: video for video in stored}
        read = await self._detect(videos, known, channel, category, self._clock())
        return await self._recorder.record(
            import_, _unchanged, read, [item.video.video_id for item in read]
        )

    async def _process(
        self, import_: Import, channel: Channel, fetched: FetchedPage, following: Checkpoint
    ) -> Import:
        """Detect in the videos of a page, and take the import to the one that follows."""
        bounds = import_.bounds

        def passed(now: Import) -> Import:
            if following.is_fully_read and now.bounds != bounds:  # more was asked for meanwhile
                return now.restarted()
            point = now.checkpoint
            return replace(
                now,
                checkpoint=replace(
                    following,
                    videos_seen=point.videos_seen,
                    sponsorships=point.sponsorships,
                    videos_removed=point.videos_removed,
                ),
            )

        # A wish to cancel is seen after each batch.
        for number, batch in enumerate(fetched.batches, start=1):
            async with self._open() as store:
                category = await store.videos.main_category(channel.channel_id)
            category = category or _commonest(video.category_number for video in batch.videos)
            videos = await self._detect(batch.videos, batch.known, channel, category, batch.read_at)
            import_ = await self._recorder.record(
                import_,
                passed if number == len(fetched.batches) else _unchanged,
                videos,
                [*batch.fresh, *(item.video.video_id for item in videos)],
            )
            if import_.has_ended:
                break
        return import_

    async def _detect(
        self,
        videos: Sequence[SourceVideo],
        known: Mapping[str, StoredVideo],
        channel: Channel,
        category: int | None,
        read_at: datetime,
    ) -> Sequence[StoredVideo]:
        """Detect sponsors in videos that the source has returned, and write what is new to the catalog."""
        findings = await self._pipeline.read(
            channel.channel_id, channel.title, channel.handle, videos, read_at
        )
        about = youtuber(channel, category, self._source.name, read_at)
        return await self._pipeline.write(findings, known, about)


def _commonest(categories: Iterable[int | None]) -> int | None:
    counted = Counter(category for category in categories if category is not None)
    return min(counted, key=lambda item: (-counted[item], item), default=None)


def _unchanged(now: Import) -> Import:
    return now


def _following(page: UploadPage, import_: Import) -> Checkpoint:
    """Return where an import is once a page is read."""
    _, is_last = wanted_of(page, import_.bounds, import_.checkpoint.uploads_read)
    total = page.total
    if import_.bounds.max_videos is not None and total is not None:
        total = min(total, import_.bounds.max_videos)
    return Checkpoint(
        page=None if is_last else page.following,
        uploads_read=import_.checkpoint.uploads_read + len(page.uploads),
        is_fully_read=is_last,
        videos_total=None if import_.bounds.since else total,
    )
