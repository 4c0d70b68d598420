"""Passkeys: registered from the settings, and logged in by; what others do with them is refused."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

import httpx2
import psycopg
import pytest

from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from tests.clients.authenticator import Authenticator, encoded, options_in
from tests.clients.person import PASSWORD, Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.two_factor_person import Timed, enable, timed_service


@pytest.fixture(scope="module")
async def timed(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Timed]:
    mails, port = tmp_path_factory.mktemp("mails"), free_port()
    changes = {"http_port": port, "site_url": f"http://localhost:{port}"}
    async with timed_service(fresh_database(), valkey_url, mails, **changes) as opened:
        yield opened


def address() -> str:
    """Return an address of a network that no other test uses."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


async def begun(person: Person, code: str = "") -> dict[str, object]:
    """Go to the page that creates a passkey; return the options for the authenticator."""
    await person.visit("/account/passkeys")
    page = await person.submit("/account/passkeys/new", password=PASSWORD, code=code)
    assert page.status_code == 200, page.text
    return options_in(page.text, "data-passkey-create")


async def registered(timed: Timed, person: Person, name: str = "Phone") -> Authenticator:
    """Return an authenticator with a passkey of the person."""
    authenticator = Authenticator(timed.service.url)
    options = await begun(person)
    credential = authenticator.create(options)
    page = await person.submit("/account/passkeys", credential=credential, name=name)
    assert "The passkey is added" in page.text, page.text
    return authenticator


async def login_options(person: Person) -> dict[str, object]:
    page = await person.visit("/login")
    return options_in(page.text, "data-passkey-login")


async def log_in(person: Person, authenticator: Authenticator) -> httpx2.Response:
    credential = authenticator.get(await login_options(person))
    return await person.submit("/login/passkey", credential=credential)


async def owner(timed: Timed) -> tuple[Person, Authenticator]:
    person = await timed.service.person()
    return person, await registered(timed, person)


def stranger(timed: Timed) -> Person:
    return Person(timed.service.url, address())


