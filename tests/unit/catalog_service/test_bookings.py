"""Renewal, gaps, fulfilment and two years, of a few bookings and of any."""

from collections import Counter
from datetime import date, timedelta
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import bookings, fulfilment
from catalog_service.domain.bookings import Relation
from catalog_service.domain.fulfilment import FormatCount
from shapes.catalog.records import BookingGap, Fulfilment, Renewal, TwoYears
from shapes.catalog.shared import Coverage, Period

DAY = date(2024, 1, 1)
NO_COVERAGE = Coverage(0, None, None, None, None, None)


def relation(
    count: int, *, known_for: int = 400, later_videos: bool = True, in_window: int = 0
) -> Relation:
    """Bookings the last of which is on `DAY`, of a channel that is known for so many days after it."""
    until = DAY + timedelta(days=known_for)
    return Relation(count, DAY, until, until if later_videos else DAY, in_window)


def covered(first: str, last: str) -> Coverage:
    return Coverage(9, date.fromisoformat(first), date.fromisoformat(last), None, None, None)


def test_one_booking_has_not_come_back_and_has_no_gap() -> None:
    once = [relation(1)]
    assert bookings.renewal(once) == Renewal(1, 0, 0.0, 0, 0.0)
    assert bookings.gap({}, once) == BookingGap(None, 0, 0)


def test_without_relations_there_is_no_rate() -> None:
    assert bookings.renewal([]) == Renewal(0, 0, None, 0, None)
    assert bookings.gap({}, []) == BookingGap(None, 0, 0)


def test_who_came_back_is_counted_once_however_often() -> None:
    assert bookings.renewal([relation(2), relation(60), relation(1), relation(1)]) == Renewal(
        4, 2, 0.5, 0, 0.5
    )


@pytest.mark.parametrize(
    ("known_for", "later_videos", "still_open"),
    [(180, True, 1), (181, True, 0), (181, False, 1), (0, False, 1)],
)
def test_one_booking_is_open_until_enough_is_known_after_it(
    known_for: int, *, later_videos: bool, still_open: int
) -> None:
    once = relation(1, known_for=known_for, later_videos=later_videos)
    found = bookings.renewal([once, relation(2, known_for=0)])
    assert (found.rate, found.still_open, found.rate_at_most) == (
        0.5, still_open, 0.5 + still_open / 2,
    )  # fmt: skip


def test_a_channel_with_fewer_than_five_videos_leaves_a_relation_open() -> None:
    few = Relation(1, DAY, DAY + timedelta(days=999), None)
    assert bookings.renewal([few]).still_open == 1


def test_the_gap_is_the_median_of_all_gaps_and_names_those_of_one() -> None:
    assert bookings.gap({7: 3, 30: 2}, [relation(5), relation(2)]) == BookingGap(7.0, 5, 4)
    assert bookings.gap({7: 1, 30: 1}, [relation(3)]) == BookingGap(18.5, 2, 2)


@given(values=st.lists(st.integers(0, 40), min_size=1))
def test_the_median_of_counted_values_is_that_of_the_values(values: list[int]) -> None:
    assert bookings.median(Counter(values)) == median(values)


def test_nothing_has_no_median() -> None:
    assert bookings.median({}) is None


def test_a_window_ends_with_the_newest_known_video_and_begins_no_earlier_than_the_oldest() -> None:
    assert bookings.window(covered("2020-01-01", "2024-03-01"), 365) == Period(
        date(2023, 3, 3), date(2024, 3, 1)
    )
    assert bookings.window(covered("2024-02-29", "2024-03-01"), 365) == Period(
        date(2024, 2, 29), date(2024, 3, 1)
    )
    assert bookings.window(covered("2024-03-01", "2024-03-01"), 1) == Period(
        date(2024, 3, 1), date(2024, 3, 1)
    )
    assert bookings.window(NO_COVERAGE, 365) is None


def test_brands_of_two_years_booked_again_within_them() -> None:
    of_two_years = [relation(9, in_window=0), relation(9, in_window=1), relation(3, in_window=3)]
    found = bookings.two_years(of_two_years, covered("2010-01-01", "2024-12-30"))
    assert found == TwoYears(Period(date(2023, 1, 1), date(2024, 12, 30)), 2, 1)
    assert bookings.two_years([], NO_COVERAGE) == TwoYears(None, 0, 0)


def test_fulfilment_is_of_longform_videos_alone() -> None:
    counts = {
        "longform": FormatCount(8, 2),
        "short": FormatCount(100, 50),
        "live": FormatCount(3, 3),
        "unknown": FormatCount(5, 4),
    }
    assert fulfilment.fulfilment(counts, None) == Fulfilment(None, 8, 2, 0.25, 5, 4, 103)


@pytest.mark.parametrize("counts", [{}, {"short": FormatCount(4, 4)}])
def test_without_longform_videos_there_is_no_fulfilment(counts: dict[str, FormatCount]) -> None:
    assert fulfilment.fulfilment(counts, None).rate is None
