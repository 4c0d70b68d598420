"""Admission over a fake store."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from gateway.mcp.transport.http import quota_headers
from gateway.quota.errors import QuotaExceeded, RateLimited
from gateway.quota.limiter import Quota
from gateway.quota.models import QuotaState, Seed
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import FakeAccess, FakeQuotaStore, decision, principal


async def test_an_unseeded_month_is_seeded_from_the_ledger() -> None:
    store, access = FakeQuotaStore([decision("unseeded")]), FakeAccess(used=42)
    admission = await Quota(store, access).admit(principal(), "sponsor.search", 1)
    assert [seed for _, seed in store.reserved] == [None, Seed(42)]
    assert store.reserved[0][0] == store.reserved[1][0] == admission.usage
    assert access.usage_requests == [("account-1", "2026-11")]


async def test_parallel_calls_of_an_unseeded_month_read_the_ledger_once() -> None:
    store = FakeQuotaStore([decision("unseeded") for _ in range(10)])
    access = FakeAccess()
    quota = Quota(store, access)
    await asyncio.gather(*(quota.admit(principal(), "sponsor.search", 1) for _ in range(10)))
    assert len(access.usage_requests) == 1


async def test_without_the_ledger_an_unseeded_month_admits_nothing() -> None:
    store = FakeQuotaStore([decision("unseeded")])
    with pytest.raises(Unavailable):
        await Quota(store, FakeAccess(error=Unavailable("away"))).admit(principal(), "t", 1)
    assert len(store.reserved) == 1


async def test_a_counter_lost_again_and_again_is_reported_as_unavailable() -> None:
    store = FakeQuotaStore([decision("unseeded") for _ in range(10)])
    with pytest.raises(Unavailable, match="Try again"):
        await Quota(store, FakeAccess()).admit(principal(), "t", 1)


async def test_an_exhausted_month_says_which_and_until_when() -> None:
    store = FakeQuotaStore([decision("quota_exceeded", remaining=0)])
    with pytest.raises(QuotaExceeded) as caught:
        await Quota(store, FakeAccess()).admit(principal(), "t", 1)
    assert "1,000 requests" in caught.value.public_message
    assert "November 2026" in caught.value.public_message
    assert "2026-12-01 at 00:00 UTC" in caught.value.public_message
    assert caught.value.retry_after == 9.5 * 86400


async def test_an_own_limit_that_is_used_up_is_the_operators_and_not_the_plans() -> None:
    store = FakeQuotaStore([decision("quota_exceeded", remaining=0)])
    with pytest.raises(QuotaExceeded) as caught:
        await Quota(store, FakeAccess()).admit(principal(own_monthly_requests=True), "t", 1)
    assert "requests that the operator has set for this account" in caught.value.public_message
    assert "Ask the operator" in caught.value.public_message
    assert "plan" not in caught.value.public_message
    assert caught.value.is_own_limit


async def test_a_full_burst_says_how_long_to_wait() -> None:
    store = FakeQuotaStore([decision("rate_limited", wait_seconds=1.25)])
    with pytest.raises(RateLimited, match="Wait 2 s") as caught:
        await Quota(store, FakeAccess()).admit(principal(), "t", 1)
    assert caught.value.retry_after == 2


async def test_every_call_has_its_own_entry() -> None:
    store = FakeQuotaStore()
    quota = Quota(store, FakeAccess())
    for _ in range(100):
        await quota.admit(principal(), "t", 1)
    assert len({usage.entry_id for usage, _ in store.reserved}) == 100


async def test_a_refund_restores_the_reserved_amount_and_a_free_call_reserved_nothing() -> None:
    store = FakeQuotaStore()
    quota = Quota(store, FakeAccess())
    counted = await quota.admit(principal(), "t", 1)
    assert (await quota.refund(counted)).remaining == 1000
    free = await quota.admit(principal(), "account.usage", 0)
    assert (await quota.refund(free)).remaining == 999
    assert store.refunded == [counted]


def test_the_time_until_the_reset_is_by_the_counters_clock() -> None:
    resets_at = datetime(2026, 12, 1, tzinfo=UTC)
    state = QuotaState(1000, 7, resets_at, resets_at - timedelta(seconds=90.5))
    limit, policy = quota_headers(state)
    assert limit == (b"ratelimit", b'"monthly";r=7;t=91')
    assert policy == (b"ratelimit-policy", b'"monthly";q=1000;w=2592000')
