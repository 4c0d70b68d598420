"""Changes of address: requested with the password, and confirmed in both inboxes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable

import psycopg
import pytest

from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.two_factor_person import Timed, enable, timed_service


@pytest.fixture(scope="module")
async def timed(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Timed]:
    mails = tmp_path_factory.mktemp("mails")
    async with timed_service(fresh_database(), valkey_url, mails) as opened:
        yield opened


def unused() -> str:
    return f"{secrets.token_hex(6)}@example.com"


def network() -> str:
    """Return an address of a network that no other test uses."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


async def person_of(service: Service) -> Person:
    person = Person(service.url, network())
    person.email = await service.account()
    assert (await person.log_in(person.email)).url.path == "/account"
    return person


async def request(service: Service, person: Person, new: str) -> tuple[str, str]:
    """Request a change; return the links to the old and the new address."""
    counts = [len(mails_to(service.mails, address)) for address in (person.email, new)]
    await person.visit("/account/settings")
    page = await person.submit("/account/settings/email", email=new, password=PASSWORD)
    assert "Two mails are on their way" in page.text, page.text
    old_mail = await newest_mail(service.mails, person.email, counts[0] + 1)
    return link_in(old_mail), link_in(await newest_mail(service.mails, new, counts[1] + 1))


async def test_the_mail_to_the_new_address_names_the_account(service: Service) -> None:
    person, new = await person_of(service), unused()
    await request(service, person, new)
    mail = await newest_mail(service.mails, new)
    assert f"for the Sponsorgraph account of {person.email}." in " ".join(mail.split())


async def confirm(service: Service, link: str) -> str:
    """Open a link in a browser that nobody is logged in at, and confirm; return what it says."""
    async with Person(service.url, network()) as reader:
        await reader.visit(link)
        return (await reader.submit("/email-change/confirm")).text


async def opens(service: Service, address: str, password: str = PASSWORD) -> bool:
    async with Person(service.url, network()) as visitor:
        return (await visitor.log_in(address, password)).url.path == "/account"


@pytest.mark.parametrize("first", [0, 1])
async def test_the_address_changes_when_both_links_are_confirmed(timed: Timed, first: int) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    links = await request(service, person, new)
    assert "One more link" in await confirm(service, links[first])
    assert not await opens(service, new)
    settings = (await person.visit("/account/settings")).text
    assert new in settings
    assert "not opened yet" in settings
    assert "Your address is changed" in await confirm(service, links[1 - first])
    assert await opens(service, new)
    assert not await opens(service, person.email)
    assert "email_changed" in (await person.visit("/account/security")).text
    for address in (person.email, new):
        assert "was changed from" in await newest_mail(service.mails, address, 2)


