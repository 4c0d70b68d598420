"""Fulfilment: the share of a channel's longform uploads that carry a sponsorship."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from catalog_service.domain import video_formats
from shapes.catalog.records import Fulfilment
from shapes.catalog.shared import Period

YEAR: Final = 365
"""Days of the window."""


@dataclass(frozen=True, slots=True)
class FormatCount:
    """Videos of a format, and those of them with paid work."""

    videos: int
    sponsored: int


_NONE: Final = FormatCount(0, 0)


def fulfilment(by_format: Mapping[str, FormatCount], period: Period | None) -> Fulfilment:
    """Return the fulfilment of the period, which is the 365 days until the channel's newest known video.

    rate = longform videos with paid work / longform videos. Videos whose format is not known are in neither, and are counted
    beside the rate; so are shorts and broadcasts.
    """
    longform = by_format.get(video_formats.LONGFORM, _NONE)
    unknown = by_format.get(video_formats.UNKNOWN, _NONE)
    all_videos = sum(count.videos for count in by_format.values())
    return Fulfilment(
        period=period,
        longform=longform.videos,
        sponsored=longform.sponsored,
        rate=longform.sponsored / longform.videos if longform.videos else None,
        unknown_format=unknown.videos,
        unknown_format_sponsored=unknown.sponsored,
        other_formats=all_videos - longform.videos - unknown.videos,
    )
