"""Comparison of two periods over the channels that are known in both."""

from dataclasses import replace
from math import exp, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog_service.domain.same_channels import change, compared, interval, reason_against, score
from shapes.catalog.shared import SameChannels
from tests.same_channels import Channel, sums_of


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    known = draw(st.integers(1, 300)), draw(st.integers(1, 300))
    return draw(st.integers(0, known[0])), draw(st.integers(0, known[1])), *known


SEVERAL = st.lists(channels(), min_size=1, max_size=6)


def test_more_known_videos_at_the_same_rate_are_no_growth() -> None:
    sums = sums_of([(12, 6, 120, 60), (10, 1, 100, 10)])
    assert change(sums) == pytest.approx(0.0)
    assert score(sums) == pytest.approx(0.0)


def test_a_channel_that_is_known_in_one_period_alone_changes_nothing() -> None:
    both = [(4, 8, 40, 40), (3, 6, 30, 30)]
    alone = [*both, (0, 28, 0, 100), (50, 0, 60, 0)]
    assert change(sums_of(alone)) == change(sums_of(both)) == pytest.approx(-0.5)
    assert sums_of(alone) == replace(sums_of(both), all_youtubers=4)


def test_channels_without_the_brand_of_which_more_became_known_are_no_fall() -> None:
    # Together 6 of 20 videos became 6 of 520, but each channel goes on as it did.
    sums = sums_of([(5, 5, 10, 10), (1, 1, 10, 10), (0, 0, 500, 10)])
    assert change(sums) == pytest.approx(0.0)


def test_the_rates_given_have_the_ratio_that_the_change_gives() -> None:
    sums = sums_of([(2, 4, 20, 20), (3, 3, 10, 30)])
    shown = compared(sums, "steady")
    ends = interval(sums)
    assert ends is not None
    assert shown == SameChannels(2, 5, 7, 30, 50, shown.rate, shown.previous_rate, *ends, "steady")
    # Weights 10 and 7.5, rates 0.1 and 0.3 after 0.2 and 0.1.
    assert shown.rate == pytest.approx((10 * 0.1 + 7.5 * 0.3) / 17.5)
    assert shown.previous_rate == pytest.approx((10 * 0.2 + 7.5 * 0.1) / 17.5)
    assert change(sums) == pytest.approx(shown.rate / shown.previous_rate - 1)


def test_nothing_before_has_no_growth() -> None:
    assert change(sums_of([(4, 0, 10, 10), (4, 0, 10, 10)])) is None


def test_the_score_is_in_standard_deviations_of_unchanged_rates() -> None:
    assert isclose(score(sums_of([(16, 9, 100, 100)])), (16 - 12.5) / 2.5)


def test_the_interval_is_wide_where_videos_are_few() -> None:
    # The logarithm of a ratio of two counts with the same denominator has the variance 1/a + 1/b.
    low, high = interval(sums_of([(9, 3, 100, 100)])) or (0.0, 0.0)
    assert (low, high) == pytest.approx(
        tuple(3 * exp(sign * 1.645 * sqrt(1 / 9 + 1 / 3)) - 1 for sign in (-1, 1))
    )
    assert interval(sums_of([(9, 0, 100, 100)])) is None


@given(SEVERAL)
def test_change_and_score_have_the_same_sign(several: list[Channel]) -> None:
    sums = sums_of(several)
    growth = change(sums)
    if growth is None or abs(growth) < 1e-9:
        return
    assert (score(sums) > 0) == (growth > 0)


@given(SEVERAL)
def test_exchanging_the_periods_turns_the_score_around(several: list[Channel]) -> None:
    back = sums_of((b, a, w, v) for a, b, v, w in several)
    assert isclose(score(sums_of(several)), -score(back), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("several", "reason"),
    [
        ([], "No sponsorship of Azura VPN is known of either period."),
        ([(0, 28, 0, 100)], "Azura VPN had 1 creator in the two periods, with known videos in one of them alone."),
        ([(9, 9, 50, 50)], "Azura VPN had 1 creator in the two periods, with known videos in both."),
        ([(9, 9, 50, 50), (0, 28, 0, 100)], "Azura VPN had 2 creators in the two periods; of 1 of them videos of both"),
        # Six of 229 and none of 74, where unchanged rates would give 0.9.
        ([(0, 4, 6, 73), (0, 2, 68, 156)], "6 of 229 videos were Azura VPN's before and 0 of 74 now"),
        # The same, the other way round.
        ([(4, 0, 73, 6), (2, 0, 156, 68)], "0 of 74 videos were Azura VPN's before and 6 of 229 now"),
        ([(4, 2, 20, 20), (1, 1, 20, 20)], None),
    ],
)  # fmt: skip
def test_a_comparison_needs_channels_and_videos(several: list[Channel], reason: str | None) -> None:
    found = reason_against(sums_of(several), "Azura VPN")
    assert found is None if reason is None else reason in (found or "")
