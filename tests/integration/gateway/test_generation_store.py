"""The generation of counters in use, as Valkey stores it for all gateways."""

from __future__ import annotations

from gateway.quota.models import Reservation, Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.storage.valkey import USAGE_STREAM
from tests.fakes.gateway_ports import entitlements
from tests.integration.gateway.conftest import Valkey


def usage(entry_id: str = "e1") -> UsageRequest:
    return UsageRequest(entry_id, "account-1", "key-1", "sponsor.search", 1)


async def test_an_empty_valkey_remembers_nothing(valkey: Valkey) -> None:
    seen = await ValkeyGenerationStore(valkey).read()
    assert seen.generation == ""
    assert not seen.is_open
    assert seen.run_id == (await valkey.info("server"))["run_id"]


async def test_a_generation_is_in_use_until_it_is_closed(valkey: Valkey) -> None:
    generations = ValkeyGenerationStore(valkey)
    await generations.open("a.run")
    assert (await generations.read()).generation == "a.run"
    await generations.close("next")
    assert not (await generations.read()).is_open
    await generations.open("b.run")
    assert (await generations.read()).generation == "b.run"


async def test_nothing_is_counted_under_another_generation_nameor_while_it_is_closed(
    valkey: Valkey,
) -> None:
    run_id = (await valkey.info("server"))["run_id"]
    first, second = f"a.{run_id}", f"b.{run_id}"
    generations, quota = ValkeyGenerationStore(valkey), ValkeyQuota(valkey)
    await generations.open(first)
    assert (await quota.reserve(usage(), entitlements(), generation=first)).outcome == "unseeded"
    admitted = await quota.reserve(usage(), entitlements(), Seed(5, first))
    assert admitted.outcome == "admitted"
    assert admitted.state is not None
    admission = Reservation(
        usage(), admitted.month, admitted.at, admitted.state, "", admitted.generation
    )
    await generations.close("next")
    assert (await quota.reserve(usage("e2"), entitlements(), generation=first)).outcome == "closed"
    assert not await quota.refund(admission)
    await generations.open(second)
    assert (await quota.reserve(usage("e2"), entitlements(), generation=first)).outcome == "closed"
    assert (await quota.reserve(usage("e2"), entitlements(), Seed(5, first))).outcome == "closed"
    assert not await quota.refund(admission)
    assert (
        await quota.reserve(usage("e2"), entitlements(), generation=second)
    ).outcome == "unseeded"
    assert await valkey.xlen(USAGE_STREAM) == 1


async def test_nothing_is_counted_under_a_generation_of_another_server(valkey: Valkey) -> None:
    """A replica that was promoted has the key of its primary."""
    generations, quota = ValkeyGenerationStore(valkey), ValkeyQuota(valkey)
    await generations.open("a.0123456789")
    seed = Seed(5, "a.0123456789")
    assert (await quota.reserve(usage(), entitlements(), seed)).outcome == "closed"


async def test_waiting_entries_are_read_whole_and_in_parts(valkey: Valkey) -> None:
    quota = ValkeyQuota(valkey)
    for number in range(1_100):
        await quota.reserve(usage(f"e{number}"), entitlements(monthly_requests=5_000), Seed(0))
    parts = [part async for part in ValkeyGenerationStore(valkey).waiting()]
    assert [len(part) for part in parts] == [500, 500, 100]
    assert [item.entry_id for part in parts for item in part] == [f"e{n}" for n in range(1_100)]
