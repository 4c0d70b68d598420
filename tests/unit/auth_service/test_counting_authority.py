"""The wait for a gateway that does not respond, by a clock that the test sets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gateway.quota.counters import LEDGER
from shapes.auth.auth import Authority, LeaseReport
from tests.fakes.leases import FakeLeases

BEGAN = datetime(2026, 11, 22, 12, tzinfo=UTC)


class Fleet:
    """Gateways that renew their leases each second, by a clock of the test."""

    def __init__(self) -> None:
        self.leases = FakeLeases()
        self.leases.clock = lambda: self.now
        self.now = BEGAN
        self.authority = Authority("", "")
        self.counted: dict[str, str] = {}

    async def renew(self, name: str, valkey: str, generation: str = "") -> Authority:
        """Renew as a gateway does: it stops when its epoch ends and opens the counters of a new one."""
        found = await self.leases.renew(
            LeaseReport(name, self.counted.get(name, ""), valkey, generation)
        )
        is_granted = found.counted_by in (LEDGER, valkey) and bool(found.counted_by)
        self.counted[name] = found.epoch if is_granted else ""
        self.authority = found
        return found

    async def counts(self, name: str, valkey: str) -> str:
        """Renew with the counters of the present epoch open, and return what counts."""
        epoch = self.leases.current.epoch
        return (await self.renew(name, valkey, f"{epoch}.{valkey}" if epoch else "")).counted_by

    async def pass_seconds(self, seconds: int, name: str, valkey: str, generation: str = "") -> int:
        """Renew each second until this gateway counts; return the seconds that it took."""
        for passed in range(seconds):
            for _ in range(2):
                await self.renew(name, valkey, generation)
                if self.counted[name]:
                    return passed
            self.now += timedelta(seconds=1)
        return seconds


async def fleet_of(*names: str) -> Fleet:
    """Gateways that count in the same run of Valkey."""
    fleet = Fleet()
    for _ in range(2):
        for name in names:
            await fleet.counts(name, "run-1")
    assert set(fleet.counted.values()) == {"0"}
    return fleet


async def test_a_gateway_that_is_silent_loses_its_right_to_count_while_others_reach_valkey() -> (
    None
):
    fleet = await fleet_of("gone", "stays")
    for _ in range(30):
        fleet.now += timedelta(seconds=1)
        assert fleet.leases.current.epoch == "0"
        await fleet.counts("stays", "run-1")
    assert fleet.leases.current.bypassed or fleet.leases.current.epoch != "0"
    await fleet.renew("stays", "run-1", "0.run-1")
    assert (await fleet.counts("stays", "run-1")) == "run-1"
    assert fleet.leases.current.epoch != "0"
    assert fleet.leases.rows["gone"].epoch == ""
    # The counters that it may still know are closed: without Valkey the ledger counts at once.
    assert await fleet.pass_seconds(10, "stays", "") == 0
    assert fleet.authority.counted_by == LEDGER


async def test_a_gateway_that_went_is_waited_for_half_a_minute_when_valkey_lost_its_data() -> None:
    fleet = await fleet_of("gone", "stays")
    assert await fleet.pass_seconds(120, "stays", "run-2") == 30
    assert fleet.authority.counted_by == "run-2"


async def test_a_gateway_that_went_is_not_waited_for_when_valkey_was_started_with_its_data() -> (
    None
):
    fleet = await fleet_of("gone", "stays")
    # For ten seconds a gateway is live, and counts for one that still reaches the run before.
    assert await fleet.pass_seconds(30, "stays", "run-2", "0.run-1") == 10
    assert fleet.authority.counted_by == "run-2"


@pytest.mark.parametrize("generation", ["", "closed", "0.run-0", "af.run-1", "0.run-2"])
async def test_another_valkey_does_not_pass_for_one_with_the_data(generation: str) -> None:
    fleet = await fleet_of("gone", "stays")
    assert await fleet.pass_seconds(20, "stays", "run-2", generation) == 20


async def test_the_data_of_one_valkey_do_not_make_an_heir_of_another_one() -> None:
    """Most gateways reach a run that has not the data of the one that counted."""
    fleet = await fleet_of("gone", "first", "second", "third")
    for _ in range(15):
        fleet.now += timedelta(seconds=1)
        await fleet.renew("first", "run-3")
        await fleet.renew("second", "run-3")
        await fleet.renew("third", "run-2", "0.run-1")
    assert fleet.leases.current.epoch == "0"
    assert fleet.leases.current.bypassed


async def test_a_gateway_that_may_be_with_valkey_alone_is_waited_for_all_the_time() -> None:
    fleet = await fleet_of("near", "far")
    assert await fleet.pass_seconds(1_200, "far", "") == 960
    assert fleet.authority.counted_by == LEDGER


async def test_after_an_outage_of_postgres_gateways_have_time_to_come_back() -> None:
    fleet = await fleet_of("late", "early")
    fleet.now += timedelta(minutes=5)
    for _ in range(20):
        await fleet.counts("early", "run-1")
        fleet.now += timedelta(seconds=1)
    await fleet.counts("late", "run-1")
    for _ in range(20):
        await fleet.counts("early", "run-1")
        await fleet.counts("late", "run-1")
        fleet.now += timedelta(seconds=1)
    assert fleet.leases.current.epoch == "0"
