"""Periods, the period before, and the steps of a series."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import periods
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.periods import RequestedPeriod
from shapes.catalog.shared import Period

days = st.dates()
recent = st.dates(date(2005, 1, 1), date(2030, 12, 31))
granularities = st.sampled_from(sorted(periods.GRANULARITIES))


@given(st.none() | days, st.none() | days, days, days)
def test_a_closed_period_stays_within_the_request_and_is_never_reversed(
    start: date | None, end: date | None, first: date, second: date
) -> None:
    if start and end and start > end:
        return
    span = Period(min(first, second), max(first, second))
    period = RequestedPeriod(start, end).within(span, date(2026, 11, 29))
    assert period.from_date <= period.to_date
    assert start in (None, period.from_date)
    assert end in (None, period.to_date)


def test_an_open_period_is_the_whole_span() -> None:
    span = Period(date(2020, 1, 1), date(2021, 1, 1))
    assert periods.requested(None, None).within(span, date(2026, 11, 29)) == span


@pytest.mark.parametrize(
    ("start", "until", "expected"),
    [
        ("2020-06-01", "2026-11-29", "2021-01-01"),
        # The data end before it: it goes on until today, as whoever calls means it.
        ("2025-01-01", "2026-11-29", "2026-11-29"),
        ("2027-01-01", "2026-11-29", "2027-01-01"),
    ],
)
def test_an_open_period_that_begins_after_the_data_goes_on_until_today(
    start: str, until: str, expected: str
) -> None:
    span = Period(date(2020, 1, 1), date(2021, 1, 1))
    period = periods.requested(start, None).within(span, date.fromisoformat(until))
    assert period == Period(date.fromisoformat(start), date.fromisoformat(expected))


@pytest.mark.parametrize(
    ("until", "since", "expected"),
    [("2019-06-30", "2018-05-01", "2018-05-01"), ("2017-06-30", "2018-05-01", "2017-06-30"), ("2020-06-30", "2018-05-01", "2020-01-01")],
)  # fmt: skip
def test_an_open_period_that_ends_before_the_sponsorships_begins_with_the_oldest_scanned_day(
    until: str, since: str, expected: str
) -> None:
    span = Period(date(2020, 1, 1), date(2021, 1, 1))

    period = periods.requested(None, until).within(
        span, date(2026, 11, 29), date.fromisoformat(since)
    )

    assert period == Period(date.fromisoformat(expected), date.fromisoformat(until))


@given(recent, recent)
def test_the_period_before_ends_the_day_before_and_is_as_long(first: date, second: date) -> None:
    period = Period(min(first, second), max(first, second))
    before = periods.before(period)
    assert before.to_date + timedelta(days=1) == period.from_date
    months = periods.whole_months(RequestedPeriod(period.from_date, period.to_date))
    if months is None:
        assert before.to_date - before.from_date == period.to_date - period.from_date
    else:
        assert _months(before) == _months(period)
        assert before.from_date.day == 1


def _months(period: Period) -> int:
    return len(periods.steps(period, "month"))


@pytest.mark.parametrize(
    ("start", "end", "before"),
    [
        (date(2024, 7, 1), date(2024, 9, 30), Period(date(2024, 4, 1), date(2024, 6, 30))),
        (date(2024, 3, 1), date(2024, 3, 31), Period(date(2024, 2, 1), date(2024, 2, 29))),
        (date(2024, 1, 1), date(2024, 12, 31), Period(date(2023, 1, 1), date(2023, 12, 31))),
        (date(2024, 3, 1), date(2024, 3, 30), Period(date(2024, 1, 31), date(2024, 2, 29))),
    ],
)
def test_whole_months_are_compared_with_as_many(start: date, end: date, before: Period) -> None:
    assert periods.before(Period(start, end)) == before


@given(days, days)
def test_the_period_before_stays_in_the_calendar(first: date, second: date) -> None:
    before = periods.before(Period(min(first, second), max(first, second)))
    assert date.min <= before.from_date <= before.to_date


@given(recent, recent, granularities)
def test_steps_cover_the_period_without_holes(first: date, second: date, granularity: str) -> None:
    period = Period(min(first, second), max(first, second))
    steps = periods.steps(period, granularity)
    assert steps[0] == periods.step_start(period.from_date, granularity)
    assert steps[-1] == periods.step_start(period.to_date, granularity)
    for step, following in pairwise(steps):
        assert periods.step_start(following - timedelta(days=1), granularity) == step


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, None, (date(1, 1, 1), date(9999, 12, 1))),
        (date(2024, 1, 1), date(2024, 2, 29), (date(2024, 1, 1), date(2024, 2, 1))),
        (date(2024, 1, 2), date(2024, 2, 29), None),
        (date(2024, 1, 1), date(2024, 2, 28), None),
        (date(2023, 5, 10), date(2024, 2, 29), (date(2023, 5, 1), date(2024, 2, 1))),
        (date(2023, 5, 11), None, None),
        (date(2024, 1, 1), date(2024, 3, 20), (date(2024, 1, 1), date(2024, 3, 1))),
        (None, date(2024, 3, 19), None),
    ],
)
def test_a_period_is_whole_months_where_it_cuts_none_that_has_data(
    start: date | None, end: date | None, expected: tuple[date, date] | None
) -> None:
    span = Period(date(2023, 5, 10), date(2024, 3, 20))
    months = periods.whole_months(RequestedPeriod(start, end), span)
    assert (months and (months.first, months.last)) == expected


def test_the_last_month_of_the_calendar_is_a_step() -> None:
    period = Period(date(9999, 11, 5), date(9999, 12, 31))
    assert periods.steps(period, "month") == (date(9999, 11, 1), date(9999, 12, 1))


def test_too_many_steps_are_refused_with_what_to_do() -> None:
    with pytest.raises(BadArgument, match="coarser"):
        periods.steps(Period(date(1970, 1, 1), date(2024, 1, 1)), "month")


@pytest.mark.parametrize("text", ["2024-02-30", "20240101", "2024-1-1", "", "today", "٢٠٢٤-01-01"])
def test_what_is_no_day_is_refused_by_field(text: str) -> None:
    with pytest.raises(BadArgument) as caught:
        periods.requested(None, text)
    assert caught.value.details["field"] == "until"


def test_a_text_that_is_no_day_is_refused_with_the_days_that_it_names() -> None:
    with pytest.raises(
        BadArgument, match="2023-02-01 is the first of that month, 2023-02-28 the last"
    ):
        periods.day("until", "February 2023")
