"""Valkey killed, emptied and hung, under load: the ledger counts meanwhile, and no count is lost."""

from __future__ import annotations

import asyncio
import shutil
import time

import httpx2
import pytest

from tests.e2e.fleet import until
from tests.faults.services import Running
from tests.faults.trial import RECOVERY_SECONDS, Trial, trial

pytestmark = [pytest.mark.timeout(240)]

SECTION = "valkey"
AWAY_SECONDS = 3.0
HUNG_SECONDS = 10.0
VALKEY_SECONDS = 2.0
"""GATEWAY_VALKEY_TIMEOUT_SECONDS: the longest that a call waits for Valkey before it asks the ledger."""


async def gateway_says(stack: Running, line: str) -> bool:
    async with httpx2.AsyncClient() as http:
        metrics = await http.get(f"http://{stack.addresses.gateway}/metrics")
    return line in metrics.text.splitlines()


async def comes_back(stack: Running, it: Trial) -> None:
    """Waits until Valkey counts again and pushes are heard: within seconds, and by themselves."""
    for line in (
        "sponsorgraph_quota_failover_active 0.0",
        "sponsorgraph_revocation_listener_connected 1.0",
    ):
        await until(lambda line=line: gateway_says(stack, line), f"never said: {line}")
    assert time.monotonic() - it.returned <= RECOVERY_SECONDS
    await it.recovers()


def assert_all_succeeded(it: Trial) -> None:
    assert [call for call in it.load.calls if not call.is_good] == []


@pytest.mark.parametrize("is_emptied", [False, True], ids=["full", "empty"])
async def test_without_valkey_calls_succeed_and_are_counted(
    shared: Running, *, is_emptied: bool
) -> None:
    async with trial(shared) as it:
        before = shared.pid("valkey")
        it.broke = time.monotonic()
        async with shared.away("valkey"):
            await until(
                lambda: gateway_says(shared, "sponsorgraph_quota_failover_active 1.0"), "no grace"
            )
            await asyncio.sleep(AWAY_SECONDS)
            if is_emptied:
                assert shared.valkey.data is not None
                shutil.rmtree(shared.valkey.data)
        it.returned = await shared.come_back("valkey", before)
        await comes_back(shared, it)
    assert_all_succeeded(it)
    back = "comes back empty" if is_emptied else "comes back with what it kept"
    await it.keeps_its_promises(
        SECTION,
        f"`kill -9` of Valkey, away for {AWAY_SECONDS:.0f} s, {back}",
        "nobody notices: the ledger counts",
    )


async def test_valkey_that_forgets_all_under_load_counts_all(shared: Running) -> None:
    async with trial(shared) as it:
        it.broke = time.monotonic()
        await shared.in_valkey("FLUSHALL")
        it.returned = time.monotonic()
        await comes_back(shared, it)
    assert_all_succeeded(it)
    await it.keeps_its_promises(SECTION, "FLUSHALL", "nobody notices: counters begin anew")


async def test_a_hung_valkey_delays_a_few_calls_and_then_none(shared: Running) -> None:
    async with trial(shared) as it:
        it.broke = time.monotonic()
        async with shared.hung("valkey"):
            await until(
                lambda: gateway_says(shared, "sponsorgraph_quota_failover_active 1.0"), "no grace"
            )
            found = time.monotonic()
            await asyncio.sleep(HUNG_SECONDS - (found - it.broke))
        it.returned = time.monotonic()
        await comes_back(shared, it)
    assert_all_succeeded(it)
    waits = sorted(item.ended - item.sent for item in it.load.since(found, it.returned))
    assert waits[len(waits) // 2] < VALKEY_SECONDS / 4
    await it.keeps_its_promises(
        SECTION,
        f"SIGSTOP of Valkey for {HUNG_SECONDS:.0f} s",
        f"calls of the first {VALKEY_SECONDS:.0f} s wait that long; then the ledger counts",
    )


async def test_without_valkey_and_the_ledger_calls_are_refused_in_words(shared: Running) -> None:
    async with trial(shared) as it:
        before = shared.pid("valkey")
        it.broke = time.monotonic()
        async with shared.away("valkey"), shared.away("auth_service"):
            await asyncio.sleep(AWAY_SECONDS)
        it.returned = await shared.come_back("valkey", before)
        await until(lambda: shared.is_ready("auth_service"), "no auth service")
        it.returned = time.monotonic()
        await comes_back(shared, it)
    bad = [call for call in it.load.calls if not call.is_good]
    assert [item for item in bad if not item.kind.endswith("unavailable")] == []
    await it.keeps_its_promises(
        SECTION,
        "Valkey and auth_service killed, away for 3 s",
        "503 with Retry-After to what is counted",
    )
