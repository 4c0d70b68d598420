"""From the stream to the ledger, whoever dies on the way."""

import asyncio
from typing import Any

import pytest

from gateway.quota.models import Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_ledger_writer import GROUP, LedgerPace, LedgerWriter
from gateway.storage.valkey import USAGE_STREAM
from servicekit.concurrency.background import in_background
from servicekit.errors import InvalidInput, Unavailable
from tests.fakes.gateway_ports import FakeAccess, entitlements
from tests.integration.gateway.conftest import Valkey, until

AT_ONCE = LedgerPace(batch=10, wait_seconds=0.01, retry_seconds=0.01, takeover_seconds=0)


async def _admit(valkey: Valkey, count: int, first: int = 0) -> None:
    quota = ValkeyQuota(valkey)
    for number in range(first, first + count):
        usage = UsageRequest(f"e{number}", "account-1", "key-1", "sponsor.search", 1)
        await quota.reserve(usage, entitlements(), Seed(0))


async def _carry_all(ledger: LedgerWriter) -> None:
    await ledger.open()
    while await ledger.carry():
        pass


async def _nothing_is_left(valkey: Valkey) -> bool:
    pending: Any = await valkey.xpending(USAGE_STREAM, GROUP)
    return await valkey.xlen(USAGE_STREAM) == 0 and pending["pending"] == 0


async def _ledger_has(access: FakeAccess, entries: int) -> None:
    async def arrived() -> bool:
        return len(access.ledger) == entries

    await until(arrived)


async def test_every_admitted_call_reaches_the_ledger_and_leaves_the_stream(valkey: Valkey) -> None:
    access = FakeAccess()
    await _admit(valkey, 25)
    await _carry_all(LedgerWriter(valkey, access, AT_ONCE))
    assert set(access.ledger) == {f"e{number}" for number in range(25)}
    assert await _nothing_is_left(valkey)


async def test_an_entry_says_who_called_what_and_when(valkey: Valkey) -> None:
    access = FakeAccess()
    await _admit(valkey, 1)
    await _carry_all(LedgerWriter(valkey, access, AT_ONCE))
    (entry,) = access.ledger.values()
    assert (entry.account_id, entry.credential_id) == ("account-1", "key-1")
    assert (entry.tool, entry.cost) == ("sponsor.search", 1)
    now: Any = await valkey.time()
    assert abs(entry.admitted_at.timestamp() - now[0]) < 60


async def test_entries_that_a_dead_gateway_had_read_are_taken_over(valkey: Valkey) -> None:
    access = FakeAccess()
    await _admit(valkey, 15)
    await LedgerWriter(valkey, access, AT_ONCE).open()
    await valkey.xreadgroup(GROUP, "dead", {USAGE_STREAM: ">"}, count=12)
    await _carry_all(LedgerWriter(valkey, access, AT_ONCE))
    assert len(access.ledger) == 15
    assert await _nothing_is_left(valkey)


async def test_entries_that_a_living_gateway_has_just_read_are_left_to_it(valkey: Valkey) -> None:
    access = FakeAccess()
    await _admit(valkey, 3)
    patient = LedgerWriter(valkey, access, LedgerPace(wait_seconds=0.01, takeover_seconds=60))
    await patient.open()
    await valkey.xreadgroup(GROUP, "living", {USAGE_STREAM: ">"})
    assert await patient.carry() == 0
    assert access.ledger == {}


async def test_a_gateway_that_died_after_reporting_and_before_forgetting_counts_once(
    valkey: Valkey,
) -> None:
    access = FakeAccess()
    await _admit(valkey, 5)
    ledger = LedgerWriter(valkey, access, AT_ONCE)
    await _carry_all(ledger)
    recorded = dict(access.ledger)
    await valkey.delete(USAGE_STREAM)
    await _admit(valkey, 5)
    await _carry_all(LedgerWriter(valkey, access, AT_ONCE))
    assert access.ledger == recorded


