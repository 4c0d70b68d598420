"""A standby of Postgres that lagged is promoted, and nobody remembers some calls that it lacks.

Gateways report the calls of the last minute again. Those of a gateway that was killed are lost to the
ledger: its counter is lowered to it, and the difference reported.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from prometheus_client import REGISTRY
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.domain.reconciliation import Month, Reconciliation
from auth_service.domain.settlement import ActiveMonths, Settlement
from auth_service.domain.usage import UsageEntry
from auth_service.storage.counters import ValkeyCounters
from auth_service.storage.reconciliation import PostgresReconciliationStore
from auth_service.storage.settlement_job import keep_settling
from devstack.engines import Valkey
from devstack.ports import HOST
from gateway.storage.valkey_client import open_valkey
from servicekit import database
from servicekit.concurrency.background import in_background
from servicekit.settings import DatabaseSettings
from tests.integration.gateway import test_quota_partitions
from tests.integration.gateway.test_quota_partitions import (
    MANY,
    PASSWORD,
    Gateway,
    agree,
    gateway,
    lagging_pair,
)

server = test_quota_partitions.server
METRIC: Final = "sponsorgraph_ledger_settled_calls_total"
REMEMBERED: Final = 24
FORGOTTEN: Final = 5
CARRIED: Final = 20
MINUTE: Final = 60.0


def now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def settling(server: Valkey, engine: AsyncEngine) -> AsyncGenerator[ActiveMonths]:
    """The auth service's settlement, as often as by default."""
    valkey: Any = open_valkey(server.url(), timeout=5)
    active = ActiveMonths(now)
    reconciliation = Reconciliation(
        PostgresReconciliationStore(engine), ValkeyCounters(valkey), now, 45
    )
    try:
        async with in_background(keep_settling(Settlement(reconciliation, active))):
            yield active
    finally:
        await valkey.aclose()


async def calls(item: Gateway, number: int) -> None:
    for _ in range(number):
        assert await item.admits(MANY)


@pytest.mark.thorough
async def test_what_a_promoted_standby_lacks_for_good_is_settled_within_a_minute(
    server: Valkey, tmp_path: Path
) -> None:
    account_id = MANY.entitlements.account_id
    async with lagging_pair(tmp_path) as (primary, standby, way):
        url = (
            f"postgresql://postgres:{PASSWORD}@/postgres?host={HOST},{HOST}"
            f"&port={primary.port},{standby.port}&target_session_attrs=read-write"
        )
        engine = database.open_engine(DatabaseSettings(database_url=url), "test")
        before = REGISTRY.get_sample_value(METRIC, {"higher": "counter"}) or 0
        try:
            async with (
                gateway("stays", server, engine) as stays,
                settling(server, engine) as active,
            ):
                await calls(stays, CARRIED)
                await agree([stays], MANY, CARRIED)
                await way.vanish()
                async with gateway("killed", server, engine) as killed:
                    await calls(killed, FORGOTTEN)
                    await calls(stays, REMEMBERED)
                    await agree([stays], MANY, CARRIED + REMEMBERED + FORGOTTEN)
                active.add([UsageEntry("of", account_id, "key", "tool", now(), 1)])
                assert primary.process is not None
                primary.process.kill()
                primary.process.wait()
                with psycopg.connect(standby.url(), autocommit=True) as promoted:
                    promoted.execute("SELECT pg_promote()")
                repaired = time.monotonic()
                await agree([stays], MANY, CARRIED + REMEMBERED)
                assert time.monotonic() - repaired < MINUTE
                await calls(stays, 1)
                await agree([stays], MANY, CARRIED + REMEMBERED + 1)
                month = [Month(account_id, f"{now():%Y-%m}")]
                (used,) = (await PostgresReconciliationStore(engine).used(month)).values()
                assert used == CARRIED + REMEMBERED + 1
        finally:
            await engine.dispose()
    settled = (REGISTRY.get_sample_value(METRIC, {"higher": "counter"}) or 0) - before
    assert settled == FORGOTTEN
