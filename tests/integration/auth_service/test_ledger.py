"""The ledger counts every call once; the audit log is only added to."""

import asyncio
import secrets
from datetime import UTC, datetime

import psycopg
import pytest

from auth_service.storage.retention import discard_before
from protos.auth.v1 import auth_pb2 as pb
from servicekit import database
from servicekit.errors import InvalidInput
from tests.integration.auth_service.conftest import Service


def entry(account: str, entry_id: str | None = None, **changes: object) -> pb.UsageEntry:
    fields: dict[str, object] = {
        "entry_id": entry_id or secrets.token_hex(8),
        "account_id": account,
        "credential_id": "key_x",
        "tool": "sponsor.search",
        "admitted_at": "2026-11-21T10:00:00Z",
        "cost": 1,
    }
    return pb.UsageEntry(**(fields | changes))  # pyright: ignore[reportArgumentType]


async def record(service: Service, entries: list[pb.UsageEntry]) -> pb.RecordUsageReply:
    return await service.call(service.access.RecordUsage, pb.RecordUsageRequest(entries=entries))


async def usage(service: Service, account: str, month: str = "2026-11") -> pb.Usage:
    request = pb.UsageRequest(account_id=account, month=month)
    return await service.call(service.access.GetUsage, request)


async def test_overlapping_batches_at_once_count_each_entry_once(service: Service) -> None:
    account = secrets.token_hex(8)
    entries = [entry(account) for _ in range(100)]
    batches = [entries[start : start + 50] for start in range(50)]
    replies = await asyncio.gather(*(record(service, batch) for batch in batches))
    assert sum(reply.recorded for reply in replies) == 99
    assert (await usage(service, account)).requests == 99


async def test_a_refunded_call_is_subtracted(service: Service) -> None:
    account = secrets.token_hex(8)
    await record(service, [entry(account, f"{account}-1"), entry(account)])
    await record(service, [entry(account, f"{account}-1:refund", cost=-1)])
    assert (await usage(service, account)).requests == 1


async def test_a_call_of_several_requests_counts_as_them_and_is_refunded_whole(
    service: Service,
) -> None:
    account = secrets.token_hex(8)
    await record(service, [entry(account, f"{account}-1", cost=5), entry(account, cost=100)])
    assert (await usage(service, account)).requests == 105
    await record(service, [entry(account, f"{account}-1:refund", cost=-5)])
    assert (await usage(service, account)).requests == 100


async def test_usage_is_returned_by_day_and_tool_within_its_month(service: Service) -> None:
    account = secrets.token_hex(8)
    await record(
        service,
        [
            entry(account, admitted_at="2026-10-31T23:59:59.999Z"),
            entry(account, admitted_at="2026-11-01T00:00:00Z"),
            entry(account, admitted_at="2026-11-30T23:59:59Z", tool="sponsor.get"),
            entry(account, admitted_at="2026-12-01T01:00:00+01:00"),
        ],
    )
    november = await usage(service, account)
    assert [(d.day, d.tool, d.requests) for d in november.by_day] == [
        ("2026-11-01", "sponsor.search", 1),
        ("2026-11-30", "sponsor.get", 1),
    ]
    assert (await usage(service, account, "2026-12")).requests == 1


async def test_a_key_in_use_shows_when(service: Service) -> None:
    email = await service.account()
    key = (await service.key(email)).key
    await record(service, [entry("acc", credential_id=key.key_id)])
    listed = await service.operate(
        service.operations.ListKeys, pb.AccountByEmailRequest(email=email)
    )
    assert listed.keys[0].last_used_at == "2026-11-21T10:00:00Z"


@pytest.mark.parametrize("admitted_at", ["", "yesterday"])
async def test_an_entry_without_a_time_is_refused(service: Service, admitted_at: str) -> None:
    with pytest.raises(InvalidInput, match="admitted_at"):
        await record(service, [entry("acc", admitted_at=admitted_at)])


async def test_a_batch_has_a_bound(service: Service) -> None:
    with pytest.raises(InvalidInput, match="1000"):
        await record(service, [entry("acc")] * 1_001)


async def test_old_entries_go_and_their_sums_stay(service: Service) -> None:
    account = secrets.token_hex(8)
    await record(service, [entry(account, admitted_at="2020-01-01T00:00:00Z")])
    engine = database.open_engine(service.settings, "test")

    assert await discard_before(engine, datetime(2020, 1, 2, tzinfo=UTC)) == 1
    await engine.dispose()
    assert (await usage(service, account, "2020-01")).requests == 1


async def test_the_audit_log_refuses_change(service: Service) -> None:
    email = await service.account()
    log = await service.operate(
        service.operations.ListAuditLog, pb.AuditLogRequest(email=email, limit=10)
    )
    assert [event.event for event in log.events] == ["account_created"]
    for statement in (b"UPDATE audit_log SET event = 'x'", b"DELETE FROM audit_log"):
        with (
            psycopg.connect(service.settings.database_url) as connection,
            pytest.raises(psycopg.errors.RaiseException, match="only added to"),
        ):
            connection.execute(statement)


@pytest.mark.parametrize(
    ("end", "cost"),
    [("", -500), ("", -1), ("", 0), ("", 101), (":refund", -101), (":refund", 0), (":refund", 1)],
)
async def test_a_call_costs_a_hundred_requests_at_most_and_refunds_no_more(
    service: Service, end: str, cost: int
) -> None:
    account = secrets.token_hex(8)
    forged = entry(account, f"{account}{end}", cost=cost)
    for epoch in (None, ""):
        request = pb.RecordUsageRequest(entries=[entry(account), forged], epoch=epoch)
        with pytest.raises(InvalidInput):
            await service.call(service.access.RecordUsage, request)
    assert (await usage(service, account)).requests == 0
    row = (f"{account}{end}", account, "key_x", "sponsor.search", datetime.now(UTC), cost)
    with (
        psycopg.connect(service.settings.database_url) as connection,
        pytest.raises(psycopg.errors.CheckViolation),
    ):
        connection.execute("INSERT INTO usage_entries VALUES (%s, %s, %s, %s, %s, %s)", row)


@pytest.mark.parametrize(
    ("end", "cost"), [("", -500), ("", 101), (":refund", -1), (":refund", 0), (":refund", 1)]
)
async def test_nobody_is_admitted_for_less_than_a_request(
    service: Service, end: str, cost: int
) -> None:
    account = secrets.token_hex(8)
    request = pb.AdmissionRequest(
        entry_id=f"{account}{end}", account_id=account, tool="sponsor.search", cost=cost, limit=10
    )
    with pytest.raises(InvalidInput):
        await service.call(service.access.Admit, pb.AdmitRequest(requests=[request]))
