"""The quota script on real Valkey."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gateway.quota.models import Decision, Reservation, Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_client import open_valkey
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import entitlements
from tests.integration.gateway.conftest import Valkey

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def usage(entry_id: str = "e", cost: int = 1) -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", cost)


def admission(decision: Decision, entry_id: str = "e", cost: int = 1) -> Reservation:
    assert decision.state is not None
    return Reservation(usage(entry_id, cost), decision.month, decision.at, decision.state)


def remaining(decision: Decision) -> int:
    assert decision.state is not None
    return decision.state.remaining


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


async def _entries(valkey: Valkey) -> list[dict[bytes, bytes]]:
    reply: Any = await valkey.xrange(USAGE_STREAM)
    return [fields for _, fields in reply]


async def test_of_200_parallel_calls_on_50_left_exactly_50_are_admitted(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey)
    calls = [quota.reserve(usage(f"e{number}"), entitlements(), Seed(950)) for number in range(200)]
    decisions = await asyncio.gather(*calls)
    assert Counter(decision.outcome for decision in decisions) == {
        "admitted": 50,
        "quota_exceeded": 150,
    }
    left = sorted(remaining(decision) for decision in decisions if decision.outcome == "admitted")
    assert left == list(range(50))
    entries = await _entries(valkey)
    assert len({entry[b"entry_id"] for entry in entries}) == 50


async def test_a_counter_that_does_not_exist_needs_its_seed(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey, Clock(NOW))
    decision = await quota.reserve(usage(), entitlements())
    assert (decision.outcome, decision.month, decision.state) == ("unseeded", "2026-11", None)
    assert await _entries(valkey) == []


async def test_a_seed_is_ignored_once_the_counter_exists(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey)
    await quota.reserve(usage("a"), entitlements(), Seed(10))
    decision = await quota.reserve(usage("b"), entitlements(), Seed(500))
    assert remaining(decision) == 1000 - 12


@pytest.mark.parametrize(
    ("last_moment", "next_month"),
    [
        (datetime(2026, 11, 30, 23, 59, 59, 999_000, tzinfo=UTC), "2026-12"),
        (datetime(2026, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC), "2027-01"),
        (datetime(2028, 2, 29, 23, 59, 59, 999_000, tzinfo=UTC), "2028-03"),
        (datetime(2100, 2, 28, 23, 59, 59, 999_000, tzinfo=UTC), "2100-03"),
    ],
)
async def test_the_turn_of_the_month_in_utc_starts_a_new_count(
    valkey: Valkey, last_moment: datetime, next_month: str
) -> None:
    clock = Clock(last_moment)
    quota = ValkeyQuota(valkey, clock)
    assert (await quota.reserve(usage("a"), entitlements(), Seed(999))).outcome == "admitted"
    refused = await quota.reserve(usage("b"), entitlements())
    assert refused.outcome == "quota_exceeded"
    assert refused.state is not None
    assert refused.state.resets_at == last_moment + timedelta(milliseconds=1)
    clock.now = refused.state.resets_at
    fresh = await quota.reserve(usage("b"), entitlements(), Seed(0))
    assert (fresh.outcome, fresh.month, remaining(fresh)) == ("admitted", next_month, 999)


async def test_days_over_thirty_years_are_in_the_month_that_the_calendar_says(
    valkey: Valkey,
) -> None:
    clock = Clock(datetime(2020, 1, 1, tzinfo=UTC))
    quota = ValkeyQuota(valkey, clock)
    for _ in range(400):
        decision = await quota.reserve(usage(), entitlements())
        assert decision.month == f"{clock.now:%Y-%m}"
        clock.now += timedelta(days=27, hours=5)


async def test_a_counter_outlives_its_month_by_some_days_only(valkey: Valkey) -> None:
    await ValkeyQuota(valkey).reserve(usage(), entitlements(), Seed(0))
    (key,) = [key async for key in valkey.scan_iter("*:month:*")]
    seconds = await valkey.ttl(key)
    assert 7 * 86400 < seconds <= 38 * 86400


async def test_the_burst_bucket_empties_returns_the_wait_and_fills_again(
    valkey: Valkey,
) -> None:
    clock = Clock(NOW)
    quota = ValkeyQuota(valkey, clock)
    limited = entitlements(burst_requests=3, burst_refill_per_second=2.0)
    outcomes = [(await quota.reserve(usage(f"e{n}"), limited, Seed(0))).outcome for n in range(3)]
    assert outcomes == ["admitted"] * 3
    refused = await quota.reserve(usage("x"), limited)
    assert (refused.outcome, refused.wait_seconds, remaining(refused)) == ("rate_limited", 0.5, 997)
    clock.now += timedelta(seconds=refused.wait_seconds)
    assert (await quota.reserve(usage("y"), limited)).outcome == "admitted"
    assert len(await _entries(valkey)) == 4


async def test_a_free_call_succeeds_in_an_exhausted_month_and_is_not_counted(
    valkey: Valkey,
) -> None:
    quota = ValkeyQuota(valkey)
    decision = await quota.reserve(usage(cost=0), entitlements(), Seed(1000))
    assert (decision.outcome, remaining(decision)) == ("admitted", 0)
    assert await _entries(valkey) == []


async def test_a_refund_is_free_again_and_undone_in_the_ledger(
    valkey: Valkey,
) -> None:
    quota = ValkeyQuota(valkey, Clock(NOW))
    decision = await quota.reserve(usage("a"), entitlements(), Seed(999))
    await quota.refund(admission(decision, "a"))
    assert remaining(await quota.reserve(usage("b"), entitlements())) == 0
    first, opposite, _ = await _entries(valkey)
    assert (first[b"entry_id"], first[b"cost"]) == (b"a", b"1")
    assert (opposite[b"entry_id"], opposite[b"cost"]) == (b"a:refund", b"-1")
    assert opposite[b"admitted_at"] == first[b"admitted_at"]


async def test_a_call_of_the_old_month_is_refunded_to_the_old_month(valkey: Valkey) -> None:
    clock = Clock(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
    quota = ValkeyQuota(valkey, clock)
    old = await quota.reserve(usage("a"), entitlements(), Seed(5))
    clock.now += timedelta(seconds=2)
    await quota.reserve(usage("b"), entitlements(), Seed(0))
    await quota.refund(admission(old, "a"))
    assert remaining(await quota.reserve(usage("c", cost=0), entitlements())) == 999
    clock.now -= timedelta(seconds=2)
    assert remaining(await quota.reserve(usage("d", cost=0), entitlements())) == 995


async def test_a_larger_plan_holds_at_once(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey)
    assert (await quota.reserve(usage(), entitlements(), Seed(1000))).outcome == "quota_exceeded"
    decision = await quota.reserve(usage(), entitlements(monthly_requests=10_000))
    assert (decision.outcome, remaining(decision)) == ("admitted", 8999)


async def test_without_valkey_nothing_is_admitted() -> None:
    nowhere = open_valkey("redis://127.0.0.1:1/0", timeout=1)
    with pytest.raises(Unavailable):
        await ValkeyQuota(nowhere).reserve(usage(), entitlements(), Seed(0))
    await nowhere.aclose()
