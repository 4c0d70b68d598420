"""The account and password that a confirmation link establishes."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode

import psycopg
import pytest

from protos.auth.v1 import auth_pb2 as pb
from tests.clients.oauth import query_of
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.integration.auth_service.conftest import Age, Service, somewhere_else

ATTACKER_PASSWORD = "a passphrase of the attacker"


@pytest.fixture
def address() -> str:
    return f"{secrets.token_hex(6)}@example.com"


async def sign_up(
    service: Service, person: Person, address: str, password: str, number: int
) -> str:
    """Sign up and return the link in the resulting mail, the address's `number`th."""
    await person.visit("/signup")
    response = await person.submit("/signup", email=address, password=password)
    assert response.status_code == 200, response.text
    return link_in(await newest_mail(service.mails, address, number))


async def test_a_second_sign_up_changes_nothing_of_the_first(
    service: Service, address: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as attacker,
    ):
        link = await sign_up(service, victim, address, PASSWORD, 1)
        await sign_up(service, attacker, address, ATTACKER_PASSWORD, 2)
        await victim.visit(link)
        assert (await victim.submit("/confirm")).url.path == "/account"
        assert (await attacker.log_in(address, ATTACKER_PASSWORD)).status_code == 401
        assert (await victim.log_in(address)).url.path == "/account"


@pytest.mark.parametrize("password", ["", PASSWORD])
async def test_a_link_that_somebody_else_caused_opens_nothing_for_them(
    service: Service, address: str, password: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as elsewhere,
        Person(service.url, somewhere_else()) as attacker,
    ):
        await sign_up(service, victim, address, PASSWORD, 1)
        link = await sign_up(service, attacker, address, ATTACKER_PASSWORD, 2)
        page = await elsewhere.visit(link)
        assert "another browser" in page.text
        assert (await elsewhere.submit("/confirm", password=password)).status_code == 401
        assert (await attacker.log_in(address, ATTACKER_PASSWORD)).status_code == 401
        await victim.visit(link)
        assert (await victim.submit("/confirm", password=password)).url.path == "/account"
        assert (await attacker.log_in(address, ATTACKER_PASSWORD)).status_code == 401
        assert (await victim.log_in(address)).url.path == "/account"


async def test_the_first_to_sign_up_gets_no_account_by_the_click_of_the_owner(
    service: Service, address: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as attacker,
    ):
        link = await sign_up(service, attacker, address, ATTACKER_PASSWORD, 1)
        await victim.visit(link)
        assert (await victim.submit("/confirm")).status_code == 401
        assert (await attacker.log_in(address, ATTACKER_PASSWORD)).status_code == 401


async def test_another_browser_confirms_with_the_password(service: Service, address: str) -> None:
    async with (
        Person(service.url, somewhere_else()) as desk,
        Person(service.url, somewhere_else()) as phone,
    ):
        link = await sign_up(service, desk, address, PASSWORD, 1)
        await phone.visit(link)
        wrong = await phone.submit("/confirm", password="not the password")
        assert wrong.status_code == 401
        assert "not the password of this sign-up" in wrong.text
        assert (await phone.submit("/confirm", password=PASSWORD)).url.path == "/account"
        assert (await phone.log_in(address)).url.path == "/account"


async def test_the_link_logs_in_the_browser_of_the_sign_up_and_leads_on_to_the_consent(
    service: Service, address: str
) -> None:
    client = await service.client(client_name="Newcomer")
    async with Person(service.url, somewhere_else()) as person:
        await person.visit(client.authorize_url())
        link = await sign_up_on_the_way(service, person, address, 1)
        assert "next=" not in link
        await person.visit(link)
        consent = await person.submit("/confirm")
        assert "Connect Newcomer?" in consent.text
        assert address in consent.text
        location = await person.submit("/oauth/authorize/decision", decision="approve")
        code = query_of(location.headers["location"])["code"]
        assert (await client.redeem(code)).status_code == 200


async def test_a_link_in_another_browser_requires_a_login_and_goes_on_with_the_request(
    service: Service, address: str
) -> None:
    client = await service.client(client_name="Newcomer")
    async with (
        Person(service.url, somewhere_else()) as desk,
        Person(service.url, somewhere_else()) as phone,
    ):
        await desk.visit(client.authorize_url())
        link = await sign_up_on_the_way(service, desk, address, 1)
        assert "Log in" in (await phone.visit(link)).text
        assert (await phone.submit("/confirm")).status_code == 401
        assert (await phone.visit("/account")).url.path == "/login"
        await phone.visit(link)
        assert "Connect Newcomer?" in (await phone.submit("/confirm", password=PASSWORD)).text
        assert (await desk.visit("/account")).url.path == "/login"


async def test_a_strangers_link_leads_to_the_own_request_and_never_to_the_strangers(
    service: Service, address: str
) -> None:
    own = await service.client(client_name="Mine")
    other = await service.client(client_name="Theirs")
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as attacker,
    ):
        await victim.visit(own.authorize_url())
        await sign_up_on_the_way(service, victim, address, 1)
        await attacker.visit(other.authorize_url())
        link = await sign_up_on_the_way(service, attacker, address, 2)
        await victim.visit(f"{link}&next=/oauth/authorize?client_id=x")
        assert "Connect Mine?" in (await victim.submit("/confirm", next="/account/keys")).text
        assert (await attacker.visit("/account")).url.path == "/login"


async def test_the_mail_to_an_owner_leads_nowhere_that_a_stranger_chose(service: Service) -> None:
    email, other = await service.account(), await service.client(client_name="Theirs")
    async with Person(service.url, somewhere_else()) as attacker:
        await attacker.visit(other.authorize_url())
        link = await sign_up_on_the_way(service, attacker, email, 1)
    assert link == f"{service.url}/login"


