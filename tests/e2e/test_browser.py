"""The site in a real Chromium, on a phone and on a desktop: what people do, and how it looks."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import httpx2
import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect
from playwright.async_api import Error as PlaywrightError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from devstack.ports import free_port
from servicekit.http import server as http_server
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, link_in, newest_mail
from tests.e2e.conftest import RunningStack

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMES: Final[Sequence[Literal["light", "dark"]]] = ("light", "dark")
VIEWPORTS: Final = {"phone": (390, 844), "desktop": (1280, 800)}


@dataclass(slots=True)
class Visitor:
    """Somebody with a browser window at the site."""

    stack: RunningStack
    context: BrowserContext
    page: Page
    problems: list[str]
    scripts: bool = True

    @property
    def site(self) -> str:
        return self.stack.connection["site_url"]

    async def open(self, path: str) -> None:
        await self.page.goto(self.site + path)

    async def sign_up(self, following: str = "") -> str:
        """A new account, from the form to the confirmed address; its address.

        The browser is logged in then. Without JavaScript the button of the last page is pressed.
        """
        address = f"{secrets.token_hex(6)}@example.com"
        await self.open(f"/signup?next={following}")
        await self.fill({"Email": address, "Password": PASSWORD})
        await self.page.get_by_role(
            "button", name=re.compile("sign up|create", re.IGNORECASE)
        ).click()
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Confirm")
        mail = await newest_mail(self.stack.home / "mails", address)
        link = link_in(mail)
        with suppress(PlaywrightError):  # the page goes on by itself while it loads
            await self.page.goto(link)
        if not self.scripts:
            await self.page.get_by_role("button", name=re.compile("confirm", re.IGNORECASE)).click()
        await expect(self.page.get_by_role("button", name="Log out").first).to_be_visible()
        return address

    async def log_in(self, address: str, password: str = PASSWORD) -> None:
        if "/login" not in self.page.url:
            await self.open("/login")
        await self.fill({"Email": address, "Password": password})
        await self.page.get_by_role("main").get_by_role("button", name="Log in").click()

    async def log_in_as_demo(self) -> None:
        connection = self.stack.connection
        await self.log_in(connection["email"], connection["password"])
        await expect(self.page).to_have_url(re.compile("/account$"))

    async def fill(self, fields: dict[str, str]) -> None:
        for label, value in fields.items():
            await self.page.get_by_role("main").get_by_label(label, exact=False).first.fill(value)


@asynccontextmanager
async def window(
    stack: RunningStack, browser: Browser, viewport: str = "desktop", **options: Any
) -> AsyncGenerator[Visitor]:
    """A browser window of its own; whatever its console says against a page is a failure."""
    width, height = VIEWPORTS[viewport]
    context = await browser.new_context(
        viewport={"width": width, "height": height}, has_touch=viewport == "phone", **options
    )
    page = await context.new_page()
    visitor = Visitor(stack, context, page, [], options.get("java_script_enabled", True))
    page.on("pageerror", lambda error: visitor.problems.append(str(error)))
    page.on("console", lambda message: _record(visitor, message.type, message.text))
    try:
        yield visitor
    finally:
        await context.close()
    assert visitor.problems == []


def _record(visitor: Visitor, kind: str, text: str) -> None:
    if kind == "error" and "status of 4" not in text:
        visitor.problems.append(text)


@asynccontextmanager
async def callback() -> AsyncGenerator[tuple[str, Callable[[], dict[str, str]]]]:
    """A program on this computer that waits for the browser's return; its URL and what came."""
    port, came = free_port(), dict[str, str]()

    async def land(request: Request) -> Response:
        came.update(request.query_params)
        return PlainTextResponse("You can close this window.")

    app = Starlette(routes=[Route("/callback", land)])
    async with http_server.serve_http(app, "127.0.0.1", port, 1):
        yield f"http://127.0.0.1:{port}/callback", lambda: came


@pytest.mark.parametrize("viewport", list(VIEWPORTS))
async def test_from_sign_up_to_the_first_result(
    stack: RunningStack, chromium: Browser, viewport: str
) -> None:
    connection = stack.connection
    async with window(stack, chromium, viewport) as visitor, callback() as (url, came):
        client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"], url)
        await visitor.page.goto(client.authorize_url())
        await expect(visitor.page).to_have_url(re.compile("/login"))
        await (
            visitor.page.get_by_role("main")
            .get_by_role("link", name=re.compile("sign up|create an account", re.IGNORECASE))
            .click()
        )
        following = visitor.page.url.partition("next=")[2]
        await visitor.sign_up(following)
        await expect(visitor.page.get_by_role("heading", level=1)).to_contain_text("Connect")
        await visitor.page.get_by_role("button", name="Approve").click()
        await expect(visitor.page.get_by_text("You can close this window")).to_be_visible()
        tokens = (await client.redeem(came()["code"])).json()
    response = call(stack, tokens["access_token"], "sponsor.search", {"search": "nordvpm"})
    assert response.json()["result"]["structuredContent"]["sponsors"][0]["name"] == "NordVPN"


async def test_a_denied_consent_goes_back_with_the_refusal(
    stack: RunningStack, chromium: Browser
) -> None:
    connection = stack.connection
    async with window(stack, chromium) as visitor, callback() as (url, came):
        await visitor.log_in_as_demo()
        client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"], url)
        await visitor.page.goto(client.authorize_url())
        await visitor.page.get_by_role("button", name="Deny").click()
        await expect(visitor.page.get_by_text("You can close this window")).to_be_visible()
        assert came()["error"] == "access_denied"
        assert came()["iss"] == connection["site_url"]


