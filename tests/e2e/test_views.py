"""Views in a real Chromium, shown by the official AppBridge in a sandboxed frame of another origin.

The frame has the content security policy that the extension prescribes. `make pictures` leaves
screenshots of every view, dark and light, in `test-results/views/`.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import httpx2
import pytest
from playwright.async_api import Browser, Frame, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from devstack.ports import free_port
from gateway.views import EXTENSION, MIME_TYPE, VIEWS, View, view_of
from servicekit.http import server as http_server
from tests.clients.node_programs import FOLDER, modern_node
from tests.e2e import accessibility
from tests.e2e.conftest import RunningStack
from tests.e2e.pictures import WANTED, picture
from tests.fakes import view_results

pytestmark = [pytest.mark.node]

ROOT: Final = Path(__file__).resolve().parents[2]
VIEWPORTS: Final = {"phone": (390, 844), "desktop": (1120, 800), "small": (360, 740)}
BUNDLED: Final = ("--format", "iife", "--platform", "browser", "--log-level", "silent")
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'"
)
PAGE: Final = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<link rel="icon" href="data:,">
<style>
  body { margin: 0; color-scheme: light dark; background: light-dark(#e8e8e4, #0b0d0c); }
  iframe { display: block; border: 0; width: 100%; height: 300px; }
</style>
<iframe title="View" name="view" sandbox="allow-scripts"></iframe>
<script src="/host.js"></script></html>
"""
BY_NAME: Final = {view.name: view for view in VIEWS}
SHOWN: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "sponsor-stats": ({"sponsor": "nordvpn"}, view_results.sponsor_stats()),
    "sponsor-top": ({"category": "vpn"}, view_results.sponsor_top()),
    "sponsor-compare": ({"sponsors": ["nordvpn"]}, view_results.sponsor_compare()),
    "sponsor-trends": ({"category": "vpn"}, view_results.sponsor_trends()),
    "youtuber-stats": ({"youtuber": "@marlenebaut"}, view_results.youtuber_stats()),
    "import-status": ({"import_id": "imp_1"}, view_results.import_status()),
}

CallHandler = Callable[[dict[str, Any]], Awaitable[Any]]


@pytest.fixture(scope="session")
def host_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The host of `view_host.mjs` with all that it imports, as one script for a browser."""
    node = modern_node()
    bundler = FOLDER / "node_modules" / "rolldown" / "bin" / "cli.mjs"
    if (
        not bundler.exists()
        or not (FOLDER / "node_modules/@modelcontextprotocol/ext-apps").exists()
    ):
        pytest.skip("ext-apps or rolldown is missing (.ci/run installs them)")
    made = tmp_path_factory.mktemp("host") / "host.js"
    subprocess.run(
        [node, bundler, "view_host.mjs", "--file", made, *BUNDLED],
        cwd=FOLDER,
        check=True,
        capture_output=True,
    )
    return made.read_text()


@dataclass(slots=True)
class Shown:
    """A view in its frame, and the host around it."""

    page: Page
    requested: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])

    @property
    def frame(self) -> Frame:
        frame = self.page.frame("view")
        assert frame is not None
        return frame

    async def host(self, method: str, *arguments: Any) -> Any:
        script = "([method, given]) => window.host[method](...given)"
        return await self.page.evaluate(script, [method, list(arguments)])

    async def send_result(self, arguments: dict[str, Any], result: Any, **facts: Any) -> None:
        await self.host("give", arguments, view_results.result(result, **facts))

    async def received(self) -> Any:
        return await self.page.evaluate("window.host.received")

    async def settled(self) -> None:
        """Waits until the frame is as high as its content."""
        await self.comes(
            "Math.abs(innerHeight - Math.ceil(document.body.getBoundingClientRect().height)) <= 1"
        )

    async def comes(self, condition: str) -> None:
        """Waits until this holds in the view, whose policy forbids Playwright's own waiting."""
        async with asyncio.timeout(10):
            while not await self.frame.evaluate(condition):  # noqa: ASYNC110 - nothing tells when
                await asyncio.sleep(0.02)


