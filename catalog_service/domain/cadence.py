"""Cadence and audience of a brand's paid work."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from catalog_service.domain import bookings
from shapes.catalog.records import Cadence, CreatorSize
from shapes.catalog.shared import Period


def cadence(months: Mapping[date, int]) -> Cadence:
    """Return how often a brand has videos published, of its sponsored videos by the first day of their month.

    videos_per_active_month = videos with its paid work / calendar months that have one or more of them. Months without one are
    in `all_months` alone: those from the first to the last.
    """
    if not months:
        return Cadence(None, 0, 0, 0, None)
    first, last = min(months), max(months)
    videos = sum(months.values())
    return Cadence(
        period=Period(first, _last_day(last)),
        videos=videos,
        active_months=len(months),
        all_months=(last.year - first.year) * 12 + last.month - first.month + 1,
        videos_per_active_month=videos / len(months),
    )


def creator_size(subscribers: Sequence[int | None]) -> CreatorSize:
    """Return the typical audience of a brand's creators, each of whom counts once.

    median_subscribers = the median of the subscribers at the last look, of the creators with paid work of whom they are known.
    """
    known = Counter(number for number in subscribers if number is not None)
    return CreatorSize(bookings.median(known), known.total(), len(subscribers) - known.total())


def _last_day(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
