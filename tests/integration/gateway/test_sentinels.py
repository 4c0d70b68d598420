"""Counting by a Valkey whose primary three Sentinels choose, while it is killed, stands still and comes back."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from servicekit.valkey import open_client, open_sync_client
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.sentinels import Sentinels, three_sentinels
from tests.integration.gateway.conftest import OpenGateway, Service, until

pytestmark = [pytest.mark.timeout(180)]

PLAN: Final = 200
BEFORE: Final = 120
WAIT_SECONDS: Final = 60.0
REFUSED: Final = 429

Fault = Callable[[Sentinels], None]


@pytest.fixture
def sentinels(tmp_path: Path) -> Generator[Sentinels]:
    with three_sentinels(tmp_path) as found:
        yield found


def kill(found: Sentinels) -> None:
    process = found.servers[0].process
    assert process is not None
    process.kill()
    process.wait()


def stop(found: Sentinels) -> None:
    process = found.servers[0].process
    assert process is not None
    process.send_signal(signal.SIGSTOP)


def start_again(found: Sentinels) -> None:
    process = found.servers[0].process
    assert process is not None
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
    else:
        found.servers[0].start()


async def admitted(service: Service, calls: int) -> int:
    """Calls that were answered, of so many; each is repeated until it is answered or refused for the plan."""
    count = 0
    for _ in range(calls):
        while (reply := await service.call("category.list")).status_code not in (200, REFUSED):
            assert reply.headers["retry-after"]
            await asyncio.sleep(0.05)
        count += reply.status_code == 200
    return count


@pytest.mark.parametrize("fault", [kill, stop])
async def test_the_plan_is_held_exactly_while_another_server_is_promoted(
    open_gateway: OpenGateway, sentinels: Sentinels, fault: Fault
) -> None:
    old, new = (server.port for server in sentinels.servers)
    async with open_gateway(valkey_url=sentinels.url(), valkey_timeout_seconds=1) as service:
        service.backends.access.give(KEY, principal(monthly_requests=PLAN, burst_requests=100_000))
        assert await admitted(service, BEFORE) == BEFORE
        with sentinels.client(sentinels.servers[0]) as primary:
            assert await asyncio.to_thread(primary.wait, 1, 50_000) == 1
        assert sentinels.primary_port() == old
        await asyncio.to_thread(fault, sentinels)

        async def is_promoted() -> bool:
            return await asyncio.to_thread(sentinels.primary_port) == new

        async def counts_again() -> bool:
            metrics = (await service.http.get("/metrics")).text
            return "sponsorgraph_quota_failover_active 0.0" in metrics

        between = await admitted(service, 10)
        await until(is_promoted, WAIT_SECONDS)
        await until(counts_again, WAIT_SECONDS)
        await asyncio.to_thread(start_again, sentinels)

        async def follows() -> bool:
            return await asyncio.to_thread(_role, sentinels) == "slave"

        await until(follows, WAIT_SECONDS)
        after = await admitted(service, PLAN)
    assert BEFORE + between + after == PLAN


async def test_clients_of_the_other_services_find_the_primary(sentinels: Sentinels) -> None:
    client: Any = open_client(sentinels.url(), socket_timeout=5)
    await client.set("seen", "by all")
    await client.aclose()
    with open_sync_client(sentinels.url(), socket_timeout=5) as sync_client:
        read: Any = sync_client.get("seen")
        assert read == b"by all"


def _role(found: Sentinels) -> str:
    """The role of the server that came back; none while it becomes a replica, for then it ends its connections."""
    try:
        with found.client(found.servers[0]) as server:
            return server.info("replication")["role"]
    except redis.ConnectionError:
        return ""
