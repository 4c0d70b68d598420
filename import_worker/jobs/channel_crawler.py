"""Read the uploads of a channel page by page, and their videos in batches."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from import_worker.domain.imports import Bounds, Checkpoint, Import
from import_worker.domain.page_path import PagePath
from import_worker.domain.ports import Clock, ImportTransactions, StoredVideo
from import_worker.domain.sources import (
    MAX_VIDEOS,
    Channel,
    Source,
    SourceVideo,
    Upload,
    UploadPage,
)
from import_worker.domain.view_ages import came_of_age
from import_worker.jobs.detection_pipeline import DetectionPipeline
from import_worker.jobs.detections import youtuber
from import_worker.jobs.import_recorder import ImportRecorder
from import_worker.jobs.policy import Policy
from import_worker.jobs.upload_pages import UploadPages


class ChannelCrawler:
    """From the checkpoint of an import to the last of the wanted uploads."""

    def __init__(
        self,
        open_store: ImportTransactions,
        recorder: ImportRecorder,
        source: Source,
        reader: DetectionPipeline,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._open = open_store
        self._recorder = recorder
        self._source = source
        self._reader = reader
        self._policy = policy
        self._clock = clock

    async def run(self, import_: Import, channel: Channel) -> Import:
        """Read pages until all are read or the import has ended.

        Raises:
            UploadsEndless: There is no last page.
            PageExpired: The import has to begin again at the first page.
        """
        path = PagePath()
        async with UploadPages.opened(self._source, channel) as pages:
            while not import_.has_ended and not import_.checkpoint.is_fully_read:
                if import_.checkpoint.page is None:
                    path = PagePath()
                page = await pages.page(import_.checkpoint.page)
                path.follow(import_.checkpoint.page, page, import_.checkpoint.uploads_read)
                following = _following(page, import_)
                if following.page is not None:
                    pages.request(following.page)
                import_ = await self._page(import_, channel, page, following)
        return import_

    async def read_again(self, import_: Import, channel: Channel) -> bool:
        """Detect again in all of a channel's videos, as the first pages were read before it was known as a whole.

        Return false if the import ended meanwhile.
        """

        async def keep(videos: Sequence[StoredVideo]) -> bool:
            now = await self._recorder.record(import_, _unchanged, videos)
            return not now.has_ended

        return await self._reader.read_again(
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
        read = await self._detect(videos, known, channel, category)
        return await self._recorder.record(
            import_, _unchanged, read, [item.video.video_id for item in read]
        )

    async def _page(
        self, import_: Import, channel: Channel, page: UploadPage, following: Checkpoint
    ) -> Import:
        bounds = import_.bounds
        uploads, _ = _wanted(page, bounds, import_.checkpoint.uploads_read)

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
        starts = range(0, len(uploads), MAX_VIDEOS)
        batches = [uploads[at : at + MAX_VIDEOS] for at in starts] or [()]
        for number, batch in enumerate(batches, start=1):
            videos, known = await self._read(import_, batch, channel, bounds)
            import_ = await self._recorder.record(
                import_,
                passed if number == len(batches) else _unchanged,
                videos,
                [*known, *(item.video.video_id for item in videos)],
            )
            if import_.has_ended:
                break
        return import_

    async def _read(
        self, import_: Import, batch: Sequence[Upload], channel: Channel, bounds: Bounds
    ) -> tuple[Sequence[StoredVideo], Sequence[str]]:
        """Return the videos that had to be read, and the ids of those that are known well enough."""
        now = self._clock()
        async with self._open() as store:
            stored = await store.videos.stored([upload.video_id for upload in batch])
            category = await store.videos.main_category(channel.channel_id)
            is_requested = bool(await store.requests(import_.import_id))
        known = {video.video.video_id: video for video in stored}
        fresh = self._fresh(known, now, import_.started_at if is_requested else None)
        missing = [upload.video_id for upload in batch if upload.video_id not in fresh]
        videos = await self._source.videos(missing) if missing else ()
        read = [video for video in videos if _is_wanted(video, channel, bounds)]
        category = category or _commonest(video.category_number for video in read)
        stored_now = await self._detect(read, known, channel, category)
        return stored_now, _wanted_ids(fresh, channel, bounds)

    async def _detect(
        self,
        videos: Sequence[SourceVideo],
        known: Mapping[str, StoredVideo],
        channel: Channel,
        category: int | None,
    ) -> Sequence[StoredVideo]:
        """Detect sponsors in videos that the source has returned, and write what is new to the catalog."""
        now = self._clock()
        findings = await self._reader.read(
            channel.channel_id, channel.title, channel.handle, videos, now
        )
        about = youtuber(channel, category, self._source.name, now)
        return await self._reader.write(findings, known, about)

    def _fresh(
        self, known: Mapping[str, StoredVideo], now: datetime, requested_at: datetime | None
    ) -> Mapping[str, StoredVideo]:
        """Return stored videos that need not be read again.

        Who asks for an import wants what is so now: then those alone that were read since its start, which was for it.
        """
        since = requested_at or now - self._policy.reread
        return {
            video_id: stored for video_id, stored in known.items() if _is_fresh(stored, now, since)
        }


def _is_fresh(stored: StoredVideo, now: datetime, since: datetime) -> bool:
    """Return whether a video was read since a moment, and reached no age at which views are compared since it was."""
    return stored.read_at >= since and not came_of_age(
        stored.video.published_at, stored.read_at, now
    )


def _wanted_ids(
    stored: Mapping[str, StoredVideo], channel: Channel, bounds: Bounds
) -> Sequence[str]:
    return [
        video_id for video_id, item in stored.items() if _is_wanted(item.video, channel, bounds)
    ]


def _commonest(categories: Iterable[int | None]) -> int | None:
    counted = Counter(category for category in categories if category is not None)
    return min(counted, key=lambda item: (-counted[item], item), default=None)


def _unchanged(now: Import) -> Import:
    return now


def _is_wanted(video: SourceVideo, channel: Channel, bounds: Bounds) -> bool:
    """A playlist may hold what is not the channel's; some sources date uploads by the video alone."""
    return video.channel_id == channel.channel_id and _is_since(video.published_at, bounds)


def _is_since(published_at: datetime | None, bounds: Bounds) -> bool:
    return bounds.since is None or published_at is None or published_at >= bounds.since


def _wanted(page: UploadPage, bounds: Bounds, uploads_read: int) -> tuple[tuple[Upload, ...], bool]:
    """Return the uploads of a page that are asked for, and whether no further page can have one."""
    uploads = page.uploads
    is_last = page.following is None
    if bounds.max_videos is not None:
        left = max(bounds.max_videos - uploads_read, 0)
        is_last = is_last or len(uploads) >= left
        uploads = uploads[:left]
    # The newest come first, a little out of order at times: the oldest of a page decides.
    if uploads and not _is_since(uploads[-1].published_at, bounds):
        is_last = True
    return tuple(upload for upload in uploads if _is_since(upload.published_at, bounds)), is_last


def _following(page: UploadPage, import_: Import) -> Checkpoint:
    """Return where an import is once a page is read."""
    _, is_last = _wanted(page, import_.bounds, import_.checkpoint.uploads_read)
    total = page.total
    if import_.bounds.max_videos is not None and total is not None:
        total = min(total, import_.bounds.max_videos)
    return Checkpoint(
        page=None if is_last else page.following,
        uploads_read=import_.checkpoint.uploads_read + len(page.uploads),
        is_fully_read=is_last,
        videos_total=None if import_.bounds.since else total,
    )
