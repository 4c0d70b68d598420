"""Other people's requests do not keep mails from the owner of an inbox."""

from __future__ import annotations

import secrets
import time
from typing import Any

import psycopg
import pytest
import redis.asyncio as redis

from tests.attack.test_lockouts import elsewhere, owner_of_account
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service, auth_settings, service

__all__ = ["auth_settings", "service"]

NEW = "a new passphrase"
FLOOD = 22

_opening: Any = redis.Redis


@pytest.fixture
def newcomer() -> str:
    """Return an address without an account."""
    return f"{secrets.token_hex(6)}@example.com"


async def request(service: Service, form: str, email: str, times: int) -> None:
    """Submit the form from several networks and wait for the deferred work."""
    for _ in range(times):
        async with Person(service.url, elsewhere()) as person:
            await person.visit(form)
            sent = await person.submit(form, email=email, password="a passphrase of others")
            assert sent.status_code == 200, sent.text
    await service.deferred_work_is_done()


async def submit_forgot(person: Person, email: str) -> int:
    await person.visit("/forgot")
    return (await person.submit("/forgot", email=email)).status_code


async def set_password(service: Service, link: str, email: str) -> None:
    async with Person(service.url, elsewhere()) as owner:
        await owner.visit(link)
        done = await owner.submit("/reset", password=NEW)
        assert done.url.path == "/login", done.text
        assert (await owner.log_in(email, NEW)).url.path == "/account"


async def test_sign_ups_with_an_owners_address_use_up_no_reset(service: Service) -> None:
    email = await service.account()
    await request(service, "/signup", email, FLOOD)
    before = len(mails_to(service.mails, email))
    await request(service, "/forgot", email, 1)
    await set_password(service, link_in(await newest_mail(service.mails, email, before + 1)), email)


async def test_an_owner_reads_once_a_day_that_there_is_an_account(service: Service) -> None:
    email = await service.account()
    await request(service, "/signup", email, 3)
    assert len(mails_to(service.mails, email)) == 1
    assert "There is one already" in await newest_mail(service.mails, email)


async def test_a_known_device_gets_a_link_whoever_has_requested_links(service: Service) -> None:
    address = elsewhere()
    owner = await owner_of_account(service, address)
    async with Person(service.url, address) as neighbour:
        statuses = [await submit_forgot(neighbour, owner.email) for _ in range(6)]
    assert statuses == [200] * 5 + [429], "those of the owner's own network, too"
    await request(service, "/forgot", owner.email, FLOOD)
    assert len(mails_to(service.mails, owner.email)) == 20
    assert await submit_forgot(owner, owner.email) == 200
    link = link_in(await newest_mail(service.mails, owner.email, 21))
    await set_password(service, link, owner.email)


async def test_a_known_device_gets_only_so_many_links(service: Service) -> None:
    owner = await owner_of_account(service, elsewhere())
    statuses: list[int] = []
    for _ in range(6):
        owner.client.headers["X-Forwarded-For"] = elsewhere()
        statuses.append(await submit_forgot(owner, owner.email))
    assert statuses == [200] * 5 + [429]


async def test_a_device_known_to_one_account_has_no_links_of_another(service: Service) -> None:
    email = await service.account()
    stranger = await owner_of_account(service, elsewhere())
    await request(service, "/forgot", email, FLOOD)
    assert await submit_forgot(stranger, email) == 200
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, email)) == 20


async def test_links_of_strangers_requests_leave_the_owners_alone(service: Service) -> None:
    email = await service.account()
    await request(service, "/forgot", email, 1)
    owner_link = link_in(await newest_mail(service.mails, email))
    await request(service, "/forgot", email, FLOOD)
    await set_password(service, owner_link, email)


async def test_the_links_of_an_account_are_bounded_and_the_oldest_go_first(
    service: Service,
) -> None:
    email = await service.account()
    statement = """
        INSERT INTO mail_tokens (token_sha256, account_id, purpose, expires_at)
        SELECT sha256((n || id)::bytea), id, 'reset', now() + n * interval '1 second'
        FROM accounts, generate_series(1, 150) n WHERE email = %s
    """
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(statement.encode(), [email])
    await request(service, "/forgot", email, 1)
    left = """
        SELECT count(*), min(expires_at) > now() + interval '45 seconds' FROM mail_tokens
        JOIN accounts ON accounts.id = account_id WHERE email = %s
    """
    with psycopg.connect(service.settings.database_url) as connection:
        row = connection.execute(left.encode(), [email]).fetchone()
    assert row == (100, True)
    await set_password(service, link_in(await newest_mail(service.mails, email)), email)


async def test_a_chosen_password_begins_the_count_of_links_anew(service: Service) -> None:
    email = await service.account()
    await request(service, "/forgot", email, FLOOD)
    await set_password(service, link_in(await newest_mail(service.mails, email)), email)
    before = len(mails_to(service.mails, email))
    await request(service, "/forgot", email, 1)
    assert len(mails_to(service.mails, email)) == before + 1


async def test_sign_ups_of_others_use_up_no_newcomers_mail(service: Service, newcomer: str) -> None:
    await request(service, "/signup", newcomer, FLOOD)
    before = len(mails_to(service.mails, newcomer))
    async with Person(service.url, elsewhere()) as person:
        await person.visit("/signup")
        await person.submit("/signup", email=newcomer, password=PASSWORD)
        await person.visit(link_in(await newest_mail(service.mails, newcomer, before + 1)))
        assert (await person.submit("/confirm")).url.path == "/login"
        assert (await person.log_in(newcomer)).url.path == "/account"


async def test_a_site_of_many_networks_causes_few_confirmations(
    service: Service, newcomer: str
) -> None:
    for _ in range(30):
        async with Person(service.url, f"2001:db8:77:{secrets.token_hex(2)}::1") as person:
            await person.visit("/signup")
            await person.submit("/signup", email=newcomer, password="a passphrase of others")
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, newcomer)) == 21


async def test_all_sites_together_cause_no_endless_confirmations(
    service: Service, newcomer: str
) -> None:
    async with _opening.from_url(service.settings.valkey_url) as client:
        window = int(time.time() // 3_600)
        for name, used in (("mail-confirmation-sites", 100), ("mail-confirmation", 19)):
            await client.set(f"sponsorgraph:throttle:{name}:{newcomer}:{window}", used)
    await request(service, "/signup", newcomer, 3)
    assert len(mails_to(service.mails, newcomer)) == 1


async def test_a_sign_up_of_a_full_inbox_is_stored_and_mailed_later(
    service: Service, newcomer: str
) -> None:
    site = f"2001:db8:{secrets.token_hex(2)}"
    for at in range(21):
        async with Person(service.url, f"{site}:{at + 1:x}::1") as person:
            await person.visit("/signup")
            await person.submit("/signup", email=newcomer, password="a passphrase of others")
    await service.deferred_work_is_done()
    async with Person(service.url, f"{site}:ffff::1") as person:
        await person.visit("/signup")
        await person.submit("/signup", email=newcomer, password=PASSWORD)
        await service.deferred_work_is_done()
        assert len(mails_to(service.mails, newcomer)) == 21, "its site has had its mails"
        person.client.headers["X-Forwarded-For"] = elsewhere()
        assert "Confirm your address" in (await person.log_in(newcomer)).text
        await person.visit(link_in(await newest_mail(service.mails, newcomer, 22)))
        await person.submit("/confirm")
        assert (await person.log_in(newcomer)).url.path == "/account"
