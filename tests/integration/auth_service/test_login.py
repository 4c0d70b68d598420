"""Sign-up, confirmation, login, logout and forgotten passwords."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import httpx2
import psycopg
import pytest
from argon2 import PasswordHasher

from auth_service import app
from auth_service.settings import AuthSettings
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from tests.clients.person import PASSWORD, Person, forms, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Age, Service, somewhere_else


def new_address() -> str:
    return f"{secrets.token_hex(6)}@example.com"


@pytest.fixture
def somewhere() -> str:
    """Return an address of a network that no other test uses."""
    return f"192.0.2.{secrets.randbelow(256)}"


async def test_a_newcomer_signs_up_confirms_and_gets_where_they_wanted(
    service: Service,
) -> None:
    address = new_address()
    async with Person(service.url, somewhere_else()) as person:
        await person.sign_up(address, service.mails, following="/account/apps")
        assert person.page
        assert person.page.url.path == "/account/apps"
        assert address in person.page.text
        assert (await person.log_in(address)).url.path == "/account"


async def test_an_address_must_be_confirmed_before_it_works(service: Service) -> None:
    address = new_address()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/signup")
        await person.submit("/signup", email=address, password=PASSWORD)
        await newest_mail(service.mails, address)
        refused = await person.log_in(address)
        assert refused.status_code == 401
        assert "Confirm your address" in refused.text
        await person.visit(link_in(await newest_mail(service.mails, address, 2)))
        await person.submit("/confirm")
        assert (await person.log_in(address)).url.path == "/account"


async def test_opening_a_link_confirms_nothing_until_the_button_is_pressed(
    service: Service,
) -> None:
    address = new_address()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/signup")
        await person.submit("/signup", email=address, password=PASSWORD)
        link = link_in(await newest_mail(service.mails, address))
        for _ in range(2):
            assert (await person.visit(link)).status_code == 200
        await person.submit("/confirm")
        assert (await person.log_in(address)).url.path == "/account"
        await person.visit(link)
        assert (await person.submit("/confirm")).status_code == 400


async def test_links_come_from_the_settings_not_from_the_request(service: Service) -> None:
    address = new_address()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/signup")
        person.client.headers["X-Forwarded-Host"] = "evil.example"
        person.client.headers["Host"] = "evil.example"
        await person.submit("/signup", email=address, password=PASSWORD)
    assert link_in(await newest_mail(service.mails, address)).startswith(service.url + "/confirm?")


async def test_sign_up_responds_alike_to_known_and_unknown_addresses(service: Service) -> None:
    known, unknown = await service.account(), new_address()
    responses: list[tuple[int, str]] = []
    async with Person(service.url, somewhere_else()) as person:
        for address in (known, unknown):
            await person.visit("/signup")
            response = await person.submit("/signup", email=address, password="another passphrase")
            responses.append((response.status_code, response.text.replace(address, "")))
        assert responses[0] == responses[1]
        assert "There is one already" in await newest_mail(service.mails, known)
        assert (await person.log_in(known, "another passphrase")).status_code == 401


async def test_login_responds_alike_to_a_wrong_password_and_an_unknown_address(
    service: Service,
) -> None:
    known, unknown = await service.account(), new_address()
    responses: set[tuple[int, str]] = set()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/login")
        for address in (known, unknown):
            response = await person.log_in(address, "not the password")
            responses.add((response.status_code, response.text.replace(address, "")))
    assert len(responses) == 1
    assert responses.pop()[0] == 401


@pytest.mark.parametrize(
    "password",
    [
        "short",
        "qvzkxwj",
        "password",
        "iloveyou",
        "password3",
        "x" * 257,
        " " * 8,
        "abababab",
        "sponsorgraph",
    ],
)
async def test_a_password_that_is_guessed_first_or_too_short_is_refused(
    service: Service, password: str
) -> None:
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/signup")
        response = await person.submit("/signup", email=new_address(), password=password)
    assert response.status_code == 400
    assert "password" in response.text


async def test_passwords_rest_as_argon2id_with_enough_work(
    service: Service, auth_database: str
) -> None:
    address = await service.account()
    with psycopg.connect(auth_database) as connection:
        query = b"SELECT password_hash FROM accounts WHERE email = %s"
        row = connection.execute(query, [address]).fetchone()
    assert row
    assert row[0].startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_an_old_hash_is_renewed_at_login(service: Service, auth_database: str) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8_192, parallelism=1).hash(PASSWORD)
    address = await service.account()
    with psycopg.connect(auth_database) as connection:
        statement = b"UPDATE accounts SET password_hash = %s WHERE email = %s"
        connection.execute(statement, [weak, address])
    async with Person(service.url, somewhere_else()) as person:
        await person.log_in(address)
    with psycopg.connect(auth_database) as connection:
        query = b"SELECT password_hash FROM accounts WHERE email = %s"
        row = connection.execute(query, [address]).fetchone()
    assert row
    assert "m=19456" in row[0]


async def test_guessing_is_slowed_for_the_guesser_and_not_for_the_owner(
    service: Service, somewhere: str
) -> None:
    address = await service.account()
    async with Person(service.url, address=somewhere) as guesser:
        await guesser.visit("/login")
        responses = [await guesser.log_in(address, f"guess number {n}") for n in range(11)]
    assert [response.status_code for response in responses] == [401] * 10 + [429]
    assert int(responses[-1].headers["retry-after"]) > 0
    async with Person(service.url, address="192.0.2.255") as owner:
        assert (await owner.log_in(address)).url.path == "/account"


async def test_each_login_has_a_session_of_its_own_and_logout_ends_it_at_the_server(
    service: Service,
) -> None:
    address = await service.account()
    async with Person(service.url, somewhere_else()) as person:
        await person.log_in(address)
        first = person.client.cookies["session"]
        await person.visit("/account")
        await person.submit("/logout")
        assert "session" not in person.client.cookies
        await person.log_in(address)
        assert person.client.cookies["session"] != first
    async with Person(service.url, somewhere_else()) as thief:
        thief.client.cookies.set("session", first)
        assert (await thief.visit("/account")).url.path == "/login"


async def test_the_cookie_is_hidden_from_scripts_and_other_sites(service: Service) -> None:
    address = await service.account()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/login")
        body = dict(person.form("/login").fields) | {"email": address, "password": PASSWORD}
        response = await person.client.post("/login", data=body)
    cookie = response.headers["set-cookie"]
    for attribute in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert attribute in cookie


async def test_a_session_ends_when_it_is_idle(service: Service, age: Age) -> None:
    person = await service.person()
    age.sessions(days=8)
    assert (await person.visit("/account")).url.path == "/login"


@pytest.mark.parametrize(
    "following",
    [
        "//evil.example/",
        "https://evil.example/",
        "/\\evil.example",
        "/%2F/evil.example",
        "//[",
        "%2F%2Fevil.example",
        "javascript:alert(1)",
        "/account%0d%0aSet-Cookie:x=1",
    ],
)
async def test_login_leads_to_this_site_alone(service: Service, following: str) -> None:
    address = await service.account()
    async with Person(service.url, somewhere_else()) as person:
        await person.client.get("/login", params={"next": following})
        person.page = await person.client.get("/login", params={"next": following})
        landed = await person.log_in(address)
    assert landed.url.path == "/account"


async def test_a_forgotten_password_is_chosen_anew_once_and_every_session_ends(
    service: Service,
) -> None:
    elsewhere = await service.person()
    address = elsewhere.email
    async with (
        Person(service.url, somewhere_else()) as person,
        Person(service.url, somewhere_else()) as late,
    ):
        await person.visit("/forgot")
        await person.submit("/forgot", email=address)
        link = link_in(await newest_mail(service.mails, address))
        await late.visit(link)
        await person.visit(link)
        done = await person.submit("/reset", password="a new passphrase")
        assert done.url.path == "/login"
        assert "session" not in person.client.cookies
        assert (await elsewhere.visit("/account")).url.path == "/login"
        assert (await person.log_in(address)).status_code == 401
        assert (await person.log_in(address, "a new passphrase")).url.path == "/account"
        assert "password was changed" in await newest_mail(service.mails, address)
        await person.submit("/logout")
        for again in (
            await person.visit(link),
            await late.submit("/reset", password="yet another phrase"),
        ):
            assert again.status_code == 400
            assert "This link does not work any more" in again.text
            assert 'href="/forgot"' in again.text


async def test_a_password_reset_responds_alike_to_unknown_addresses(
    service: Service,
) -> None:
    known, unknown = await service.account(), new_address()
    texts: set[str] = set()
    async with Person(service.url, somewhere_else()) as person:
        for address in (known, unknown):
            await person.visit("/forgot")
            response = await person.submit("/forgot", email=address)
            texts.add(response.text.replace(address, ""))
    assert len(texts) == 1
    await service.deferred_work_is_done()
    assert len(mails_to(service.mails, known)) == 1
    assert not mails_to(service.mails, unknown)


async def test_mailed_links_expire(service: Service, age: Age) -> None:
    address = await service.account()
    async with Person(service.url, somewhere_else()) as person:
        await person.visit("/forgot")
        await person.submit("/forgot", email=address)
        link = link_in(await newest_mail(service.mails, address))
        await service.deferred_work_is_done()
        age.mail_tokens(hours=2)
        assert (await person.visit(link)).status_code == 400


async def test_secrets_in_mails_and_cookies_are_stored_hashed(
    service: Service, auth_database: str
) -> None:
    person = await service.person()
    await person.visit("/forgot")
    await person.submit("/forgot", email=person.email)
    link = link_in(await newest_mail(service.mails, person.email))
    token = parse_qs(urlsplit(link).query)["token"][0]
    session = person.client.cookies["session"]
    assert min(len(token), len(session)) >= 43
    with psycopg.connect(auth_database) as connection:
        for table in ("mail_tokens", "web_sessions"):
            rows = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            text = "\n".join(row[0] for row in rows)
            for secret in (token, session):
                assert secret not in text
                assert secret.encode().hex() not in text


async def test_the_security_log_has_logins_good_and_bad_in_utc(service: Service) -> None:
    address = await service.account()
    async with Person(service.url, somewhere_else()) as person:
        await person.log_in(address, "wrong one here")
        await person.log_in(address)
        page = (await person.visit("/account/security")).text
    assert "login_failed" in page
    assert "logged_in" in page
    assert f"{datetime.now(UTC):%Y-%m-%d}" in page


async def test_what_happens_before_a_login_is_not_attributed_to_the_owner(
    service: Service, auth_database: str
) -> None:
    email = await service.account()
    async with Person(service.url, somewhere_else()) as stranger:
        await stranger.log_in(email, "not the password")
        await stranger.log_in(email)
    with psycopg.connect(auth_database) as connection:
        statement = "SELECT actor FROM audit_log WHERE event = %s ORDER BY id DESC LIMIT 1"
        assert connection.execute(statement, ["login_failed"]).fetchone() == ("unknown",)
        assert connection.execute(statement, ["logged_in"]).fetchone() == ("owner",)


async def test_a_disabled_account_cannot_log_in(service: Service) -> None:
    address = await service.account()
    request = pb.SetDisabledRequest(email=address, disabled=True)
    await service.operate(service.operations.SetDisabled, request)
    async with Person(service.url, somewhere_else()) as person:
        response = await person.log_in(address)
    assert response.status_code == 401
    assert "disabled" in response.text


async def test_over_tls_cookies_are_bound_to_the_host_and_browsers_stay_on_tls(
    service: Service, auth_settings: AuthSettings
) -> None:
    email, port = await service.account(), free_port()
    changes = {"http_port": port, "site_url": "https://site.example"}
    address = f"http://127.0.0.1:{port}/login"
    async with app.serve(auth_settings.model_copy(update=changes)), httpx2.AsyncClient() as http:
        form = await http.get(address)
        [(_, csrf)] = [field for field in forms(form.text)[0].fields if field[0] == "csrf"]
        cookie = form.headers["set-cookie"]
        fields = {"email": email, "password": PASSWORD, "csrf": csrf}
        # By hand: over plain http no client sends back what is for TLS alone.
        sent = {"Cookie": cookie.partition(";")[0]}
        entered = await http.post(address, data=fields, headers=sent)
    assert form.headers["strict-transport-security"].startswith("max-age=31536000")
    assert entered.status_code == 303
    for cookie_header in (cookie, entered.headers["set-cookie"]):
        assert cookie_header.startswith("__Host-")
        assert "Secure" in cookie_header
