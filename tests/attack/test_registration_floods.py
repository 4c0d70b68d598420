"""One network's registrations do not keep others from registering."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any, Final

import httpx2
import psycopg
import pytest
import redis.asyncio as redis
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service.settings import AuthSettings
from auth_service.storage.retention import delete_unused_clients
from devstack.ports import free_port
from servicekit.database_url import driver_url
from tests.clients.oauth import CALLBACK
from tests.integration.auth_service.conftest import (
    Age,
    Service,
    age,
    auth_database,
    auth_settings,
    running,
    service,
)

__all__ = ["age", "auth_database", "auth_settings", "service"]

SHARED_COUNTERS: Final = 7
"""The number of the database in Valkey whose counters are not those of other tests."""

_opening: Any = redis.Redis


@pytest.fixture
async def flooded(auth_settings: AuthSettings) -> AsyncGenerator[Service]:
    """A service with counters of attempts that no other test uses."""
    port = free_port()
    changes = {
        "http_port": port,
        "site_url": f"http://127.0.0.1:{port}",
        "valkey_url": f"{auth_settings.valkey_url}/{SHARED_COUNTERS}",
    }
    async with _opening.from_url(changes["valkey_url"]) as client:
        await client.flushdb()
        async with running(auth_settings.model_copy(update=changes)) as opened:
            yield opened
        await client.flushdb()


@pytest.fixture
async def http(flooded: Service) -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=flooded.url, timeout=60) as client:
        yield client


class ClientInfo:
    """Register clients from an address."""

    def __init__(self, http: httpx2.AsyncClient, address: str) -> None:
        self.http = http
        self.headers = {"X-Forwarded-For": address}

    async def post(self, **sent: Any) -> int:
        response = await self.http.post("/oauth/register", headers=self.headers, **sent)
        return response.status_code

    async def register(self, **changes: Any) -> int:
        document = {"client_name": secrets.token_hex(6), "redirect_uris": [CALLBACK], **changes}
        return await self.post(json=document)


async def registered(service: Service, count: int, *subjects: str) -> None:
    """Set the registrations already counted in this hour, by address or in total."""
    name = ":".join(("sponsorgraph:throttle:register" + "-all" * (not subjects), *subjects))
    async with _opening.from_url(service.settings.valkey_url) as client:
        await client.set(f"{name}:{int(time.time() // 3_600)}", count)


async def test_a_refusal_to_an_address_counts_for_no_other(
    flooded: Service, http: httpx2.AsyncClient
) -> None:
    await registered(flooded, 200, "192.0.2.1")
    await registered(flooded, 1_990)
    greedy, other = ClientInfo(http, "192.0.2.1"), ClientInfo(http, "198.51.100.1")
    assert [await greedy.register() for _ in range(12)] == [429] * 12
    assert [await other.register() for _ in range(6)] == [201] * 6


@pytest.mark.parametrize(
    "sent",
    [
        {"content": b"{"},
        {"data": {"client_name": "x"}},
        {"json": [1]},
        {"json": {"client_name": "x", "redirect_uris": ["javascript:alert(1)"]}},
        {"json": {"client_name": "the same", "redirect_uris": [CALLBACK]}},
    ],
    ids=["no JSON", "a form", "no object", "a bad redirect", "known"],
)
async def test_only_a_new_client_counts_for_all(
    flooded: Service, http: httpx2.AsyncClient, sent: dict[str, Any]
) -> None:
    await registered(flooded, 1_990)
    caller, other = ClientInfo(http, "192.0.2.1"), ClientInfo(http, "198.51.100.1")
    assert {await caller.post(**sent) for _ in range(12)} in ({400}, {201})
    assert [await other.register() for _ in range(6)] == [201] * 6


async def test_in_a_flood_everybody_may_still_register_a_few(
    flooded: Service, http: httpx2.AsyncClient
) -> None:
    await registered(flooded, 2_000)
    callers = [ClientInfo(http, f"2001:db8:77:{at}::1") for at in range(5)]
    by_network = [[await caller.register() for _ in range(6)] for caller in callers]
    assert by_network[0] == [201] * 5 + [429]
    assert sum(network.count(201) for network in by_network) == 20
    other = ClientInfo(http, "198.51.100.1")
    assert [await other.register() for _ in range(5)] == [201] * 5


async def test_in_a_flood_a_known_client_gets_its_id(
    flooded: Service, http: httpx2.AsyncClient
) -> None:
    caller = ClientInfo(http, "198.51.100.1")
    assert await caller.register(client_name="The same in a flood") == 201
    await registered(flooded, 2_000)
    assert [await caller.register() for _ in range(6)] == [201] * 5 + [429]
    assert await caller.register(client_name="The same in a flood") == 201


async def test_of_clients_that_nobody_uses_only_so_many_are_stored(
    service: Service, age: Age, auth_database: str
) -> None:
    used = await service.client()
    await used.connect(await service.person())
    old = [await service.client(client_name=secrets.token_hex(6)) for _ in range(3)]
    age.clients(hours=2)
    newer = [await service.client(client_name=secrets.token_hex(6)) for _ in range(2)]
    age.clients(hours=2)
    newest = await service.client(client_name=secrets.token_hex(6))
    engine = create_async_engine(driver_url(auth_database))
    await delete_unused_clients(engine, datetime.now(UTC), max_unused=2)
    await engine.dispose()
    with psycopg.connect(auth_database) as connection:
        rows = connection.execute(b"SELECT client_id FROM oauth_clients").fetchall()
    remaining = {row[0] for row in rows}
    assert {used.client_id, newest.client_id, *(item.client_id for item in newer)} <= remaining
    assert not {item.client_id for item in old} & remaining
