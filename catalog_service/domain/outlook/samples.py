"""The videos that an outlook rests on, and their views at an age."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

AT_AGE: Final = 30
"""Age in days at which views are projected."""

WINDOWS: Final = (90, 120, 180, 240)
"""Days before the channel's newest known video from which videos are taken; the next longer one while there are too few."""

MIN_VIDEOS: Final = 4

DAY_30: Final = "day_30"
"""Views are those at `AT_AGE`, read off snapshots."""

LATEST_OBSERVATION: Final = "last_look"
"""Views are those of the last look at each video, at whatever age it had."""

_NEAR: Final = 2.0
"""Looks at most so many times younger or older than an age tell of the views at it."""


@dataclass(frozen=True, slots=True)
class AgedViews:
    """Views at an age in days; None if the day of the look is not known."""

    age: int | None
    views: int


@dataclass(frozen=True, slots=True)
class RecentVideo:
    """A video of the last year, the views of its last look, and its snapshots in any order."""

    published_on: date
    format: str
    latest_observation: AgedViews | None
    snapshots: tuple[AgedViews, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Views of videos of one format, all of one basis.

    `youngest` and `oldest` are the ages in days at which they were counted; None if they are not known of every video.
    """

    basis: str
    views: tuple[float, ...]
    youngest: int | None
    oldest: int | None


@dataclass(frozen=True, slots=True)
class WindowSample:
    """The sample of a window of so many days."""

    days: int
    sample: Sample


def views_at(age: int, looks: Sequence[AgedViews]) -> float | None:
    """Return the views at an age; None if no look tells.

    A look at that very age gives them. Else they lie between the last look before it (age a, views v) and the first one
    after it (b, w), on a straight line over the logarithm of the age, v + (w - v) · ln(age / a) / ln(b / a), if a is at
    least half the age and b at most twice the age.
    """
    known = sorted((item.age, item.views) for item in looks if item.age is not None)
    at_once = [views for day, views in known if day == age]
    if at_once:
        return float(at_once[-1])
    before = [item for item in known if age / _NEAR <= item[0] < age]
    after = [item for item in known if age < item[0] <= age * _NEAR]
    if not before or not after:
        return None
    (a, v), (b, w) = before[-1], after[0]
    return v + (w - v) * math.log(age / a) / math.log(b / a)


def recent(videos: Sequence[RecentVideo], newest: date) -> WindowSample | None:
    """Return the sample that a projection rests on; None if no window has `MIN_VIDEOS`.

    Views at day 30 go first: of videos that snapshots tell them of. Only if even the longest window has too few of these, the
    views of the last look are taken, of videos that were 30 days old on the channel's newest day. The two are never mixed.
    """
    for basis in (DAY_30, LATEST_OBSERVATION):
        for window in WINDOWS:
            sample = published(videos, basis, newest - timedelta(days=window), newest)
            if len(sample.views) >= MIN_VIDEOS:
                return WindowSample(window, sample)
    return None


def published(videos: Sequence[RecentVideo], basis: str, first: date, newest: date) -> Sample:
    """Return the views, of the basis, of the videos published from the first day on that count on the newest day."""
    if basis == DAY_30:
        return _at_day_30([item for item in videos if first <= item.published_on <= newest])
    last = newest - timedelta(days=AT_AGE)
    return _at_latest_observation([item for item in videos if first <= item.published_on <= last])


def _at_day_30(videos: Sequence[RecentVideo]) -> Sample:
    views = (views_at(AT_AGE, video.snapshots) for video in videos)
    return Sample(DAY_30, tuple(item for item in views if item is not None), AT_AGE, AT_AGE)


def _at_latest_observation(videos: Sequence[RecentVideo]) -> Sample:
    """Return the views of videos that had reached the age when they were counted, or whose age then is not known."""
    counted = [video.latest_observation for video in videos if video.latest_observation is not None]
    old_enough = [item for item in counted if item.age is None or item.age >= AT_AGE]
    ages = [item.age for item in old_enough if item.age is not None]
    is_known = bool(ages) and len(ages) == len(old_enough)
    return Sample(
        LATEST_OBSERVATION,
        tuple(float(item.views) for item in old_enough),
        min(ages) if is_known else None,
        max(ages) if is_known else None,
    )
