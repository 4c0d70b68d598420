"""Every page of the site with something on it, in a real Chromium: on a phone and a desktop, light and dark.

`make pictures` leaves screenshots in `test-results/`. Explore and the console are in test_explore.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import MagicMock
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser
from starlette.routing import Route

from auth_service.web.app import http_app
from tests.clients import organisations
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person, link_in, newest_mail
from tests.e2e import accessibility, test_explore
from tests.e2e.conftest import RunningStack
from tests.e2e.pictures import picture
from tests.e2e.test_browser import SCHEMES, VIEWPORTS, window
from tests.integration.auth_service.alerts import add_channel, add_watch

FOR_ALL: Final = {
    "landing": "/",
    "signup": "/signup",
    "login": "/login",
    "forgot": "/forgot",
    "nowhere": "/nowhere",
    "plans": "/plans",
    "terms": "/terms",
    "privacy": "/privacy",
}
OF_ACCOUNT: Final = {
    "account": "/account",
    "keys": "/account/keys",
    "apps": "/account/apps",
    "imports": "/account/imports",
    "bulk-imports": "/account/imports/bulk",
    "following": "/account/imports/following",
    "lists": "/account/lists",
    "reports": "/account/reports",
    "alerts": "/account/alerts",
    "sessions": "/account/sessions",
    "security": "/account/security",
    "settings": "/account/settings",
    "two-factor": "/account/two-factor",
    "passkeys": "/account/passkeys",
    "organisations": "/account/organisations",
    "device": "/device",
    "operator": "/operator",
}
ELSEWHERE: Final = {
    "/oauth/authorize": "the consent, below",
    "/authorize": "the same for clients of 2025-03-26",
    "/account/list": "a list, below",
    "/account/organisation": "an organisation, below",
    "/invitation": "an invitation, below",
    "/reset": "a link of a mail, below",
    "/alerts/confirm/{channel_id}/{token}": "a link of a mail, below",
    "/alerts/unsubscribe/{channel_id}/{token}": "the same page with another button",
    "/account/imports/list": "a part of the page of imports",
    "/account/imports/bulk/channels": "test_bulk_imports.py, on a stack with a stand-in for YouTube",
    "/signup/mail": "test_first_result.py",
    "/confirm": "test_first_result.py",
    "/login/code": "test_account_security.py",
    "/email-change": "test_account_security.py",
    "/plans/change": "test_billing.py",
    "/explore/suggestions": "JSON for the search",
    "/explore/categories": "leads to the list on /explore",
    "/explore/youtubers/{slug}/{table}": "as the table of a brand",
}
"""Pages that have their pictures and rules elsewhere."""

REPEATED: Final = """() => {
    const page = document.body.cloneNode(true);
    for (const entry of page.querySelectorAll(".items, .imports, table, pre, .unseen, [hidden]")) entry.remove();
    const texts = [...page.querySelectorAll("p, li, span, label, dd")].filter((item) => !item.querySelector("p, li, span"));
    const sentences = texts.flatMap((item) => item.textContent.split(/(?<=[.?!])\\s+/))
        .map((sentence) => sentence.replace(/\\s+/g, " ").trim())
        .filter((sentence) => /[.?!]$/.test(sentence) && sentence.split(" ").length > 4);
    return sentences.filter((sentence, place) => sentences.indexOf(sentence) < place);
}"""
"""Sentences that a page has twice, outside its lists of entries."""


@dataclass(frozen=True, slots=True)
class Scene:
    """An account with something on each page, and addresses of pages that hang on it."""

    email: str
    for_all: dict[str, str]
    of_account: dict[str, str]


async def scene(stack: RunningStack) -> Scene:
    connection, mails = stack.connection, stack.home / "mails"
    site = connection["site_url"]
    email, guest = stack.account("creator", PASSWORD), stack.account("free", PASSWORD)
    made = stack.command("account", "operator", email)
    assert made.returncode == 0, made.stderr
    key = stack.key(email)
    listed = _used(stack, key)
    person, other = Person(site), Person(site)
    for somebody, address in ((person, email), (other, guest)):
        somebody.email = address
        await somebody.log_in(address)
    client = await OAuthClient.registered(site, connection["mcp_url"])
    code = parse_qs(urlsplit(await person.decide(client.authorize_url())).query)["code"][0]
    assert (await client.redeem(code)).status_code == 200
    for kind, target in (("email", email), ("feed", ""), ("email", f"other-{email}")):
        await add_channel(person, kind, target=target)
        await add_watch(person, "nordvpn")
    confirmation = link_in(await newest_mail(mails, f"other-{email}"))
    await organisations.create(other, "Acme Medienproduktion und Vertrieb")
    invitation = await organisations.invite(other, email, mails)
    forgetful = Person(site)
    await forgetful.visit("/forgot")
    await forgetful.submit("/forgot", email=guest)
    reset = link_in(await newest_mail(mails, guest))
    return Scene(
        email,
        {"reset": reset, "alerts-confirm": confirmation},
        {"consent": client.authorize_url(), "list": f"/account/list?list={listed}"}
        | {"invitation": invitation},
    )


def _used(stack: RunningStack, key: str) -> str:
    """Have the account called some tools; return the id of a list of its."""
    for number in range(1, 5):
        stack.call_tool("sponsor.search", {"search": "nord", "limit": number}, key)
        stack.call_tool("sponsor.top", {"limit": number}, key)
    stack.call_tool("sponsor.get", {"sponsor": "no such brand at all"}, key)
    video = stack.tool_result("sponsor.recentVideos", {"sponsor": "nordvpn"}, key)["videos"][0]
    report = {"kind": "wrong", "video": video["video"]["id"], "sponsor": "nordvpn"}
    stack.tool_result("sponsorship.report", report, key)
    brands = {"name": "VPN brands", "type": "sponsor", "names": ["nordvpn", "squarespace"]}
    return stack.tool_result("list.create", brands, key)["list"]["id"]


def test_every_page_has_its_pictures() -> None:
    """A page that is added is shown, or named with where it is."""
    shown = [*FOR_ALL.values(), *OF_ACCOUNT.values(), *test_explore.PAGES.values()]
    paths = [path.partition("?")[0] for path in shown]
    left = [
        route.path
        for route in http_app(MagicMock()).routes
        if isinstance(route, Route)
        and _is_page(route)
        and route.path not in ELSEWHERE
        and not any(route.path_regex.match(path) for path in paths)
    ]
    assert left == []


def _is_page(route: Route) -> bool:
    """Return whether a route is one of `page_request.get`."""
    serve: Any = getattr(route.endpoint, "func", None)
    return serve is not None and serve.__name__ == "_in_time"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("viewport", list(VIEWPORTS))
async def test_every_page_is_accessible_fits_the_screen_and_loads_nothing_from_others(
    stack: RunningStack, chromium: Browser, viewport: str
) -> None:
    accessibility.require()
    shown = await scene(stack)
    async with window(stack, chromium, viewport) as visitor:
        elsewhere: list[str] = []
        visitor.page.on("request", lambda request: elsewhere.append(request.url))

        async def take(pages: dict[str, str]) -> None:
            for name, path in pages.items():
                await visitor.page.goto(path if "://" in path else visitor.site + path)
                assert await visitor.page.evaluate(REPEATED) == [], name
                for scheme in SCHEMES:
                    await visitor.page.emulate_media(color_scheme=scheme)
                    await picture(visitor.page, f"{viewport}-{scheme}/{name}")
                    await accessibility.check(
                        visitor.page, f"{name}, {viewport}, {scheme}", minor=True
                    )
                width = await visitor.page.evaluate("document.documentElement.scrollWidth")
                assert width <= VIEWPORTS[viewport][0], f"{name} is {width} wide"

        await take(FOR_ALL | shown.for_all)
        await visitor.log_in(shown.email)
        await visitor.page.wait_for_url("**/account")
        await take(OF_ACCOUNT | shown.of_account)
        await (
            visitor.page.get_by_role("button", name="Join")
            .or_(visitor.page.get_by_role("button", name="Accept"))
            .click()
        )
        await visitor.open("/account/organisations")
        await take({"organisation": "/account/organisation"})
        assert {url for url in elsewhere if not url.startswith(visitor.site)} == set()


async def test_a_first_load_is_small(stack: RunningStack, chromium: Browser) -> None:
    email = stack.account("creator", PASSWORD)
    sizes: dict[str, int] = {}
    async with window(stack, chromium) as visitor:

        async def weigh(name: str, path: str) -> None:
            page = await visitor.context.new_page()
            session: Any = await visitor.context.new_cdp_session(page)
            await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
            responses: list[Any] = []
            page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 - Playwright marks it
            await page.goto(visitor.site + path, wait_until="networkidle")
            sizes[name] = sum([len(await response.body()) for response in responses])
            await page.close()

        for name, path in FOR_ALL.items():
            await weigh(name, path)
        await visitor.log_in(email)
        await visitor.page.wait_for_url("**/account")
        for name, path in OF_ACCOUNT.items():
            await weigh(name, path)
    assert {
        name: size for name, size in sizes.items() if not 0 < size < test_explore.FIRST_LOAD
    } == {}
