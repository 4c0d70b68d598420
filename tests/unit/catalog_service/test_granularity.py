"""Steps of a series are chosen by the length of what it shows."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import granularity, periods
from catalog_service.domain.errors import BadArgument
from shapes.catalog.shared import Period

recent = st.dates(date(2005, 1, 1), date(2030, 12, 31))
ALL_TIME = Period(date.min, date.max)


@given(recent, recent)
def test_a_series_has_as_many_points_as_fit_and_no_more(start: date, end: date) -> None:
    data = Period(min(start, end), max(start, end))
    name = granularity.chosen("auto", ALL_TIME, data)
    assert len(periods.steps(data, name)) <= granularity.MAX_POINTS
    finer = {"quarter": "month", "year": "quarter"}.get(name)
    assert finer is None or len(periods.steps(data, finer)) > granularity.MAX_POINTS


@pytest.mark.parametrize(
    ("period", "name"),
    [
        (ALL_TIME, "year"),
        (Period(date(2020, 1, 1), date(2023, 4, 30)), "month"),
        (Period(date(2020, 1, 1), date(2023, 5, 1)), "quarter"),
        (Period(date(2030, 1, 1), date(2050, 1, 1)), "month"),
    ],
)
def test_what_the_period_leaves_of_the_data_counts(period: Period, name: str) -> None:
    data = Period(date(2009, 1, 1), date(2024, 12, 31))
    assert granularity.chosen("auto", period, data) == name
    assert granularity.chosen("auto", period, None) == "month"


def test_a_granularity_that_is_named_is_taken_up_to_the_bound() -> None:
    data = Period(date(2009, 1, 1), date(2024, 12, 31))
    assert granularity.chosen("month", data, data) == "month"
    with pytest.raises(BadArgument, match="coarser"):
        granularity.chosen("month", Period(date(1970, 1, 1), data.to_date), data)


def test_a_series_begins_and_ends_with_what_is_filled() -> None:
    filled = [date(2024, 3, 1), date(2024, 5, 1)]
    assert granularity.steps(filled, "month") == (filled[0], date(2024, 4, 1), filled[1])
    assert granularity.steps([], "month") == ()


@given(recent, st.integers(0, 4000), st.sampled_from(sorted(periods.GRANULARITIES)))
def test_steps_have_no_holes(start: date, days: int, name: str) -> None:
    filled = [periods.step_start(day, name) for day in (start, start + timedelta(days=days))]
    steps = granularity.steps(filled, name)
    assert (steps[0], steps[-1]) == tuple(filled)