async def test_two_tabs_call_at_once_and_both_succeed(
    stack: RunningStack, chromium: Browser
) -> None:
    connection = stack.connection
    async with window(stack, chromium) as visitor, callback() as (url, came):
        await visitor.log_in_as_demo()
        client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"], url)
        tabs = [visitor.page, await visitor.context.new_page()]
        for number, tab in enumerate(tabs):
            await tab.goto(client.authorize_url(state=str(number)))
        for number, tab in enumerate(tabs):
            await tab.get_by_role("button", name="Approve").click()
            await expect(tab.get_by_text("You can close this window")).to_be_visible()
            assert came()["state"] == str(number)


async def test_a_logout_in_another_tab_stops_the_consent(
    stack: RunningStack, chromium: Browser
) -> None:
    connection = stack.connection
    async with window(stack, chromium) as visitor, callback() as (url, came):
        await visitor.log_in_as_demo()
        client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"], url)
        await visitor.page.goto(client.authorize_url())
        other = await visitor.context.new_page()
        await other.goto(connection["site_url"] + "/account")
        await other.get_by_role("button", name="Log out").click()
        await other.wait_for_url(connection["site_url"] + "/")
        await visitor.page.get_by_role("button", name="Approve").click()
        await expect(visitor.page).to_have_url(re.compile("/login"))
        assert came() == {}


async def test_a_key_is_made_copied_used_and_revoked(
    stack: RunningStack, chromium: Browser
) -> None:
    connection = stack.connection
    options: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    async with window(stack, chromium, **options) as visitor:
        await visitor.log_in_as_demo()
        await visitor.open("/account/keys")
        await visitor.fill({"Name": "from the browser", "Password": connection["password"]})
        await visitor.page.get_by_role("button", name=re.compile("create", re.IGNORECASE)).click()
        await visitor.page.get_by_role(
            "button", name=re.compile("copy", re.IGNORECASE)
        ).first.click()
        key = await visitor.page.evaluate("navigator.clipboard.readText()")
        assert call(stack, key, "category.list", {}).status_code == 200
        await visitor.open("/account/keys")
        assert key not in await visitor.page.content()
        row = visitor.page.get_by_role("listitem").filter(has_text="from the browser")
        visitor.page.once("dialog", lambda dialog: dialog.accept())
        await row.get_by_role("button", name=re.compile("revoke", re.IGNORECASE)).click()
        await expect(visitor.page.get_by_text("is revoked").first).to_be_visible()
    assert call(stack, key, "category.list", {}).status_code == 401


async def test_it_works_without_javascript(stack: RunningStack, chromium: Browser) -> None:
    async with window(stack, chromium, java_script_enabled=False) as visitor:
        address = await visitor.sign_up()
        await expect(visitor.page).to_have_url(re.compile("/account$"))
        await visitor.page.get_by_role("button", name="Log out").click()
        await visitor.log_in(address)
        await expect(visitor.page).to_have_url(re.compile("/account$"))
        await visitor.page.get_by_role("button", name="Log out").click()
        await expect(visitor.page).to_have_url(visitor.site + "/")


def call(
    stack: RunningStack, credential: str, tool: str, arguments: dict[str, Any]
) -> httpx2.Response:
    return stack.call_tool(tool, arguments, credential)


@pytest.mark.parametrize("viewport", list(VIEWPORTS))
async def test_a_chart_of_usage_is_whole_on_every_screen_and_todays_bar_is_in_it(
    stack: RunningStack, chromium: Browser, viewport: str
) -> None:
    address = stack.account("creator", PASSWORD)
    async with window(stack, chromium, viewport) as visitor:
        await visitor.log_in(address)
        await visitor.open("/explore?q=nordvpn")
        bar = visitor.page.locator("svg.columns .bar").last
        deadline = time.monotonic() + 20
        while not await bar.count():
            assert time.monotonic() < deadline, "the request is not in the ledger"
            await visitor.open("/account")
        chart = visitor.page.locator("svg.columns").first
        for part in (bar, chart):
            box = await part.bounding_box()
            assert box is not None
            assert 0 <= box["x"] < box["x"] + box["width"] <= VIEWPORTS[viewport][0]
        bar_box = await bar.bounding_box()
        assert bar_box is not None
        assert bar_box["height"] == pytest.approx(150, abs=1)


async def test_a_key_can_be_revoked_on_a_phone_without_scrolling_sideways(
    stack: RunningStack, chromium: Browser
) -> None:
    address = stack.account("creator", PASSWORD)
    async with window(stack, chromium, "phone") as visitor:
        await visitor.log_in(address)
        await visitor.open("/account/keys")
        await visitor.page.get_by_role("textbox", name="Name").fill(
            "a key with a name of some length for a report"
        )
        await visitor.page.get_by_label("Your password").fill(PASSWORD)
        await visitor.page.get_by_role("button", name="Create the key").click()
        button = visitor.page.get_by_role("button", name=re.compile("^Revoke"))
        box = await button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= VIEWPORTS["phone"][0]


async def test_another_session_can_be_ended_on_a_phone_without_scrolling_sideways(
    stack: RunningStack, chromium: Browser
) -> None:
    address = stack.account("free", PASSWORD)
    async with window(stack, chromium, "phone") as visitor, window(stack, chromium) as elsewhere:
        for window_of_person in (elsewhere, visitor):
            await window_of_person.log_in(address)
            await expect(window_of_person.page).to_have_url(re.compile("/account$"))
        await visitor.open("/account/sessions")
        button = visitor.page.get_by_role("button", name=re.compile("^End session"))
        box = await button.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= VIEWPORTS["phone"][0]
        await button.click()
        await expect(button).to_have_count(0)