async def test_a_passkey_is_added_with_the_password_and_logs_in_without_it(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    async with stranger(timed) as elsewhere:
        page = await log_in(elsewhere, authenticator)
        assert page.url.path == "/account"
        assert person.email in page.text
        assert "by passkey" in (await elsewhere.visit("/account/security")).text
    listed = (await person.visit("/account/passkeys")).text
    assert "Phone" in listed
    assert "never" not in listed, "the last use is shown"
    assert "A passkey was added: Phone" in await newest_mail(timed.service.mails, person.email)


async def test_no_passkey_is_added_without_the_password(timed: Timed) -> None:
    person = await timed.service.person()
    await person.visit("/account/passkeys")
    refused = await person.submit("/account/passkeys/new", password="another")
    assert refused.status_code == 403
    assert "data-passkey-create" not in refused.text


async def test_no_passkey_is_added_without_the_code_of_an_account_that_has_one(
    timed: Timed,
) -> None:
    person = await timed.service.person()
    phone = await enable(person, timed.clock)
    await person.visit("/account/passkeys")
    refused = await person.submit("/account/passkeys/new", password=PASSWORD, code="")
    assert refused.status_code == 403
    options = await begun(person, phone.app.next_code())
    assert options["challenge"]


async def test_a_passkey_is_both_factors(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    await enable(person, timed.clock)
    async with stranger(timed) as elsewhere:
        assert (await log_in(elsewhere, authenticator)).url.path == "/account"


async def test_an_authenticator_that_verified_nobody_is_refused(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    authenticator.is_verifying = False
    async with stranger(timed) as elsewhere:
        assert (await log_in(elsewhere, authenticator)).status_code == 401
    unverifying = Authenticator(timed.service.url, is_verifying=False)
    options = await begun(person)
    refused = await person.submit("/account/passkeys", credential=unverifying.create(options))
    assert refused.status_code == 400


async def test_a_signed_challenge_is_good_once(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    async with stranger(timed) as elsewhere:
        options = await login_options(elsewhere)
        csrf = dict(elsewhere.form("/login/passkey").fields)["csrf"]
        form = elsewhere.client.cookies["form"]
        first = authenticator.get(options)
        assert (await elsewhere.submit("/login/passkey", credential=first)).url.path == "/account"
    for again in (first, authenticator.get(options)):
        async with stranger(timed) as thief:
            thief.client.cookies.set("form", form)
            body = {"csrf": csrf, "credential": again}
            assert (await thief.client.post("/login/passkey", data=body)).status_code == 401


async def test_a_challenge_given_to_two_replicas_at_once_opens_one_session(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    async with stranger(timed) as elsewhere:
        options = await login_options(elsewhere)
        csrf = dict(elsewhere.form("/login/passkey").fields)["csrf"]
        body = [{"csrf": csrf, "credential": authenticator.get(options)} for _ in range(2)]
        urls = (f"{timed.service.url}/login/passkey", f"{timed.replica_url}/login/passkey")
        cookie = {"Cookie": f"form={elsewhere.client.cookies['form']}"}
        async with httpx2.AsyncClient(headers=cookie) as client:
            pages = await asyncio.gather(
                *(client.post(url, data=data) for url, data in zip(urls, body, strict=True))
            )
        assert sorted(page.status_code for page in pages) == [303, 401]


async def test_a_challenge_of_another_browser_is_refused(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    async with stranger(timed) as thief, stranger(timed) as victim:
        options = await login_options(thief)
        await victim.visit("/login")
        refused = await victim.submit("/login/passkey", credential=authenticator.get(options))
        assert refused.status_code == 401


async def test_a_challenge_of_an_hour_ago_or_of_nobody_is_refused(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    async with stranger(timed) as elsewhere:
        options = await login_options(elsewhere)
        timed.clock.move(hours=1)
        refused = await elsewhere.submit("/login/passkey", credential=authenticator.get(options))
        assert refused.status_code == 401
        assert "open for too long" in refused.text
        for challenge in (secrets.token_bytes(64), b""):
            invented = authenticator.get({"challenge": encoded(challenge)})
            refused = await elsewhere.submit("/login/passkey", credential=invented)
            assert refused.status_code == 401


async def test_a_challenge_to_log_in_registers_nothing(timed: Timed) -> None:
    person = await timed.service.person()
    options = await begun(person)
    # The form of the login, sent from the same session, has a challenge of that session.
    csrf = dict(person.form("/account/passkeys").fields)["csrf"]
    login = await person.client.post("/login/passkey", data={"csrf": csrf, "credential": ""})
    other = options_in(login.text, "data-passkey-login")
    credential = Authenticator(timed.service.url).create(
        {**options, "challenge": other["challenge"]}
    )
    assert (await person.submit("/account/passkeys", credential=credential)).status_code == 400


async def test_a_signature_made_at_another_site_is_refused(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    for elsewhere in (
        replace(authenticator, origin="https://evil.example"),
        replace(authenticator, origin=f"{timed.service.url}.evil.example"),
        replace(authenticator, rp_id="evil.example"),
    ):
        async with stranger(timed) as visitor:
            assert (await log_in(visitor, elsewhere)).status_code == 401
    for bad in (
        Authenticator("https://evil.example"),
        Authenticator(timed.service.url, rp_id="evil.example"),
    ):
        options = await begun(person)
        refused = await person.submit("/account/passkeys", credential=bad.create(options))
        assert refused.status_code == 400


async def test_a_signature_of_another_key_is_refused(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    forged = Authenticator(timed.service.url, credential_id=authenticator.credential_id)
    forged.user_handle = authenticator.user_handle
    async with stranger(timed) as elsewhere:
        assert (await log_in(elsewhere, forged)).status_code == 401


async def test_a_credential_logs_in_to_no_account_but_its_own(timed: Timed) -> None:
    _, mine = await owner(timed)
    _, others = await owner(timed)
    async with stranger(timed) as elsewhere:
        renamed = replace(mine, user_handle=others.user_handle)
        assert (await log_in(elsewhere, renamed)).status_code == 401


async def test_a_challenge_of_another_account_registers_nothing(timed: Timed) -> None:
    victim, thief = await timed.service.person(), await timed.service.person()
    options = await begun(thief)
    credential = Authenticator(timed.service.url).create(options)
    await begun(victim)
    refused = await victim.submit("/account/passkeys", credential=credential)
    assert refused.status_code == 400


async def test_a_credential_of_another_account_is_not_registered_again(timed: Timed) -> None:
    first, authenticator = await owner(timed)
    thief = await timed.service.person()
    credential = authenticator.create(await begun(thief))
    refused = await thief.submit("/account/passkeys", credential=credential)
    assert refused.status_code == 409
    authenticator.user_handle = (await account_id(timed, first)).encode()
    async with stranger(timed) as elsewhere:
        assert first.email in (await log_in(elsewhere, authenticator)).text


async def account_id(timed: Timed, person: Person) -> str:
    request = pb.AccountByEmailRequest(email=person.email)
    report = await timed.service.operate(timed.service.operations.GetAccount, request)
    return report.account_id


async def test_a_registration_is_good_once(timed: Timed) -> None:
    person = await timed.service.person()
    options = await begun(person)
    csrf = dict(person.form("/account/passkeys").fields)["csrf"]
    statuses: list[int] = []
    for name in ("one", "two"):
        credential = Authenticator(timed.service.url).create(options)
        body = {"csrf": csrf, "credential": credential, "name": name}
        statuses.append((await person.client.post("/account/passkeys", data=body)).status_code)
    assert statuses == [303, 400]


async def test_a_copy_of_an_authenticator_is_noticed_by_its_count(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    copy = replace(authenticator)
    for _ in range(2):
        async with stranger(timed) as elsewhere:
            assert (await log_in(elsewhere, authenticator)).url.path == "/account"
    async with stranger(timed) as thief:
        assert (await log_in(thief, copy)).status_code == 401
    assert "passkey_copied" in (await person.visit("/account/security")).text
    text = await newest_mail(timed.service.mails, person.email, 2)
    assert "somebody may have copied it" in text


async def test_an_authenticator_that_does_not_count_logs_in_again(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    for _ in range(2):
        authenticator.sign_count = -1  # before it is counted up: 0 for ever
        async with stranger(timed) as elsewhere:
            assert (await log_in(elsewhere, authenticator)).url.path == "/account"


@pytest.mark.parametrize("remove", [True, False])
async def test_a_reset_of_the_password_removes_passkeys_unless_they_are_to_stay(
    timed: Timed, *, remove: bool
) -> None:
    person, authenticator = await owner(timed)
    sent = len(mails_to(timed.service.mails, person.email))
    async with stranger(timed) as elsewhere:
        await elsewhere.visit("/forgot")
        await elsewhere.submit("/forgot", email=person.email)
        mail = await newest_mail(timed.service.mails, person.email, sent + 1)
        await elsewhere.visit(link_in(mail))
        choices = {} if remove else {"remove_passkeys": None}
        await elsewhere.submit("/reset", password="a new passphrase", **choices)
        landed = await log_in(elsewhere, authenticator)
        assert landed.url.path == ("/login/passkey" if remove else "/account")
        if remove:
            await elsewhere.log_in(person.email, "a new passphrase")
            assert "passkey_removed" in (await elsewhere.visit("/account/security")).text


async def test_a_removed_passkey_logs_in_no_more(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    await person.visit("/account/passkeys")
    assert "is removed" in (await person.submit("/account/passkeys/remove")).text
    async with stranger(timed) as elsewhere:
        assert (await log_in(elsewhere, authenticator)).status_code == 401
    assert len(mails_to(timed.service.mails, person.email)) == 2


async def test_a_passkey_is_renamed(timed: Timed) -> None:
    person, _ = await owner(timed)
    await person.visit("/account/passkeys")
    renamed = await person.submit("/account/passkeys/rename", name="  My <b>key</b> ")
    assert "My &lt;b&gt;key&lt;/b&gt;" in renamed.text
    for bad in ("", "x" * 61, "a\u202eb"):
        await person.visit("/account/passkeys")
        assert (await person.submit("/account/passkeys/rename", name=bad)).status_code == 400


async def test_passkeys_of_others_are_neither_renamed_nor_removed(timed: Timed) -> None:
    person, _ = await owner(timed)
    thief, _ = await owner(timed)
    await person.visit("/account/passkeys")
    passkey_id = dict(person.form("/account/passkeys/remove").fields)["passkey_id"]
    for form in ("/account/passkeys/rename", "/account/passkeys/remove"):
        await thief.visit("/account/passkeys")
        refused = await thief.submit(form, passkey_id=passkey_id, name="mine")
        unknown = await thief.visit("/account/passkeys") and await thief.submit(
            form, passkey_id="pk_nothing", name="mine"
        )
        assert refused.status_code == unknown.status_code == 404
        assert refused.text == unknown.text
    assert "Phone" in (await person.visit("/account/passkeys")).text


async def test_a_disabled_account_is_not_logged_in_to(timed: Timed) -> None:
    person, authenticator = await owner(timed)
    with psycopg.connect(timed.service.settings.database_url) as connection:
        connection.execute(
            "UPDATE accounts SET disabled_at = now() WHERE email = %s", (person.email,)
        )
    async with stranger(timed) as elsewhere:
        assert (await log_in(elsewhere, authenticator)).status_code == 401


async def test_nonsense_is_refused(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    async with stranger(timed) as elsewhere:
        good = json.loads(authenticator.get(await login_options(elsewhere)))
        broken = [
            "",
            "null",
            "[]",
            "[" * 5_000,
            '{"response": 1}',
            json.dumps({**good, "rawId": 7}),
            json.dumps({**good, "type": "password"}),
            json.dumps({**good, "response": {**good["response"], "authenticatorData": "AA"}}),
            json.dumps({**good, "response": {**good["response"], "signature": None}}),
        ]
        for text in broken:
            refused = await elsewhere.submit("/login/passkey", credential=text)
            assert refused.status_code == 401, text


async def test_an_authorization_goes_on_after_a_login_by_passkey(timed: Timed) -> None:
    _, authenticator = await owner(timed)
    client = await timed.service.client()
    async with stranger(timed) as elsewhere:
        login = await elsewhere.visit(client.authorize_url())
        credential = authenticator.get(options_in(login.text, "data-passkey-login"))
        consent = await elsewhere.submit("/login/passkey", credential=credential)
        assert consent.url.path == "/oauth/authorize", consent.text


async def test_a_site_without_a_name_offers_no_passkeys(service: Service) -> None:
    person = await service.person()
    page = await person.visit("/account/passkeys")
    assert "offer no passkeys" in page.text
    settings = await person.visit("/account/settings")
    assert "offer no passkeys" in settings.text
    assert "/account/passkeys" not in settings.text
    csrf = dict(person.form("/logout").fields)["csrf"]
    body = {"csrf": csrf, "password": PASSWORD, "credential": "{}", "name": "x"}
    for path in ("/account/passkeys/new", "/account/passkeys", "/login/passkey"):
        assert (await person.client.post(path, data=body)).status_code == 404, path
    async with Person(service.url, address()) as elsewhere:
        assert "passkey" not in (await elsewhere.visit("/login")).text
