"""A primary of a Valkey cluster killed or stopped under load, near the limit, with two gateways."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from gateway.quota.counters import LEDGER
from tests.fakes.cluster_fleet import Fleet, is_ready, open_fleet
from tests.fakes.valkey_cluster import PRIMARIES, Cluster, Node, running_cluster
from tests.integration.gateway import conftest as gateways
from tests.integration.gateway.conftest import OpenGateway, until

pytestmark = [pytest.mark.timeout(180)]

PLAN: Final = 200
BEFORE: Final = 120
MORE: Final = 50
PARALLEL: Final = 100
UNLIMITED: Final = 1_000_000
REFUSED: Final = 429
WAIT_SECONDS: Final = 60.0
LONGEST_CALL: Final = 5.0
"""Of a call that waits for the ledger to take over: four seconds, and what a busy machine adds."""

FAILING_SECONDS: Final = 5.0
QUICK: Final = {"valkey_timeout_seconds": 1, "credential_ttl_seconds": 0.1}

backends, valkey, open_gateway = gateways.backends, gateways.valkey, gateways.open_gateway

Fault = Callable[[Node], None]


@pytest.fixture
def cluster(tmp_path: Path) -> Generator[Cluster]:
    with running_cluster(tmp_path) as found:
        yield found


@pytest.fixture
async def fleet(open_gateway: OpenGateway, cluster: Cluster) -> AsyncGenerator[Fleet]:
    async with open_fleet(open_gateway, cluster, PLAN, **QUICK) as found:
        yield found


def kill(node: Node) -> None:
    node.kill()


def stop(node: Node) -> None:
    assert node.process is not None
    node.process.send_signal(signal.SIGSTOP)


def start_again(node: Node) -> None:
    assert node.process is not None
    if node.process.poll() is None:
        node.process.send_signal(signal.SIGCONT)
    else:
        node.start()


async def admitted(fleet: Fleet, account_id: str, calls: int) -> int:
    """Return how many of parallel calls were answered; each is repeated until it is answered or refused for the plan."""

    async def is_admitted(number: int) -> bool:
        while (reply := await fleet.call(number, account_id)).status_code not in (200, REFUSED):
            assert reply.headers["retry-after"]
        return reply.status_code == 200

    return sum(await asyncio.gather(*(is_admitted(number) for number in range(calls))))


async def plan_is_used_up(fleet: Fleet, account_id: str, made: int) -> None:
    """Make calls until exactly the plan was answered, and no call more.

    A call whose response was lost counts until it is undone, and others are refused meanwhile.
    """
    async with asyncio.timeout(WAIT_SECONDS):
        while made < PLAN:
            made += await admitted(fleet, account_id, PARALLEL)
    assert made == PLAN
    await recorded(fleet, account_id, PLAN)
    assert await admitted(fleet, account_id, PARALLEL) == 0


async def recovered(fleet: Fleet, cluster: Cluster, index: int, epoch: str) -> None:
    """Wait until the replica has the slots, and both gateways count in the cluster in another epoch."""

    async def is_promoted() -> bool:
        return await asyncio.to_thread(cluster.is_promoted, index)

    await until(is_promoted, WAIT_SECONDS)
    await counted_again(fleet, epoch)


async def counted_again(fleet: Fleet, epoch: str) -> None:
    """Wait until both gateways count in the cluster in another epoch."""

    async def count_again() -> bool:
        leases = fleet.access.leases
        state = leases.current
        by_valkey = state.epoch != epoch and state.is_open and state.counted_by != LEDGER
        return by_valkey and {lease.epoch for lease in leases.rows.values()} == {state.epoch}

    await until(count_again, WAIT_SECONDS)
    for service in fleet.gateways:
        await until(lambda service=service: is_ready(service), WAIT_SECONDS)


async def recorded(fleet: Fleet, account_id: str, calls: int) -> None:
    async def is_recorded() -> bool:
        return fleet.recorded(account_id) == calls

    await until(is_recorded, WAIT_SECONDS)


@pytest.mark.parametrize(("fault", "needs_all_slots"), [(kill, False), (stop, False), (kill, True)])
async def test_the_plan_is_held_exactly_while_a_replica_is_promoted(
    fleet: Fleet, cluster: Cluster, fault: Fault, *, needs_all_slots: bool
) -> None:
    if needs_all_slots:
        await asyncio.to_thread(cluster.require_full_coverage)
    before = [await admitted(fleet, account_id, BEFORE) for account_id in fleet.accounts]
    assert before == [BEFORE] * PRIMARIES
    epoch = fleet.access.epoch
    await asyncio.to_thread(fault, cluster.nodes[0])
    # Calls in flight meet the fault, and the plan ends while there is no primary.
    meanwhile = await asyncio.gather(
        *(admitted(fleet, account_id, PARALLEL) for account_id in fleet.accounts)
    )
    await recovered(fleet, cluster, 0, epoch)
    await asyncio.to_thread(start_again, cluster.nodes[0])
    for account_id, count in zip(fleet.accounts, meanwhile, strict=True):
        await plan_is_used_up(fleet, account_id, BEFORE + count)


def kill_primary(cluster: Cluster) -> None:
    kill(cluster.nodes[0])


def promote_at_once(cluster: Cluster) -> None:
    """No command fails: the old primary sends callers to the new one."""
    cluster.nodes[PRIMARIES].command("CLUSTER FAILOVER", "TAKEOVER")


@pytest.mark.parametrize("promotion", [kill_primary, promote_at_once])
async def test_calls_that_the_promoted_replica_lacks_are_counted(
    fleet: Fleet, cluster: Cluster, promotion: Callable[[Cluster], None]
) -> None:
    assert [await admitted(fleet, account_id, 1) for account_id in fleet.accounts] == [
        1
    ] * PRIMARIES
    await asyncio.to_thread(cluster.end_replication, 0)
    before = [await admitted(fleet, account_id, BEFORE) for account_id in fleet.accounts]
    assert before == [BEFORE] * PRIMARIES
    epoch = fleet.access.epoch
    await asyncio.to_thread(promotion, cluster)
    if promotion is kill_primary:
        await recovered(fleet, cluster, 0, epoch)
    for account_id in fleet.accounts:
        await plan_is_used_up(fleet, account_id, BEFORE + 1)


async def test_the_plan_is_held_when_all_nodes_lose_all_and_are_formed_anew(
    fleet: Fleet, cluster: Cluster
) -> None:
    before = [await admitted(fleet, account_id, BEFORE) for account_id in fleet.accounts]
    assert before == [BEFORE] * PRIMARIES
    epoch = fleet.access.epoch
    for node in cluster.nodes:
        await asyncio.to_thread(node.wipe)
    meanwhile = [await admitted(fleet, account_id, 1) for account_id in fleet.accounts]
    await asyncio.to_thread(cluster.form)
    await counted_again(fleet, epoch)
    for service in fleet.gateways:
        await service.wait_for_pushes()
    for account_id, count in zip(fleet.accounts, meanwhile, strict=True):
        await plan_is_used_up(fleet, account_id, BEFORE + count)


async def test_slots_may_be_moved_while_calls_are_made(fleet: Fleet, cluster: Cluster) -> None:
    account_id = next(iter(fleet.accounts))
    calls = asyncio.create_task(admitted(fleet, account_id, BEFORE))
    await asyncio.to_thread(cluster.move_slot, account_id, 1)
    assert await calls == BEFORE
    await plan_is_used_up(fleet, account_id, BEFORE)


async def test_other_shards_lose_no_call_and_no_count(
    open_gateway: OpenGateway, cluster: Cluster
) -> None:
    async with open_fleet(open_gateway, cluster, UNLIMITED, **QUICK) as fleet:
        load = Load(fleet)
        async with load.running():
            await until(lambda: load.has_made(20), WAIT_SECONDS)
            epoch = fleet.access.epoch
            await asyncio.to_thread(kill, cluster.nodes[0])
            await recovered(fleet, cluster, 0, epoch)
        of_failed_shard, *others = fleet.accounts
        assert [load.failed[account_id] for account_id in others] == [[], []]
        assert max(load.slowest.values()) < LONGEST_CALL
        times = load.failed[of_failed_shard]
        assert not times or times[-1] - times[0] < FAILING_SECONDS
        for account_id in fleet.accounts:
            made = load.made[account_id]
            await recorded(fleet, account_id, made)
            # The counters have the same number: so many calls are left, and no more.
            await fleet.change_plan(account_id, made + MORE)
            assert await admitted(fleet, account_id, PARALLEL) == MORE
            await recorded(fleet, account_id, made + MORE)


class Load:
    """A caller for each account, one call after the other.

    Attributes:
        made: Calls that were answered, by account.
        failed: When others ended, in seconds.
        slowest: Longest time of a call, in seconds.
    """

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.made = dict.fromkeys(fleet.accounts, 0)
        self.failed: dict[str, list[float]] = {account_id: [] for account_id in fleet.accounts}
        self.slowest = dict.fromkeys(fleet.accounts, 0.0)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        ends = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for account_id in self._fleet.accounts:
                tasks.create_task(self._call(account_id, ends))
            try:
                yield
            finally:
                ends.set()

    async def has_made(self, calls: int) -> bool:
        return min(self.made.values()) >= calls

    async def _call(self, account_id: str, ends: asyncio.Event) -> None:
        number = 0
        while not ends.is_set():
            began = time.monotonic()
            reply = await self._fleet.call(number, account_id)
            number += 1
            ended = time.monotonic()
            self.slowest[account_id] = max(self.slowest[account_id], ended - began)
            if reply.status_code == 200:
                self.made[account_id] += 1
            else:
                self.failed[account_id].append(ended)
