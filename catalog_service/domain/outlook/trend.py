"""Whether a format's views rise or fall: the last 120 days against the 120 days before."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from catalog_service.domain.outlook import projection
from catalog_service.domain.outlook.projection import Interval
from catalog_service.domain.outlook.samples import (
    DAY_30,
    MIN_VIDEOS,
    RecentVideo,
    Sample,
    published,
)

HALF_DAYS: Final = 120
RISING: Final = "rising"
FALLING: Final = "falling"
STEADY: Final = "steady"
TOO_LITTLE_TO_SAY: Final = "too_little_to_say"
_DEVIATIONS: Final = 1.645
"""90 % of a normal distribution lie within so many standard deviations."""

_STEADY: Final = 1.5
_LIKE_AGES: Final = 2


@dataclass(frozen=True, slots=True)
class Trend:
    """The direction, the ratio of the later median to the earlier one, its interval of 90 %, the videos of both; why there is none."""

    direction: str | None
    ratio: float | None
    interval: Interval | None
    videos: int
    earlier_videos: int
    reason: str | None


def trend(videos: Sequence[RecentVideo], basis: str, newest: date) -> Trend:
    """Return median(views of the last 120 days) / median(views of the 120 days before), and the direction it shows.

    Views are of the projection's basis. Those of the last look are compared only where no video had more than twice the age of
    another when they were counted, as the views of older videos have had longer to grow.
    """
    middle = newest - timedelta(days=HALF_DAYS)
    later = published(videos, basis, middle + timedelta(days=1), newest)
    until_middle = [video for video in videos if video.published_on <= middle]
    earlier = published(until_middle, basis, middle - timedelta(days=HALF_DAYS), newest)
    counts = len(later.views), len(earlier.views)
    reason = _reason(later, earlier)
    if reason is not None:
        return Trend(None, None, None, *counts, reason)
    ratio, interval = compared(later.views, earlier.views)
    return Trend(direction(interval), ratio, interval, *counts, None)


def compared(later: Sequence[float], earlier: Sequence[float]) -> tuple[float, Interval]:
    """Return the ratio of the medians, e^d, and its interval of 90 %: exp(d ± 1.645 · √(π/2 · (s² / m + r² / n))).

    s and r are the `spread` of the logarithms of m later and n earlier views; π / 2n is a median's part of the variance.
    """
    logs = [projection.logarithms(views) for views in (later, earlier)]
    medians = [statistics.median(values) for values in logs]
    variances = [
        projection.spread(values, median) ** 2 / len(values)
        for values, median in zip(logs, medians, strict=True)
    ]
    change = medians[0] - medians[1]
    width = _DEVIATIONS * math.sqrt(math.pi / 2 * sum(variances))
    return math.exp(change), Interval(math.exp(change - width), math.exp(change + width))


def direction(interval: Interval) -> str:
    """Return rising above 1, falling below 1, steady within 2/3 and 3/2: where all of the interval is."""
    if interval.low > 1:
        return RISING
    if interval.high < 1:
        return FALLING
    is_steady = interval.low >= 1 / _STEADY and interval.high <= _STEADY
    return STEADY if is_steady else TOO_LITTLE_TO_SAY


def _reason(later: Sample, earlier: Sample) -> str | None:
    if min(len(later.views), len(earlier.views)) < MIN_VIDEOS:
        return (
            f"It needs {MIN_VIDEOS} videos with views in each of two halves of {HALF_DAYS} days; there are "
            f"{len(later.views)} and {len(earlier.views)}."
        )
    if later.basis == DAY_30:
        return None
    ends = (later.youngest, earlier.youngest, later.oldest, earlier.oldest)
    ages = [age for age in ends if age is not None]
    if len(ages) < len(ends):
        return "The ages at which the views were counted are not known, and older videos have had longer to be seen."
    if max(ages) > _LIKE_AGES * min(ages):
        return (
            f"The views were counted at ages from {min(ages)} to {max(ages)} days: older videos have had longer to be seen. "
            "It takes snapshots at day 30."
        )
    return None