OpenView = Callable[..., AbstractAsyncContextManager[Shown]]


@pytest.fixture
async def open_view(chromium: Browser, host_script: str) -> AsyncGenerator[OpenView]:
    """Opens a view in a window of its own; whatever goes wrong in its console is a failure."""
    ports = free_port(), free_port()
    documents: dict[str, str] = {}

    async def page_of_host(_: Request) -> Response:
        return HTMLResponse(PAGE)

    async def script_of_host(_: Request) -> Response:
        return Response(host_script, media_type="text/javascript")

    async def document(request: Request) -> Response:
        return HTMLResponse(
            documents[request.path_params["name"]], headers={"content-security-policy": POLICY}
        )

    @asynccontextmanager
    async def opening(
        view: View,
        viewport: str = "desktop",
        *,
        html: str | None = None,
        handle_call: CallHandler | None = None,
        scheme: Any = "light",
        **settings: Any,
    ) -> AsyncGenerator[Shown]:
        documents[view.name] = html or view.html()
        width, height = VIEWPORTS[viewport]
        context = await chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-US"
        )
        page = await context.new_page()
        shown = Shown(page)
        page.on("request", lambda request: shown.requested.append(request.url))
        page.on("pageerror", lambda error: shown.problems.append(str(error)))
        page.on("console", lambda message: _record(shown, message.type, message.text))
        if handle_call is not None:
            await cast("Any", page).expose_function("answerCall", handle_call)
        try:
            await page.goto(f"http://127.0.0.1:{ports[0]}/")
            await shown.host("open", f"http://127.0.0.1:{ports[1]}/{view.name}", settings)
            yield shown
        finally:
            await context.close()
        assert shown.problems == []
        local = tuple(f"http://127.0.0.1:{port}/" for port in ports)
        assert [url for url in shown.requested if not url.startswith(local)] == []

    outer = Starlette(routes=[Route("/", page_of_host), Route("/host.js", script_of_host)])
    inner = Starlette(routes=[Route("/{name}", document)])
    async with (
        http_server.serve_http(outer, "127.0.0.1", ports[0], 1),
        http_server.serve_http(inner, "127.0.0.1", ports[1], 1),
    ):
        yield opening


