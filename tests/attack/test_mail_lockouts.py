"""Other people's requests do not keep mails from the owner of an inbox."""

from __future__ import annotations

import asyncio
import secrets

import psycopg
import pytest

from tests.attack.test_lockouts import elsewhere, owner_of_account
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Age, Service, age, auth_settings, service

__all__ = ["age", "auth_settings", "service"]

NEW = "a new passphrase"
FLOOD = 22


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
    owner = await owner_of_account(service, elsewhere())
    email = owner.email
    statement = """
        INSERT INTO mail_tokens (token_sha256, account_id, purpose, expires_at)
        SELECT sha256((n || id)::bytea), id, 'reset', now() + n * interval '1 second'
        FROM accounts, generate_series(1, 150) n WHERE email = %s
    """
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(statement.encode(), [email])
    assert await submit_forgot(owner, email) == 200
    await service.deferred_work_is_done()
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


async def test_a_changed_password_begins_the_count_of_links_anew(service: Service) -> None:
    owner = await owner_of_account(service, elsewhere())
    await request(service, "/forgot", owner.email, FLOOD)
    dead = link_in(await newest_mail(service.mails, owner.email))
    await owner.log_in(owner.email)
    await owner.visit("/account/settings")
    changed = await owner.submit("/account/settings/password", current=PASSWORD, password=NEW)
    assert changed.status_code == 200, changed.text
    assert (await owner.visit(dead)).status_code == 400
    before = len(mails_to(service.mails, owner.email))
    await request(service, "/forgot", owner.email, 1)
    link = link_in(await newest_mail(service.mails, owner.email, before + 1))
    await set_password(service, link, owner.email)


async def test_links_that_have_expired_make_room_for_others(service: Service, age: Age) -> None:
    email = await service.account()
    await request(service, "/forgot", email, FLOOD)
    assert len(mails_to(service.mails, email)) == 20
    age.mail_tokens(hours=1)
    await request(service, "/forgot", email, 1)
    assert len(mails_to(service.mails, email)) == 21


async def test_links_that_two_replicas_send_at_once_are_counted_together(service: Service) -> None:
    email = await service.account()
    await request(service, "/forgot", email, 19)
    another = """
        INSERT INTO mail_tokens (token_sha256, account_id, purpose, expires_at)
        SELECT sha256(id::bytea), id, 'reset', now() + interval '1 hour'
        FROM accounts WHERE email = %s
    """
    with psycopg.connect(service.settings.database_url) as replica:
        replica.execute("SELECT id FROM accounts WHERE email = %s FOR UPDATE", [email])
        replica.execute(another, [email])
        async with Person(service.url, elsewhere()) as somebody:
            assert await submit_forgot(somebody, email) == 200
        await waits_for_replica(service)
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, email)) == 19


async def test_sign_ups_of_others_keep_no_newcomer_from_their_account(
    service: Service, newcomer: str
) -> None:
    await request(service, "/signup", newcomer, FLOOD)
    assert len(mails_to(service.mails, newcomer)) == 20, "all networks together"
    async with Person(service.url, elsewhere()) as person:
        await person.visit("/signup")
        page = await person.submit("/signup", email=newcomer, password=PASSWORD)
        assert "a link that came before works in this browser, too" in page.text
        await service.deferred_work_is_done()
        page = await person.log_in(newcomer)
        assert page.status_code == 401
        assert "a link that came before works in this browser, too" in page.text
        await service.deferred_work_is_done()
        assert len(mails_to(service.mails, newcomer)) == 20
        await person.visit(link_in(await newest_mail(service.mails, newcomer)))
        assert (await person.submit("/confirm")).url.path == "/account"
        assert (await person.log_in(newcomer, "a passphrase of others")).status_code == 401
        assert (await person.log_in(newcomer)).url.path == "/account"


