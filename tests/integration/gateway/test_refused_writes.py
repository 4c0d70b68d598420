"""A Valkey that answers and refuses to write: the ledger counts, readiness says so, and nothing swings."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from devstack.engines import Valkey, valkey_program
from devstack.ports import HOST, free_port
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.peers import TOKEN
from tests.integration.gateway.conftest import OpenGateway, Service, until

pytestmark = [pytest.mark.timeout(120)]

PASSWORD: Final = "refuses"
SECONDS: Final = 3.0
"""How long calls are made while writes are refused: a gateway that swung did so four times a second."""

SLOW_SECONDS: Final = 30.0
READY_SECONDS: Final = 2.0
"""Longest that readiness takes to answer: balancers give it that long."""

Client = Any


@pytest.fixture
def server(tmp_path: Path) -> Generator[Valkey]:
    made = Valkey(free_port(), PASSWORD, tmp_path / "valkey.log", tmp_path / "valkey")
    made.start()
    try:
        yield made
    finally:
        made.stop()


def client(server: Valkey) -> Client:
    return redis.Redis.from_url(server.url(), socket_timeout=60)  # pyright: ignore[reportUnknownMemberType]


def without_replicas(server: Client, data: Path) -> Callable[[], None]:
    del data
    server.config_set("min-replicas-to-write", 1)
    return lambda: server.config_set("min-replicas-to-write", 0)


def without_memory(server: Client, data: Path) -> Callable[[], None]:
    del data
    server.config_set("maxmemory", 1)
    return lambda: server.config_set("maxmemory", 0)


def without_snapshots(server: Client, data: Path) -> Callable[[], None]:
    """The last snapshot could not be written: its folder is a file now."""
    server.set("something", 1)
    server.config_set("save", "3600 1")
    (data / "dump.rdb").mkdir()
    (data / "dump.rdb" / "in the way").touch()
    server.bgsave()
    _until(lambda: server.info("persistence")["rdb_last_bgsave_status"] == "err")

    def mend() -> None:
        shutil.rmtree(data / "dump.rdb")
        server.bgsave()
        _until(lambda: server.info("persistence")["rdb_last_bgsave_status"] == "ok")

    return mend


def as_replica(server: Client, data: Path) -> Callable[[], None]:
    """Nobody is at the address of its primary; it goes on to answer reads."""
    del data
    server.replicaof(HOST, 1)
    return lambda: server.replicaof("NO", "ONE")


REFUSALS: Final = {
    "NOREPLICAS": without_replicas,
    "OOM": without_memory,
    "MISCONF": without_snapshots,
    "READONLY": as_replica,
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_while_writes_are_refused_the_ledger_counts_and_readiness_says_so(
    open_gateway: OpenGateway, server: Valkey, refusal: str
) -> None:
    assert server.data is not None
    async with open_gateway(valkey_url=server.url()) as service:
        service.backends.access.give(KEY, principal(monthly_requests=1_000_000))
        with client(server) as valkey:
            assert (await service.call("category.list")).status_code == 200
            await until(lambda: says(service, 200, "ready", "ok"))
            mend = await asyncio.to_thread(REFUSALS[refusal], valkey, server.data)
            with pytest.raises(redis.RedisError):
                valkey.set("something", 2)
            await until(lambda: says(service, 200, "degraded", "down"))
            made, ends = 1, time.monotonic() + SECONDS
            epochs = {epoch(service)}
            while time.monotonic() < ends:
                assert (await service.call("category.list")).status_code == 200
                made += 1
                epochs.add(epoch(service))
            assert len(epochs) == 1
            await asyncio.to_thread(mend)
            await until(lambda: says(service, 200, "ready", "ok"), SLOW_SECONDS)
        assert await used(service) == made


async def test_the_grace_ends_where_writes_stay_refused(
    open_gateway: OpenGateway, server: Valkey
) -> None:
    with client(server) as valkey:
        without_replicas(valkey, Path())
    async with open_gateway(valkey_url=server.url(), quota_failover_seconds=1) as service:
        await until(lambda: says(service, 200, "degraded", "down"))
        await until(lambda: says(service, 503, "not ready", "down"))
        reply = await service.call("category.list")
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "10")


async def test_readiness_is_reported_in_time_while_valkey_is_silent(
    open_gateway: OpenGateway, server: Valkey
) -> None:
    async with open_gateway(valkey_url=server.url(), valkey_timeout_seconds=5) as service:
        await until(lambda: says(service, 200, "ready", "ok"))
        async with stopped(server):
            calls = [asyncio.create_task(service.call("category.list")) for _ in range(100)]
            for _ in range(5):
                began = time.monotonic()
                await service.http.get("/readyz")
                assert time.monotonic() - began < READY_SECONDS
        assert {reply.status_code for reply in await asyncio.gather(*calls)} == {200}


async def start(valkey_url: str) -> str:
    """Start a gateway's process that has to refuse; return what it printed."""
    environment = {
        **os.environ,
        "GATEWAY_VALKEY_URL": valkey_url,
        "GATEWAY_SESSION_SECRET": "a secret of at least 16",
        "GATEWAY_GRPC_TOKEN": TOKEN,
        "GATEWAY_PORT": "0",
    }
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "gateway"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    return done.stdout + done.stderr