async def sign_up_on_the_way(service: Service, person: Person, address: str, number: int) -> str:
    """Sign up from the login page that the person was sent to, and return the mailed link."""
    assert person.page is not None
    following = parse_qs(person.page.url.query.decode())["next"][0]
    await person.visit(f"/signup?{urlencode({'next': following})}")
    sent = await person.submit("/signup", email=address, password=PASSWORD)
    assert sent.status_code == 200, sent.text
    return link_in(await newest_mail(service.mails, address, number))


async def test_a_confirmed_sign_up_ends_the_session_of_another_account_in_its_browser(
    service: Service, address: str
) -> None:
    person = await service.person()
    before = person.client.cookies["session"]
    link = await sign_up(service, person, address, PASSWORD, 1)
    await person.visit(link)
    assert address in (await person.submit("/confirm")).text
    async with Person(service.url) as thief:
        thief.client.cookies.set("session", before)
        assert (await thief.visit("/account")).url.path == "/login"


async def test_passwords_cannot_be_guessed_for_long_at_a_link(
    service: Service, address: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as attacker,
        Person(service.url, somewhere_else()) as victim,
    ):
        await victim.visit(await sign_up(service, attacker, address, ATTACKER_PASSWORD, 1))
        responses = [
            await victim.submit("/confirm", password=f"guess number {n}") for n in range(11)
        ]
    assert [response.status_code for response in responses] == [401] * 10 + [429]


async def test_a_confirmed_account_ends_all_other_sign_ups_of_its_address(
    service: Service, address: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as attacker,
    ):
        victim_link = await sign_up(service, victim, address, PASSWORD, 1)
        attacker_link = await sign_up(service, attacker, address, ATTACKER_PASSWORD, 2)
        await victim.visit(victim_link)
        await victim.submit("/confirm")
        await attacker.visit(attacker_link)
        assert (await attacker.submit("/confirm")).status_code == 400
        assert (await victim.log_in(address)).url.path == "/account"


async def test_a_login_before_confirming_mails_the_link_of_this_browsers_sign_up_again(
    service: Service, address: str
) -> None:
    async with (
        Person(service.url, somewhere_else()) as victim,
        Person(service.url, somewhere_else()) as attacker,
    ):
        await sign_up(service, victim, address, PASSWORD, 1)
        await sign_up(service, attacker, address, ATTACKER_PASSWORD, 2)
        assert "Confirm your address" in (await victim.log_in(address)).text
        await victim.visit(link_in(await newest_mail(service.mails, address, 3)))
        await victim.submit("/confirm")
        assert (await victim.log_in(address)).url.path == "/account"


async def test_a_link_to_confirm_expires(service: Service, address: str, age: Age) -> None:
    async with Person(service.url, somewhere_else()) as person:
        link = await sign_up(service, person, address, PASSWORD, 1)
        age.sign_ups(days=3)
        await person.visit(link)
        assert (await person.submit("/confirm")).status_code == 400


async def test_an_account_that_never_was_confirmed_goes_to_the_person_who_confirms_the_address(
    service: Service, address: str, auth_database: str
) -> None:
    known = await service.person()
    statement = """
        INSERT INTO accounts (id, email, plan_id, password_hash, created_at)
        SELECT 'acc_' || md5(%s), %s, 'free', password_hash, now() FROM accounts WHERE email = %s
    """
    with psycopg.connect(auth_database) as connection:
        connection.execute(statement.encode(), [address, address, known.email])
    async with Person(service.url, somewhere_else()) as person:
        assert (await person.log_in(address)).status_code == 401
        link = await sign_up(service, person, address, "of the owner alone", 1)
        await person.visit(link)
        await person.submit("/confirm")
        assert (await person.log_in(address)).status_code == 401
        assert (await person.log_in(address, "of the owner alone")).url.path == "/account"


async def test_work_outlives_the_process_that_responded(
    service: Service, address: str, auth_database: str
) -> None:
    """The work is read from the database, whichever process has stored it."""
    email = await service.account()
    statement = """
        INSERT INTO deferred_work (kind, payload, due_at)
        VALUES ('reset', jsonb_build_object('email', %s::text, 'address', '192.0.2.1'), now())
    """
    with psycopg.connect(auth_database) as connection:
        connection.execute(statement.encode(), [email])
    assert "/reset?" in link_in(await newest_mail(service.mails, email))


async def used(service: Service, email: str) -> Any:
    return await service.operate(
        service.operations.GetAccount, pb.AccountByEmailRequest(email=email)
    )


async def test_deleting_an_account_and_signing_up_again_begins_no_month_anew(
    service: Service, address: str, auth_database: str
) -> None:
    async with Person(service.url, somewhere_else()) as person:
        for number in (1, 2, 3):
            link = await sign_up(service, person, address, PASSWORD, 2 * number - 1)
            await person.visit(link)
            await person.submit("/confirm")
            report = await used(service, address)
            assert report.requests_this_month == 7 * (number - 1)
            entries = [
                pb.UsageEntry(
                    entry_id=secrets.token_hex(8),
                    account_id=report.account_id,
                    credential_id="key_x",
                    tool="sponsor.search",
                    admitted_at=datetime.now(UTC).isoformat(),
                    cost=1,
                )
                for _ in range(7)
            ]
            await service.call(service.access.RecordUsage, pb.RecordUsageRequest(entries=entries))
            await person.log_in(address)
            await person.visit("/account/settings")
            await person.submit(
                "/account/settings/delete", password=PASSWORD, confirm_email=address
            )
    with psycopg.connect(auth_database) as connection:
        rows = connection.execute("SELECT deleted_accounts::text FROM deleted_accounts").fetchall()
    assert rows
    assert not any(address in row[0] or address.encode().hex() in row[0] for row in rows)
