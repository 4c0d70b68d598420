"""The way over from a Valkey that died to its replica, as docs/operations.md has it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import redis

from devstack.engines import Valkey
from devstack.ports import HOST, free_port
from tests.fakes.balancer import Balancer
from tests.integration.gateway.conftest import OpenGateway, Service, until

PASSWORD = "replicated"


def client(server: Valkey) -> Any:
    return redis.Redis.from_url(server.url(), socket_timeout=60)  # pyright: ignore[reportUnknownMemberType]


async def used(service: Service) -> int:
    reply = await service.call("account.usage")
    return reply.json()["result"]["structuredContent"]["requests_used"]


async def test_counting_goes_on_at_the_replica_where_the_primary_ended(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    primary = Valkey(free_port(), PASSWORD, tmp_path / "primary.log", tmp_path / "primary")
    replica = Valkey(free_port(), PASSWORD, tmp_path / "replica.log", tmp_path / "replica")
    servers = {f"{HOST}:{item.port}": item for item in (primary, replica)}

    def takes_writes(address: str) -> bool:
        try:
            with client(servers[address]) as server:
                return server.info("replication")["role"] == "master"
        except redis.RedisError:
            return False

    address = free_port()
    primary.start()
    replica.start()
    try:
        with client(replica) as replica_client:
            replica_client.config_set("masterauth", PASSWORD)
            replica_client.replicaof(HOST, primary.port)
        valkey_url = f"redis://:{PASSWORD}@{HOST}:{address}/0"
        async with (
            Balancer(tuple(servers), takes_writes).listening(address),
            open_gateway(valkey_url=valkey_url, valkey_timeout_seconds=2) as service,
        ):
            for _ in range(5):
                assert (await service.call("category.list")).status_code == 200
            with client(primary) as primary_client:
                assert await asyncio.to_thread(primary_client.wait, 1, 50_000) == 1
            assert primary.process is not None
            primary.process.kill()
            primary.process.wait()
            # The ledger counts while there is nobody who takes writes.
            assert (await service.call("category.list")).status_code == 200
            assert await used(service) == 6
            with client(replica) as replica_client:
                replica_client.replicaof("NO", "ONE")

            async def counts_again() -> bool:
                metrics = (await service.http.get("/metrics")).text
                return "sponsorgraph_quota_failover_active 0.0" in metrics

            await until(counts_again, 30)
            assert await used(service) == 6
            assert (await service.call("category.list")).status_code == 200
            assert await used(service) == 7
    finally:
        replica.stop()
        primary.stop()
