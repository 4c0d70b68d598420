"""Which counters are in use, as Valkey keeps it for all gateways."""

from __future__ import annotations

from gateway.quota.models import Reservation, Seed, UsageRequest
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_counters import ValkeyQuota
from gateway.storage.valkey_generation import ValkeyGenerationStore
from tests.fakes.gateway_ports import entitlements
from tests.integration.gateway.conftest import Valkey


def charge(entry_id: str = "e1") -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", 1)


async def open_under(memory: ValkeyGenerationStore, lineage: str) -> None:
    assert await memory.close("token")
    assert await memory.open("token", lineage)


async def test_an_empty_valkey_remembers_nothing(valkey: Valkey) -> None:
    seen = await ValkeyGenerationStore(valkey).look()
    assert seen.lineage is None
    assert seen.run_id == (await valkey.info("server"))["run_id"]


async def test_only_who_closed_it_opens_it(valkey: Valkey) -> None:
    memory = ValkeyGenerationStore(valkey)
    assert await memory.close("first")
    assert not await memory.close("second")
    assert await memory.close("first")
    assert not await memory.open("second", "b.run")
    assert await memory.open("first", "a.run")
    assert (await memory.look()).lineage == "a.run"
    assert not await memory.open("first", "c.run")


async def test_who_died_while_it_was_closed_holds_nobody_up_for_long(valkey: Valkey) -> None:
    memory = ValkeyGenerationStore(valkey, closed_seconds=0.001)
    assert await memory.close("dead")
    while not await memory.close("next"):
        pass
    assert not await memory.open("dead", "a.run")
    assert await memory.open("next", "b.run")


async def test_nothing_is_counted_under_another_lineage_or_while_it_is_closed(
    valkey: Valkey,
) -> None:
    memory, quota = ValkeyGenerationStore(valkey), ValkeyQuota(valkey)
    await open_under(memory, "a.run")
    assert (await quota.take(charge(), entitlements(), lineage="a.run")).outcome == "unseeded"
    admitted = await quota.take(charge(), entitlements(), Seed(5, "a.run"))
    assert admitted.outcome == "admitted"
    assert admitted.state is not None
    admission = Reservation(
        charge(), admitted.month, admitted.at, admitted.state, "", admitted.lineage
    )
    await memory.close("token")
    assert (await quota.take(charge("e2"), entitlements(), lineage="a.run")).outcome == "closed"
    assert not await quota.refund(admission)
    await memory.open("token", "b.run")
    assert (await quota.take(charge("e2"), entitlements(), lineage="a.run")).outcome == "closed"
    assert (await quota.take(charge("e2"), entitlements(), Seed(5, "a.run"))).outcome == "closed"
    assert not await quota.refund(admission)
    assert (await quota.take(charge("e2"), entitlements(), lineage="b.run")).outcome == "unseeded"
    assert await valkey.xlen(USAGE_STREAM) == 1


async def test_what_waits_is_told_whole_and_in_parts(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey)
    for number in range(1_100):
        await quota.take(charge(f"e{number}"), entitlements(monthly_requests=5_000), Seed(0))
    parts = [part async for part in ValkeyGenerationStore(valkey).waiting()]
    assert [len(part) for part in parts] == [500, 500, 100]
    assert [item.entry_id for part in parts for item in part] == [f"e{n}" for n in range(1_100)]
