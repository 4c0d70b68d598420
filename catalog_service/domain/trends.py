"""Verdicts on the change of a sponsor's rate between two periods."""

from datetime import date, timedelta
from math import ceil
from typing import Final

from catalog_service.domain import same_channels
from catalog_service.domain.same_channels import ChannelSums
from shapes.catalog.shared import Period

RISING: Final = "rising"
STEADY: Final = "steady"
FALLING: Final = "falling"
TOO_LITTLE: Final = "too_little_to_say"
DIRECTIONS: Final = (RISING, FALLING, "all")

MIN_SUPPORT: Final = 5
"""Sponsored videos of both periods below which nothing is said."""

MIN_REST: Final = 1.0
"""Videos beyond unchanged rates that must be left without the youtuber who adds most: those of one are one decision."""

SIGNIFICANT: Final = 1.96
"""Standard deviations: a share that stays the same gets as far in one of twenty cases."""

MATERIAL: Final = 1.5
"""The factor of a rate by which a change, up or down, is material: a steady rate has none."""

FEWER_FILTERS: Final = "Leave a filter out."
"""The advice where the filters alone leave too little."""

_LONGER: Final = 1.5
"""How many times as long the next period is that is tried where one has too little support."""

_MAX_DAYS: Final = 731
"""Days of the longest period that is advised in the place of a shorter one: over many years brands "rise" that stopped long ago."""


def trend_of(sums: ChannelSums) -> str:
    """Return `RISING` or `FALLING` by `same_channels.score`, `STEADY` by its interval; `TOO_LITTLE` if neither is known.

    A change must stay one, by `MIN_REST` videos, when the youtuber is left out who adds most to it. A change that is
    not beyond chance is not thereby none.
    """
    if sums.videos + sums.previous_videos < MIN_SUPPORT or not sums.is_enough:
        return TOO_LITTLE
    if abs(same_channels.score(sums)) < SIGNIFICANT:
        return STEADY if _is_steady(sums) else TOO_LITTLE
    if sums.deviation - sums.highest >= MIN_REST:
        return RISING
    return FALLING if sums.lowest - sums.deviation >= MIN_REST else TOO_LITTLE


def change_of(sums: ChannelSums) -> float | None:
    """Return the change that the sums support; None if it was nothing before or there is too little to say."""
    return None if trend_of(sums) == TOO_LITTLE else same_channels.change(sums)


def reason_against_change(sums: ChannelSums) -> str | None:
    """Return why no change of periods that are compared is given; None if it may be."""
    if trend_of(sums) != TOO_LITTLE:
        return None
    return (
        f"Too little is known for a change: {sums.videos:,} of the brand's videos against {sums.previous_videos:,} on the "
        f"{sums.youtubers:,} channels known in both periods may be chance or the work of one creator; `compared` has both "
        "rates and the range that the true change may lie in."
    )


def _is_steady(sums: ChannelSums) -> bool:
    """Return true if both one-sided tests at 5 % exclude a material change (Schuirmann, 1987)."""
    interval = same_channels.interval(sums)
    if interval is None:
        return False
    low, high = interval
    return low > 1 / MATERIAL - 1 and high < MATERIAL - 1


def alternatives(period: Period, span: Period) -> tuple[Period, ...]:
    """Return periods that may support a trend where `period` does not, the most alike first.

    In order: as long as `period`, half as long again, and so on up to two years, or as long as the data or `period` are, all until
    the same day; then the longest until the newest day. The data cover each together with the period before it.

    Args:
        period: The period that supports none.
        span: The days from the oldest to the newest sponsored video.
    """
    end = min(period.to_date, span.to_date)
    days, available = (period.to_date - period.from_date).days + 1, (end - span.from_date).days
    lengths, longest = [days], max(days, _MAX_DAYS)
    while lengths[-1] < min(available // 2, longest):
        lengths.append(min(ceil(lengths[-1] * _LONGER), longest))
    tried = [_covered(end, length, span) for length in lengths]
    tried.append(_covered(span.to_date, longest, span))
    return tuple(dict.fromkeys(item for item in tried if item is not None and item != period))


def _covered(end: date, days: int, span: Period) -> Period | None:
    """Return the last so many days until `end`, or as many as lie in the data with the period before."""
    available = min(days, ((end - span.from_date).days + 1) // 2)
    return Period(end - timedelta(days=available - 1), end) if available > 0 else None


def advice(period: Period, other: Period) -> str:
    """Return the advice to take another period, which supports a trend where `period` does not."""
    longer_by = (other.to_date - other.from_date) - (period.to_date - period.from_date)
    if other.to_date < period.from_date:
        kind = "an earlier period"
    elif longer_by:
        kind = "a longer period" if longer_by > timedelta(0) else "a shorter period"
    else:
        kind = "another period"
    return f"Take {kind}, such as `since` {other.from_date} `until` {other.to_date}."


def default_period(period: Period) -> str:
    """Return which period is compared where none was given."""
    return f"The days from {period.from_date} to {period.to_date} are compared with as many before: give `since` and `until` for others."


def no_support() -> str:
    """Return why no brand of a period has a trend."""
    return (
        f"Too little is known of every brand: a trend takes at least {MIN_SUPPORT} sponsored videos on "
        f"{same_channels.MIN_YOUTUBERS} channels known in both periods, and a change beyond chance that does not rest on "
        "one creator, or so many videos that a change by half is excluded."
    )


def none_moved(direction: str) -> str:
    """Return that no brand moved in a direction, of those that enough is known of."""
    verb = "risen" if direction == RISING else "fallen"
    return f"Of the brands that enough is known of, none has {verb} beyond chance: `direction` all has the others."


def nothing_compared(youtubers: int) -> str:
    """Return why no brand is compared, though `youtubers` many have sponsorships in either period."""
    return (
        f"Brands are compared on channels known in both periods: of the {youtubers:,} with sponsorships in either, none "
        "has known videos in both."
    )
