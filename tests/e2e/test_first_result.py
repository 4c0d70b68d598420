"""The journey of a new user, from a client that nobody knows to its first result, in a real Chromium.

`make pictures` leaves screenshots of its pages in `test-results/first-result`.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import Final

import pytest
from playwright.async_api import Browser, Frame, Page, expect

from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD
from tests.e2e import accessibility, pictures
from tests.e2e.conftest import RunningStack
from tests.e2e.test_browser import SCHEMES, VIEWPORTS, Visitor, callback, window

MAX_PAGES: Final = 5
FOLDER: Final = "first-result"


@dataclass  # no slots: Playwright adds an attribute to whose method it calls
class Journey:
    """The pages of the site that a person saw, each with its screenshot."""

    visitor: Visitor
    folder: str
    pages: list[str] = field(default_factory=list[str])
    visited: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        pictures.clear(self.folder)
        self.visitor.page.on("framenavigated", self._record)

    def _record(self, frame: Frame) -> None:
        if frame.url.startswith(self.visitor.site):
            self.visited.append(frame.url.removeprefix(self.visitor.site).partition("?")[0])

    @property
    def page(self) -> Page:
        return self.visitor.page

    async def sees(self, name: str, heading: str | re.Pattern[str]) -> None:
        """The page has this heading, fits the screen and is accessible."""
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text(heading)
        self.pages.append(name)
        for scheme in SCHEMES:
            await self.page.emulate_media(color_scheme=scheme)
            await pictures.picture(self.page, f"{self.folder}/{len(self.pages)}-{name}-{scheme}")
            await accessibility.check(self.page, f"{name}, {scheme}")
        viewport = self.page.viewport_size
        assert viewport
        width = await self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= viewport["width"], f"{name} is {width} wide"


@pytest.mark.parametrize("viewport", list(VIEWPORTS))
async def test_a_new_user_gets_from_an_unknown_client_to_the_first_result_on_five_pages(
    stack: RunningStack, chromium: Browser, viewport: str
) -> None:
    connection = stack.connection
    address = f"{secrets.token_hex(6)}@example.com"
    async with window(stack, chromium, viewport) as visitor, callback() as (url, came):
        client = await OAuthClient.registered(
            connection["site_url"], connection["mcp_url"], url, client_name="Research Agent"
        )
        journey = Journey(visitor, f"{FOLDER}/{viewport}")
        page, main = visitor.page, visitor.page.get_by_role("main")
        scope = "catalog:read channels:import account:read offline_access"
        await page.goto(client.authorize_url(scope=scope))
        await journey.sees("login", "Log in")
        await main.get_by_role("link", name="Create an account").click()
        await journey.sees("signup", "Create an account")
        await visitor.fill({"Email": address, "Password": PASSWORD})
        await main.get_by_role("button", name="Sign up").click()
        await journey.sees("sent", "Confirm your address")
        await main.get_by_role("link", name="Open the mail").click()
        await journey.sees("mail", "Confirm your address")
        await main.get_by_role("link", name="Confirm this address").click()
        await journey.sees("consent", "Connect Research Agent?")
        await expect(main.get_by_text("Ask about sponsors")).to_be_visible()
        await expect(main.get_by_text("Import and follow YouTube channels")).to_have_count(0)
        await expect(main.get_by_text(f"You are {address}")).to_be_visible()
        await main.get_by_role("button", name="Approve").click()
        await expect(page.get_by_text("You can close this window")).to_be_visible()
        tokens = (await client.redeem(came()["code"])).json()
    assert journey.pages == ["login", "signup", "sent", "mail", "consent"]
    assert len(journey.pages) <= MAX_PAGES
    # The link's own page goes on by itself: nobody has to do anything there.
    seen = [
        path for path in journey.visited if path not in ("/confirm", "/oauth/authorize/decision")
    ]
    assert seen == ["/login", "/signup", "/signup", "/signup/mail", "/oauth/authorize"]
    assert tokens["scope"] == "catalog:read account:read offline_access"
    response = stack.call_tool("sponsor.search", {"search": "nordvpm"}, tokens["access_token"])
    assert response.json()["result"]["structuredContent"]["sponsors"][0]["name"] == "NordVPN"


async def test_a_link_that_is_opened_in_another_browser_requires_a_login_and_goes_on(
    stack: RunningStack, chromium: Browser
) -> None:
    connection = stack.connection
    address = f"{secrets.token_hex(6)}@example.com"
    async with (
        window(stack, chromium) as desk,
        window(stack, chromium, "phone") as phone,
        callback() as (url, came),
    ):
        client = await OAuthClient.registered(
            connection["site_url"], connection["mcp_url"], url, client_name="Research Agent"
        )
        await desk.page.goto(client.authorize_url())
        main = desk.page.get_by_role("main")
        await main.get_by_role("link", name="Create an account").click()
        await desk.fill({"Email": address, "Password": PASSWORD})
        await main.get_by_role("button", name="Sign up").click()
        await main.get_by_role("link", name="Open the mail").click()
        link = await main.get_by_role("link", name="Confirm this address").get_attribute("href")
        assert link
        journey = Journey(phone, f"{FOLDER}/another-browser")
        await phone.page.goto(link)
        await journey.sees("confirm", "Log in to confirm")
        await phone.fill({"Password": PASSWORD})
        await phone.page.get_by_role("button", name="Log in").click()
        await journey.sees("consent", "Connect Research Agent?")
        await desk.open("/account")
        await expect(desk.page).to_have_url(re.compile("/login"))
        assert came() == {}
