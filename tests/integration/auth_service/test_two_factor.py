"""Two-factor authentication: codes of an app, recovery codes, and the second step of a login."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable

import psycopg
import pytest

from devstack.ports import free_port
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import running
from tests.integration.auth_service.two_factor_person import (
    Phone,
    Timed,
    codes_in,
    enable,
    set_up,
    timed_service,
)


@pytest.fixture(scope="module")
async def timed(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Timed]:
    mails = tmp_path_factory.mktemp("mails")
    async with timed_service(fresh_database(), valkey_url, mails) as opened:
        yield opened


async def protected(timed: Timed) -> tuple[Person, Phone]:
    """Return a person who has turned two-factor authentication on, and their phone."""
    person = await timed.service.person()
    return person, await enable(person, timed.clock)


def address() -> str:
    """Return an address of a network that no other test uses."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


def rows(timed: Timed, query: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(timed.service.settings.database_url) as connection:
        return connection.execute(query.encode(), values).fetchall()


async def test_a_login_needs_the_code_after_the_password(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        page = await elsewhere.log_in(person.email)
        assert page.url.path == "/login/code"
        assert (await elsewhere.visit("/account")).url.path == "/login", "not logged in yet"
        await elsewhere.log_in(person.email)
        done = await elsewhere.submit("/login/code", code=phone.app.next_code())
        assert done.url.path == "/account", done.text
        log = (await elsewhere.visit("/account/security")).text
        assert "by password and code" in log


async def test_a_wrong_code_is_refused_and_the_right_one_still_works(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        right = phone.app.next_code()
        wrong = f"{(int(right) + 1) % 1_000_000:06}"
        for bad in (wrong, "", "x" * 6, "１２３４５６", "0" * 40):
            refused = await elsewhere.submit("/login/code", code=bad)
            assert refused.status_code == 403, refused.text
        assert (await elsewhere.submit("/login/code", code=right)).url.path == "/account"
    assert "code_refused" in (await person.visit("/account/security")).text


async def test_a_code_is_good_once(timed: Timed) -> None:
    person, phone = await protected(timed)
    code = phone.app.next_code()
    async with Person(timed.service.url, address()) as first:
        await first.log_in(person.email)
        assert (await first.submit("/login/code", code=code)).url.path == "/account"
    async with Person(timed.service.url, address()) as second:
        await second.log_in(person.email)
        assert (await second.submit("/login/code", code=code)).status_code == 403


async def test_a_code_given_to_two_replicas_at_once_opens_one_session(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with (
        Person(timed.service.url, address()) as first,
        Person(timed.replica_url, address()) as second,
    ):
        await asyncio.gather(*(browser.log_in(person.email) for browser in (first, second)))
        code = phone.app.next_code()
        pages = await asyncio.gather(
            *(browser.submit("/login/code", code=code) for browser in (first, second))
        )
        assert sorted(page.status_code for page in pages) == [200, 403]


async def test_an_older_code_is_refused_after_a_newer_one(timed: Timed) -> None:
    person, phone = await protected(timed)
    older = phone.app.next_code()
    newer = phone.app.next_code()
    for code, status in ((newer, 200), (older, 403)):
        async with Person(timed.service.url, address()) as elsewhere:
            await elsewhere.log_in(person.email)
            assert (await elsewhere.submit("/login/code", code=code)).status_code == status


async def test_a_code_of_an_hour_ago_is_refused(timed: Timed) -> None:
    person, phone = await protected(timed)
    old = phone.app.next_code()
    timed.clock.move(hours=1)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        assert (await elsewhere.submit("/login/code", code=old)).status_code == 403


async def test_a_recovery_code_lets_in_once_and_is_mailed(timed: Timed) -> None:
    person, phone = await protected(timed)
    code = phone.recovery_codes[3]
    assert len(set(phone.recovery_codes)) == 10
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        await elsewhere.visit("/login/code?recovery=1")
        typed = code.upper().replace("-", " ")
        assert (await elsewhere.submit("/login/code", code=typed)).url.path == "/account"
    assert "9 are left" in await newest_mail(timed.service.mails, person.email, 2)
    async with Person(timed.service.url, address()) as again:
        await again.log_in(person.email)
        assert (await again.submit("/login/code", code=code)).status_code == 403
    assert "9 recovery codes are left" in (await person.visit("/account/two-factor")).text


async def test_a_recovery_code_of_another_account_is_refused(timed: Timed) -> None:
    person, _ = await protected(timed)
    _, others = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        refused = await elsewhere.submit("/login/code", code=others.recovery_codes[0])
        assert refused.status_code == 403


async def test_new_recovery_codes_replace_the_old_ones_and_take_password_and_code(
    timed: Timed,
) -> None:
    person, phone = await protected(timed)
    await person.visit("/account/two-factor")
    form = "/account/two-factor/recovery-codes"
    app = phone.app
    refused = await person.submit(form, password="another", code=app.next_code())
    assert refused.status_code == 403
    assert (await person.submit(form, password=PASSWORD, code="000000")).status_code == 403
    renewed = codes_in(await person.submit(form, password=PASSWORD, code=app.next_code()))
    assert len(renewed) == 10
    assert not set(renewed) & set(phone.recovery_codes)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        refused = await elsewhere.submit("/login/code", code=phone.recovery_codes[0])
        assert refused.status_code == 403
        assert (await elsewhere.submit("/login/code", code=renewed[0])).url.path == "/account"


async def test_it_is_turned_off_with_password_and_code_alone(timed: Timed) -> None:
    person, phone = await protected(timed)
    form = "/account/two-factor/disable"
    for password, code in (("another", phone.app.next_code()), (PASSWORD, ""), (PASSWORD, "0" * 6)):
        await person.visit("/account/two-factor")
        refused = await person.submit(form, password=password, code=code)
        assert refused.status_code == 403, refused.text
    await person.visit("/account/two-factor")
    done = await person.submit(form, password=PASSWORD, code=phone.app.next_code())
    assert "Two-factor authentication is off" in done.text
    assert rows(timed, "SELECT 1 FROM recovery_codes r JOIN accounts a ON a.id = r.account_id "
                       "WHERE a.email = %s", person.email) == []  # fmt: skip
    async with Person(timed.service.url, address()) as elsewhere:
        assert (await elsewhere.log_in(person.email)).url.path == "/account"
    texts = [path.read_text() for path in mails_to(timed.service.mails, person.email)]
    assert "turned on" in texts[0]
    assert "turned off" in texts[-1]


async def test_it_is_on_only_after_a_code_of_the_app(timed: Timed) -> None:
    person = await timed.service.person()
    app = await set_up(person, timed.clock)
    wrong = f"{(int(app.code()) + 1) % 1_000_000:06}"
    refused = await person.submit("/account/two-factor/confirm", code=wrong)
    assert refused.status_code == 403
    assert "QR code" in refused.text, "the same setup goes on"
    async with Person(timed.service.url, address()) as elsewhere:
        assert (await elsewhere.log_in(person.email)).url.path == "/account"
    assert (await person.submit("/account/two-factor/confirm", code=app.code())).status_code == 200


async def test_a_setup_needs_the_password_and_is_of_its_session(timed: Timed) -> None:
    person, other = await timed.service.person(), await timed.service.person()
    await person.visit("/account/two-factor")
    refused = await person.submit("/account/two-factor/setup", password="another")
    assert refused.status_code == 403
    app = await set_up(person, timed.clock)
    token = dict(person.form("/account/two-factor/confirm").fields)["setup"]
    await set_up(other, timed.clock)
    stolen = await other.submit("/account/two-factor/confirm", setup=token, code=app.code())
    assert stolen.status_code == 400
    timed.clock.move(minutes=31)
    late = await person.submit("/account/two-factor/confirm", code=app.code())
    assert late.status_code == 400


async def test_a_second_app_does_not_replace_the_first(timed: Timed) -> None:
    person = await timed.service.person()
    first = await set_up(person, timed.clock)
    token = dict(person.form("/account/two-factor/confirm").fields)["setup"]
    await enable(person, timed.clock)
    settings = await person.visit("/account/settings")
    assert "Recovery codes, or turn off" in settings.text
    csrf = dict(person.form("/account/settings/password").fields)["csrf"]
    body = {"csrf": csrf, "setup": token, "code": first.next_code()}
    refused = await person.client.post("/account/two-factor/confirm", data=body)
    assert refused.status_code == 409


async def test_the_secret_is_stored_encrypted_and_recovery_codes_as_hashes(timed: Timed) -> None:
    _, phone = await protected(timed)
    stored = rows(timed, "SELECT encrypted_secret FROM totp_secrets")
    assert stored
    assert all(phone.app.secret.encode() not in bytes(row[0]) for row in stored)  # type: ignore[call-overload]
    digests = rows(timed, "SELECT code_sha256 FROM recovery_codes")
    assert all(len(bytes(row[0])) == 32 for row in digests)  # type: ignore[call-overload]


async def test_a_reset_of_the_password_leaves_it_on(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.visit("/forgot")
        await elsewhere.submit("/forgot", email=person.email)
        await elsewhere.visit(link_in(await newest_mail(timed.service.mails, person.email, 2)))
        await elsewhere.submit("/reset", password="a new passphrase")
        page = await elsewhere.log_in(person.email, "a new passphrase")
        assert page.url.path == "/login/code"
        code = phone.app.next_code()
        assert (await elsewhere.submit("/login/code", code=code)).url.path == "/account"


async def test_a_changed_password_ends_logins_that_wait_for_their_code(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as thief:
        await thief.log_in(person.email)
        await person.visit("/account/settings")
        await person.submit(
            "/account/settings/password", current=PASSWORD, password="a new passphrase"
        )
        refused = await thief.submit("/login/code", code=phone.app.next_code())
        assert refused.status_code == 401


async def test_a_login_waits_ten_minutes_for_its_code(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        timed.clock.move(minutes=11)
        refused = await elsewhere.submit("/login/code", code=phone.app.next_code())
        assert refused.status_code == 401
        assert (await elsewhere.visit("/login/code")).url.path == "/login"


async def test_a_pending_login_is_of_its_browser(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with (
        Person(timed.service.url, address()) as browser,
        Person(timed.service.url, address()) as thief,
    ):
        await browser.log_in(person.email)
        await thief.visit("/login")
        csrf = dict(thief.form("/login").fields)["csrf"]
        thief.client.cookies.set("pending-login", browser.client.cookies["pending-login"])
        body = {"csrf": csrf, "code": phone.app.next_code()}
        assert (await thief.client.post("/login/code", data=body)).status_code == 401


async def test_guesses_of_codes_are_slowed_by_account_wherever_they_come_from(
    timed: Timed,
) -> None:
    person, phone = await protected(timed)
    statuses: list[int] = []
    for at in range(11):
        async with Person(timed.service.url, address()) as guesser:
            await guesser.log_in(person.email)
            page = await guesser.submit("/login/code", code=f"{at:06}")
            statuses.append(page.status_code)
    assert statuses == [403] * 10 + [429]
    await person.submit("/logout")
    await person.log_in(person.email)
    done = await person.submit("/login/code", code=phone.app.next_code())
    assert done.url.path == "/account", "the owner's own browser has a count of its own"


async def test_an_authorization_goes_on_after_the_code(timed: Timed) -> None:
    person, phone = await protected(timed)
    client = await timed.service.client()
    async with Person(timed.service.url, address()) as elsewhere:
        login = await elsewhere.visit(client.authorize_url())
        assert login.url.path == "/login"
        await elsewhere.submit("/login", email=person.email, password=PASSWORD)
        consent = await elsewhere.submit("/login/code", code=phone.app.next_code())
        assert consent.url.path == "/oauth/authorize", consent.text
        decided = await elsewhere.submit("/oauth/authorize/decision", decision="approve")
        assert "code=" in decided.headers["location"]


async def test_a_disabled_account_is_not_let_in_by_its_code(timed: Timed) -> None:
    person, phone = await protected(timed)
    async with Person(timed.service.url, address()) as elsewhere:
        await elsewhere.log_in(person.email)
        with psycopg.connect(timed.service.settings.database_url) as connection:
            connection.execute(
                "UPDATE accounts SET disabled_at = now() WHERE email = %s", (person.email,)
            )
        refused = await elsewhere.submit("/login/code", code=phone.app.next_code())
        assert refused.status_code == 401


async def test_recovery_codes_are_shown_where_no_mail_can_be_sent(timed: Timed) -> None:
    person = await timed.service.person()
    mute = timed.service.settings.model_copy(update={"mail_folder": "", "http_port": free_port()})
    async with (
        running(mute, timed.clock),
        Person(f"http://127.0.0.1:{mute.http_port}", address()) as visitor,
    ):
        await visitor.log_in(person.email)
        phone = await enable(visitor, timed.clock)
        assert len(phone.recovery_codes) == 10
        await visitor.submit("/logout")
        await visitor.log_in(person.email)
        done = await visitor.submit("/login/code", code=phone.recovery_codes[0])
        assert done.url.path == "/account"