def _record(shown: Shown, kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        shown.problems.append(text)


@pytest.mark.parametrize("name", SHOWN)
async def test_a_view_introduces_itself_and_shows_the_result(
    open_view: OpenView, name: str
) -> None:
    async with open_view(BY_NAME[name]) as shown:
        await expect(shown.frame.get_by_text("Waiting for the answer")).to_be_visible()
        await shown.send_result(*SHOWN[name])
        await expect(shown.frame.get_by_role("heading", level=1)).to_be_visible()
        await expect(shown.frame.get_by_role("main")).to_have_attribute("aria-busy", "false")
        received = await shown.received()
        assert received["initialized"] == 1
        assert received["app"]["info"]["name"] == f"sponsorgraph-{name}"
        assert received["app"]["capabilities"] == {
            "availableDisplayModes": ["inline", "fullscreen"]
        }
        assert await shown.host("ping") == {}


HOSTILE_RESULTS: Final[dict[str, Callable[[str], Any]]] = {
    "sponsor-stats": view_results.sponsor_stats,
    "sponsor-top": lambda name: view_results.sponsor_top((name, *view_results.HOSTILE)),
    "sponsor-compare": lambda name: view_results.sponsor_compare((name, *view_results.HOSTILE[:4])),
    "sponsor-trends": lambda name: view_results.sponsor_trends((name, *view_results.HOSTILE)),
    "youtuber-stats": view_results.youtuber_stats,
    "import-status": lambda name: view_results.import_status(
        "done", 640, title=name, brands=(name, *view_results.HOSTILE)
    ),
}


@pytest.mark.parametrize("name", HOSTILE_RESULTS)
async def test_hostile_names_stay_text_and_fit_a_phone(open_view: OpenView, name: str) -> None:
    async with open_view(BY_NAME[name], "phone") as shown:
        for hostile in view_results.HOSTILE:
            await shown.send_result({}, HOSTILE_RESULTS[name](hostile))
            plain = hostile.translate(dict.fromkeys(map(ord, view_results.DIRECTION_MARKS)))
            await expect(shown.frame.locator("bdi", has_text=plain).first).to_be_visible()
            made = "document.querySelectorAll('main :is(img, script, b, iframe)').length"
            assert await shown.frame.evaluate(made) == 0
            document = await shown.frame.evaluate("document.querySelector('main').outerHTML")
            assert set(document).isdisjoint(view_results.DIRECTION_MARKS)
            width = await shown.frame.evaluate("document.documentElement.scrollWidth")
            assert width <= VIEWPORTS["phone"][0], f"{hostile[:20]} makes it {width} wide"


async def test_the_theme_is_the_hosts_and_changes_with_it(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-top"], context={"theme": "dark"}) as shown:
        await shown.send_result(*SHOWN["sponsor-top"])
        background = "getComputedStyle(document.body).backgroundColor"
        assert await shown.frame.evaluate(background) == "rgb(25, 30, 28)"
        await shown.host("tell", {"theme": "light"})
        await shown.comes(f"{background} === 'rgb(255, 255, 255)'")
        half = {"--color-text-primary": "rgb(255, 255, 255)", "--font-sans": "serif"}
        await shown.host("tell", {"theme": "light", "styles": {"variables": half}})
        await shown.comes("getComputedStyle(document.body).fontFamily === 'serif'")
        assert await shown.frame.evaluate("getComputedStyle(document.body).color") != (
            "rgb(255, 255, 255)"
        )
        whole = {**half, "--color-background-primary": "rgb(10, 20, 30)"}
        await shown.host("tell", {"theme": "dark", "styles": {"variables": whole}})
        await shown.comes(f"{background} === 'rgb(10, 20, 30)'")


async def test_without_a_theme_of_the_host_the_devices_counts(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-top"], scheme="dark") as shown:
        background = "getComputedStyle(document.body).backgroundColor"
        assert await shown.frame.evaluate(background) == "rgb(25, 30, 28)"


async def test_the_host_gets_the_size_and_its_changes(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        await shown.send_result(*SHOWN["sponsor-stats"])
        await shown.settled()
        before = (await shown.received())["sizes"][-1]
        await shown.page.set_viewport_size({"width": 360, "height": 800})
        await shown.settled()
        after = (await shown.received())["sizes"][-1]
        assert (before["width"], after["width"]) == (1120, 360)
        assert after["height"] > before["height"]
        chart = shown.frame.locator("figure svg").first
        assert float(await chart.get_attribute("width") or 0) < 360
        await shown.frame.get_by_text("As a table").click()
        await shown.settled()
        assert (await shown.received())["sizes"][-1]["height"] > after["height"]


async def test_no_more_height_is_requested_than_the_host_has(open_view: OpenView) -> None:
    context = {"containerDimensions": {"maxHeight": 400, "width": 1120}}
    async with open_view(BY_NAME["sponsor-stats"], context=context) as shown:
        await shown.send_result(*SHOWN["sponsor-stats"])
        await expect(shown.frame.get_by_role("heading", level=1)).to_be_visible()
        await asyncio.sleep(0.2)
        assert max(size["height"] for size in (await shown.received())["sizes"]) == 400


async def test_the_chart_is_read_out_by_key_and_has_its_table(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        await shown.send_result(*SHOWN["sponsor-stats"])
        slider = shown.frame.get_by_role("slider")
        await slider.focus()
        await expect(slider).to_have_attribute(
            "aria-valuetext", "October 2026: Sponsored videos 69"
        )
        await shown.page.keyboard.press("Home")
        await expect(slider).to_have_attribute(
            "aria-valuetext", "November 2025: Sponsored videos 31"
        )
        await expect(shown.frame.locator(".chart .reading")).to_have_text(
            "November 2025 Sponsored videos 31"
        )
        await shown.frame.get_by_role("radio", name="Creators").check()
        await expect(slider).to_have_attribute("aria-valuetext", "October 2026: Creators 43")
        await expect(shown.frame.get_by_role("radio", name="Creators")).to_be_focused()
        await shown.frame.get_by_text("As a table").press("Enter")
        row = shown.frame.get_by_role("row").filter(has_text="October 2026")
        await expect(row.get_by_role("cell").first).to_have_text("69")


async def test_rivals_come_through_the_host_and_into_the_chart(open_view: OpenView) -> None:
    async def handle_call(params: dict[str, Any]) -> Any:
        if params["name"] == "sponsor_top":
            return view_results.result(view_results.sponsor_top())
        name = params["arguments"]["sponsor"]
        return view_results.result(view_results.sponsor_stats("Surfshark", name, 0.6))

    context = {"toolInfo": {"tool": {"name": "sponsor_stats", "inputSchema": {"type": "object"}}}}
    async with open_view(
        BY_NAME["sponsor-stats"], handle_call=handle_call, context=context
    ) as shown:
        await shown.send_result(
            {"sponsor": "nordvpn", "min_confidence": 0.5}, view_results.sponsor_stats()
        )
        await shown.frame.get_by_role("button", name="Compare with rivals").click()
        add = shown.frame.get_by_role("button", name="Show Surfshark in the chart")
        await add.click()
        await expect(add).to_have_attribute("aria-pressed", "true")
        await expect(shown.frame.locator(".legend li")).to_have_text(["NordVPN", "Surfshark"])
        await expect(shown.frame.locator(".chart polyline")).to_have_count(1)
        span = {"since": "2025-11-01", "until": "2026-10-31", "min_confidence": 0.5}
        assert [
            (call["name"], call["arguments"]) for call in (await shown.received())["calls"]
        ] == [
            ("sponsor_top", {**span, "category": "vpn", "limit": 8}),
            ("sponsor_stats", {**span, "sponsor": "brand-2", "granularity": "month"}),
        ]
        await shown.settled()
        await _picture(shown, "sponsor-stats-rivals")
        await add.click()
        await expect(shown.frame.locator(".chart polyline")).to_have_count(0)


async def test_nothing_is_offered_that_the_host_does_not_pass_on(open_view: OpenView) -> None:
    for name in ("sponsor-stats", "sponsor-top", "import-status"):
        async with open_view(BY_NAME[name], capabilities={}) as shown:
            await shown.send_result(*SHOWN[name])
            await expect(shown.frame.get_by_role("heading", level=1)).to_be_visible()
            await expect(shown.frame.locator("button.act")).to_have_count(0)


async def test_the_ranking_is_sorted_by_its_headings_and_goes_on(open_view: OpenView) -> None:
    async def handle_call(params: dict[str, Any]) -> Any:
        assert params["arguments"] == {"category": "vpn", "cursor": "next"}
        return view_results.result(view_results.sponsor_top(("Zebra VPN",), cursor=None))

    async with open_view(BY_NAME["sponsor-top"], handle_call=handle_call) as shown:
        await shown.send_result({"category": "vpn"}, view_results.sponsor_top())
        first = shown.frame.locator("tbody tr").first.get_by_role("rowheader")
        await expect(first).to_contain_text("NordVPN")
        by_name = shown.frame.get_by_role("columnheader", name="Brand")
        await by_name.get_by_role("button").press("Enter")
        await expect(by_name).to_have_attribute("aria-sort", "ascending")
        await expect(first).to_contain_text("Atlas VPN")
        await expect(by_name.get_by_role("button")).to_be_focused()
        await by_name.get_by_role("button").press("Enter")
        await shown.frame.get_by_role("button", name="Show more").click()
        await expect(first).to_contain_text("Zebra VPN")
        await expect(shown.frame.get_by_role("button", name="Show more")).to_have_count(0)


async def test_a_comparison_is_sorted_and_its_bars_follow(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-compare"]) as shown:
        await shown.send_result(*SHOWN["sponsor-compare"])
        table = shown.frame.get_by_role("table", name="Bars show sponsored videos")
        first = table.locator("tbody tr").first
        await expect(first.get_by_role("rowheader")).to_contain_text("NordVPN")
        await expect(first.get_by_role("cell")).to_have_text(
            ["603607 sponsorships", "20141% came back", "111.1M", "+25%on 201 channels"]
        )
        by_views = shown.frame.get_by_role("columnheader", name="Views")
        await by_views.get_by_role("button").press("Enter")
        await expect(by_views).to_have_attribute("aria-sort", "descending")
        await by_views.get_by_role("button").press("Enter")
        await expect(by_views.get_by_role("button")).to_be_focused()
        table = shown.frame.get_by_role("table", name="Bars show views")
        first = table.locator("tbody tr").first
        await expect(first.get_by_role("rowheader")).to_contain_text("ExpressVPN")
        kinds = shown.frame.get_by_role("table", name="Sponsored videos by kind")
        await expect(kinds.get_by_role("columnheader")).to_have_text(
            ["Brand", "Promo code", "Free product"]
        )
        pairs = shown.frame.locator(".shares").filter(has_text="Creators in common").locator("li")
        await expect(pairs.first).to_have_text("NordVPN and Surfshark40 creators")
        await expect(shown.frame.get_by_text("1,587 sponsorships in vpn")).to_have_count(3)


async def test_a_comparison_says_why_the_period_before_is_not_compared(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-compare"]) as shown:
        reason = "The data begin on 2026-01-01."
        result = view_results.sponsor_compare(not_compared=reason)
        await shown.send_result({}, result)
        await expect(shown.frame.get_by_text(reason)).to_be_visible()
        await expect(shown.frame.get_by_role("columnheader", name="Change")).to_have_count(0)


async def test_a_comparison_says_of_which_brands_too_little_is_known(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-compare"]) as shown:
        result = view_results.sponsor_compare()
        reason = "Videos of both periods are known of 1 of the brand's 3 creators in them."
        result["sponsors"][1] |= {"compared": None, "change": None, "not_compared": reason}
        await shown.send_result({}, result)
        await expect(
            shown.frame.get_by_text(f"Surfshark is not compared with the period before. {reason}")
        ).to_be_visible()
        rows = shown.frame.locator(".ranked tbody tr")
        await expect(rows.nth(1).get_by_role("cell").last).to_have_text("–")


async def test_a_change_that_may_be_chance_is_no_headline(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        result = view_results.sponsor_stats()
        result["compared"]["trend"] = "too_little_to_say"
        await shown.send_result({}, result)
        await expect(shown.frame.get_by_text("too little is known to say how it")).to_be_visible()
        await expect(shown.frame.get_by_text("+23%")).to_have_count(0)
    async with open_view(BY_NAME["sponsor-compare"]) as shown:
        result = view_results.sponsor_compare()
        result["sponsors"][1]["compared"]["trend"] = "too_little_to_say"
        await shown.send_result({}, result)
        cells = shown.frame.locator(".ranked tbody tr").nth(1).get_by_role("cell")
        await expect(cells.last).to_contain_text("too little to say")


async def test_figures_of_a_brand_say_on_which_channels_they_are_compared(
    open_view: OpenView,
) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        await shown.send_result(*SHOWN["sponsor-stats"])
        await expect(shown.frame.get_by_text("rising: +23% on the same channels")).to_have_count(1)
        basis = shown.frame.get_by_text("Compared with the period before on 121 channels")
        await expect(basis).to_be_visible()


async def test_trends_show_both_periods_and_what_they_rest_on(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-trends"]) as shown:
        await shown.send_result(*SHOWN["sponsor-trends"])
        rows = shown.frame.locator(".ranked tbody tr")
        await expect(rows.locator(".trend")).to_have_text(
            ["Rising", "Falling", "Steady", "Too little to say"]
        )
        await expect(rows.first.get_by_role("cell").first).to_contain_text(
            "41 before, 84 in this period"
        )
        await expect(rows.nth(3).get_by_role("cell").nth(1)).to_contain_text(
            "0 before, 1 in this period"
        )
        await expect(shown.frame.locator(".legend li")).to_have_text(
            ["This period", "The period before"]
        )
        await shown.frame.get_by_role("columnheader", name="Trend").get_by_role("button").click()
        await expect(rows.locator(".trend").last).to_have_text("Falling")


async def test_every_view_says_what_it_counts_and_what_it_rests_on(open_view: OpenView) -> None:
    catalogue = (
        "These figures speak of the 38,560 videos (4,207 sponsored) of 412 channels that were "
        "looked at, published Mar 4, 2019 – Oct 31, 2026."
        "128 sponsored videos may match too: fields that are filtered by are unknown."
    )
    channel = (
        "These figures speak of the 812 videos of the channel that were looked at, published "
        "May 2, 2019 – Oct 30, 2026.Source: youtube api."
    )
    for name, (arguments, result) in SHOWN.items():
        if "coverage" not in result:
            continue
        async with open_view(BY_NAME[name]) as shown:
            await shown.send_result(arguments, result)
            covered = channel if name == "youtuber-stats" else catalogue
            await expect(shown.frame.locator(".covered")).to_have_text(covered)
            kinds = ", ".join(kind.replace("_", " ") for kind in result["kinds"])
            await expect(shown.frame.get_by_text(f"Kinds counted: {kinds}").first).to_be_visible()


@pytest.mark.parametrize(
    "name", ["sponsor-stats", "sponsor-top", "sponsor-trends", "youtuber-stats"]
)
async def test_an_empty_result_says_why_it_is_empty(open_view: OpenView, name: str) -> None:
    async with open_view(BY_NAME[name]) as shown:
        arguments, result = SHOWN[name]
        empty: dict[str, Any] = {
            **result,
            "series": [],
            "sponsors": [],
            "note": "The data `end` on 2026-10-31.",
        }
        await shown.send_result(arguments, empty)
        await expect(shown.frame.get_by_text("The data end on 2026-10-31.")).to_be_visible()
        await expect(shown.frame.get_by_role("table")).to_have_count(0)
        await expect(shown.frame.locator(".chart")).to_have_count(0)


async def test_trends_without_support_show_the_note_beside_them(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-trends"]) as shown:
        result = {**view_results.sponsor_trends(), "note": "Take a longer period."}
        await shown.send_result({}, result)
        await expect(shown.frame.get_by_text("Take a longer period.")).to_be_visible()
        await expect(shown.frame.locator(".ranked tbody tr")).to_have_count(4)


async def test_a_ranking_names_the_kinds_that_it_leaves_out(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-top"]) as shown:
        await shown.send_result(*SHOWN["sponsor-top"])
        await expect(
            shown.frame.get_by_text("Not in this ranking: 72 sponsorships of kind free product.")
        ).to_be_visible()
        first = shown.frame.locator("tbody tr").first.get_by_role("rowheader")
        await expect(first).to_contain_text("and 1 with a free product")
        await expect(shown.frame.locator(".tile").first).to_have_text(
            "Sponsored videos1,4901,587 sponsorships"
        )


async def test_the_bars_of_a_ranking_by_creators_show_creators(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-top"]) as shown:
        result = {**view_results.sponsor_top(), "metric": "youtubers"}
        await shown.send_result({"metric": "youtubers"}, result)
        await expect(shown.frame.get_by_role("heading", level=1)).to_have_text(
            "Top sponsors by creators"
        )
        await expect(shown.frame.get_by_role("table", name="Bars show creators")).to_be_visible()
        await expect(shown.frame.locator("tbody tr").first.locator(".leads")).to_have_text("212")


async def test_a_status_that_nobody_can_know_is_said_to_be_unknown(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        result = view_results.sponsor_stats()
        result["sponsor"]["status"] = "unknown"
        await shown.send_result({}, result)
        await expect(
            shown.frame.get_by_text("Status: unknown since Oct 30, 2026, last sponsored video")
        ).to_be_visible()


async def test_an_import_is_followed_until_it_ends(open_view: OpenView) -> None:
    steps = [("running", 400), ("running", 560), ("done", 640)]
    first_seen = asyncio.Event()

    async def handle_call(params: dict[str, Any]) -> Any:
        assert params["name"] == "channel.importStatus"
        assert params["arguments"] == {"import_id": "imp_1"}
        await first_seen.wait()
        return view_results.result(view_results.import_status(*steps.pop(0)))

    async with open_view(BY_NAME["import-status"], handle_call=handle_call) as shown:
        await _hurry(shown)
        await shown.send_result({"import_id": "imp_1"}, view_results.import_status("running", 240))
        bar = shown.frame.get_by_role("progressbar")
        await expect(bar).to_have_attribute("aria-valuetext", "240 of 640 videos read")
        first_seen.set()
        await expect(bar).to_have_attribute("aria-valuenow", "100", timeout=15_000)
        await expect(shown.frame.locator(".badge")).to_have_text("done")
        await expect(shown.frame.get_by_role("status")).to_have_text("done. All videos are read.")
        await expect(shown.frame.get_by_role("button")).to_have_count(0)
        await asyncio.sleep(0.5)
        assert len((await shown.received())["calls"]) == 3
        assert steps == []


async def test_following_can_be_paused_and_survives_failures(open_view: OpenView) -> None:
    failing = True

    async def handle_call(_: dict[str, Any]) -> Any:
        if failing:
            error = {"error": {"code": "unavailable", "message": "The importer is resting."}}
            return view_results.result(error, is_error=True)
        return view_results.result(view_results.import_status("done", 640))

    async with open_view(BY_NAME["import-status"], handle_call=handle_call) as shown:
        await _hurry(shown)
        await shown.send_result({"import_id": "imp_1"}, view_results.import_status("running", 240))
        pause = shown.frame.get_by_role("button", name="Pause updates")
        await expect(shown.frame.get_by_role("alert")).to_contain_text("The importer is resting.")
        await pause.click()
        await asyncio.sleep(0.2)
        calls = len((await shown.received())["calls"])
        await asyncio.sleep(0.5)
        assert len((await shown.received())["calls"]) == calls
        failing = False
        await shown.frame.get_by_role("button", name="Follow again").click()
        await expect(shown.frame.locator(".badge")).to_have_text("done")
        await expect(shown.frame.get_by_role("alert")).to_have_count(0)


async def test_a_view_that_is_taken_down_responds_and_sends_nothing_more(
    open_view: OpenView,
) -> None:
    async def handle_call(_: dict[str, Any]) -> Any:
        return view_results.result(view_results.import_status("running", 250))

    async with open_view(BY_NAME["import-status"], handle_call=handle_call) as shown:
        await _hurry(shown)
        await shown.send_result({"import_id": "imp_1"}, view_results.import_status("running", 240))
        await expect(shown.frame.get_by_text("250 of 640 videos read")).to_be_visible()
        assert await shown.host("teardown") == {}
        await asyncio.sleep(0.1)
        calls = len((await shown.received())["calls"])
        await asyncio.sleep(0.5)
        assert len((await shown.received())["calls"]) == calls


async def test_only_messages_of_the_host_count(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-top"]) as shown:
        await shown.send_result(*SHOWN["sponsor-top"])
        forged = {
            "jsonrpc": "2.0",
            "method": "ui/notifications/tool-cancelled",
            "params": {"reason": "forged"},
        }
        await shown.frame.evaluate("(forged) => window.postMessage(forged, '*')", forged)
        await asyncio.sleep(0.1)
        await expect(shown.frame.get_by_text("forged")).to_have_count(0)


async def test_failures_are_shown(open_view: OpenView) -> None:
    async with open_view(BY_NAME["sponsor-stats"]) as shown:
        error = {"error": {"code": "not_found", "message": "No brand is called <b>x</b>."}}
        await shown.send_result({"sponsor": "x"}, error, is_error=True)
        alert = shown.frame.get_by_role("alert")
        await expect(alert).to_have_text("No brand is called <b>x</b>.")
        await shown.host("give", {}, {"content": [{"type": "text", "text": "Plain words."}]})
        await expect(alert).to_have_text("Plain words.")
        await shown.host("cancel", "user action")
        await expect(alert).to_contain_text("cancelled: user action")
        text = view_results.result(view_results.sponsor_stats())["content"]
        await shown.host("give", {}, {"content": text})
        await expect(shown.frame.get_by_role("heading", level=1)).to_have_text("NordVPN")


@pytest.mark.parametrize("viewport", list(VIEWPORTS))
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_view_is_accessible_and_fits_the_screen(
    open_view: OpenView, viewport: str, scheme: Any
) -> None:
    async def later(_: dict[str, Any]) -> Any:
        await asyncio.sleep(60)

    for name, (arguments, result) in SHOWN.items():
        facts = {"handle_call": later, "scheme": scheme, "context": {"theme": scheme}}
        async with open_view(BY_NAME[name], viewport, **facts) as shown:
            await shown.send_result(arguments, result)
            await shown.settled()
            await _picture(shown, f"{name}-{viewport}-{scheme}")
            for summary in await shown.frame.locator("summary").all():
                await summary.click()
            await accessibility.check(shown.frame, name)
            width = await shown.frame.evaluate("document.documentElement.scrollWidth")
            assert width <= VIEWPORTS[viewport][0], f"{name} is {width} wide"


async def test_the_gateways_own_views_show_its_own_results(
    stack: RunningStack, open_view: OpenView
) -> None:
    for tool, arguments in (
        ("sponsor.stats", {"sponsor": "nordvpn", "granularity": "quarter"}),
        ("sponsor.top", {}),
        ("sponsor.compare", {"sponsors": ["nordvpn", "surfshark"]}),
        ("sponsor.trends", {"from": "2022-01-01", "to": "2022-12-31"}),
        ("youtuber.stats", {"youtuber": _somebody(stack)}),
    ):
        (uri,) = [
            item["_meta"]["ui"]["resourceUri"]
            for item in _call(stack, "tools/list")["tools"]
            if item["name"] == tool.replace(".", "_")
        ]
        (content,) = _call(stack, "resources/read", uri=uri)["contents"]
        assert content["mimeType"] == MIME_TYPE
        view = view_of(uri)
        assert view is not None
        async with open_view(view, html=content["text"]) as shown:
            await shown.send_result(arguments, stack.tool_result(tool, arguments))
            await expect(shown.frame.get_by_role("heading", level=1)).to_be_visible()
            await expect(shown.frame.locator(".tile, .ranked").first).to_be_visible()
            await expect(shown.frame.get_by_text("These figures speak of")).to_be_visible()
            await shown.settled()
            await _picture(shown, f"real-{view.name}")


def _somebody(stack: RunningStack) -> str:
    found = stack.tool_result("youtuber.search", {"sort": "sponsored_videos", "limit": 1})
    return found["youtubers"][0]["id"]


def _call(stack: RunningStack, method: str, **params: Any) -> Any:
    """A method of a client that shows views, in the modern era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}
        },
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        "Authorization": f"Bearer {stack.connection['api_key']}",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Accept": "application/json, text/event-stream",
        **({"Mcp-Name": params["uri"]} if "uri" in params else {}),
    }
    response = httpx2.post(stack.connection["mcp_url"], json=body, headers=headers, timeout=15)
    return response.json()["result"]


async def _hurry(shown: Shown) -> None:
    """Lets the view's timers run out twenty times as soon."""
    await shown.frame.evaluate(
        "() => { const wait = window.setTimeout;"
        " window.setTimeout = (act, ms, ...rest) => wait(act, ms / 20, ...rest); }"
    )


async def _picture(shown: Shown, name: str) -> None:
    if not WANTED:
        return
    # A screenshot of the full page would resize the frame in passing.
    width = await shown.page.evaluate("innerWidth")
    height = await shown.page.evaluate("document.documentElement.scrollHeight")
    await shown.page.set_viewport_size({"width": width, "height": height})
    await shown.settled()
    await picture(shown.page, f"views/{name}", full_page=False)