async def test_a_person_who_logs_in_elsewhere_to_their_sign_up_confirms_it_there_by_any_link(
    service: Service, newcomer: str
) -> None:
    await request(service, "/signup", newcomer, FLOOD)
    link = link_in(await newest_mail(service.mails, newcomer))
    async with (
        Person(service.url, elsewhere()) as desk,
        Person(service.url, elsewhere()) as phone,
    ):
        await desk.visit("/signup")
        await desk.submit("/signup", email=newcomer, password=PASSWORD)
        await service.deferred_work_is_done()
        assert "Confirm your address" in (await phone.log_in(newcomer)).text
        await service.deferred_work_is_done()
        for browser in (desk, phone):
            assert "another browser" not in (await browser.visit(link)).text
        assert (await phone.submit("/confirm")).url.path == "/account"
        assert (await phone.log_in(newcomer)).url.path == "/account"


async def test_links_to_confirm_are_bounded_in_each_hour(
    service: Service, newcomer: str, age: Age
) -> None:
    await request(service, "/signup", newcomer, FLOOD)
    age.sign_up_links(hours=1)
    await request(service, "/signup", newcomer, 1)
    assert len(mails_to(service.mails, newcomer)) == 21


async def test_links_of_one_sign_up_are_counted_and_live_side_by_side(
    service: Service, newcomer: str
) -> None:
    async with Person(service.url, elsewhere()) as person:
        await person.visit("/signup")
        await person.submit("/signup", email=newcomer, password=PASSWORD)
        first = link_in(await newest_mail(service.mails, newcomer))
        for _ in range(FLOOD):
            person.client.headers["X-Forwarded-For"] = elsewhere()
            assert "Confirm your address" in (await person.log_in(newcomer)).text
        await service.deferred_work_is_done()
        assert len(mails_to(service.mails, newcomer)) == 20
        await person.visit(first)
        await person.submit("/confirm")
        assert (await person.log_in(newcomer)).url.path == "/account"


async def test_an_account_that_began_and_ended_leaves_no_count_of_links_to_confirm(
    service: Service, newcomer: str
) -> None:
    await request(service, "/signup", newcomer, FLOOD)
    async with Person(service.url, elsewhere()) as person:
        await person.visit("/signup")
        await person.submit("/signup", email=newcomer, password=PASSWORD)
        await service.deferred_work_is_done()
        await person.visit(link_in(await newest_mail(service.mails, newcomer)))
        await person.submit("/confirm")
        await person.log_in(newcomer)
        await person.visit("/account/settings")
        await person.submit("/account/settings/delete", password=PASSWORD, confirm_email=newcomer)
    before = len(mails_to(service.mails, newcomer))
    await request(service, "/signup", newcomer, 1)
    assert len(mails_to(service.mails, newcomer)) == before + 1


async def test_links_to_confirm_that_two_replicas_send_at_once_are_counted_together(
    service: Service, newcomer: str
) -> None:
    await request(service, "/signup", newcomer, 19)
    another = """
        INSERT INTO sign_ups (sign_up_id, email, password_hash, browser_sha256, token_sha256,
            created_at, expires_at)
        VALUES (md5(%(email)s), %(email)s, 'x', 'x', sha256(%(email)s::bytea), now(),
            now() + interval '2 days')
    """
    with psycopg.connect(service.settings.database_url) as replica:
        replica.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [newcomer])
        replica.execute(another, {"email": newcomer})
        async with Person(service.url, elsewhere()) as somebody:
            await somebody.visit("/signup")
            await somebody.submit("/signup", email=newcomer, password=PASSWORD)
        await waits_for_replica(service)
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, newcomer)) == 19


async def waits_for_replica(service: Service) -> None:
    """Waits until the service waits for a lock that a test holds, or has needed none."""
    blocked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    left = "SELECT count(*) FROM deferred_work"
    async with asyncio.timeout(20):
        with psycopg.connect(service.settings.database_url, autocommit=True) as connection:
            while True:
                waiting = connection.execute(blocked).fetchone()
                works = connection.execute(left).fetchone()
                if waiting != (0,) or works == (0,):
                    return
                await asyncio.sleep(0.02)


async def test_one_network_requests_links_of_few_accounts(service: Service) -> None:
    async with Person(service.url, elsewhere()) as somebody:
        statuses = [
            await submit_forgot(somebody, f"{secrets.token_hex(6)}@example.com") for _ in range(32)
        ]
    assert statuses == [200] * 30 + [429] * 2
