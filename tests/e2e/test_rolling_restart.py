"""Callers see nothing, or next to nothing, while processes are replaced or die."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person
from tests.e2e.constant_load import Load
from tests.e2e.fleet import CALLED, Fleet, fleet, until
from tests.faults.reliability import Row, note

pytestmark = [pytest.mark.timeout(400)]

CALLERS = 6


@pytest.fixture(scope="module")
async def two_of_each(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Fleet]:
    async with fleet(tmp_path_factory.mktemp("fleet")) as running:
        yield running


@dataclass(frozen=True, slots=True)
class Account:
    """An account that no other test uses, with a credential of each kind."""

    email: str
    api_key: str
    access_token: str


@pytest.fixture
async def account(two_of_each: Fleet) -> Account:
    email = f"{secrets.token_hex(6)}@example.com"
    operations = two_of_each.operations
    await asyncio.to_thread(operations.create_account, email, "creator", PASSWORD)
    key, _ = await asyncio.to_thread(operations.create_key, email, "load", None)
    person = Person(two_of_each.site_url)
    await person.log_in(email, PASSWORD)
    client = await OAuthClient.registered(two_of_each.site_url, two_of_each.mcp_url)
    scope = "catalog:read account:read channels:import"
    redeemed = await client.redeem(await client.code_from(person, scope=scope))
    return Account(email, key, redeemed.json()["access_token"])


async def test_a_rolling_restart_of_every_service_fails_no_call(
    two_of_each: Fleet, account: Account
) -> None:
    load = Load(two_of_each.mcp_url, (account.api_key, account.access_token))
    async with load.going(CALLERS):
        await until(lambda: load.counted > 10 * CALLERS, "the load did not begin")
        for service in CALLED:
            for index in range(2):
                before = load.counted
                await two_of_each.replace(service, index)
                await until(
                    lambda before=before: load.counted > before + CALLERS, "the load went out"
                )
    assert load.failures == []
    assert set(load.statuses) == {200}
    await until_recorded(two_of_each, account, load.counted)
    note(
        Row(
            section="processes",
            fault="Rolling restart: each of two of every service, one after the other",
            promised="nobody notices",
            requests=load.statuses.total(),
            errors={},
            lost=0,
            double=0,
            seconds=None,
        )
    )


@pytest.mark.thorough
async def test_a_killed_gateway_takes_along_the_calls_under_way_on_it_alone(
    two_of_each: Fleet, account: Account
) -> None:
    load = Load(two_of_each.mcp_url, (account.api_key, account.access_token))
    async with load.going(CALLERS):
        await until(lambda: load.counted > 10 * CALLERS, "the load did not begin")
        busier = max(range(2), key=lambda item: connections(two_of_each, item))
        killed, under_way = (
            two_of_each.children["gateway"][busier],
            connections(two_of_each, busier),
        )
        assert killed.process is not None
        killed.process.kill()
        before = load.counted
        await until(lambda: load.counted > before + 10 * CALLERS, "the load went out")
        await asyncio.to_thread(killed.process.wait, 30)
        killed.start()
        await until(
            lambda: two_of_each.is_ready("gateway", busier), "the gateway did not come back"
        )
    assert under_way > 0
    assert len(load.failures) <= under_way
    assert set(load.statuses) == {200}
    admitted = await used(two_of_each, account)
    assert load.counted <= admitted <= load.counted + len(load.failures)
    await until_recorded(two_of_each, account, admitted)


def connections(fleet: Fleet, gateway: int) -> int:
    """Callers that are connected to a gateway: no more calls can be under way on it."""
    return fleet.gateways.open[fleet.addresses[gateway].gateway]


async def used(fleet: Fleet, account: Account) -> int:
    """Requests that the counter in Valkey has admitted."""
    params: dict[str, Any] = {"name": "account.usage", "arguments": {}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Authorization": f"Bearer {account.api_key}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        reply = await http.post(fleet.mcp_url, json=body)
    return reply.json()["result"]["structuredContent"]["requests_used"]


async def until_recorded(fleet: Fleet, account: Account, calls: int) -> None:
    """Waits until the ledger has so many calls; what a dead gateway had read is taken over late."""

    async def recorded() -> bool:
        return await fleet.ledger(account.email) == calls

    await until(recorded, f"the ledger does not have {calls} calls", 90)
    assert await used(fleet, account) == calls
