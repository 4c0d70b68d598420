"""The reference file of HAProxy: gateways that go are left, and Valkey is reached where it takes writes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import redis

from devstack.engines import Valkey
from devstack.ports import HOST, free_port
from gateway.app import open_app
from servicekit.http.server import serve_http
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.haproxy import PASSWORD, PROGRAM, haproxy
from tests.integration.gateway.conftest import request, settings_for, until

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(not PROGRAM, reason="needs haproxy: apt-get install haproxy"),
]


@asynccontextmanager
async def gateway(backends: Backends, valkey: str, name: str) -> AsyncGenerator[str]:
    """A gateway on a socket; yields its address."""
    settings = settings_for(backends, valkey, instance=name)
    async with open_app(settings) as web, serve_http(web, HOST, 0, 1) as port:
        try:
            yield f"{HOST}:{port}"
        finally:
            web.end_streams()


async def test_calls_go_on_at_the_other_gateway(
    backends: Backends, fresh_valkey: str, tmp_path: Path
) -> None:
    backends.access.give(KEY, principal())
    async with AsyncExitStack() as first, AsyncExitStack() as stack:
        addresses = {
            "gateway_a": await first.enter_async_context(gateway(backends, fresh_valkey, "a")),
            "gateway_b": await stack.enter_async_context(gateway(backends, fresh_valkey, "b")),
        }
        port, _ = stack.enter_context(haproxy(tmp_path, **addresses))
        http = await stack.enter_async_context(httpx2.AsyncClient(base_url=f"http://{HOST}:{port}"))
        headers = {"authorization": f"Bearer {KEY}"}
        call = request("tools/call", name="category.list", arguments={})

        async def status() -> int:
            try:
                return (await http.post("/mcp", json=call, headers=headers)).status_code
            except httpx2.TransportError:
                return 0

        async def calls_succeed() -> bool:
            return await status() == 200

        await until(calls_succeed, 20)
        await first.aclose()
        assert {await status() for _ in range(20)} == {200}


async def test_valkey_is_reached_where_it_takes_writes(tmp_path: Path) -> None:
    primary, replica = (
        Valkey(free_port(), PASSWORD, tmp_path / f"{name}.log", tmp_path / name)
        for name in ("primary", "replica")
    )
    with running(primary, replica):
        with client(replica.port) as found:
            found.config_set("masterauth", PASSWORD)
            found.replicaof(HOST, primary.port)
        servers = {"valkey_a": f"{HOST}:{primary.port}", "valkey_b": f"{HOST}:{replica.port}"}
        with haproxy(tmp_path, **servers) as (_, port):
            await until(lambda: writes(port), 20)
            with client(primary.port) as found:
                assert found.wait(1, 50_000) == 1
            assert primary.process is not None
            primary.process.kill()
            primary.process.wait()
            with client(replica.port) as found:
                found.replicaof("NO", "ONE")
            await until(lambda: writes(port), 20)
            with client(replica.port) as found:
                assert found.get("written") == b"1"


@contextmanager
def running(*servers: Valkey) -> Generator[None]:
    for server in servers:
        server.start()
    try:
        yield
    finally:
        for server in servers:
            server.stop()


def client(port: int) -> Any:
    options: dict[str, Any] = {"host": HOST, "port": port, "password": PASSWORD}
    return redis.Redis(**options, socket_timeout=60)


async def writes(port: int) -> bool:
    """Whether what is behind the port takes writes now."""
    try:
        with client(port) as found:
            return bool(found.set("written", 1))
    except redis.RedisError:
        return False
