"""Pages with data in a real Chromium: brands, creators, rankings, comparisons, categories, and the console.

`make pictures` leaves screenshots of every page, dark and light, in `test-results/explore/`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.async_api import Browser, Page, expect

from tests.clients.person import PASSWORD
from tests.e2e import accessibility
from tests.e2e.conftest import RunningStack
from tests.e2e.pictures import picture
from tests.e2e.test_browser import SCHEMES, VIEWPORTS, Visitor, window

PAGES: Final = {
    "search": "/explore",
    "found": "/explore?q=nordvpm",
    "sponsor": "/explore/sponsors/nordvpn",
    "youtuber": "/explore/youtubers/@mkbhd",
    "rankings": "/explore/rankings?category=security",
    "compare": "/explore/compare?brands=nordvpn&brands=squarespace",
    "category": "/explore/categories/security",
    "table": "/explore/sponsors/squarespace/youtubers?sort=views",
    "unknown": "/explore/sponsors/no-such-brand-at-all",
    "console": "/console?tool=sponsor.stats",
}
FIRST_LOAD: Final = 100_000
"""Bytes on the wire of a page with all that it loads, when nothing of it is cached; there are no fonts."""


@asynccontextmanager
async def logged_in(
    stack: RunningStack, chromium: Browser, viewport: str = "desktop", **options: Any
) -> AsyncGenerator[Visitor]:
    """Open a window of a new account with a plan that has room for all pages."""
    email = stack.account("creator", PASSWORD)
    async with window(stack, chromium, viewport, **options) as visitor:
        await visitor.log_in(email)
        await expect(visitor.page).to_have_url(re.compile("/account$"))
        yield visitor


async def is_drawn(page: Page) -> None:
    """Wait until the view of a page has drawn the answer, if the page has one."""
    view = page.locator("#view")
    if await view.count():
        await expect(view.locator("#view")).to_be_visible()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("viewport", list(VIEWPORTS))
async def test_every_page_is_accessible_fits_the_screen_and_loads_nothing_from_others(
    stack: RunningStack, chromium: Browser, viewport: str
) -> None:
    accessibility.require()
    async with logged_in(stack, chromium, viewport) as visitor:
        elsewhere: list[str] = []
        visitor.page.on("request", lambda request: elsewhere.append(request.url))
        for name, path in PAGES.items():
            await visitor.open(path)
            await is_drawn(visitor.page)
            assert visitor.problems == [], name
            for scheme in SCHEMES:
                await visitor.page.emulate_media(color_scheme=scheme)
                await picture(visitor.page, f"explore/{viewport}-{scheme}-{name}")
                width = await visitor.page.evaluate("document.documentElement.scrollWidth")
                assert width <= VIEWPORTS[viewport][0], f"{name} is {width} wide"
                await accessibility.check(visitor.page, f"{name}, {scheme}", minor=True)
            # Axe tries styles of its own inside the view, which the page's policy forbids.
            visitor.problems.clear()
        own = (visitor.site, "data:", "blob:")
        assert {url for url in elsewhere if not url.startswith(own)} == set()


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_navigation_is_one_row_and_tables_are_no_wider_than_a_page_of_1280(
    stack: RunningStack, chromium: Browser, scheme: Literal["light", "dark"]
) -> None:
    async with logged_in(stack, chromium) as visitor:
        await visitor.page.emulate_media(color_scheme=scheme)
        for path in ("/explore/sponsors/nordvpn", "/explore/youtubers/@mkbhd"):
            await visitor.open(path)
            tops = await visitor.page.locator(".account-nav li").evaluate_all(
                "items => items.map(item => item.offsetTop)"
            )
            assert len(set(tops)) == 1
            wide = await visitor.page.locator(".data .scroll").evaluate_all(
                "tables => tables.filter(t => t.scrollWidth > t.clientWidth).map(t => t.ariaLabel)"
            )
            assert wide == [], path


async def test_a_page_counts_as_one_request_and_is_free_for_the_rest_of_the_day(
    stack: RunningStack, chromium: Browser
) -> None:
    email = stack.account("creator", PASSWORD)
    key = stack.key(email)

    def used() -> int:
        return stack.tool_result("account.usage", {}, key)["requests_used"]

    async with window(stack, chromium) as visitor:
        await visitor.log_in(email)
        await expect(visitor.page).to_have_url(re.compile("/account$"))
        for path in ("/explore/sponsors/nordvpn", "/explore/youtubers/@mkbhd", "/explore?q=nord"):
            before = used()
            await visitor.open(path)
            await expect(visitor.page.get_by_text("counted as 1 request")).to_be_visible()
            assert used() == before + 1, path
            await visitor.open(path)
            await expect(visitor.page.get_by_text("This page was free")).to_be_visible()
            assert used() == before + 1, path
        before = used()
        await visitor.open("/explore/sponsors/nordvpn/youtubers")
        await expect(visitor.page.get_by_text("This page was free")).to_be_visible()
        assert used() == before


async def test_a_free_account_without_requests_is_shown_the_plans(
    stack: RunningStack, chromium: Browser
) -> None:
    email = stack.account("free", PASSWORD)
    async with window(stack, chromium) as visitor:
        await visitor.log_in(email)
        await expect(visitor.page).to_have_url(re.compile("/account$"))
        for number in range(30):
            path = f"/explore/rankings?until=2024-01-{number + 1:02}"
            assert (await visitor.context.request.get(visitor.site + path)).ok
        await visitor.open("/explore/sponsors/nordvpn")
        await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(
            "No requests are left this month"
        )
        await expect(visitor.page.get_by_role("link", name="See the plans")).to_be_visible()


async def test_a_first_load_is_small(stack: RunningStack, chromium: Browser) -> None:
    for name, path in PAGES.items():
        async with logged_in(stack, chromium) as visitor:
            state: Any = await visitor.context.storage_state()
        async with window(stack, chromium, storage_state=state) as visitor:
            responses: list[Any] = []
            visitor.page.on("response", lambda response, found=responses: found.append(response))
            await visitor.page.goto(visitor.site + path, wait_until="networkidle")
            sizes = [await response.request.sizes() for response in responses]
            size = sum(sent["responseBodySize"] for sent in sizes)  # compressed, as it is sent
            assert 0 < size < FIRST_LOAD, f"{name}: {size}"


async def test_a_chart_is_saved_as_a_picture(
    stack: RunningStack, chromium: Browser, tmp_path: Path
) -> None:
    async with logged_in(stack, chromium) as visitor:
        await visitor.open("/explore/sponsors/nordvpn")
        for kind, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            async with visitor.page.expect_download() as download:
                await visitor.page.get_by_role("button", name=f"Save as {kind}").click()
            saved = await download.value
            path = tmp_path / saved.suggested_filename
            await saved.save_as(path)
            assert path.read_bytes().startswith(start)
            assert path.name == f"sponsored-videos-of-nordvpn.{kind.lower()}"


async def test_a_search_suggests_and_leads_to_a_brand_and_its_csv(
    stack: RunningStack, chromium: Browser
) -> None:
    async with logged_in(stack, chromium) as visitor:
        page = visitor.page
        await visitor.open("/explore")
        await page.get_by_label("Brand or creator").press_sequentially("nordv")
        await expect(page.locator("#suggestions option[value=NordVPN]")).to_be_attached()
        await page.get_by_role("button", name="Search").click()
        await page.get_by_role("link", name="NordVPN").first.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("NordVPN")
        await page.get_by_role("link", name="Views").first.click()
        await expect(page.locator("th[aria-sort=descending]")).to_contain_text("Views")
        async with page.expect_download() as download:
            await page.get_by_role("link", name=re.compile("^CSV")).click()
        saved = await (await download.value).path()
        rows = list(csv.DictReader(io.StringIO(saved.read_text())))
        views = [int(row["views"]) for row in rows]
        assert len(rows) >= 5
        assert views == sorted(views, reverse=True)


async def test_pages_and_console_work_without_javascript(
    stack: RunningStack, chromium: Browser
) -> None:
    async with logged_in(stack, chromium, java_script_enabled=False) as visitor:
        page = visitor.page
        await visitor.open("/explore")
        await page.get_by_label("Brand or creator").fill("squarespace")
        await page.get_by_role("button", name="Search").click()
        await page.get_by_role("link", name="Squarespace").first.click()
        await expect(page.get_by_role("table").first).to_be_visible()
        await visitor.open("/console?tool=sponsor.search")
        await page.get_by_label("search", exact=True).fill("nordvpm")
        await page.get_by_role("button", name="Run").click()
        await expect(page.locator("#answer-json")).to_contain_text('"slug": "nordvpn"')


async def test_the_console_shows_a_result_as_a_view(stack: RunningStack, chromium: Browser) -> None:
    async with logged_in(stack, chromium) as visitor:
        page = visitor.page
        await visitor.open("/console?tool=sponsor.stats")
        await page.get_by_label("sponsor (required)").fill("nordvpn")
        await page.get_by_role("button", name="Run").click()
        await expect(page.locator("#view").get_by_role("heading", name="Over time")).to_be_visible()
        await page.get_by_role("tab", name="Text").click()
        await expect(page.locator("#answer-text")).to_contain_text('"slug":"nordvpn"')
        await page.get_by_role("tab", name="Python").click()
        await expect(page.locator("#program-python")).to_contain_text("import httpx")


async def test_the_first_page_has_examples_for_everybody(
    stack: RunningStack, chromium: Browser
) -> None:
    async with window(stack, chromium) as visitor:
        await visitor.open("/")
        heading = visitor.page.get_by_role("heading", name="Answers from the catalogue")
        if not await heading.count():  # they are being read
            await visitor.page.wait_for_timeout(1000)
            await visitor.page.reload()
        await expect(heading).to_be_visible()
        await expect(visitor.page.get_by_role("tab", name="sponsor.top")).to_be_visible()
