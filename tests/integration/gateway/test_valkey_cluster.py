"""Two gateways that count in a Valkey cluster of three primaries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from typing import Final

import pytest

from auth_service.storage.valkey import ValkeyRevocationPublisher
from catalog_service.storage.version_publisher import ValkeyVersions
from gateway.storage.dpop_proofs import ValkeyProofs
from gateway.storage.idempotency import ValkeyIdempotencyStore
from gateway.storage.reply_channel import ValkeyReplyChannel
from gateway.storage.valkey_client import open_valkey
from servicekit.valkey import open_client
from tests.fakes.cluster_fleet import Fleet, is_ready, open_fleet
from tests.fakes.valkey_cluster import PRIMARIES, Cluster, account_on, running_cluster
from tests.integration.gateway.conftest import OpenGateway, until

pytestmark = [pytest.mark.timeout(180)]

PLAN: Final = 60
CALLS: Final = 100
REFUSED: Final = 429


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Generator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
async def fleet(open_gateway: OpenGateway, cluster: Cluster) -> AsyncGenerator[Fleet]:
    for node in cluster.nodes[:PRIMARIES]:
        node.command("FLUSHALL")
    async with open_fleet(open_gateway, cluster, PLAN, valkey_timeout_seconds=5) as found:
        yield found


async def test_parallel_calls_are_admitted_exactly_up_to_the_plan(fleet: Fleet) -> None:
    epoch = fleet.access.epoch
    replies = await asyncio.gather(
        *(
            fleet.call(number, account_id)
            for number in range(CALLS)
            for account_id in fleet.accounts
        )
    )
    for index, account_id in enumerate(fleet.accounts):
        statuses = [reply.status_code for reply in replies[index::PRIMARIES]]
        assert (statuses.count(200), statuses.count(REFUSED)) == (PLAN, CALLS - PLAN)

        async def is_recorded(account_id: str = account_id) -> bool:
            return fleet.recorded(account_id) == PLAN

        await until(is_recorded)
    assert fleet.access.epoch == epoch


async def test_a_change_of_the_catalogue_reaches_all_shards(fleet: Fleet, cluster: Cluster) -> None:
    backends, version = fleet.gateways[0].backends, "1"

    async def read_version() -> str:
        return version

    async def queries_of_a_call(account_id: str) -> int:
        before = len(backends.requests)
        assert (await fleet.call(0, account_id)).status_code == 200
        return len(backends.requests) - before

    versions = ValkeyVersions(cluster.url(), read_version)
    try:
        await versions.announce()
        for account_id in fleet.accounts:
            await queries_of_a_call(account_id)
            assert await queries_of_a_call(account_id) == 0
        version = backends.version = "2"
        await versions.announce()
        first, *others = fleet.accounts
        assert await queries_of_a_call(first) == 1
        assert [await queries_of_a_call(account_id) for account_id in others] == [0, 0]
    finally:
        await versions.close()


async def test_a_revocation_reaches_both_gateways(fleet: Fleet, cluster: Cluster) -> None:
    access = fleet.access
    account_id = next(iter(fleet.accounts))
    for service in fleet.gateways:
        await service.wait_for_pushes()
    for number in range(2):
        assert (await fleet.call(number, account_id)).status_code == 200
    before = access.resolved
    client = open_client(cluster.url(), socket_timeout=5)
    await ValkeyRevocationPublisher(client).announce(account_id, "revoked")
    await client.aclose()

    async def is_resolved_again() -> bool:
        for number in range(2):
            await fleet.call(number, account_id)
        return access.resolved == before + 2

    await until(is_resolved_again)


async def test_readiness_says_that_a_primary_refuses_writes(fleet: Fleet, cluster: Cluster) -> None:
    node, service = cluster.nodes[1], fleet.gateways[0]
    node.command("CONFIG SET", "min-replicas-to-write", 2)

    async def is_degraded() -> bool:
        reply = await service.http.get("/readyz")
        return (reply.json()["status"], reply.json()["parts"]["valkey"]) == ("degraded", "down")

    try:
        await until(is_degraded)
        for account_id in fleet.accounts:
            assert (await fleet.call(0, account_id)).status_code == 200
    finally:
        node.command("CONFIG SET", "min-replicas-to-write", 0)
    await until(lambda: is_ready(service), 60)
    for account_id in fleet.accounts:
        assert (await fleet.call(1, account_id)).status_code == 200

        async def is_recorded(account_id: str = account_id) -> bool:
            return fleet.recorded(account_id) == 2

        await until(is_recorded)


async def test_while_a_slot_is_moved_key_by_key_the_ledger_counts(
    fleet: Fleet, cluster: Cluster
) -> None:
    service, account_id = fleet.gateways[0], account_on(0)

    async def is_degraded() -> bool:
        reply = await service.http.get("/readyz")
        return (reply.json()["status"], reply.json()["parts"]["valkey"]) == ("degraded", "down")

    with cluster.moving_slot(account_id, 1):
        await until(is_degraded)
        epoch = fleet.access.epoch
        replies = [await fleet.call(number, account_id) for number in range(PLAN // 2)]
        assert {reply.status_code for reply in replies} == {200}
        assert fleet.access.epoch == epoch  # nothing else has counted meanwhile
        assert await is_degraded()
    for gateway in fleet.gateways:
        await until(lambda gateway=gateway: is_ready(gateway), 60)
    assert (await fleet.call(0, account_id)).status_code == 200


async def test_a_primary_that_forgets_all_begins_new_counters(
    fleet: Fleet, cluster: Cluster
) -> None:
    access = fleet.access
    for account_id in fleet.accounts:
        assert (await fleet.call(0, account_id)).status_code == 200
    epoch = access.epoch
    cluster.nodes[2].command("FLUSHALL")

    async def is_another_epoch() -> bool:
        return access.epoch != epoch and await is_ready(fleet.gateways[0])

    await until(is_another_epoch, 60)
    replies = [
        (await fleet.call(number, account_id)).status_code
        for account_id in fleet.accounts
        for number in range(PLAN)
    ]
    assert replies.count(200) == PRIMARIES * (PLAN - 1)


async def test_stores_of_single_keys_work(cluster: Cluster) -> None:
    quick, waiting = (open_valkey(cluster.url(), timeout=5) for _ in range(2))
    try:
        for number in range(8):
            proofs = ValkeyProofs(quick)
            assert await proofs.add(bytes([number]), 60)
            assert not await proofs.add(bytes([number]), 60)
            store = ValkeyIdempotencyStore(quick)
            assert await store.claim(f"call-{number}", b"owner", 60) is None
            assert await store.claim(f"call-{number}", b"other", 60) == b"owner"
            await store.remove(f"call-{number}", b"owner")
            assert await store.claim(f"call-{number}", b"other", 60) is None
        channel = ValkeyReplyChannel(quick, waiting, 60)
        task = asyncio.create_task(channel.run())
        async with channel.waiting("a" * 64) as reply:
            assert await channel.post("a" * 64, b"accepted")
            assert await asyncio.wait_for(reply, 10) == b"accepted"
        task.cancel()
        await asyncio.wait([task])
    finally:
        await quick.aclose()
        await waiting.aclose()
