"""Projected views of the next video: the typical views of the recent ones, and intervals around them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final, Self

PRIOR_VIDEOS: Final = 2.0
PRIOR_SPREAD: Final = 1.0
"""The spread of the logarithms of views that a channel is taken to have before its videos are seen, and the number of videos
that this counts for. 1.0 is the median over the earlier videos of whole channels (tests/outlook/backtest.py)."""

_MAX_DEVIATIONS: Final = 3.0
_MAD_TO_SPREAD: Final = 1.4826
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    def holds(self, views: float) -> bool:
        return self.low <= views <= self.high


@dataclass(frozen=True, slots=True)
class Projection:
    """Views that the next video is expected to have, with the intervals that hold them with a probability of 50 and 80 %.

    `outliers` are the videos that `views` leaves out; the intervals count them.
    """

    views: float
    interval_50: Interval
    interval_80: Interval
    outliers: int

    def below(self, reached: float) -> Self:
        """Return it with an interval of 80 % that begins at what one video reaches with a probability of 0.8, or lower.

        Nine of ten videos are above its low end, so that it cannot be higher, as it would be where few videos are far below
        the others.
        """
        low = min(self.interval_80.low, reached)
        return replace(self, interval_80=replace(self.interval_80, low=low))


def project(views: Sequence[float]) -> Projection:
    """Return the projection from the views of recent videos of one format, two or more, in any order."""
    logs = logarithms(views)
    typical = without_outliers(logs)
    centre = statistics.median(typical)
    return Projection(
        math.exp(centre),
        _interval(logs, centre, 0.5),
        _interval(logs, centre, 0.8),
        len(logs) - len(typical),
    )


def without_outliers(logs: Sequence[float]) -> Sequence[float]:
    """Return the logarithms x with |x - m| <= 3 · 1.4826 · MAD, m the median and MAD the median of |x - m|.

    All of them if MAD is 0, as it is where more than half are equal.
    """
    median = statistics.median(logs)
    spread = _MAD_TO_SPREAD * statistics.median(abs(item - median) for item in logs)
    if not spread:
        return logs
    return [item for item in logs if abs(item - median) <= _MAX_DEVIATIONS * spread]


def _interval(logs: Sequence[float], centre: float, probability: float) -> Interval:
    """Return exp(c ± t · s · √(1 + π / 2n)), c the centre, s the `spread`, n the number of videos.

    t is Student's at (1 + probability) / 2 with k + n - 1 degrees of freedom, k the videos that the prior counts for. 1 is for
    the next video itself, π / 2n for the median, whose variance is that much of a video's.
    """
    degrees = PRIOR_VIDEOS + len(logs) - 1
    deviations = student_t((1 + probability) / 2, degrees)
    width = deviations * spread(logs, centre) * math.sqrt(1 + math.pi / 2 / len(logs))
    return Interval(math.exp(centre - width), math.exp(centre + width))


def spread(logs: Sequence[float], centre: float) -> float:
    """Return √((k · s₀² + Σ (x - c)²) / (k + n - 1)): the sample's spread about c, drawn towards the prior s₀ of k videos."""
    squares = sum((item - centre) ** 2 for item in logs)
    prior = PRIOR_VIDEOS * PRIOR_SPREAD**2
    return math.sqrt((prior + squares) / (PRIOR_VIDEOS + len(logs) - 1))


def student_t(probability: float, degrees: float) -> float:
    """Return the quantile of Student's t with ν degrees of freedom, 3 or more, by that of the normal distribution z.

    z + (z³ + z) / 4ν + (5z⁵ + 16z³ + 3z) / 96ν² + (3z⁷ + 19z⁵ + 17z³ - 15z) / 384ν³ (Abramowitz and Stegun, 26.7.5): at
    the probabilities used here within 1 % of it.
    """
    z = _NORMAL.inv_cdf(probability)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3


def logarithms(views: Sequence[float]) -> list[float]:
    """Return ln(views) in ascending order; a video that nobody saw counts as seen once."""
    return sorted(math.log(max(item, 1.0)) for item in views)
