"""Which observations of a video's views are kept: those around the ages that matter, and the newest."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from datetime import date, timedelta
from typing import Final

AGES: Final = (1, 2, 3, 7, 14, 30, 60, 90, 180, 365)
"""Ages in days at which views are compared."""


def age(published_on: date, observed_on: date) -> int:
    """Return the age of a video in days on the day of an observation, 0 on the day of publication."""
    return max((observed_on - published_on).days, 0)


def retained(published_on: date, observed: Collection[date]) -> frozenset[date]:
    """Return the days of observation that stay.

    They are, of each age that matters, the last one until it and the first one from it on (one where it was observed on that
    very day), and the newest of all. One that is kept among many is kept among fewer, so that thinning after each observation
    leaves what thinning at the end would.
    """
    days = sorted(observed)
    staying = set(days[-1:])
    for matters in AGES:
        day = published_on + timedelta(days=matters)
        staying.update(days[max(bisect_right(days, day) - 1, 0) : bisect_left(days, day) + 1])
    return frozenset(staying)
