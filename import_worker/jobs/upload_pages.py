"""Pages of a channel's uploads with their videos, of which the next one is fetched while the one before is worked on."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from import_worker.domain.imports import Bounds, Checkpoint, Import
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
from import_worker.jobs.policy import Policy


@dataclass(frozen=True, slots=True)
class FetchedBatch:
    """Some uploads of a page.

    Attributes:
        read_at: When the source was asked about it.
        known: Those whose video was stored before, by its id.
        fresh: Ids of the known ones that need not be read again.
        videos: What the source says of the others that the import wants.
    """

    read_at: datetime
    known: Mapping[str, StoredVideo]
    fresh: tuple[str, ...]
    videos: tuple[SourceVideo, ...]


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page of uploads and its batches, of which there is one at least; YouTube's pages have one.

    `is_requested` says whether somebody had requested the import when the page was fetched, and not only its schedule.
    """

    page: UploadPage
    is_requested: bool
    batches: tuple[FetchedBatch, ...]


class UploadPages:
    """The pages of one import. At most one is prefetched; `opened` ends that with its block."""

    def __init__(
        self,
        open_store: ImportTransactions,
        source: Source,
        policy: Policy,
        clock: Clock,
        channel: Channel,
    ) -> None:
        self._open = open_store
        self._source = source
        self._policy = policy
        self._clock = clock
        self._channel = channel
        self._prefetched: tuple[tuple[str | None, Bounds], asyncio.Task[FetchedPage]] | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Self]:
        try:
            yield self
        finally:
            await self._drop()

    async def fetch(self, import_: Import) -> FetchedPage:
        """Return the page that an import is at. It fails as `Source.uploads` and `Source.videos` do."""
        point = import_.checkpoint
        if self._prefetched is not None and self._prefetched[0] == (point.page, import_.bounds):
            _, task = self._prefetched
            self._prefetched = None
            fetched = await task
            if fetched.is_requested or not await self._is_requested(import_):
                return fetched
        await self._drop()  # more is wanted of it meanwhile, or it is read from the begin again
        return await self._fetch(import_, point)

    def prefetch(self, import_: Import, point: Checkpoint) -> None:
        """Begin to fetch the page that an import will be at; how that fails is for who wants it."""
        task = asyncio.ensure_future(self._fetch(import_, point))
        self._prefetched = (point.page, import_.bounds), task

    async def _fetch(self, import_: Import, point: Checkpoint) -> FetchedPage:
        is_requested = await self._is_requested(import_)
        page = await self._source.uploads(self._channel, point.page)
        uploads, _ = wanted_of(page, import_.bounds, point.uploads_read)
        starts = range(0, len(uploads), MAX_VIDEOS)
        batches = [uploads[at : at + MAX_VIDEOS] for at in starts] or [()]
        requested_at = import_.started_at if is_requested else None
        fetched = [await self._batch(batch, import_.bounds, requested_at) for batch in batches]
        return FetchedPage(page, is_requested, tuple(fetched))

    async def _is_requested(self, import_: Import) -> bool:
        async with self._open() as store:
            return bool(await store.requests(import_.import_id))

    async def _batch(
        self, uploads: Sequence[Upload], bounds: Bounds, requested_at: datetime | None
    ) -> FetchedBatch:
        now = self._clock()
        async with self._open() as store:
            stored = await store.videos.stored([upload.video_id for upload in uploads])
        known = {video.video.video_id: video for video in stored}
        fresh = self._fresh(known, now, requested_at)
        missing = [upload.video_id for upload in uploads if upload.video_id not in fresh]
        found = await self._source.videos(missing) if missing else ()
        return FetchedBatch(
            now,
            known,
            tuple(
                video_id for video_id, item in fresh.items() if self._is_wanted(item.video, bounds)
            ),
            tuple(video for video in found if self._is_wanted(video, bounds)),
        )

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

    def _is_wanted(self, video: SourceVideo, bounds: Bounds) -> bool:
        """A playlist may hold what is not the channel's; some sources date uploads by the video alone."""
        is_own = video.channel_id == self._channel.channel_id
        return is_own and _is_since(video.published_at, bounds)

    async def _drop(self) -> None:
        if self._prefetched is not None:
            _, task = self._prefetched
            self._prefetched = None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def wanted_of(
    page: UploadPage, bounds: Bounds, uploads_read: int
) -> tuple[tuple[Upload, ...], bool]:
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


def _is_since(published_at: datetime | None, bounds: Bounds) -> bool:
    return bounds.since is None or published_at is None or published_at >= bounds.since


def _is_fresh(stored: StoredVideo, now: datetime, since: datetime) -> bool:
    """Return whether a video was read since a moment, and reached no age at which views are compared since it was."""
    return stored.read_at >= since and not came_of_age(
        stored.video.published_at, stored.read_at, now
    )
