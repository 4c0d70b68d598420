"""Trends of a sponsor on the same channels."""

from datetime import date, timedelta
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain import periods
from catalog_service.domain.same_channels import MIN_EXPECTED, MIN_YOUTUBERS, score
from catalog_service.domain.trends import (
    FALLING,
    MIN_REST,
    MIN_SUPPORT,
    RISING,
    SIGNIFICANT,
    STEADY,
    TOO_LITTLE,
    advice,
    alternatives,
    nothing_compared,
    trend_of,
)
from shapes.catalog.shared import Period
from tests.same_channels import Channel, sums_of
from tests.unit.catalog_service.test_same_channels import SEVERAL


def alike(a: int, b: int, v: int, w: int) -> list[Channel]:
    """Return two channels with the same figures."""
    return [(a, b, v, w)] * 2


@pytest.mark.parametrize(
    ("several", "expected"),
    [
        (alike(10, 2, 50, 50), RISING),
        (alike(2, 10, 50, 50), FALLING),
        (alike(6, 5, 50, 50), TOO_LITTLE),
        (alike(26, 25, 50, 50), STEADY),
        # Four videos after one: a large change that may be chance.
        ([(2, 0, 40, 50), (2, 1, 40, 60)], TOO_LITTLE),
        (alike(1, 1, 50, 50), TOO_LITTLE),
        # The catalogue looked at four times as many videos of the later period.
        (alike(80, 20, 200, 50), STEADY),
        (alike(10, 10, 200, 50), FALLING),
        # Nothing is known of the period before.
        (alike(20, 0, 200, 0), TOO_LITTLE),
        # 57 videos of one channel, and the single one of another.
        ([(57, 0, 80, 80), (1, 0, 80, 80)], TOO_LITTLE),
        ([(0, 57, 80, 80), (0, 1, 80, 80)], TOO_LITTLE),
        ([(57, 0, 80, 80), (0, 1, 80, 80)], TOO_LITTLE),
        ([(57, 0, 80, 80), (2, 0, 80, 80)], RISING),
    ],
)
def test_a_trend_compares_rates_and_rests_on_several_creators(
    several: list[Channel], expected: str
) -> None:
    assert trend_of(sums_of(several)) == expected


def test_one_youtuber_makes_no_trend() -> None:
    assert trend_of(sums_of([(20, 5, 100, 100)])) == TOO_LITTLE


@given(SEVERAL)
def test_a_trend_keeps_its_sign_without_any_one_creator(several: list[Channel]) -> None:
    trend = trend_of(sums_of(several))
    if trend in {RISING, FALLING}:
        for left_out in range(len(several)):
            rest = sums_of(several[:left_out] + several[left_out + 1 :])
            assert (rest.deviation if trend == RISING else -rest.deviation) > MIN_REST - 1e-6


@given(SEVERAL)
def test_a_trend_follows_from_score_and_support(several: list[Channel]) -> None:
    sums = sums_of(several)
    trend, n = trend_of(sums), sums.videos + sums.previous_videos
    if (
        n < MIN_SUPPORT
        or sums.youtubers < MIN_YOUTUBERS
        or min(sums.expected, n - sums.expected) < MIN_EXPECTED
    ):
        assert trend == TOO_LITTLE
    elif abs(score(sums)) < SIGNIFICANT:
        assert trend == (STEADY if excludes_a_change_by_half(several) else TOO_LITTLE)
    else:
        assert trend in {RISING if score(sums) > 0 else FALLING, TOO_LITTLE}


def excludes_a_change_by_half(several: list[Channel]) -> bool:
    """Test both one-sided hypotheses at 5 %: that the ratio of the rates is 1.5 or more, and that it is 1/1.5 or less."""
    channels = [(a, b, v, w) for a, b, v, w in several if v and w]
    later = sum(a * w / (v + w) for a, _, v, w in channels)
    earlier = sum(b * v / (v + w) for _, b, v, w in channels)
    if not later or not earlier:
        return False
    variance = sum((a + b) * v * w / (v + w) ** 2 for a, b, v, w in channels)
    error = sqrt(variance / (later * earlier))
    above, below = log(1.5) - log(later / earlier), log(later / earlier) + log(1.5)
    return min(above, below) / error > 1.645


SPAN = Period(date(2020, 1, 1), date(2024, 12, 31))


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        # Half as long again, and in the end two years, or as long as the data allow where more were given.
        ("2024-12-01", "2024-12-31", "2024-11-15 2024-12-31", "2023-01-01 2024-12-31"),
        ("2022-01-01", "2024-12-31", "2022-07-03 2024-12-31", "2022-07-03 2024-12-31"),
        # Nothing before, and then until the newest day.
        ("2020-01-01", "2020-12-31", "2020-07-02 2020-12-31", "2023-01-01 2024-12-31"),
        ("2026-01-01", "2026-01-31", "2024-12-01 2024-12-31", "2023-01-01 2024-12-31"),
    ],
)
def test_periods_are_tried_that_the_data_cover(start: str, end: str, first: str, last: str) -> None:
    period = Period(date.fromisoformat(start), date.fromisoformat(end))
    found = [f"{item.from_date} {item.to_date}" for item in alternatives(period, SPAN)]
    assert (found[0], found[-1]) == (first, last)


def test_each_period_that_is_tried_is_half_as_long_again() -> None:
    month = Period(date(2024, 12, 1), date(2024, 12, 31))
    lengths = [(item.to_date - item.from_date).days + 1 for item in alternatives(month, SPAN)]
    assert lengths == [47, 71, 107, 161, 242, 363, 545, 731]
    assert not alternatives(Period(date(2022, 7, 3), date(2024, 12, 31)), SPAN)


@given(
    st.dates(date(2018, 1, 1), date(2027, 12, 31)),
    st.integers(1, 2_000),
)
def test_a_period_that_is_tried_lies_in_the_data_with_the_one_before(
    start: date, days: int
) -> None:
    period = Period(start, start + timedelta(days=days - 1))
    for other in alternatives(period, SPAN):
        assert SPAN.from_date <= periods.before(other).from_date
        assert other.to_date <= SPAN.to_date
        assert other != period


def test_what_is_advised_is_a_period_that_was_found_to_support_a_trend() -> None:
    month = Period(date(2024, 12, 1), date(2024, 12, 31))
    quarter = Period(date(2024, 10, 1), date(2024, 12, 31))
    assert advice(month, quarter) == (
        "Take a longer period, such as `since` 2024-10-01 `until` 2024-12-31."
    )
    earlier = Period(date(2024, 8, 1), date(2024, 8, 31))
    beside = Period(date(2024, 11, 30), date(2024, 12, 30))
    assert advice(quarter, month).startswith("Take a shorter period, such as")
    assert advice(quarter, earlier).startswith("Take an earlier period, such as")
    assert advice(month, beside).startswith("Take another period, such as")


def test_without_a_channel_known_in_both_periods_nothing_is_compared() -> None:
    assert nothing_compared(40).startswith(
        "Brands are compared on channels known in both periods: of the 40 with sponsorships in either, none has"
    )
