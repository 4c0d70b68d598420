"""Season: the months of the year in which a brand has more paid work published than in others."""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Final

from shapes.catalog.records import Season

MIN_YEARS: Final = 3
"""Whole calendar years without which a month that stands out may be one campaign."""

MIN_VIDEOS: Final = 36
"""Videos of these years without which most months have next to none: three of each month on average."""

MIN_RATIO: Final = 1.5
"""Times an even share that a month has to have, in all years together."""

MIN_SHARE_OF_YEARS: Final = 0.75
"""Share of the years in each of which it has to have more than an even share."""

MAX_CHANCE: Final = 0.05
"""Chance that any month of a brand without a season would have so many, above which none stands out."""

_MONTHS: Final = 12
_NEGLIGIBLE: Final = 1e-12


def season(months: Mapping[date, int]) -> tuple[Season | None, str | None]:
    """Return the season by sponsored videos by the first day of their month, or the reason why there is none to tell.

    Only whole calendar years between the first and the last of these months count, as a year cut short has other months than a
    whole one. A month stands out if it has videos >= 1.5 x (all videos / 12), in three quarters of the years or more has more
    than a twelfth of the year's, and has so many by chance in fewer than 5 of 100 brands whose videos fall evenly: the
    binomial tail of its videos of all, at 1/12, is below 0.05 / 12.
    """
    years = _whole_years(months)
    counted = {month: count for month, count in months.items() if month.year in years}
    total = sum(counted.values())
    if len(years) < MIN_YEARS or total < MIN_VIDEOS:
        return None, (
            f"{len(years)} whole calendar years between its first and last sponsored video, with {total:,} videos: a season "
            f"needs {MIN_YEARS} years and {MIN_VIDEOS} videos."
        )
    by_month: Counter[int] = Counter()
    by_year: Counter[int] = Counter()
    for month, count in counted.items():
        by_month[month.month] += count
        by_year[month.year] += count
    above = Counter(
        month.month for month, count in counted.items() if count * _MONTHS > by_year[month.year]
    )
    outstanding = tuple(
        month
        for month, count in sorted(by_month.items())
        if count * _MONTHS >= MIN_RATIO * total
        and above[month] >= MIN_SHARE_OF_YEARS * len(years)
        and chance(count, total) < MAX_CHANCE / _MONTHS
    )
    return Season(outstanding, tuple(years), total), None


def _whole_years(months: Mapping[date, int]) -> range:
    """Return the calendar years from the first month to the last that have neither cut short."""
    if not months:
        return range(0)
    first, last = min(months), max(months)
    return range(first.year + (first.month > 1), last.year + (last.month == _MONTHS))


def chance(count: int, total: int) -> float:
    """Return the chance of `count` or more of `total` videos in a given month, if each fell evenly: the binomial tail."""
    if not count:
        return 1.0
    share = 1 / _MONTHS
    logarithm = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    term = math.exp(logarithm + count * math.log(share) + (total - count) * math.log1p(-share))
    tail = 0.0
    # Above the mean the terms fall like a geometric series, so that few of them matter.
    for number in range(count, total + 1):
        tail += term
        term *= (total - number) / (number + 1) * share / (1 - share)
        if number * _MONTHS > total and term < _NEGLIGIBLE * tail:
            break
    return min(tail, 1.0)