async def test_a_link_that_is_only_opened_confirms_nothing(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    async with Person(service.url, network()) as scanner:
        for link in await request(service, person, new):
            assert (await scanner.visit(link)).status_code == 200
    assert not await opens(service, new)


async def test_one_link_confirmed_twice_changes_nothing(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    old_link, new_link = await request(service, person, new)
    for link in (new_link, new_link):
        await confirm_again(service, link)
    assert not await opens(service, new)
    assert "Your address is changed" in await confirm(service, old_link)


async def confirm_again(service: Service, link: str) -> None:
    async with Person(service.url, network()) as reader:
        await reader.visit("/login")
        csrf = dict(reader.form("/login").fields)["csrf"]
        body = {"csrf": csrf, "token": link.partition("token=")[2]}
        page = await reader.client.post("/email-change/confirm", data=body)
        assert "One more link" in page.text


async def test_the_requesting_session_goes_on_and_the_others_end(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    async with Person(service.url, network()) as elsewhere:
        await elsewhere.log_in(person.email)
        for link in await request(service, person, new):
            await confirm(service, link)
        assert (await elsewhere.visit("/account")).url.path == "/login"
    assert new in (await person.visit("/account/settings")).text


async def test_it_takes_the_password_and_the_code(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    await person.visit("/account/settings")
    form = "/account/settings/email"
    assert (await person.submit(form, email=new, password="another")).status_code == 403
    phone = await enable(person, timed.clock)
    await person.visit("/account/settings")
    for code in ("", "000000"):
        refused = await person.submit(form, email=new, password=PASSWORD, code=code)
        assert refused.status_code == 403
    code = phone.app.next_code()
    page = await person.submit(form, email=new, password=PASSWORD, code=code)
    assert "Two mails are on their way" in page.text
    assert len(mails_to(service.mails, new)) == 1


async def test_the_old_inbox_stops_the_change(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    old_link, new_link = await request(service, person, new)
    await confirm(service, new_link)
    async with Person(service.url, network()) as reader:
        await reader.visit(old_link)
        assert "is stopped" in (await reader.submit("/email-change/cancel")).text
        for link in (old_link, new_link):
            assert (await reader.visit(link)).status_code == 400
    assert "email_change_cancelled" in (await person.visit("/account/security")).text


async def test_it_is_cancelled_in_the_settings(timed: Timed) -> None:
    service = timed.service
    person = await person_of(service)
    links = await request(service, person, unused())
    await person.visit("/account/settings")
    page = await person.submit("/account/settings/email/cancel")
    assert "Your address stays as it is" in page.text
    async with Person(service.url, network()) as reader:
        for link in links:
            assert (await reader.visit(link)).status_code == 400


async def test_links_live_for_a_day(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    old_link, new_link = await request(service, person, new)
    await confirm(service, old_link)
    async with Person(service.url, network()) as reader:
        await reader.visit(new_link)
        timed.clock.move(days=1, seconds=1)
        assert (await reader.submit("/email-change/confirm")).status_code == 400
        assert (await reader.visit(new_link)).status_code == 400


async def test_a_new_request_ends_the_links_of_the_one_before(timed: Timed) -> None:
    service = timed.service
    person = await person_of(service)
    links = await request(service, person, unused())
    csrf = dict(person.form("/logout").fields)["csrf"]
    body = {"csrf": csrf, "email": unused(), "password": PASSWORD}
    assert (await person.client.post("/account/settings/email", data=body)).status_code == 303
    async with Person(service.url, network()) as reader:
        for link in links:
            assert (await reader.visit(link)).status_code == 400


async def test_an_address_with_an_account_gets_word_of_it_and_no_link(timed: Timed) -> None:
    service = timed.service
    person, other = await person_of(service), await person_of(service)
    await person.visit("/account/settings")
    page = await person.submit("/account/settings/email", email=other.email, password=PASSWORD)
    assert "Two mails are on their way" in page.text, "as for any other address"
    text = await newest_mail(service.mails, other.email)
    assert "It has an account of its own" in text
    assert "token=" not in text
    old_link = link_in(await newest_mail(service.mails, person.email))
    assert "One more link" in await confirm(service, old_link)
    assert await opens(service, other.email)


async def test_an_address_that_is_taken_meanwhile_stays_with_its_account(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    old_link, new_link = await request(service, person, new)
    await confirm(service, new_link)
    async with Person(service.url, network()) as newcomer:
        await newcomer.visit("/signup")
        await newcomer.submit("/signup", email=new, password=PASSWORD)
        await newcomer.visit(link_in(await newest_mail(service.mails, new, 2)))
        await newcomer.submit("/confirm")
        assert "has an account of its own by now" in await confirm(service, old_link)
        assert new in (await newcomer.visit("/account/settings")).text
    assert person.email in (await person.visit("/account/settings")).text


async def test_of_two_accounts_that_change_to_one_address_at_once_one_gets_it(
    timed: Timed,
) -> None:
    service, new = timed.service, unused()
    people = [await person_of(service) for _ in range(2)]
    links = [await request(service, person, new) for person in people]
    for _, new_link in links:
        await confirm(service, new_link)
    texts = await asyncio.gather(*(confirm(service, old_link) for old_link, _ in links))
    assert sorted("Your address is changed" in text for text in texts) == [False, True]
    assert sum("has an account of its own by now" in text for text in texts) == 1


async def test_both_links_confirmed_at_once_change_the_address(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    links = await request(service, person, new)
    texts = await asyncio.gather(*(confirm(service, link) for link in links))
    assert sorted("Your address is changed" in text for text in texts) == [False, True]
    assert await opens(service, new)


async def test_links_to_choose_a_password_in_the_old_inbox_end_with_the_change(
    timed: Timed,
) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    async with Person(service.url, network()) as reader:
        await reader.visit("/forgot")
        await reader.submit("/forgot", email=person.email)
        reset_link = link_in(await newest_mail(service.mails, person.email))
        await reader.visit(reset_link)
        for link in await request(service, person, new):
            await confirm(service, link)
        assert (await reader.submit("/reset", password="a new passphrase")).status_code == 400
    assert await opens(service, new)


async def test_a_changed_password_ends_a_change_that_waits(timed: Timed) -> None:
    service = timed.service
    person = await person_of(service)
    links = await request(service, person, unused())
    await person.visit("/account/settings")
    await person.submit("/account/settings/password", current=PASSWORD, password="a new passphrase")
    async with Person(service.url, network()) as reader:
        for link in links:
            assert (await reader.visit(link)).status_code == 400


async def test_a_disabled_account_keeps_its_address(timed: Timed) -> None:
    service, new = timed.service, unused()
    person = await person_of(service)
    old_link, new_link = await request(service, person, new)
    await confirm(service, new_link)
    with psycopg.connect(service.settings.database_url) as connection:
        connection.execute(
            "UPDATE accounts SET disabled_at = now() WHERE email = %s", (person.email,)
        )
    assert "does not work any more" in await confirm(service, old_link)


async def test_few_changes_are_requested_in_an_hour(timed: Timed) -> None:
    service = timed.service
    person = await person_of(service)
    for _ in range(5):
        await request(service, person, unused())
        await person.visit("/account/settings")
        await person.submit("/account/settings/email/cancel")
    refused = await person.submit("/account/settings/email", email=unused(), password=PASSWORD)
    assert refused.status_code == 429


async def test_no_link_is_guessed(timed: Timed) -> None:
    service = timed.service
    await request(service, await person_of(service), unused())
    async with Person(service.url, network()) as guesser:
        for token in ("", "x", secrets.token_urlsafe(32)):
            assert (await guesser.visit(f"/email-change?token={token}")).status_code == 400


async def test_links_rest_hashed(timed: Timed) -> None:
    service = timed.service
    links = await request(service, await person_of(service), unused())
    with psycopg.connect(service.settings.database_url) as connection:
        rows = connection.execute("SELECT email_changes::text FROM email_changes").fetchall()
    assert rows
    for link in links:
        token = link.partition("token=")[2].encode()
        assert all(token.hex() not in row[0] and token.decode() not in row[0] for row in rows)
