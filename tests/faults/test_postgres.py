"""Postgres killed, its connections cut, and far away, under load."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.faults.services import Running
from tests.faults.trial import Trial, trial

pytestmark = [pytest.mark.timeout(240)]

SECTION = "postgres"
CLIENTS = ("catalog_service", "import_worker")
"""Services that query Postgres for each response."""

AWAY_SECONDS = 3.0
SLOW_SECONDS = 6.0
DELAY_SECONDS = 0.1
BYTES_PER_SECOND = 200_000.0
_CUT = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def assert_clear_errors(it: Trial) -> None:
    """Whoever had no response got an error that says that it is for now, and when to come again."""
    bad = [call for call in it.load.calls if not call.is_good]
    assert [item for item in bad if not item.kind.endswith("unavailable")] == []


async def test_postgres_killed_and_started_again(shared: Running) -> None:
    async with trial(shared) as it:
        before = shared.pid("postgres")
        it.broke = time.monotonic()
        async with shared.away("postgres"):
            await asyncio.sleep(AWAY_SECONDS)
        it.returned = await shared.come_back("postgres", before)
        await it.recovers()
    it.assert_goes_on_without(*CLIENTS)
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION,
        f"`kill -9` of Postgres, away for {AWAY_SECONDS:.0f} s",
        "503 to what asks it; who is known is answered lists and usage; the ledger waits",
    )


async def test_all_connections_to_postgres_cut(shared: Running) -> None:
    async with trial(shared) as it:
        it.broke = time.monotonic()
        ((cut,),) = await shared.rows("postgres", _CUT)
        it.returned = time.monotonic()
        await it.recovers()
    assert cut > 0
    it.assert_goes_on_without(*CLIENTS)
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION, "`pg_terminate_backend` of all connections", "503 to calls on them at most"
    )


async def test_postgres_far_away(shared: Running) -> None:
    proxy = shared.proxies["postgres"]
    async with trial(shared) as it:
        it.broke = time.monotonic()
        proxy.delay, proxy.bytes_per_second = DELAY_SECONDS, BYTES_PER_SECOND
        await asyncio.sleep(SLOW_SECONDS)
        proxy.delay, proxy.bytes_per_second = 0.0, None
        it.returned = time.monotonic()
        await it.recovers()
    it.assert_goes_on_without(*CLIENTS)
    assert_clear_errors(it)
    await it.keeps_its_promises(
        SECTION,
        f"Postgres {DELAY_SECONDS * 1000:.0f} ms away each way, by {BYTES_PER_SECOND / 1000:.0f} KB/s",
        "slow answers, or 503 within 5 s; what does not ask it goes on",
    )
