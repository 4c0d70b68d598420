"""The ledger admits calls exactly under concurrency, and hands its counts to the next epoch."""

import asyncio
import secrets

import psycopg
import pytest

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Conflict, InvalidInput, Unavailable
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_ledger import entry, usage


def request(account: str, entry_id: str | None = None, **changes: object) -> pb.AdmissionRequest:
    fields: dict[str, object] = {
        "entry_id": entry_id or secrets.token_hex(8),
        "account_id": account,
        "credential_id": "key_x",
        "tool": "sponsor.search",
        "cost": 1,
        "limit": 10,
    }
    return pb.AdmissionRequest(**(fields | changes))  # pyright: ignore[reportArgumentType]


async def admit(service: Service, *requests: pb.AdmissionRequest) -> pb.AdmitReply:
    return await service.call(service.access.Admit, pb.AdmitRequest(requests=requests))


async def record(service: Service, epoch: str, *entries: pb.UsageEntry) -> pb.RecordUsageReply:
    request = pb.RecordUsageRequest(entries=entries, epoch=epoch)
    return await service.call(service.access.RecordUsage, request)


async def renew(service: Service, valkey: str = "", **changes: object) -> pb.Authority:
    fields: dict[str, object] = {"gateway_id": "gateway-1", "valkey": valkey}
    report = pb.LeaseReport(**(fields | changes))  # pyright: ignore[reportArgumentType]
    return await service.call(service.access.RenewLease, report)


async def begin(service: Service) -> str:
    """Begin an epoch in which Valkey counts; return it."""
    return (await renew(service, secrets.token_hex(8))).epoch


async def begin_by_ledger(service: Service) -> str:
    await begin(service)
    await renew(service)
    authority = await renew(service)
    assert authority.counted_by == "ledger"
    return authority.epoch


async def is_bypassed(service: Service) -> bool:
    """Return True if a gateway that counts, with the same Valkey as before, has to stop."""
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute("SELECT epoch, counted_by FROM counter_state").fetchone()
    assert row is not None
    epoch, run = row
    generation = f"{epoch}.{run}"
    authority = await renew(service, run, epoch=epoch, generation=generation)
    return not authority.counted_by


def month(reply: pb.AdmitReply) -> str:
    return reply.at[:7]


async def test_batches_at_once_admit_no_more_than_the_month_has(service: Service) -> None:
    account = secrets.token_hex(8)
    await begin_by_ledger(service)
    batches = [[request(account) for _ in range(3)] for _ in range(12)]
    replies = await asyncio.gather(*(admit(service, *batch) for batch in batches))
    decisions = [decision for reply in replies for decision in reply.decisions]
    assert sum(decision.admitted for decision in decisions) == 10
    assert sorted(decision.used for decision in decisions if decision.admitted) == list(
        range(1, 11)
    )
    assert {decision.used for decision in decisions if not decision.admitted} == {10}
    assert (await usage(service, account, month(replies[0]))).requests == 10


async def test_accounts_in_opposite_orders_do_not_hold_each_other_up(service: Service) -> None:
    first, second = secrets.token_hex(8), secrets.token_hex(8)
    await begin_by_ledger(service)
    orders = ([first, second], [second, first]) * 10
    batches = [[request(account) for account in order] for order in orders]
    await asyncio.gather(*(admit(service, *batch) for batch in batches))
    used = [(await admit(service, request(item, cost=0))).decisions[0].used for item in orders[0]]
    assert used == [10, 10]


async def test_the_same_call_again_is_admitted_and_counts_once(service: Service) -> None:
    account = secrets.token_hex(8)
    await begin_by_ledger(service)
    call = request(account, limit=1)
    replies = [await admit(service, call, call) for _ in range(2)]
    assert [decision.admitted for reply in replies for decision in reply.decisions] == [True] * 4
    assert [decision.used for reply in replies for decision in reply.decisions] == [1] * 4