async def test_while_the_auth_service_is_away_entries_wait_and_then_arrive(valkey: Valkey) -> None:
    access = FakeAccess(error=Unavailable("away"))
    await _admit(valkey, 8)
    ledger = LedgerWriter(valkey, access, AT_ONCE)
    await ledger.open()
    with pytest.raises(Unavailable):
        await ledger.carry()
    access.error = None
    await _carry_all(ledger)
    assert len(access.ledger) == 8
    assert await _nothing_is_left(valkey)


async def test_unreported_entries_are_reported_at_once_when_the_auth_service_is_back(
    valkey: Valkey,
) -> None:
    access = FakeAccess(error=Unavailable("away"))
    await _admit(valkey, 25)
    pace = LedgerPace(batch=10, wait_seconds=0.01, takeover_seconds=3_600)
    ledger = LedgerWriter(valkey, access, pace)
    await ledger.open()
    for _ in range(2):
        with pytest.raises(Unavailable):
            await ledger.carry()
    access.error = None
    await _carry_all(ledger)
    assert len(access.ledger) == 25
    assert await _nothing_is_left(valkey)


async def test_an_entry_that_valkey_has_lost_holds_nothing_up(valkey: Valkey) -> None:
    access = FakeAccess(error=Unavailable("away"))
    await _admit(valkey, 2)
    ledger = LedgerWriter(
        valkey, access, LedgerPace(batch=10, wait_seconds=0.01, takeover_seconds=3_600)
    )
    await ledger.open()
    with pytest.raises(Unavailable):
        await ledger.carry()
    await valkey.xtrim(USAGE_STREAM, maxlen=0, approximate=False)
    await _admit(valkey, 3, first=2)
    access.error = None
    await _carry_all(ledger)
    assert set(access.ledger) == {"e2", "e3", "e4"}


class OnlyEvenEntries(FakeAccess):
    """Refuses a batch that has an odd entry."""

    async def record_usage(self, entries: Any, generation: str | None = None) -> None:
        if any(int(entry.entry_id[1:]) % 2 for entry in entries):
            raise InvalidInput("An entry is refused.")
        await super().record_usage(entries, generation)


async def test_an_entry_that_is_refused_does_not_hold_up_the_others(valkey: Valkey) -> None:
    access = OnlyEvenEntries()
    await _admit(valkey, 10)
    await _carry_all(LedgerWriter(valkey, access, AT_ONCE))
    assert set(access.ledger) == {"e0", "e2", "e4", "e6", "e8"}
    assert await _nothing_is_left(valkey)


async def test_two_gateways_share_the_work_and_report_each_entry_once(valkey: Valkey) -> None:
    access = FakeAccess()
    await _admit(valkey, 60)
    pace = LedgerPace(batch=7, wait_seconds=0.01, takeover_seconds=60)
    await asyncio.gather(*(_carry_all(LedgerWriter(valkey, access, pace)) for _ in range(2)))
    assert len(access.ledger) == 60
    assert await _nothing_is_left(valkey)


async def test_the_loop_survives_the_loss_of_its_stream(valkey: Valkey) -> None:
    access = FakeAccess()
    ledger = LedgerWriter(valkey, access, AT_ONCE)
    async with in_background(ledger.run()):
        await _admit(valkey, 2)
        await _ledger_has(access, 2)
        await valkey.flushall()
        await _admit(valkey, 2, first=2)
        await _ledger_has(access, 4)


async def test_consumers_of_gateways_long_gone_are_removed(valkey: Valkey) -> None:
    ledger = LedgerWriter(valkey, FakeAccess(), LedgerPace(forget_seconds=0))
    await ledger.open()
    await valkey.xgroup_createconsumer(USAGE_STREAM, GROUP, "gone")
    await _admit(valkey, 1)
    await valkey.xreadgroup(GROUP, "busy", {USAGE_STREAM: ">"})
    await ledger.open()
    consumers: Any = await valkey.xinfo_consumers(USAGE_STREAM, GROUP)
    assert [consumer["name"] for consumer in consumers] == [b"busy"]
