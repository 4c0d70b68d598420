"""Revocations after a password reset or change, and after "Disconnect all apps"."""

from __future__ import annotations

import asyncio
import hashlib

import psycopg
import pytest

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from tests.clients.oauth import OAuthClient, query_of
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service, somewhere_else
from tests.integration.auth_service.test_code_flow import holds
from tests.integration.auth_service.test_issuer import DEVICE

CLAUDE = {
    "client_id": "https://claude.ai/oauth/mcp-oauth-client-metadata",
    "redirect_uri": "https://claude.ai/api/mcp/auth_callback",
}
NEW = "a new passphrase"


async def reset_link(service: Service, email: str) -> str:
    number = len(mails_to(service.mails, email)) + 1
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/forgot")
        await person.submit("/forgot", email=email)
    return link_in(await newest_mail(service.mails, email, number))


async def reset(service: Service, email: str, **changes: str | None) -> None:
    link = await reset_link(service, email)
    async with Person(service.url) as owner:
        await owner.visit(link)
        done = await owner.submit("/reset", password=NEW, **changes)
        assert done.url.path == "/login", done.text


async def key_works(service: Service, secret: str) -> bool:
    digest = hashlib.sha256(secret.encode()).digest()
    try:
        await service.call(service.access.ResolveKey, pb.ResolveKeyRequest(key_sha256=digest))
    except Unauthenticated:
        return False
    return True


async def requires_consent(person: Person, client: OAuthClient) -> bool:
    """Return whether a client vouched for by its document needs the person's consent."""
    return "location" not in (await person.visit(client.authorize_url(**CLAUDE))).headers


async def remembered(service: Service, person: Person) -> OAuthClient:
    """Return a client whose consent by this person is remembered."""
    client = await service.client()
    await person.decide(client.authorize_url(**CLAUDE))
    assert not await requires_consent(person, client)
    return client


async def test_a_reset_ends_connections_and_remembered_consents(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    known = await remembered(service, person)
    await reset(service, person.email)
    assert not await holds(service, tokens["access_token"])
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    async with Person(service.url) as owner:
        await owner.log_in(person.email, NEW)
        assert await requires_consent(owner, known)


async def test_a_reset_ends_what_was_approved_and_not_fetched_yet(service: Service) -> None:
    person = await service.person()
    client = await service.client(grant_types=["authorization_code", "refresh_token", DEVICE])
    response = await person.decide(client.authorize_url())
    device = (await client.post("/oauth/device_authorization", scope="catalog:read")).json()
    await person.visit("/device")
    await person.submit("/device", user_code=device["user_code"])
    await person.submit("/device/decision", decision="approve")
    await reset(service, person.email)
    assert (await client.redeem(query_of(response)["code"])).json()["error"] == "invalid_grant"
    polled = await client.token(grant_type=DEVICE, device_code=device["device_code"])
    assert polled.json()["error"] == "invalid_grant"


async def test_a_reset_ends_api_keys_unless_the_person_retains_them(service: Service) -> None:
    losing, keeping = await service.person(), await service.person()
    lost, remaining = await service.key(losing.email), await service.key(keeping.email)
    await reset(service, losing.email)
    await reset(service, keeping.email, revoke_keys=None)
    assert not await key_works(service, lost.secret)
    assert await key_works(service, remaining.secret)


async def test_a_password_that_is_refused_leaves_the_link_and_the_choice_as_they_were(
    service: Service,
) -> None:
    person = await service.person()
    key = await service.key(person.email)
    async with Person(service.url) as owner:
        await owner.visit(await reset_link(service, person.email))
        refused = await owner.submit("/reset", password=person.email, revoke_keys=None)
        assert refused.status_code == 400
        assert (await owner.submit("/reset", password=NEW)).url.path == "/login"
    assert await key_works(service, key.secret)


@pytest.mark.parametrize("way", ["changed", "reset by another link"])
async def test_a_link_of_before_a_new_password_is_dead_after_it(service: Service, way: str) -> None:
    person = await service.person()
    link = await reset_link(service, person.email)
    async with Person(service.url) as thief:
        await thief.visit(link)
        if way == "changed":
            await person.visit("/account/settings")
            await person.submit("/account/settings/password", current=PASSWORD, password=NEW)
        else:
            await reset(service, person.email)
        assert (await thief.submit("/reset", password="of the thief")).status_code == 400
        assert (await thief.visit(link)).status_code == 400
        assert (await thief.log_in(person.email, NEW)).url.path == "/account"


@pytest.mark.parametrize("by", ["a change of the password", "the page of apps"])
async def test_disconnecting_all_apps_ends_remembered_consents(service: Service, by: str) -> None:
    person = await service.person()
    client = await remembered(service, person)
    if by == "the page of apps":
        await person.visit("/account/apps")
        await person.submit("/account/apps/disconnect-all")
    else:
        await person.visit("/account/settings")
        await person.submit(
            "/account/settings/password", current=PASSWORD, password=NEW, revoke_apps="1"
        )
    assert await requires_consent(person, client)


def _waiting_for_locks(database_url: str) -> int:
    waiting = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
    """
    with psycopg.connect(database_url) as connection:
        row = connection.execute(waiting.encode()).fetchone()
    assert row is not None
    return row[0]


async def test_of_two_links_that_are_used_at_once_one_chooses_the_password(
    service: Service, auth_database: str
) -> None:
    email = await service.account()
    links = [await reset_link(service, email) for _ in range(2)]
    people = [Person(service.url, somewhere_else()) for _ in links]
    for person, link in zip(people, links, strict=True):
        await person.visit(link)
    with psycopg.connect(auth_database) as holding:
        holding.execute("SELECT id FROM accounts WHERE email = %s FOR UPDATE", [email])
        requests = asyncio.gather(
            *(person.submit("/reset", password=f"{NEW} {at}") for at, person in enumerate(people))
        )
        async with asyncio.timeout(20):
            while _waiting_for_locks(auth_database) < len(people):  # noqa: ASYNC110 - of others
                await asyncio.sleep(0.02)
    responses = await requests
    assert sorted(response.status_code for response in responses) == [200, 400]
    dead = next(response for response in responses if response.status_code == 400)
    assert "the password was changed" in dead.text


async def test_api_keys_end_with_a_changed_password_on_request(service: Service) -> None:
    person = await service.person()
    first = await service.key(person.email)
    await person.visit("/account/settings")
    await person.submit("/account/settings/password", current=PASSWORD, password=NEW)
    assert await key_works(service, first.secret)
    await person.submit(
        "/account/settings/password", current=NEW, password=PASSWORD, revoke_keys="1"
    )
    assert not await key_works(service, first.secret)
