"""Calls by day are added once for each batch, and only for accounts that exist."""

import asyncio
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from auth_service.storage.retention import discard_calls
from protos.auth.v1 import auth_pb2 as pb
from servicekit import database
from servicekit.errors import InvalidInput
from servicekit.latencies import BUCKETS
from tests.integration.auth_service.conftest import Service


def call_sum(account_id: str, calls: int = 3, errors: int = 1, **changes: Any) -> pb.CallSum:
    latencies = [0] * BUCKETS
    latencies[2] = calls
    fields: dict[str, Any] = {
        "account_id": account_id,
        "credential_id": "key_x",
        "tool": "sponsor.search",
        "day": f"{datetime.now(UTC):%Y-%m-%d}",
        "calls": calls,
        "errors": errors,
        "latencies": latencies,
    }
    return pb.CallSum(**(fields | changes))


async def record(service: Service, *sums: pb.CallSum, batch_id: str = "") -> bool:
    request = pb.RecordCallsRequest(batch_id=batch_id or secrets.token_hex(16), sums=sums)
    return (await service.call(service.access.RecordCalls, request)).recorded


async def account_id_of(service: Service, email: str) -> str:
    request = pb.AccountByEmailRequest(email=email)
    return (await service.operate(service.operations.GetAccount, request)).account_id


def stored(service: Service, account_id: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(service.settings.database_url) as connection:
        query = "SELECT calls, errors, latencies[3] FROM calls_daily WHERE account_id = %s"
        return connection.execute(query, (account_id,)).fetchall()


async def test_batches_at_once_add_up_and_each_counts_once(service: Service) -> None:
    account_id = await account_id_of(service, (await service.person()).email)
    ids = [secrets.token_hex(16) for _ in range(10)]
    replies = await asyncio.gather(
        *(record(service, call_sum(account_id), batch_id=batch_id) for batch_id in ids * 2)
    )
    assert sorted(replies) == [False] * 10 + [True] * 10
    assert stored(service, account_id) == [(30, 10, 30)]


async def test_calls_of_accounts_that_are_gone_are_dropped(service: Service) -> None:
    account_id = await account_id_of(service, (await service.person()).email)
    gone = secrets.token_hex(8)
    assert await record(service, call_sum(gone), call_sum(account_id), call_sum(""))
    assert stored(service, gone) == []
    assert stored(service, account_id) == [(3, 1, 3)]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"day": "2026-13-01"}, "sums.day"),
        ({"errors": 4}, "sums.errors"),
        ({"errors": -1}, "sums.errors"),
        ({"latencies": [3]}, "sums.latencies"),
        ({"latencies": [4, -1, *[0] * (BUCKETS - 2)]}, "sums.latencies"),
        ({"latencies": [0] * BUCKETS}, "sums.latencies"),
    ],
)
async def test_figures_that_cannot_be_are_refused_by_field(
    service: Service, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await record(service, call_sum("a", **changes))
    assert refusal.value.details["field"] == field


async def test_a_batch_has_an_id_and_at_most_a_thousand_sums(service: Service) -> None:
    for request, field in (
        (pb.RecordCallsRequest(sums=[call_sum("a")]), "batch_id"),
        (pb.RecordCallsRequest(batch_id="b", sums=[call_sum("a")] * 1_001), "sums"),
    ):
        with pytest.raises(InvalidInput) as refusal:
            await service.call(service.access.RecordCalls, request)
        assert refusal.value.details["field"] == field


async def test_old_days_and_days_of_deleted_accounts_are_removed(service: Service) -> None:
    account_id = await account_id_of(service, (await service.person()).email)
    now = datetime.now(UTC)
    old = f"{now - timedelta(days=250):%Y-%m-%d}"
    await record(service, call_sum(account_id), call_sum(account_id, day=old))
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(
            "INSERT INTO calls_daily VALUES (%s, current_date, 't', 'c', 1, 0, '{1}')", ("gone",)
        )
    engine = database.open_engine(service.settings, "test")
    try:
        assert await discard_calls(engine, now) >= 2
    finally:
        await engine.dispose()
    assert stored(service, account_id) == [(3, 1, 3)]
    assert stored(service, "gone") == []
