"""The day's units, counted in a real Valkey."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis.asyncio as redis

from devstack.ports import free_port
from import_worker.clients.youtube_quota import Quota, until_reset
from import_worker.domain.sources import SourceQuotaUsedUp

NOON = datetime(2026, 7, 1, 19, tzinfo=UTC)  # noon in California
OPENING: Any = redis.Redis


@pytest.fixture
async def valkey(fresh_valkey: str) -> AsyncGenerator[Any]:
    async with OPENING.from_url(fresh_valkey) as client:
        yield client


def at(instant: datetime) -> Callable[[], datetime]:
    return lambda: instant


async def test_units_are_given_until_the_budget_is_used_up(valkey: Any) -> None:
    quota = Quota(valkey, "a key", budget=3, clock=at(NOON))
    for _ in range(3):
        await quota.spend(1)
    with pytest.raises(SourceQuotaUsedUp) as refused:
        await quota.spend(1)
    assert refused.value.retry_after == 12 * 3600


async def test_workers_share_the_budget_and_never_overshoot_it(
    fresh_valkey: str, valkey: Any
) -> None:
    async with OPENING.from_url(fresh_valkey) as other:
        quotas = [Quota(client, "a key", budget=50, clock=at(NOON)) for client in (valkey, other)]
        outcomes = await asyncio.gather(
            *(quotas[turn % 2].spend(1) for turn in range(80)), return_exceptions=True
        )
    assert outcomes.count(None) == 50
    assert all(
        isinstance(outcome, SourceQuotaUsedUp) for outcome in outcomes if outcome is not None
    )


async def test_what_does_not_fit_takes_nothing(valkey: Any) -> None:
    quota = Quota(valkey, "a key", budget=3, clock=at(NOON))
    await quota.spend(2)
    with pytest.raises(SourceQuotaUsedUp):
        await quota.spend(2)
    await quota.spend(1)


async def test_the_day_begins_at_midnight_in_california(valkey: Any) -> None:
    now = datetime(2026, 7, 2, 6, 59, 59, tzinfo=UTC)
    quota = Quota(valkey, "a key", budget=1, clock=lambda: now)
    await quota.spend(1)
    with pytest.raises(SourceQuotaUsedUp) as refused:
        await quota.spend(1)
    assert refused.value.retry_after == 1
    now += timedelta(seconds=1)
    await quota.spend(1)


@pytest.mark.parametrize(
    ("instant", "hours"),
    [
        (datetime(2026, 3, 8, 8, tzinfo=UTC), 23),  # clocks go forward
        (datetime(2026, 11, 1, 7, tzinfo=UTC), 25),  # and back
        (datetime(2026, 12, 31, 8, tzinfo=UTC), 24),
    ],
)
def test_days_on_which_clocks_change_have_their_true_length(instant: datetime, hours: int) -> None:
    assert until_reset(instant) == hours * 3600


async def test_a_day_that_youtube_calls_used_up_is_so_for_every_worker(
    fresh_valkey: str, valkey: Any
) -> None:
    async with OPENING.from_url(fresh_valkey) as other:
        error = await Quota(valkey, "a key", budget=100, clock=at(NOON)).fill()
        assert error.retry_after == 12 * 3600
        with pytest.raises(SourceQuotaUsedUp):
            await Quota(other, "a key", budget=100, clock=at(NOON)).spend(1)


async def test_another_key_has_units_of_its_own(valkey: Any) -> None:
    await Quota(valkey, "a key", budget=1, clock=at(NOON)).fill()
    await Quota(valkey, "another key", budget=1, clock=at(NOON)).spend(1)


async def test_the_key_is_not_written_down_and_counters_go_away(valkey: Any) -> None:
    await Quota(valkey, "a key", budget=5, clock=at(NOON)).spend(1)
    (name,) = await valkey.keys("*")
    assert b"a key" not in name
    assert 0 < await valkey.ttl(name) <= 2 * 86_400


async def test_calls_go_through_while_valkey_is_away() -> None:
    async with OPENING.from_url(f"redis://127.0.0.1:{free_port()}") as nowhere:
        quota = Quota(nowhere, "a key", budget=1, clock=at(NOON))
        await quota.spend(1)
        await quota.spend(1)


async def test_without_valkey_a_worker_still_believes_youtube_until_the_day_ends() -> None:
    now = NOON
    async with OPENING.from_url(f"redis://127.0.0.1:{free_port()}") as nowhere:
        quota = Quota(nowhere, "a key", budget=1, clock=lambda: now)
        await quota.fill()
        with pytest.raises(SourceQuotaUsedUp):
            await quota.spend(1)
        now += timedelta(days=1)
        await quota.spend(1)
