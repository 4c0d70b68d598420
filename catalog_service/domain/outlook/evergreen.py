"""How much videos are still seen after their first month."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catalog_service.domain.outlook.samples import AT_AGE, MIN_VIDEOS, RecentVideo, views_at

LATER_AGE: Final = 180


@dataclass(frozen=True, slots=True)
class Evergreen:
    """The ratio of later views to early ones, None for fewer than `MIN_VIDEOS`, and the number of videos behind it."""

    ratio: float | None
    videos: int


def evergreen(videos: Sequence[RecentVideo]) -> Evergreen:
    """Return the median over videos of (views at 180 days - views at 30 days) / views at 30 days; 1 is doubled.

    Only videos count whose snapshots tell the views at both ages.
    """
    ratios: list[float] = []
    for video in videos:
        early = views_at(AT_AGE, video.snapshots)
        later = views_at(LATER_AGE, video.snapshots)
        if early and later is not None:
            ratios.append((later - early) / early)
    return Evergreen(statistics.median(ratios) if len(ratios) >= MIN_VIDEOS else None, len(ratios))
