"""A membership that ends in the moment in which the member does something for the organisation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg
import pytest

from tests.clients.person import PASSWORD, Person
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_organisations import account_id_of, pair

_LOCK = "SELECT 1 FROM accounts WHERE id = %s FOR UPDATE"
_REMEMBERED = "DELETE FROM remembered_consents WHERE account_id = %s"
_END = "DELETE FROM memberships WHERE organisation_id = %s AND account_id = %s"
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
_REFUSAL = "You are no member of such an organisation."


@asynccontextmanager
async def ending(
    service: Service, organisation_id: str, member: Person, *, locks: bool = True
) -> AsyncGenerator[None]:
    """End a membership; it is ended for others when the request within waits for it.

    The organisation is locked meanwhile as the use cases do it, or else its membership alone, so that
    the request gets further.
    """
    member_id = await account_id_of(service, member.email)
    url = service.settings.database_url
    async with await psycopg.AsyncConnection.connect(url) as connection:
        if locks:
            await connection.execute(_LOCK, (organisation_id,))
        await connection.execute(_REMEMBERED, (member_id,))
        await connection.execute(_END, (organisation_id, member_id))
        yield
        async with asyncio.timeout(10), await psycopg.AsyncConnection.connect(url) as watch:
            while not await _waits(watch):  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.02)
        await connection.commit()


async def _waits(watch: psycopg.AsyncConnection) -> bool:
    row = await (await watch.execute(_WAITING)).fetchone()
    await watch.rollback()
    return row is not None and row[0] > 0


def count(service: Service, table: str, organisation_id: str) -> int:
    query = f"SELECT count(*) FROM {table} WHERE account_id = %s".encode()
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute(query, (organisation_id,)).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("locks", [True, False])
async def test_a_consent_is_refused_and_leaves_no_code(service: Service, *, locks: bool) -> None:
    _, member, organisation_id = await pair(service)
    client = await service.client()
    await member.visit(client.authorize_url())
    async with asyncio.TaskGroup() as tasks, ending(service, organisation_id, member, locks=locks):
        response = tasks.create_task(member.submit("/oauth/authorize/decision", decision="approve"))
    assert response.result().status_code == 404
    assert _REFUSAL in response.result().text
    assert count(service, "oauth_codes", organisation_id) == 0


async def test_a_device_is_not_approved(service: Service) -> None:
    _, member, organisation_id = await pair(service)
    kind = "urn:ietf:params:oauth:grant-type:device_code"
    client = await service.client(grant_types=[kind, "refresh_token"])
    started = (await client.post("/oauth/device_authorization", scope="catalog:read")).json()
    await member.visit("/device")
    await member.submit("/device", user_code=started["user_code"])
    async with asyncio.TaskGroup() as tasks, ending(service, organisation_id, member):
        response = tasks.create_task(member.submit("/device/decision", decision="approve"))
    assert response.result().status_code == 404
    assert _REFUSAL in response.result().text
    assert count(service, "oauth_devices", organisation_id) == 0


async def test_no_key_is_made(service: Service) -> None:
    _, member, organisation_id = await pair(service)
    await member.visit("/account/keys")
    async with asyncio.TaskGroup() as tasks, ending(service, organisation_id, member):
        response = tasks.create_task(
            member.submit("/account/keys", name="late", password=PASSWORD, expires="30")
        )
    assert response.result().status_code == 404
    assert _REFUSAL in response.result().text
    assert count(service, "api_keys", organisation_id) == 0