async def test_a_free_call_returns_what_is_used_and_leaves_nothing(service: Service) -> None:
    account = secrets.token_hex(8)
    await begin_by_ledger(service)
    reply = await admit(service, request(account, cost=0, limit=0))
    assert [(decision.admitted, decision.used) for decision in reply.decisions] == [(True, 0)]
    assert (await usage(service, account, month(reply))).requests == 0


async def test_a_bypass_of_the_counters_is_known_until_the_next_epoch(service: Service) -> None:
    account = secrets.token_hex(8)
    await begin(service)
    assert not await is_bypassed(service)
    await record(service, "", entry(account))
    assert await is_bypassed(service)
    await begin(service)
    assert not await is_bypassed(service)


async def test_the_ledger_admits_nothing_while_valkey_counts(service: Service) -> None:
    account = secrets.token_hex(8)
    await begin(service)
    with pytest.raises(Conflict):
        await admit(service, request(account))
    await begin_by_ledger(service)
    assert (await admit(service, request(account))).decisions[0].admitted


async def test_an_epoch_ends_when_every_gateway_that_counts_has_stopped(service: Service) -> None:
    run, other = secrets.token_hex(8), "gateway-2"
    begun = await renew(service, run)
    assert (await renew(service, run, gateway_id=other)).epoch == begun.epoch
    assert (await renew(service)).counted_by == run
    assert (await renew(service, gateway_id=other, epoch=begun.epoch)).counted_by == ""
    assert (await renew(service)).counted_by == ""
    assert (await renew(service, gateway_id=other)).counted_by == "ledger"
    await renew(service, gateway_id=other, has_stopped=True)


async def test_entries_of_this_epochs_counters_and_known_ones_bypass_nothing(
    service: Service,
) -> None:
    account = secrets.token_hex(8)
    epoch, old = await begin(service), secrets.token_hex(8)
    first, second = entry(account), entry(account)
    await record(service, epoch, first)
    assert not await is_bypassed(service)
    await record(service, old, first)
    assert not await is_bypassed(service)
    await record(service, old, first, second)
    assert await is_bypassed(service)


async def test_a_call_is_refunded_in_the_month_that_it_counted_in(service: Service) -> None:
    account = secrets.token_hex(8)
    counted = entry(account, f"{account}-1", admitted_at="2026-10-31T23:59:59Z")
    await record(service, "", counted)
    known_otherwise = entry(account, f"{account}-1", admitted_at="2026-11-01T00:00:01Z")
    refund = entry(account, f"{account}-1:refund", admitted_at="2026-11-01T00:00:01Z", cost=-1)
    await record(service, "", known_otherwise, refund)
    assert (await usage(service, account, "2026-10")).requests == 0
    assert (await usage(service, account, "2026-11")).requests == 0


async def test_a_batch_of_admission_requests_has_a_bound(service: Service) -> None:
    with pytest.raises(InvalidInput, match="1000"):
        await admit(service, *[request("acc")] * 1_001)


async def test_waits_for_the_lock_of_an_account_are_bounded(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auth_service.storage.ledger_admission._LOCK_MILLISECONDS", 100)
    await begin_by_ledger(service)
    with psycopg.connect(service.settings.database_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('acc_held', 19))")
        with pytest.raises(Unavailable, match="Try again") as refusal:
            await admit(service, request("acc_held"))
        assert refusal.value.retry_after == 2
        assert (await admit(service, request("acc_free"))).decisions[0].admitted
    assert (await admit(service, request("acc_held"))).decisions[0].admitted


async def test_calls_of_several_requests_are_admitted_while_all_of_them_fit(
    service: Service,
) -> None:
    account = secrets.token_hex(8)
    await renew(service)
    decisions = (
        await admit(service, *(request(account, cost=cost, limit=12) for cost in (5, 5, 5, 2, 1)))
    ).decisions
    assert [item.admitted for item in decisions] == [True, True, False, True, False]
    assert [item.used for item in decisions] == [5, 10, 10, 12, 12]
