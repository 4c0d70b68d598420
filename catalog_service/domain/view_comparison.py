"""Views of sponsored videos against the other videos of the same channel and calendar year.

A channel grows, and its share of sponsored videos with it: medians over all years would compare the
views of its small years with those of its large ones (Simpson's paradox). So each year is compared
with itself.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shapes.catalog.youtubers import FormatVideos, ViewComparison

MIN_VIDEOS: Final = 3
"""Sponsored videos, and others, that a year needs to be compared."""

LATEST_OBSERVATION: Final = "last_look"
"""Views are those of the last look at each video, at whatever age it had."""


@dataclass(frozen=True, slots=True)
class YearViews:
    """Videos of a calendar year whose views are known, and their number by format; a median of no videos is None."""

    year: int
    sponsored_videos: int
    other_videos: int
    sponsored_median: float | None
    other_median: float | None
    formats: Mapping[str, int] = field(default_factory=dict[str, int])


def compare(years: Collection[YearViews]) -> ViewComparison:
    """Return the geometric means of the years' medians, weighted by sponsored videos, and their ratio.

    Of geometric means the ratio is the mean of the years' ratios, and twice as many views in one year
    even out half as many in another.
    """
    compared = sorted((year for year in years if _is_comparable(year)), key=lambda year: year.year)
    if not compared:
        return ViewComparison(None, None, None, 0, 0, (), _reason(years), (), LATEST_OBSERVATION)
    weights = [year.sponsored_videos for year in compared]
    sponsored = _mean([year.sponsored_median or 0.0 for year in compared], weights)
    other = _mean([year.other_median or 0.0 for year in compared], weights)
    return ViewComparison(
        sponsored_median=float(round(sponsored)),
        other_median=float(round(other)),
        ratio=sponsored / other,
        sponsored_videos=sum(weights),
        other_videos=sum(year.other_videos for year in compared),
        years=tuple(year.year for year in compared),
        reason=None,
        formats=_formats(compared),
        views_at=LATEST_OBSERVATION,
    )


def _formats(years: Sequence[YearViews]) -> tuple[FormatVideos, ...]:
    totals: Counter[str] = Counter()
    for year in years:
        totals.update(year.formats)
    present = [(count, name) for name, count in totals.items() if count]
    return tuple(FormatVideos(name, count) for count, name in sorted(present, reverse=True))


def _is_comparable(year: YearViews) -> bool:
    has_enough = min(year.sponsored_videos, year.other_videos) >= MIN_VIDEOS
    return has_enough and bool(year.sponsored_median and year.other_median)


def _mean(values: Sequence[float], weights: Sequence[int]) -> float:
    logarithms = (weight * math.log(value) for value, weight in zip(values, weights, strict=True))
    return math.exp(sum(logarithms) / sum(weights))


def _reason(years: Collection[YearViews]) -> str:
    sponsored = sum(year.sponsored_videos for year in years)
    others = sum(year.other_videos for year in years)
    return (
        f"No calendar year of this period has at least {MIN_VIDEOS} sponsored and {MIN_VIDEOS} other "
        f"videos with known views; in all years together there are {sponsored:,} and {others:,}."
    )
