"""A source and a catalog at our own ports, that fail on demand."""

from collections.abc import AsyncIterable, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from import_worker.domain.ingest import IngestReport, Record, Rejection
from import_worker.domain.records import VideoRecord
from import_worker.domain.segments import Segment
from import_worker.domain.sources import (
    Channel,
    ChannelNotFound,
    Reference,
    SourceVideo,
    Upload,
    UploadPage,
)
from shapes.catalog.ingest import SponsorshipFact, VideoRemoval

START = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=6)
"""The tests' clock: six hours ahead, so that the job queue never runs a delayed job by itself."""
PAGE = 50


def channel_id(number: int) -> str:
    return f"UC{number:022d}"


def some_videos(channel: str, count: int, prefix: str = "v") -> list[SourceVideo]:
    """Videos, newest first; every second one has a sponsor."""
    return [
        SourceVideo(
            video_id=f"{prefix}{number:010d}",
            channel_id=channel,
            title=f"Episode {number}",
            description="Sponsored by NordVPN." if number % 2 == 0 else "A walk by the lake.",
            published_at=START - timedelta(days=1 + number),
            category_number=22,
            duration_seconds=600,
            views=1_000,
            language="en",
            declares_placement=None,
        )
        for number in range(count)
    ]


@dataclass
class FakeSource:
    """Channels in memory. `failures` are raised one by one, before a response."""

    name: str = "youtube-api"
    is_partial: bool = False
    channels: dict[str, list[SourceVideo]] = field(default_factory=dict[str, list[SourceVideo]])
    failures: dict[str, list[Exception]] = field(default_factory=dict[str, list[Exception]])
    handles: dict[str, str] = field(default_factory=dict[str, str])
    unlisted: set[str] = field(default_factory=set[str])
    requested_videos: list[str] = field(default_factory=list[str])
    requested_pages: list[str | None] = field(default_factory=list[str | None])
    on_videos: Callable[[], Awaitable[object]] | None = None

    async def resolve(self, reference: Reference) -> Channel:
        self._fail("resolve")
        channel = self.handles.get(reference.value, reference.value)
        if channel not in self.channels:
            raise ChannelNotFound(f"There is no channel {reference.value}.")
        count = len(self.channels[channel])
        return Channel(channel, "Lakeside Diary", None, "", "NO", 10, count, channel)

    async def uploads(self, channel: Channel, page: str | None) -> UploadPage:
        self.requested_pages.append(page)
        self._fail("uploads")
        videos = [
            video
            for video in self.channels[channel.channel_id]
            if video.video_id not in self.unlisted
        ]
        first = int(page or 0)
        shown = tuple(Upload(v.video_id, v.published_at) for v in videos[first : first + PAGE])
        following = str(first + PAGE) if first + PAGE < len(videos) else None
        return UploadPage(shown, following, len(videos))

    async def videos(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        assert len(video_ids) <= 50
        self.requested_videos += video_ids
        self._fail("videos")
        if self.on_videos is not None:
            await self.on_videos()
        known = {video.video_id: video for all_of in self.channels.values() for video in all_of}
        return [known[item] for item in video_ids if item in known]

    def _fail(self, method: str) -> None:
        waiting = self.failures.get(method, [])
        if waiting:
            error = waiting.pop(0)
            if not isinstance(error, NoFailure):
                raise error


@dataclass
class FakeSegments:
    """Looks segments up in memory."""

    segments_by_id: dict[str, tuple[Segment, ...]] = field(
        default_factory=dict[str, tuple[Segment, ...]]
    )

    async def segments(self, videos: Sequence[SourceVideo]) -> dict[str, tuple[Segment, ...]]:
        wanted = {video.video_id for video in videos}
        return {key: segments for key, segments in self.segments_by_id.items() if key in wanted}


class NoFailure(Exception):  # noqa: N818
    """Stands for a response that succeeds, in a list of failures."""


@dataclass
class FakeCatalog:
    """Stores the writes. `failures` are raised one by one, instead of writing."""

    failures: list[Exception] = field(default_factory=list[Exception])
    writes: list[list[Record]] = field(default_factory=list[list[Record]])
    after_write: Exception | None = None
    refuses: frozenset[str] = frozenset()
    on_write: Callable[[], Awaitable[object]] | None = None

    async def write(self, records: AsyncIterable[Record]) -> IngestReport:
        if self.failures:
            raise self.failures.pop(0)
        if self.on_write is not None:
            await self.on_write()
        received = [record async for record in records]
        self.writes.append(received)
        if self.after_write is not None:
            error, self.after_write = self.after_write, None
            raise error
        refused = tuple(
            Rejection(index, "not wanted")
            for index, record in enumerate(received)
            if isinstance(record, VideoRecord | VideoRemoval) and record.key in self.refuses
        )
        return IngestReport(len(received) - len(refused), 0, 0, refused)

    def video_records(self) -> list[VideoRecord]:
        """Return the videos of all writes, with repetitions."""
        written = (record for write in self.writes for record in write)
        return [record for record in written if isinstance(record, VideoRecord)]

    def sponsorships(self) -> dict[str, tuple[SponsorshipFact, ...]]:
        """Return the sponsorships of the videos, as they were written last."""
        return {record.key: record.sponsorships for record in self.video_records()}

    @property
    def removed(self) -> list[str]:
        """Return the ids of removed videos, with repetitions."""
        written = (record for write in self.writes for record in write)
        return [record.key for record in written if isinstance(record, VideoRemoval)]

    @property
    def videos(self) -> list[str]:
        """Return the ids of written videos, with repetitions."""
        return [str(record.video_id) for record in self.video_records()]
