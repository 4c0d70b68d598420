"""Bookings of brands with creators: who came back, and after how long (docs/adr/0066-sponsorship-record.md).

A booking is a day on which the two have paid work together: several videos of one day are one booking. All figures are of
what is known, and relative to the newest known video of a channel, never to today.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from catalog_service.domain import relation_status
from shapes.catalog.records import BookingGap, Renewal, TwoYears
from shapes.catalog.shared import Coverage, Period

TWO_YEARS: Final = 730
"""Days of the window of `two_years`."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The bookings of one brand with one creator.

    Attributes:
        bookings: Different days with paid work.
        last: The latest of them.
        in_window: Those of them within a window; 0 where none is asked for.
        channel_until: Day of the newest known video of the creator's channel.
        channel_latest_since: Day of its fifth newest known video; None if there are fewer.
    """

    bookings: int
    last: date
    channel_until: date
    channel_latest_since: date | None
    in_window: int = 0

    @property
    def came_back(self) -> bool:
        return self.bookings > 1

    @property
    def has_lapsed(self) -> bool:
        """Return whether the channel went on without the brand, by the rule of docs/adr/0028-relation-status.md."""
        days = (self.channel_until - self.last).days
        since = self.channel_latest_since
        return days > relation_status.ACTIVE_WITHIN_DAYS and since is not None and since > self.last


def renewal(relations: Sequence[Relation]) -> Renewal:
    """Return how many of these relations came back.

    rate = relations with bookings on two or more days / all relations. `still_open` are those of the others of which too little
    is known after their one booking to say that they did not come back; rate_at_most = (came_back + still_open) / all.
    """
    came_back = sum(relation.came_back for relation in relations)
    still_open = sum(not relation.came_back and not relation.has_lapsed for relation in relations)
    known = len(relations)
    if not known:
        return Renewal(0, 0, None, 0, None)
    return Renewal(
        known, came_back, came_back / known, still_open, (came_back + still_open) / known
    )


def gap(gaps: Mapping[int, int], relations: Sequence[Relation]) -> BookingGap:
    """Return the typical gap, of the number of gaps by their days.

    median_days = the median of the days from each booking to the next one of the same brand and creator; each gap counts once,
    so that a relation of many bookings counts by its gaps. `largest` tells how many of them are those of one relation.
    """
    largest = max((relation.bookings - 1 for relation in relations), default=0)
    return BookingGap(median(gaps), sum(gaps.values()), largest)


def two_years(relations: Sequence[Relation], coverage: Coverage) -> TwoYears:
    """Return the brands of a channel's last two years; `in_window` is of these years.

    sponsors = brands with a booking in the 730 days until the channel's newest known video; booked_again = those of them with
    bookings on two or more of these days.
    """
    return TwoYears(
        period=window(coverage, TWO_YEARS),
        sponsors=sum(relation.in_window > 0 for relation in relations),
        booked_again=sum(relation.in_window > 1 for relation in relations),
    )


def window(coverage: Coverage, days: int) -> Period | None:
    """Return the days until a channel's newest known video, as far back as videos are known; None without a video."""
    if coverage.first_video is None or coverage.last_video is None:
        return None
    start = coverage.last_video - timedelta(days=days - 1)
    return Period(max(start, coverage.first_video), coverage.last_video)


def median(counts: Mapping[int, int]) -> float | None:
    """Return the median of values, given by how often each is there: the mean of the middle two of an even number."""
    total = sum(counts.values())
    if not total:
        return None
    lower, upper = (total - 1) // 2, total // 2
    middle: list[int] = []
    passed = 0
    for value in sorted(counts):
        before, passed = passed, passed + counts[value]
        middle += [value for index in (lower, upper) if before <= index < passed]
    return sum(middle) / 2
