"""Burst buckets in memory."""

import pytest

from gateway.quota.bursts import Bursts
from tests.fakes.gateway_ports import entitlements

SLOW = entitlements(burst_requests=2, burst_refill_per_second=0.5)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_full_at_first_and_says_how_long_it_is_empty() -> None:
    bursts = Bursts(Clock())
    assert [bursts.reserve(SLOW) for _ in range(3)] == [0, 0, 2]


def test_a_bucket_fills_by_time_up_to_its_size() -> None:
    clock = Clock()
    bursts = Bursts(clock)
    for _ in range(2):
        bursts.reserve(SLOW)
    clock.now += 1
    assert bursts.reserve(SLOW) == pytest.approx(1)
    clock.now += 1_000
    assert [bursts.reserve(SLOW) for _ in range(3)] == [0, 0, 2]


def test_a_refund_can_be_reserved_again() -> None:
    bursts = Bursts(Clock())
    for _ in range(2):
        bursts.reserve(SLOW)
    bursts.refund(SLOW)
    assert [bursts.reserve(SLOW) for _ in range(2)] == [0, 2]


def test_accounts_have_buckets_of_their_own() -> None:
    bursts = Bursts(Clock())
    other = entitlements(account_id="other", burst_requests=2, burst_refill_per_second=0.5)
    assert [bursts.reserve(item) for item in (SLOW, SLOW, other, other)] == [0] * 4
    assert bursts.reserve(SLOW) > 0
