"""A gateway that alone has lost Valkey is not ready, so that callers are sent to the others."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from devstack.engines import Valkey
from devstack.ports import HOST, free_port
from tests.faults.slow_proxy import SlowProxy
from tests.integration.gateway.conftest import OpenGateway, Service, until


@dataclass
class Fleet:
    """Two gateways, one of which reaches Valkey on a way of its own."""

    cut: Service
    other: Service
    way: SlowProxy


async def readiness(service: Service) -> tuple[int, str]:
    """Return the status of `/readyz` and what it says of Valkey."""
    reply = await service.http.get("/readyz")
    return reply.status_code, reply.json()["parts"]["valkey"]


@pytest.fixture
async def fleet(open_gateway: OpenGateway, fresh_valkey: str) -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        address = urlsplit(fresh_valkey)
        way = SlowProxy(free_port(), f"{address.hostname}:{address.port}")
        await stack.enter_async_context(way.listening())
        through = fresh_valkey.replace(f":{address.port}", f":{way.port}")
        other = await stack.enter_async_context(open_gateway(instance="other"))
        cut = await stack.enter_async_context(
            open_gateway(instance="cut", valkey_url=through, valkey_timeout_seconds=0.5)
        )
        for service in (cut, other):
            assert (await service.call("category.list")).status_code == 200
            assert await readiness(service) == (200, "ok")
        yield Fleet(cut, other, way)


async def refuses_and_the_other_counts(fleet: Fleet) -> None:
    """The gateway is unready and refuses calls within seconds; nobody notices it at the other."""

    async def is_unready() -> bool:
        return await readiness(fleet.cut) == (503, "down")

    for _ in range(2):
        reply = await fleet.cut.call("category.list")
        assert reply.status_code == 503
        assert int(reply.headers["retry-after"]) >= 1
        await until(is_unready)
    assert (await fleet.cut.http.get("/healthz/serving")).status_code == 503
    assert (await fleet.other.http.get("/healthz/serving")).status_code == 200
    assert await readiness(fleet.other) == (200, "ok")
    assert (await fleet.other.call("category.list")).status_code == 200


async def test_a_gateway_that_alone_cannot_reach_valkey_is_unready_until_it_can(
    fleet: Fleet,
) -> None:
    await fleet.way.vanish()
    await refuses_and_the_other_counts(fleet)
    await fleet.way.appear()

    async def is_ready() -> bool:
        return await readiness(fleet.cut) == (200, "ok")

    await until(is_ready)
    assert (await fleet.cut.call("category.list")).status_code == 200
    usage = (await fleet.other.call("account.usage")).json()["result"]["structuredContent"]
    assert usage["requests_used"] == 4


async def test_a_gateway_that_reaches_another_valkey_than_the_others_is_unready(
    fleet: Fleet, tmp_path: Path
) -> None:
    password = urlsplit(fleet.cut.settings.valkey_url).password or ""
    another = Valkey(free_port(), password, tmp_path / "valkey.log", tmp_path / "valkey")
    another.start()
    try:
        fleet.way.redirect(f"{HOST}:{another.port}")
        await refuses_and_the_other_counts(fleet)
    finally:
        another.stop()
