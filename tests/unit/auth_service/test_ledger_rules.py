"""Months and plans."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from auth_service.domain import usage
from auth_service.settings import AuthSettings, PlanLimits
from servicekit.errors import InvalidInput


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9998, 12, 1)))  # noqa: DTZ001
def test_a_moment_lies_within_its_month(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    first, following = usage.month_bounds(f"{aware.year:04}-{aware.month:02}")
    assert first <= aware.date() < following
    assert (following - first).days in range(28, 32)


def test_december_is_followed_by_january() -> None:
    assert usage.month_bounds("2026-12") == (date(2026, 12, 1), date(2027, 1, 1))


@pytest.mark.parametrize(
    "month", ["", "2026", "2026-13", "2026-1", "0000-01", "9999-12", "2026-11-01", "٢٠٢٦-11"]
)
def test_text_that_is_no_month_is_refused(month: str) -> None:
    with pytest.raises(InvalidInput):
        usage.month_bounds(month)


def test_an_operator_changes_a_limit_and_the_rest_stay() -> None:
    settings = AuthSettings(
        database_url="postgresql://x",
        token_secret=SecretStr("x" * 32),
        plans={"free": PlanLimits(monthly_requests=50)},
    )
    plans = settings.effective_plans()
    assert plans["free"].monthly_requests == 50
    assert plans["free"].burst_requests > 0
    assert plans["creator"].monthly_requests == 1_000
    assert plans["creator_agent"].monthly_requests == 10_000
