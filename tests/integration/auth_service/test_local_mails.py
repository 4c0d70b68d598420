"""On one machine the page after a sign-up opens its mail; nowhere else, for nobody else, no other mail."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable
from urllib.parse import urlsplit

import httpx2
import pytest
from pydantic import SecretStr

from auth_service import app
from auth_service.clients.mailers import FolderMailer
from auth_service.settings import AuthSettings
from auth_service.wiring import mail
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.integration.auth_service.conftest import (
    RESOURCE,
    Service,
    running,
    settings_of,
    somewhere_else,
)

OPEN = 'href="/signup/mail'


@pytest.fixture(scope="module")
async def laptop(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Service]:
    """The service as `make run` starts it: nobody is believed about where they call from."""
    # Limits of a database of their own: all of these tests call from one address.
    own_counts = urlsplit(valkey_url)._replace(path="/7").geturl()
    settings = settings_of(fresh_database(), own_counts, tmp_path_factory.mktemp("mails"))
    async with running(settings.model_copy(update={"trusted_proxies": ""})) as opened:
        yield opened


def new_address() -> str:
    return f"{secrets.token_hex(6)}@example.com"


async def signed_up(service: Service, person: Person, address: str) -> httpx2.Response:
    await person.visit("/signup?next=/account/apps")
    return await person.submit("/signup", email=address, password=PASSWORD)


async def test_the_mail_of_a_sign_up_is_opened_by_its_own_browser(laptop: Service) -> None:
    address = new_address()
    async with Person(laptop.url) as person, Person(laptop.url) as stranger:
        assert OPEN in (await signed_up(laptop, person, address)).text
        page = await person.visit("/signup/mail")
        assert address in page.text
        link = link_in(await newest_mail(laptop.mails, address))
        assert f'href="{link}"' in page.text
        assert (await stranger.visit("/signup/mail")).status_code == 404
        await person.visit(link)
        assert (await person.submit("/confirm")).url.path == "/account/apps"


async def test_a_sign_up_of_another_browser_with_the_same_address_shows_its_own_mail(
    laptop: Service,
) -> None:
    address = new_address()
    async with Person(laptop.url) as first, Person(laptop.url) as second:
        await signed_up(laptop, first, address)
        mine = link_in(await newest_mail(laptop.mails, address))
        await signed_up(laptop, second, address)
        theirs = link_in(await newest_mail(laptop.mails, address, 2))
        page = (await first.visit("/signup/mail")).text
    assert mine in page
    assert theirs not in page


async def test_no_other_mail_is_shown(laptop: Service) -> None:
    email = await laptop.account()
    async with Person(laptop.url) as person:
        await person.visit("/forgot")
        sent = await person.submit("/forgot", email=email)
        assert OPEN not in sent.text
        await newest_mail(laptop.mails, email)
        assert (await person.visit("/signup/mail")).status_code == 404


async def test_where_the_address_has_an_account_the_login_keeps_the_way(laptop: Service) -> None:
    email = await laptop.account()
    async with Person(laptop.url) as person:
        sent = await signed_up(laptop, person, email)
        assert f'{OPEN}?next=%2Faccount%2Fapps"' in sent.text
        page = await person.visit("/signup/mail?next=%2Faccount%2Fapps")
        assert page.status_code == 404
        assert 'href="/login?next=%2Faccount%2Fapps"' in page.text
        abroad = await person.visit("/signup/mail?next=https://evil.example/")
        assert 'href="/login"' in abroad.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost"])
async def test_another_name_of_this_machine_shows_no_mail(laptop: Service, host: str) -> None:
    async with Person(laptop.url) as person:
        await signed_up(laptop, person, new_address())
        assert (await person.visit("/signup/mail")).status_code == 200
        person.client.headers["Host"] = host
        assert (await person.visit("/signup/mail")).status_code == 404


async def test_somebody_at_another_machine_is_shown_no_mail(service: Service) -> None:
    async with Person(service.url, somewhere_else()) as person:
        assert OPEN not in (await signed_up(service, person, new_address())).text
        assert (await person.visit("/signup/mail")).status_code == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"site_url": "https://sponsorgraph.example"},
        {"site_url": "http://192.0.2.7:8001"},
        {"smtp_host": "mail.example"},
        {"mail_folder": ""},
    ],
)
def test_a_deployment_has_no_such_page(changes: dict[str, str]) -> None:
    settings = AuthSettings(
        database_url="postgresql://none",
        token_secret=SecretStr("a secret of tests, long enough to be taken"),
        resource_url=RESOURCE,
        mail_folder="mails",
        site_url="http://127.0.0.1:8001",
    ).model_copy(update=changes)
    mailer = mail.mailer_of(settings, lambda: pytest.fail("opened"))
    assert mail.local_mails_of(settings, lambda: pytest.fail("opened"), mailer, app.now) is None


def test_a_folder_on_one_machine_has_one() -> None:
    settings = AuthSettings(
        database_url="postgresql://none",
        token_secret=SecretStr("a secret of tests, long enough to be taken"),
        mail_folder="mails",
    )
    mailer = mail.mailer_of(settings, lambda: pytest.fail("opened"))
    assert isinstance(mailer, FolderMailer)
    assert mail.local_mails_of(settings, lambda: pytest.fail("opened"), mailer, app.now)
