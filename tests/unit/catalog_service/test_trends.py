"""Trends of a sponsor on the same channels."""

from datetime import date
from math import log, sqrt

import pytest
from hypothesis import given

from catalog_service.domain.same_channels import MIN_EXPECTED, MIN_YOUTUBERS, score
from catalog_service.domain.trends import (
    FALLING,
    MIN_REST,
    MIN_SUPPORT,
    RISING,
    SIGNIFICANT,
    STEADY,
    TOO_LITTLE,
    no_support,
    not_covered,
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
    ("start", "end", "advice"),
    [
        ("2024-12-01", "2024-12-31", "Take a longer period, such as `since` 2024-08-30 `until` 2024-12-31."),
        # The period before must lie in the data, too.
        ("2022-01-01", "2024-12-31", "by half is excluded. Leave a filter out."),
        ("2024-01-01", "2024-12-31", "such as `since` 2022-07-03 `until` 2024-12-31."),
    ],
)  # fmt: skip
def test_without_support_a_period_is_proposed_that_the_data_cover(
    start: str, end: str, advice: str
) -> None:
    period = Period(date.fromisoformat(start), date.fromisoformat(end))
    assert no_support(period, SPAN, is_filtered=True).endswith(advice)


def test_a_filter_is_left_out_only_where_there_is_one() -> None:
    begin = Period(date(2020, 1, 1), date(2020, 12, 31))
    assert no_support(begin, SPAN, is_filtered=True).endswith(
        "Leave a filter out, or take a later period."
    )
    assert no_support(begin, SPAN, is_filtered=False).endswith("is excluded. Take a later period.")
    whole = Period(date(2022, 1, 1), date(2024, 12, 31))
    assert no_support(whole, SPAN, is_filtered=False).endswith("a change by half is excluded.")


def test_a_period_is_proposed_that_lies_in_the_data_with_the_one_before() -> None:
    assert not_covered("No.", Period(date(2012, 1, 1), date(2024, 12, 31)), SPAN) == (
        "No. Take a period, such as `since` 2022-07-03 `until` 2024-12-31."
    )
    assert nothing_compared(
        Period(date(2024, 12, 1), date(2024, 12, 31)), SPAN, 40, is_filtered=False
    ).startswith(
        "Brands are compared on channels known in both periods: of the 40 with sponsorships in either, none has"
    )
