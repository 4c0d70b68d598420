"""A source whose videos have the segments that viewers marked as a sponsor's."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from import_worker.domain.segments import Segment
from import_worker.domain.sources import Channel, Reference, Source, SourceVideo, UploadPage


class SegmentLookup(Protocol):
    """Looks segments up; it never fails, and leaves out videos of which it learnt nothing."""

    async def segments(self, videos: Sequence[SourceVideo]) -> Mapping[str, tuple[Segment, ...]]:
        """Return the sponsors' segments of videos by the videos' ids, () for those without any."""
        ...


class SegmentedSource:
    """`Source` that adds segments to the videos of another."""

    def __init__(self, source: Source, lookup: SegmentLookup) -> None:
        self._source = source
        self._lookup = lookup

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def is_partial(self) -> bool:
        return self._source.is_partial

    async def resolve(self, reference: Reference) -> Channel:
        return await self._source.resolve(reference)

    async def uploads(self, channel: Channel, page: str | None) -> UploadPage:
        return await self._source.uploads(channel, page)

    async def videos(self, video_ids: Sequence[str]) -> Sequence[SourceVideo]:
        videos = await self._source.videos(video_ids)
        segments = await self._lookup.segments(videos)
        return [replace(video, segments=segments.get(video.video_id)) for video in videos]
