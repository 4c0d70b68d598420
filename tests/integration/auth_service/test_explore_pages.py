"""The site's pages with data, over a gateway that answers from a table and remembers who requested for what."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from auth_service import app
from auth_service.domain.explore.columns import reference_of
from auth_service.settings import AuthSettings
from catalog_service import MIGRATIONS as CATALOG_MIGRATIONS
from devstack.ports import free_port
from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from servicekit.http import server as http_server
from tests.clients.person import Person
from tests.databases import Databases
from tests.fakes import tool_results
from tests.integration.auth_service.conftest import Service
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import new_settings, running_catalog

TABLES = "youtubers", "videos", "similar", "codes", "series", "kinds"


@dataclass(slots=True)
class Gateway:
    """An MCP endpoint; `failure` is the error of every call, and `name_calls` are those for names of categories."""

    calls: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any], dict[str, Any]]]
    )
    name_calls: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any], dict[str, Any]]]
    )
    results: dict[str, Any] = field(default_factory=tool_results.results)
    failure: dict[str, Any] | None = None

    async def handle(self, request: Request) -> Response:
        message = await request.json()
        token = request.headers["authorization"].removeprefix("Bearer ")
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        if message["method"] == "tools/list":
            return JSONResponse({"result": {"tools": [TOP]}})
        name, arguments = message["params"]["name"], message["params"]["arguments"]
        calls = self.calls if claims["sub"] or name != "category.list" else self.name_calls
        calls.append((name, arguments, claims))
        if self.failure is not None:
            return JSONResponse({"error": self.failure}, 429)
        content = self.results[name]
        if callable(content):
            content = content(arguments)
        text = json.dumps(content)
        quota = {"limit": 30, "remaining": 12, "resets_at": "2026-12-01T00:00:00Z"}
        result = {"content": [{"type": "text", "text": text}], "structuredContent": content}
        return JSONResponse({"result": {**result, "_meta": {"sponsorgraph/quota": quota}}})


TOP = {
    "name": "sponsor.top",
    "title": "Rank sponsors",
    "description": "Rank the most active brands.",
    "inputSchema": {
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "category": {"type": "string"}},
    },
    "_meta": {"ui": {"resourceUri": "ui://sponsorgraph/sponsor-top"}},
}


@pytest.fixture
async def gateway() -> AsyncGenerator[tuple[Gateway, str]]:
    made, port = Gateway(), free_port()
    endpoint = Starlette(routes=[Route("/mcp", made.handle, methods=["POST"])])
    async with http_server.serve_http(endpoint, "127.0.0.1", port, 1):
        yield made, f"http://127.0.0.1:{port}/mcp"


@asynccontextmanager
async def site(
    auth_settings: AuthSettings, gateway: tuple[Gateway, str], **changes: Any
) -> AsyncGenerator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    changes |= {"http_port": port, "site_url": url, "gateway_url": gateway[1]}
    async with app.serve(auth_settings.model_copy(update=changes)):
        yield url


@pytest.fixture
async def site_url(
    auth_settings: AuthSettings, gateway: tuple[Gateway, str]
) -> AsyncGenerator[str]:
    async with site(auth_settings, gateway) as url:
        yield url


@pytest.fixture
async def visitor(service: Service, site_url: str) -> AsyncGenerator[Person]:
    async with Person(site_url) as person:
        person.email = await service.account("free")
        await person.log_in(person.email)
        yield person


async def test_a_brands_page_counts_once_and_is_free_afterwards(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    page = await visitor.visit("/explore/sponsors/nordvpn")
    assert page.status_code == 200
    assert "counted as 1 request" in page.text
    assert "12 left this month" in page.text
    included = [claims.get("included", False) for _, _, claims in gateway[0].calls]
    assert included == [False, True, True, True, True]
    again = await visitor.visit("/explore/sponsors/nordvpn")
    assert "This page was free" in again.text
    assert len(gateway[0].calls) == 5


def _sponsored_video(video_id: str) -> dict[str, Any]:
    return {
        "video": {
            "video_id": video_id,
            "title": None,
            "url": f"https://www.youtube.com/watch?v={video_id}",
            "format": "unknown",
            "published_at": "2024-05-01",
            "views": 1200,
        },
        "youtuber": {"name": "Lakeside Diary", "handle": "@lakeside", "id": "1"},
        "kind": "promo_code",
        "code": "LAKE",
        "evidence": {"excerpt": None},
        "confidence": 0.9,
    }


async def test_thumbnails_come_from_youtube_only_after_a_press(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    listed = gateway[0].results["sponsor.recentVideos"]
    rows = [_sponsored_video("aaaaaaaaaa1"), _sponsored_video("/../evil")]
    gateway[0].results["sponsor.recentVideos"] = {**listed, "videos": rows}
    plain = await visitor.visit("/explore/sponsors/nordvpn")
    assert "i.ytimg.com" not in plain.text
    assert "i.ytimg.com" not in plain.headers["content-security-policy"]
    assert 'href="/explore/sponsors/nordvpn?thumbnails=on"' in plain.text
    shown = await visitor.visit("/explore/sponsors/nordvpn?thumbnails=on")
    assert shown.text.count('class="thumbnail"') == 1
    assert 'src="https://i.ytimg.com/vi/aaaaaaaaaa1/mqdefault.jpg"' in shown.text
    assert "img-src 'self' https://i.ytimg.com data:" in shown.headers["content-security-policy"]
    assert "Show thumbnails" not in shown.text


async def test_thumbnails_are_offered_where_a_video_has_a_link(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    listed = gateway[0].results["sponsor.recentVideos"]
    rows = [_sponsored_video("/../evil")]
    gateway[0].results["sponsor.recentVideos"] = {**listed, "videos": rows}
    page = await visitor.visit("/explore/sponsors/nordvpn")
    assert "Show thumbnails" not in page.text


async def test_names_of_strangers_stay_text(visitor: Person) -> None:
    page = await visitor.visit("/explore/sponsors/nordvpn")
    assert tool_results.HOSTILE not in page.text
    assert "&lt;img src=x" in page.text
    assert "\\u003cimg src=x" in page.text


async def test_a_token_of_the_site_is_resolved_to_the_account_while_it_is_enabled(
    service: Service, visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.visit("/explore/rankings")
    (claims,) = [call[2] for call in gateway[0].calls if call[0] == "sponsor.top"]
    assert claims["exp"] - claims["iat"] == 60
    request = pb.ResolveGrantRequest(grant_id=claims["gid"])
    credential = await service.call(service.access.ResolveGrant, request)
    assert credential.entitlements.account_id == claims["sub"]
    assert list(credential.scopes) == ["catalog:read", "account:read"]
    disabled = pb.SetDisabledRequest(email=visitor.email, disabled=True)
    await service.operate(service.operations.SetDisabled, disabled)
    with pytest.raises(Unauthenticated) as refusal:
        await service.call(service.access.ResolveGrant, request)
    assert refusal.value.reason == "ACCOUNT_DISABLED"


@pytest.mark.parametrize(
    ("code", "status", "heading", "link"),
    [
        ("quota_exceeded", 429, "No requests are left this month", "/plans"),
        ("plan_required", 403, "Your plan does not include this", "/plans"),
        ("not_found", 404, "Not in the catalogue", 'action="/explore"'),
        ("unavailable", 503, "not available now", "Load again"),
    ],
)
async def test_a_failure_is_a_page_that_says_what_to_do(
    visitor: Person, gateway: tuple[Gateway, str], code: str, status: int, heading: str, link: str
) -> None:
    gateway[0].failure = {"code": 1, "message": "Did you mean `x`?", "data": {"code": code}}
    page = await visitor.visit("/explore/sponsors/zzz")
    assert page.status_code == status
    for text in (heading, link, "Did you mean x?", "It was not counted"):
        assert text in page.text


async def test_a_table_is_csv_page_by_page_and_safe_from_formulas(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    def youtubers(arguments: dict[str, Any]) -> Any:
        pages = {None: "two", "two": "three", "three": None}
        return tool_results.youtubers(50, pages[arguments.get("cursor")])

    gateway[0].results["sponsor.youtubers"] = youtubers
    response = await visitor.client.get("/explore/sponsors/nordvpn/youtubers.csv?sort=views")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="nordvpn-youtubers.csv"' in response.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert len(rows) == 150
    assert rows[0]["youtuber"] == "Creator 1"
    assert rows[0]["channel_id"] == "UC" + "x" * 22
    assert rows[0]["codes"].startswith("'=HYPERLINK")
    assert [call[1]["sort"] for call in gateway[0].calls] == ["views"] * 3
    assert not any(call[2].get("included") for call in gateway[0].calls)


async def test_rows_of_several_pages_keep_their_order_where_the_tool_cannot_sort_them(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    def youtubers(arguments: dict[str, Any]) -> Any:
        return tool_results.youtubers(50, None if arguments.get("cursor") else "two")

    gateway[0].results["sponsor.youtubers"] = youtubers
    path = "/explore/sponsors/nordvpn/youtubers"
    plain = await visitor.client.get(f"{path}.csv")
    descending = await visitor.client.get(f"{path}.csv?sort=codes")
    assert descending.text == plain.text
    page = await visitor.client.get(f"{path}?sort=codes")
    assert "Only the rows shown here are sorted. The CSV of all of them is not." in page.text
    assert "1 request for every 50 rows" in page.text


async def test_a_table_that_is_shown_whole_is_sorted_without_another_request(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    path = "/explore/sponsors/nordvpn/youtubers"
    plain = await visitor.visit(path)
    assert "counts as 1 request, unless" not in plain.text
    for suffix, names in (
        ("?sort=videos", ["Creator 2", "Creator 1"]),
        ("?sort=views", ["Creator 1", "Creator 2"]),
    ):
        page = await visitor.visit(f"{path}{suffix}")
        assert "This page was free" in page.text
        assert sorted(names, key=page.text.index) == names
        rows = csv.DictReader(io.StringIO((await visitor.client.get(f"{path}.csv{suffix}")).text))
        assert [row["youtuber"] for row in rows] == names
    assert len(gateway[0].calls) == 1


async def test_sorting_a_table_of_several_pages_says_its_price(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].results["sponsor.youtubers"] = tool_results.youtubers(50, "more")
    path = "/explore/sponsors/nordvpn/youtubers"
    page = await visitor.visit(path)
    assert "A press on Sponsored videos or Latest or Views counts as 1 request" in page.text
    page = await visitor.visit(f"{path}?sort=views")
    assert "This page counted as 1 request" in page.text
    assert [call[1].get("sort") for call in gateway[0].calls] == [None, "views"]


async def test_what_was_found_is_sorted_by_every_column(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    counts = {"youtubers": 1, "views": 1, "last_seen": None, "status": "unseen"}
    found = [
        {**tool_results.brand(name.lower(), name), "videos": videos, **counts}
        for name, videos in (("Few", 1), ("Many", 9))
    ]
    gateway[0].results["sponsor.search"] |= {"sponsors": found}
    page = await visitor.visit("/explore?q=nord&sort=videos")
    assert page.text.index("Many") < page.text.index("Few")
    assert "no sponsorship known" in page.text


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/explore/rankings?since=2024-01-01&until=2020-01-01&category=zzz", 'value="2020-01-01"'),
        ("/explore/rankings?category=zzz", '<option value="zzz" selected>'),
        ("/explore/compare?brands=nordvpn&brands=zzqqxx", 'value="zzqqxx"'),
    ],
)
async def test_a_wrong_entry_is_mended_in_the_form_that_it_came_from(
    visitor: Person, gateway: tuple[Gateway, str], path: str, shown: str
) -> None:
    gateway[0].failure = {"code": 1, "message": "No.", "data": {"code": "not_found"}}
    page = await visitor.visit(path)
    assert page.status_code == 404
    assert shown in page.text
    assert "It was not counted" in page.text


async def test_a_comparison_of_one_brand_says_what_is_missing(visitor: Person) -> None:
    for query in ("brands=nordvpn&brands=", "brands=nordvpn&brands=nordvpn"):
        page = await visitor.visit(f"/explore/compare?{query}")
        assert "Give two brands or more, each once." in page.text


async def test_a_comparison_that_a_brands_page_leads_to_has_that_brand_in_its_form(
    visitor: Person,
) -> None:
    page = await visitor.visit("/explore/compare?brands=nordvpn")
    assert 'value="nordvpn"' in page.text
    for query in ("?brands=nordvpn", ""):
        page = await visitor.visit(f"/explore/compare{query}")
        assert "Give two brands" not in page.text


async def test_a_search_has_what_it_found_first(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    note = "No brand matches `search` Few. 'Few' is a creator: Few (yt_1). Search with `youtuber.search`."
    gateway[0].results["sponsor.search"] |= {"note": note}
    assert "is a creator" in (await visitor.visit("/explore?q=nobody")).text
    creator = tool_results.youtubers(1)["youtubers"][0]["youtuber"]
    counts = {"category": None, "sponsored_videos": 1, "sponsors": 1, "last_sponsored": None}
    gateway[0].results["youtuber.search"] |= {"youtubers": [{**creator, **counts}]}
    page = (await visitor.visit("/explore?q=few")).text
    assert page.index('id="youtubers-title"') < page.index('id="sponsors-title"')
    assert "No brands match." in page
    assert "is a creator" not in page


async def test_a_search_says_which_kinds_its_figures_count(visitor: Person) -> None:
    page = await visitor.visit("/explore?q=nord")
    assert "Kinds counted: paid sponsorship, promo code, affiliate, free product." in page.text


@pytest.mark.parametrize(
    ("path", "with_period", "without"),
    [
        (
            "sponsors/nordvpn",
            {"sponsor.stats", "sponsor.youtubers", "sponsor.recentVideos"},
            {"sponsor.get", "sponsor.similar"},
        ),
        (
            "youtubers/@lakeside",
            {"youtuber.stats", "youtuber.sponsors", "youtuber.recentVideos"},
            {"youtuber.prospects"},
        ),
        ("sponsors/nordvpn/youtubers", {"sponsor.youtubers"}, set[str]()),
    ],
)
async def test_a_page_of_a_brand_or_creator_is_about_the_period_of_its_address(
    visitor: Person,
    gateway: tuple[Gateway, str],
    path: str,
    with_period: set[str],
    without: set[str],
) -> None:
    page = await visitor.visit(f"/explore/{path}?since=2023-01-01&until=2023-12-31")
    assert '<input id="since" name="since" type="date" value="2023-01-01">' in page.text
    period = "2023-01-01", "2023-12-31"
    requested = {
        name: (arguments.get("since"), arguments.get("until"))
        for name, arguments, _ in gateway[0].calls
    }
    assert {name for name, days in requested.items() if days == period} == with_period
    assert {name for name, days in requested.items() if days == (None, None)} == without


async def test_a_page_of_a_period_is_free_by_the_brands_other_name(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.visit("/explore/sponsors/nordvpn?since=2023-01-01")
    number = gateway[0].results["sponsor.stats"]["sponsor"]["id"]
    page = await visitor.visit(f"/explore/sponsors/{number}?since=2023-01-01")
    assert "This page was free" in page.text
    page = await visitor.visit("/explore/sponsors/nordvpn")
    assert "This page counted as 1 request" in page.text


async def test_a_wrong_period_of_a_brand_is_mended_in_its_form(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].failure = {"code": 1, "message": "No.", "data": {"code": "invalid_arguments"}}
    page = await visitor.visit("/explore/sponsors/nordvpn?since=2030-01-01")
    assert 'value="2030-01-01"' in page.text
    assert 'action="/explore/sponsors/nordvpn"' in page.text


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("/explore?q=Nord", "/explore?q=NORD"),
        ("/explore/sponsors/nordvpn", "/explore/sponsors/NordVPN"),
        ("/explore/sponsors/nordvpn", "/explore/sponsors/{sponsor}"),
        ("/explore/youtubers/@lakeside", "/explore/youtubers/{youtuber}"),
    ],
)
async def test_a_page_is_counted_once_by_whichever_name(
    visitor: Person, gateway: tuple[Gateway, str], first: str, again: str
) -> None:
    await visitor.visit(first)
    results = gateway[0].results
    numbers = {
        "sponsor": results["sponsor.stats"]["sponsor"]["id"],
        "youtuber": results["youtuber.stats"]["youtuber"]["id"],
    }
    page = await visitor.visit(again.format(**numbers))
    assert "This page counted as 1 request" not in page.text
    assert page.status_code == 200


async def test_a_csv_ends_at_ten_thousand_rows(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    def youtubers(arguments: dict[str, Any]) -> Any:
        return tool_results.youtubers(50, str(int(arguments.get("cursor", 0)) + 1))

    gateway[0].results["sponsor.youtubers"] = youtubers
    response = await visitor.client.get("/explore/sponsors/nordvpn/youtubers.csv")
    assert response.text.count("\r\n") == 10_001
    assert len(gateway[0].calls) == 200


async def test_a_csv_that_cannot_go_on_says_so_in_its_last_row(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    def youtubers(_arguments: dict[str, Any]) -> Any:
        gateway[0].failure = {"message": "None left.", "data": {"code": "quota_exceeded"}}
        return tool_results.youtubers(50, "more")

    gateway[0].results["sponsor.youtubers"] = youtubers
    response = await visitor.client.get("/explore/sponsors/nordvpn/youtubers.csv")
    assert response.text.rstrip().splitlines()[-1] == "Not all rows: None left."


@pytest.mark.parametrize(
    "path",
    [
        "/explore",
        "/explore?q=nord",
        "/explore/youtubers/@marlene",
        "/explore/rankings?category=vpn&kinds=affiliate&since=2024-01-01",
        "/explore/compare",
        "/explore/compare?brands=a&brands=b",
        "/explore/categories/vpn",
        *(f"/explore/sponsors/nordvpn/{table}" for table in TABLES),
        "/explore/rankings/sponsors.csv",
        "/explore/compare/sponsors.csv?brands=a,b",
        "/explore/categories/vpn/trends.csv",
        "/console",
    ],
)
async def test_every_page_is_shown(visitor: Person, path: str) -> None:
    response = await visitor.visit(path)
    assert response.status_code == 200, response.text


async def test_filters_reach_the_tool(visitor: Person, gateway: tuple[Gateway, str]) -> None:
    await visitor.visit(
        "/explore/rankings?metric=views&category=vpn&country=DE&since=2024-01-01&until=&kinds=affiliate"
    )
    (arguments,) = [call[1] for call in gateway[0].calls if call[0] == "sponsor.top"]
    assert arguments == {
        "metric": "views",
        "category": "vpn",
        "country": "DE",
        "since": "2024-01-01",
        "kinds": ["affiliate"],
        "limit": 50,
    }


@pytest.mark.parametrize(
    ("path", "prompt"),
    [
        (
            "rankings?metric=views&category=vpn&country=DE&until=2024-12-31&kinds=free_product",
            "Which brands sponsor most by views in vpn with creators whose country is Germany from the first day to 31 Dec 2024 "
            "(free product alone)?",
        ),
        ("rankings", "Which brands sponsor most?"),
        ("compare?brands=a,b&since=2024-01-01", "Compare the sponsorships of {brands} from 1 Jan 2024 to today."),
    ],
)  # fmt: skip
async def test_the_prompt_for_an_ai_has_the_filters_of_the_page(
    visitor: Person, gateway: tuple[Gateway, str], path: str, prompt: str
) -> None:
    compared = gateway[0].results["sponsor.compare"]["sponsors"]
    brands = " and ".join(item["sponsor"]["name"] for item in compared)

    page = await visitor.visit(f"/explore/{path}")

    assert f"<q>{prompt.format(brands=brands)}</q>" in html.unescape(page.text)


@pytest.mark.parametrize(
    ("spelling", "own"),
    [("sponsors/nordvpn.com", "sponsors/nordvpn"), ("youtubers/Marlene Baut", "youtubers/{own}")],
)
async def test_a_page_by_another_spelling_is_free_at_its_own_address(
    visitor: Person, gateway: tuple[Gateway, str], spelling: str, own: str
) -> None:
    reference = reference_of(gateway[0].results["youtuber.stats"]["youtuber"])
    assert "counted as 1 request" in (await visitor.visit(f"/explore/{spelling}")).text
    page = await visitor.visit(f"/explore/{own.format(own=reference)}")
    assert "This page was free" in page.text


async def test_a_ranking_in_another_spelling_is_free(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.visit("/explore/rankings?metric=videos&country=de")
    page = await visitor.visit("/explore/rankings?country=DE")
    assert "This page was free" in page.text
    assert "/explore/rankings?country=DE&amp;metric=views" in page.text
    assert [call[0] for call in gateway[0].calls] == ["sponsor.top"]


async def test_a_category_counts_the_kinds_that_its_ranking_counts(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    counts = {"sponsors": 1400, "youtubers": 78, "videos": 475}
    known = {"id": "vpn", "name": "VPN", "scope": "sponsor", "parent": None, **counts}
    gateway[0].results["category.list"]["categories"] = [known]
    page = await visitor.visit("/explore/categories/vpn")
    assert "Of all time: 475 sponsored videos of 78 creators." in page.text
    assert "1,400 brands are known, those without sponsorships included." in page.text
    arguments = [call[1] for call in gateway[0].calls if call[0] == "category.list"]
    assert arguments == [{"kinds": ["paid_sponsorship", "promo_code", "affiliate"]}]


async def test_each_table_of_a_category_is_sorted_by_its_own_headings(visitor: Person) -> None:
    page = (await visitor.visit("/explore/categories/vpn")).text
    links = re.findall(r'href="(/explore/categories/vpn\?[^"]*sort=videos[^"]*)"', page)
    of_trends = [html.unescape(link) for link in links if "table=trends" in link]
    assert len(of_trends) == 1
    ranked, trends = (await visitor.visit(of_trends[0])).text.split("Rising and falling", 1)
    assert 'aria-sort="descending"' not in ranked
    assert 'aria-sort="descending"' in trends


async def test_files_are_compressed_and_pages_with_forms_are_not(visitor: Person) -> None:
    accepted = {"Accept-Encoding": "gzip"}
    for path, coding in (
        ("/static/site.css", "gzip"),
        ("/static/htmx.min.js", "gzip"),
        ("/static/explore.js", "gzip"),
        ("/explore", None),
    ):
        response = await visitor.client.get(path, headers=accepted)
        assert (response.status_code, response.headers.get("content-encoding")) == (200, coding)


async def test_the_address_of_all_categories_leads_to_their_list(visitor: Person) -> None:
    shown = await visitor.visit("/explore/categories")
    assert shown.url.path == "/explore"


def _named(category_id: str, name: str, parent: str | None = None) -> dict[str, Any]:
    counts = {"sponsors": 2, "youtubers": 3, "videos": 4}
    return {"id": category_id, "name": name, "scope": "sponsor", "parent": parent, **counts}


async def test_the_first_page_of_data_lists_the_categories_and_counts_nothing(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].results["category.list"]["categories"] = [
        _named("tech", "Technology"),
        {**_named("security", "VPN & security", "tech"), "videos": 1204, "sponsors": 1},
    ]
    for _ in range(2):
        page = await visitor.visit("/explore")
        assert (
            '<a href="/explore/categories/security">VPN &amp; security</a> '
            '<span class="muted">1,204 videos, 1 brand</span>' in page.text
        )
    ((_, arguments, claims),) = gateway[0].name_calls
    # As on the page of a category.
    assert arguments == {"kinds": ["paid_sponsorship", "promo_code", "affiliate"]}
    assert claims["included"]
    assert gateway[0].calls == []


async def test_another_word_for_a_category_leads_to_its_page(
    auth_settings: AuthSettings,
    service: Service,
    gateway: tuple[Gateway, str],
    databases: Databases,
) -> None:
    gateway[0].results["category.list"]["categories"] = [_named("security", "VPN & security")]
    async with (
        running_catalog(new_settings(databases.migrated(CATALOG_MIGRATIONS))) as catalog,
        site(auth_settings, gateway, catalog_target=catalog.target) as url,
        Person(url) as person,
    ):
        await person.log_in(await service.account("free"))
        response = await person.client.get("/explore/categories/vpn?since=2024-01-01")
        assert response.status_code == 303
        assert response.headers["location"] == "/explore/categories/security?since=2024-01-01"
        assert gateway[0].calls == []
        page = await person.visit("/explore/categories/vpn?since=2024-01-01")
        assert "<h1><bdi>VPN &amp; security</bdi></h1>" in page.text
        assert '<input id="since" name="since" type="date" value="2024-01-01">' in page.text
        (arguments,) = [call[1] for call in gateway[0].calls if call[0] == "sponsor.trends"]
        assert arguments == {"category": "security", "since": "2024-01-01", "limit": 50}


async def test_a_page_by_another_spelling_leads_to_its_own_address_and_is_not_counted(
    auth_settings: AuthSettings,
    service: Service,
    gateway: tuple[Gateway, str],
    databases: Databases,
) -> None:
    async with (
        running_catalog(new_settings(databases.migrated(CATALOG_MIGRATIONS))) as catalog,
        site(auth_settings, gateway, catalog_target=catalog.target) as url,
        Person(url) as person,
    ):
        await catalog.ingest(example.FACTS)
        await person.log_in(await service.account("free"))
        for spelling, own in (
            ("sponsors/Azura", "sponsors/azura-vpn"),
            ("sponsors/azura%20VPN", "sponsors/azura-vpn"),
            ("sponsors/azuravpn.com?since=2024-01-01", "sponsors/azura-vpn?since=2024-01-01"),
            ("youtubers/Ada%20L%C3%B6ve", "youtubers/@AdaLoeve"),
            (f"youtubers/{example.ADA_CHANNEL}", "youtubers/@AdaLoeve"),
            ("youtubers/Dan%20Daily", "youtubers/{dan}"),
        ):
            response = await person.client.get(f"/explore/{spelling}")
            dan = (await catalog.call("GetYoutuber", youtuber="Dan Daily")).youtuber.id
            address = f"/explore/{own.format(dan=dan)}"
            assert (response.status_code, response.headers["location"]) == (303, address)
        assert gateway[0].calls == []
        for own in ("sponsors/azura-vpn", "sponsors/AZURA-VPN", "youtubers/@adaloeve"):
            assert (await person.client.get(f"/explore/{own}")).status_code == 200


@pytest.mark.parametrize("path", ["/explore/sponsors/nordvpn/x", "/explore/sponsors/nordvpn/x.csv"])
async def test_a_table_that_is_none_is_not_found(visitor: Person, path: str) -> None:
    assert (await visitor.visit(path)).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/explore/sponsors/nordvpn/youtubers",
        "/explore/sponsors/nordvpn/youtubers.csv",
        "/explore/rankings",
        "/explore/rankings/sponsors.csv",
        "/explore/compare?brands=a,b",
        "/explore/categories/vpn",
    ],
)
async def test_an_order_by_no_column_is_refused_before_it_counts(
    visitor: Person, gateway: tuple[Gateway, str], path: str
) -> None:
    response = await visitor.visit(f"{path}{'&' if '?' in path else '?'}sort=zzz")
    assert (response.status_code, gateway[0].calls) == (400, [])
    assert "Sort by one of the columns" in response.text


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("HEAD", "/explore/sponsors/nordvpn", {}, 204),
        ("GET", "/explore/rankings", {"Sec-Purpose": "prefetch;prerender"}, 503),
        ("GET", "/explore/sponsors/nordvpn", {"Purpose": "prefetch"}, 503),
        ("GET", "/explore/rankings/sponsors.csv", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", "/explore/sponsors/nordvpn/videos.csv", {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET", "/explore/sponsors.csv", {}, 400),
    ],
)
async def test_a_load_that_nobody_wanted_calls_nothing(
    visitor: Person,
    gateway: tuple[Gateway, str],
    method: str,
    path: str,
    headers: dict[str, str],
    status: int,
) -> None:
    response = await visitor.client.request(method, path, headers=headers)
    assert (response.status_code, gateway[0].calls) == (status, [])


async def test_suggestions_are_free_and_have_the_names_of_brands_and_creators(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    brand = {"id": "sp_1", "slug": "nordvpn", "name": "NordVPN"}
    creators = [
        {"id": "yt_1", "channel_id": "UC" + "x" * 22, "handle": "@nordlicht", "name": "Nordlicht"},
        {"id": "yt_2", "channel_id": "UC" + "y" * 22, "handle": None, "name": "Nordwind"},
    ]
    gateway[0].results["sponsor.search"] = {"sponsors": [brand]}
    gateway[0].results["youtuber.search"] = {"youtubers": creators}
    found = (await visitor.client.get("/explore/suggestions?q=nord")).json()
    assert found == [
        {"name": "NordVPN", "reference": "nordvpn", "label": "Brand"},
        {"name": "Nordlicht", "reference": "@nordlicht", "label": "Creator, @nordlicht"},
        {"name": "Nordwind", "reference": "UC" + "y" * 22, "label": "Creator"},
    ]
    assert all(call[2]["included"] for call in gateway[0].calls)
    gateway[0].calls.clear()
    assert (await visitor.client.get("/explore/suggestions?q=n")).json() == []
    assert gateway[0].calls == []


async def test_a_search_is_counted_after_its_suggestions_were_free(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.client.get("/explore/suggestions?q=nord")
    gateway[0].calls.clear()
    await visitor.visit("/explore?q=nord")
    counted = [call[0] for call in gateway[0].calls if not call[2].get("included")]
    assert counted == ["sponsor.search"]


async def test_the_form_works_without_suggestions(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].failure = {"message": "Too many calls at once.", "data": {"code": "rate_limited"}}
    assert (await visitor.client.get("/explore/suggestions?q=nord")).json() == []


async def test_the_console_runs_a_tool_and_shows_its_result_in_every_form(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.visit("/console?tool=sponsor.top")
    page = await visitor.submit("/console", **{"argument.limit": "3", "argument.category": "vpn"})
    assert gateway[0].calls[0][:2] == ("sponsor.top", {"limit": 3, "category": "vpn"})
    for text in (
        "/static/views/sponsor-top.js",
        "answer-json",
        "answer-text",
        "curl -s",
        "import httpx",
    ):
        assert text in page.text


async def test_a_view_in_the_console_has_days_as_pages_show_them_and_json_as_it_is(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].results["sponsor.top"]["note"] = "The data end on 2026-11-02."
    await visitor.visit("/console?tool=sponsor.top")
    page = (await visitor.submit("/console")).text
    assert '"note": "The data end on 2 Nov 2026."' in page
    assert page.count("The data end on 2026-11-02.") == 2


async def test_the_console_refuses_a_number_that_is_none(
    visitor: Person, gateway: tuple[Gateway, str]
) -> None:
    await visitor.visit("/console?tool=sponsor.top")
    page = await visitor.submit("/console", **{"argument.limit": "three"})
    assert (page.status_code, gateway[0].calls) == (400, [])
    assert "limit must be a number" in page.text


async def test_the_first_page_shows_examples_that_count_for_nobody(
    site_url: str, gateway: tuple[Gateway, str]
) -> None:
    async with Person(site_url) as anybody:
        page = await anybody.visit("/")
        assert "Answers from the catalogue" in page.text
        await anybody.visit("/")
    assert [call[0] for call in gateway[0].calls] == [
        "sponsor.top", "sponsor.youtubers", "sponsor.similar",
    ]  # fmt: skip
    assert all(call[2]["included"] for call in gateway[0].calls)


async def test_the_first_page_does_without_the_gateway(
    site_url: str, gateway: tuple[Gateway, str]
) -> None:
    gateway[0].failure = {"message": "Away.", "data": {"code": "unavailable"}}
    async with Person(site_url) as anybody:
        for _ in range(3):
            page = await anybody.visit("/")
            assert page.status_code == 200
            assert "Answers from the catalogue" not in page.text
    assert len(gateway[0].calls) == 1
