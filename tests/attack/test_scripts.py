"""Markup in user-controlled texts stays text in a real browser.

The Apps views are tested likewise in tests/e2e/test_views.py.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import psycopg
import pytest
from playwright.async_api import Browser, Page

from protos.auth.v1 import auth_pb2 as pb
from tests.attack import routes
from tests.attack.conftest import chromium
from tests.clients.person import PASSWORD, Person
from tests.integration.auth_service.conftest import Service, auth_settings, service

__all__ = ["auth_settings", "chromium", "service"]

MARKUP: Final = (
    '"><script data-hit>window.hit=1</script>',
    "<img data-hit src=x onerror=window.hit=1>",
    "'\"--></style></textarea></title><svg data-hit onload=window.hit=1>",
    "{{constructor.constructor('window.hit=1')()}}",
    "javascript:window.hit=1",
    "<a data-hit hx-get=/account hx-trigger=load href=javascript:window.hit=1>x</a>",
)
DEVICE: Final = "urn:ietf:params:oauth:grant-type:device_code"
SHORT: Final = "<b data-hit>x</b>"
ADDRESS: Final = "<img/data-hit/src=x/onerror=window.hit=1>{}@example.com"
"""As an e-mail address, which has no blanks."""

SAVED: Final = {
    "/account/export",
    "/account/usage.csv",
    "/skills/sponsorgraph.zip",
    "/explore/rankings/sponsors.csv",
    "/explore/compare/sponsors.csv",
}
"""Addresses of files that a browser saves, and does not show."""

PAGES: Final = sorted(
    path
    for method, path in routes.served()
    if method == "GET" and "{" not in path and path not in SAVED
)
QUERIES: Final = (
    "next",
    "token",
    "notice",
    "month",
    "user_code",
    "q",
    "after",
    "error",
    "client_id",
)


@dataclass(frozen=True, slots=True)
class Window:
    """A browser logged in as an operator, with markup in the names of accounts and clients."""

    page: Page
    site: str
    dialogs: list[str]

    async def shows(self, path: str) -> None:
        """Open a page and assert that no markup has become part of the document."""
        await self.page.goto(self.site + path, wait_until="load")
        await self.holds_no_markup()

    async def holds_no_markup(self) -> None:
        """Assert that no markup has become part of the open page."""
        where = self.page.url
        assert await self.page.evaluate("window.hit") is None, where
        count = "document.querySelectorAll('[data-hit]').length"
        assert await self.page.evaluate(count) == 0, where
        script = "[...document.links].filter(a => !/^https?:/.test(a.href)).length"
        assert await self.page.evaluate(script) == 0, where


@pytest.fixture(scope="module")
async def window(service: Service, chromium: Browser) -> AsyncGenerator[Window]:
    email = f"shown-{secrets.token_hex(3)}@example.com"
    request = pb.CreateAccountRequest(email=email, password=PASSWORD, plan="creator")
    await service.operate(service.operations.CreateAccount, request)
    made = pb.SetOperatorRequest(email=email, operator=True)
    await service.operate(service.operations.SetOperator, made)
    person = Person(service.url, "198.51.100.60")
    person.client.headers["User-Agent"] = MARKUP[1]
    assert (await person.log_in(email, PASSWORD)).url.path == "/account"
    for name in (SHORT, MARKUP[1]):
        key = pb.CreateKeyRequest(email=email, name=name)
        await service.operate(service.operations.CreateKey, key)
    for markup in MARKUP:
        client = await service.client(
            client_name=markup, client_uri='https://x.example/"><b/data-hit>'
        )
        await client.connect(person)
    # No form takes such an address any more, but older releases did.
    with psycopg.connect(service.settings.database_url) as connection:
        shown = ADDRESS.format(secrets.token_hex(3))
        connection.execute("UPDATE accounts SET email = %s WHERE email = %s", (shown, email))
    context = await chromium.new_context()
    cookie: Any = {"name": "session", "value": person.client.cookies["session"], "url": service.url}
    await context.add_cookies([cookie])
    dialogs: list[str] = []
    page = await context.new_page()
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.on("pageerror", lambda error: dialogs.append(str(error)))
    yield Window(page, service.url, dialogs)
    await context.close()
    await person.client.aclose()
    assert dialogs == []


@pytest.mark.parametrize("path", PAGES)
async def test_content_stored_by_strangers_stays_text_on_every_page(
    window: Window, path: str
) -> None:
    await window.shows(path)


@pytest.mark.parametrize("path", ["keys", "apps", "sessions", "settings"])
async def test_the_markup_is_there_to_be_shown(window: Window, path: str) -> None:
    await window.shows(f"/account/{path}")
    assert "data-hit" in await window.page.locator("body").inner_text()


async def test_the_name_of_a_client_stays_text_on_the_consent_page(
    service: Service, window: Window
) -> None:
    for markup in MARKUP:
        client = await service.client(client_name=markup)
        await window.shows(client.authorize_url().removeprefix(service.url))
        shown = await window.page.locator("main").inner_text()
        assert markup[:12] in shown


async def test_the_name_of_a_client_stays_text_on_the_device_page(
    service: Service, window: Window
) -> None:
    for markup in MARKUP:
        client = await service.client(
            client_name=markup, client_uri=None, grant_types=[DEVICE], redirect_uris=[]
        )
        started = (await client.post("/oauth/device_authorization")).json()
        await window.page.goto(started["verification_uri_complete"])
        await window.page.locator("main button[type=submit]").click()
        await window.holds_no_markup()
        shown = await window.page.locator("main").inner_text()
        assert shown.count(markup[:12]) == 2  # the heading and the warning


async def test_a_wrong_request_leads_only_where_its_link_says(
    service: Service, window: Window
) -> None:
    client = await service.client(client_name=MARKUP[0])
    for name in ("response_type", "resource", "scope", "state"):
        url = client.authorize_url(**{name: "".join(MARKUP), "code_challenge": None})
        await window.shows(url.removeprefix(service.url))
        assert window.page.url.startswith(service.url)


@pytest.mark.parametrize("name", QUERIES)
async def test_content_of_an_address_stays_text_on_every_page(window: Window, name: str) -> None:
    for path in ("/", "/login", "/signup", "/confirm", "/reset", "/account", "/device", "/operator",
                 "/oauth/authorize", "/login/google/callback", "/nowhere"):  # fmt: skip
        await window.shows(f"{path}?{name}={quote(''.join(MARKUP))}")


async def test_a_path_that_is_none_stays_text(window: Window) -> None:
    for markup in MARKUP:
        await window.shows(f"/{quote(markup, safe='')}")
        await window.shows(f"/login/{quote(markup, safe='')}")


async def test_form_values_stay_text_when_a_form_comes_back(
    service: Service, window: Window
) -> None:
    async with Person(service.url, "198.51.100.61") as visitor:
        for path in ("/signup", "/login", "/forgot"):
            for markup in MARKUP:
                await visitor.visit(path)
                values = {"email": markup, "password": "x", "next": markup}
                field_names = {name for name, _ in visitor.form(path).fields}
                fields = {name: value for name, value in values.items() if name in field_names}
                response = await visitor.submit(path, **fields)
                await window.page.set_content(response.text)
                count = "document.querySelectorAll('[data-hit]').length"
                assert await window.page.evaluate(count) == 0