async def test_a_process_refuses_a_node_of_a_cluster_as_a_single_server(tmp_path: Path) -> None:
    with cluster_node(tmp_path) as port:
        printed = await start(f"redis://{HOST}:{port}/0")
    assert "GATEWAY_VALKEY_URL names a node of a Valkey cluster as if" in printed
    assert "redis+cluster://" in printed


async def test_a_process_refuses_a_single_server_as_a_cluster(server: Valkey) -> None:
    printed = await start(f"redis+cluster://:{PASSWORD}@{HOST}:1,{HOST}:{server.port}")
    assert f"GATEWAY_VALKEY_URL says redis+cluster, but {HOST}:{server.port} is a single" in printed
    assert PASSWORD not in printed


async def test_a_gateway_that_reaches_a_cluster_later_counts_by_the_ledger(
    open_gateway: OpenGateway, tmp_path: Path
) -> None:
    """At its start nobody answered, so nothing could be said."""
    with cluster_node(tmp_path) as port:
        async with open_gateway(valkey_url=f"redis://{HOST}:{port}/0") as service:
            assert (await service.call("category.list")).status_code == 200
            assert await says(service, 200, "degraded", "down")


async def says(service: Service, code: int, status: str, valkey: str) -> bool:
    """Whether this is what `/readyz` says."""
    reply = await service.http.get("/readyz")
    body = reply.json()
    return (reply.status_code, body["status"], body["parts"]["valkey"]) == (
        code,
        status,
        valkey,
    )


async def used(service: Service) -> int:
    reply = await service.call("account.usage")
    return reply.json()["result"]["structuredContent"]["requests_used"]


def epoch(service: Service) -> str:
    """The present epoch of the counters: another one begins at each turn between Valkey and the ledger."""
    return service.backends.access.leases.current.epoch


@asynccontextmanager
async def stopped(server: Valkey) -> AsyncGenerator[None]:
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


@contextmanager
def cluster_node(folder: Path) -> Generator[int]:
    """A node of a cluster of its own; yields its port."""
    port = free_port()
    options = (
        "--port",
        port,
        "--bind",
        HOST,
        "--cluster-enabled",
        "yes",
        "--dir",
        folder,
        "--save",
        "",
    )
    node = subprocess.Popen([valkey_program(), *map(str, options)])
    try:
        _until(lambda: _responds(port))
        yield port
    finally:
        node.kill()
        node.wait()


def _responds(port: int) -> bool:
    try:
        with redis.Redis(host=HOST, port=port, socket_timeout=2) as node:
            return bool(node.ping())  # pyright: ignore[reportUnknownMemberType]
    except redis.RedisError:
        return False


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SLOW_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
