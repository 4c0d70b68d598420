"""Calls under way are limited; a call above the limit is refused at once and costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import principal
from tests.integration.gateway.conftest import OpenGateway, Service, request, until

SEARCH = {"limit": 3}


@pytest.fixture
def gate(backends: Backends) -> asyncio.Event:
    """Every response of a service behind the gateway waits until it is set."""
    gate_event = asyncio.Event()

    async def wait() -> None:
        await gate_event.wait()

    backends.before_response = wait
    return gate_event


@asynccontextmanager
async def waiting(
    service: Service, count: int, tool: str, **headers: str
) -> AsyncGenerator[list[asyncio.Task[httpx2.Response]]]:
    """So many calls that have reached the service behind and wait for its response."""
    known = len(service.backends.requests)
    calls = [
        asyncio.create_task(service.call(tool, {"limit": number + 1}, **headers))
        for number in range(count)
    ]

    async def all_wait() -> bool:
        return len(service.backends.requests) == known + count

    await until(all_wait)
    yield calls
    await asyncio.gather(*calls)


def assert_rejected(reply: httpx2.Response) -> None:
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    assert reply.json()["error"]["data"] == {"code": "unavailable"}


async def test_a_call_without_a_slot_is_refused_and_the_others_succeed(
    open_gateway: OpenGateway, gate: asyncio.Event
) -> None:
    async with open_gateway(max_calls=2) as service:
        async with waiting(service, 2, "sponsor.top") as calls:
            assert_rejected(await service.call("sponsor.top", SEARCH))
            assert_rejected(await service.call("sponsor.top", mcp_protocol_version="2025-11-25"))
            assert_rejected(await service.post(request("tools/list")))
            gate.set()
        assert [call.result().status_code for call in calls] == [200, 200]
        assert await service.counted() == 2
        assert (await service.call("sponsor.top", SEARCH)).status_code == 200


async def test_a_hung_import_worker_takes_its_own_slots_alone(
    open_gateway: OpenGateway, gate: asyncio.Event
) -> None:
    async with open_gateway(max_imports_calls=1) as service:
        async with waiting(service, 1, "channel.imports"):
            assert_rejected_as_a_tool(await service.call("channel.imports", {"limit": 9}))
            assert (await service.call("account.usage")).status_code == 200
            gate.set()
        assert (await service.call("channel.imports", {"limit": 9})).status_code == 200


async def test_an_account_leaves_others_slots_at_the_import_worker(
    open_gateway: OpenGateway, gate: asyncio.Event, backends: Backends
) -> None:
    other = "mcp_" + "o" * 36
    backends.access.give(other, principal(account_id="account-2", credential_id="key-2"))
    async with open_gateway(max_imports_calls=4) as service:
        async with waiting(service, 2, "channel.imports"):
            assert_rejected_as_a_tool(await service.call("channel.imports", {"limit": 9}))
            # A refusal of the gateway, and not a worker that did not respond in time.
            assert len(service.backends.requests) == 2
            async with waiting(
                service, 1, "channel.imports", authorization=f"Bearer {other}"
            ) as late:
                gate.set()
        assert late[0].result().status_code == 200


async def test_a_hung_catalogue_takes_its_own_slots_alone(
    open_gateway: OpenGateway, gate: asyncio.Event
) -> None:
    async with open_gateway(max_catalog_calls=1) as service:
        async with waiting(service, 1, "sponsor.top"):
            for tool in ("sponsor.top", "sponsor.search"):
                assert_rejected_as_a_tool(await service.call(tool, {"limit": 9}))
            assert (await service.call("account.usage")).status_code == 200
            gate.set()
        assert await service.counted() == 1


def assert_rejected_as_a_tool(reply: httpx2.Response) -> None:
    assert reply.status_code == 503
    assert reply.json()["error"]["data"] == {"code": "unavailable", "retry_after_seconds": 1}


async def test_streams_have_slots_of_their_own(
    open_gateway: OpenGateway, gate: asyncio.Event
) -> None:
    hearing = {"accept": "application/json, text/event-stream"}
    body = request("tools/call", name="sponsor.top", arguments={}, _meta={"progressToken": 1})
    async with open_gateway(max_calls=1, max_streams=1) as service:
        stream = asyncio.create_task(service.post(body, **hearing))

        async def waits() -> bool:
            return len(service.backends.requests) == 1

        await until(waits)
        assert (await service.post(request("ping"))).status_code == 200
        assert_rejected(await service.post(body, **hearing))
        gate.set()
        assert (await stream).status_code == 200


async def test_a_rejected_call_is_counted_by_the_limit_that_it_met(
    open_gateway: OpenGateway, gate: asyncio.Event
) -> None:
    async with open_gateway(max_calls=1) as service:
        before = await rejected_calls(service)
        async with waiting(service, 1, "sponsor.top"):
            assert_rejected(await service.call("sponsor.top", SEARCH))
            assert 'sponsorgraph_calls_in_flight{part="calls"} 1.0' in await metrics(service)
            gate.set()
        assert await rejected_calls(service) == before + 1


async def metrics(service: Service) -> str:
    return (await service.http.get("/metrics")).text


async def rejected_calls(service: Service) -> float:
    name = 'sponsorgraph_calls_rejected_total{part="calls"} '
    lines = (await metrics(service)).splitlines()
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))
