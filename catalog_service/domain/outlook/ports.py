"""The port to the videos that an outlook rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from catalog_service.domain.outlook.samples import RecentVideo


@dataclass(frozen=True, slots=True)
class RecentVideos:
    """The number of a channel's videos by format, and the newest ones of each format."""

    counts: Mapping[str, int]
    videos: Sequence[RecentVideo]


class OutlookStore(Protocol):
    """Reads recent videos. May raise `Unavailable`."""

    async def recent_videos(self, youtuber: int, first: date, last: date) -> RecentVideos:
        """Return the youtuber's videos published on these days: all are counted, 1,000 of each format listed."""
        ...
