"""The pages of every service have one design: its colours, its frame, its icon."""

import re
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import quote

import httpx2
import pytest

from auth_service.web.app import http_app
from auth_service.web.pages import pages
from gateway.web.browser_pages import BrowserPages
from servicekit.web.documents import ICON, PageParts, page
from servicekit.web.style import style_sheet

SHARED: Final = style_sheet("")
FIRST_LOAD: Final = {"gateway": 11_600, "site.css": 21_500}
"""The most bytes that a first visit may take, as before services shared a design."""


@pytest.fixture
def gateway_page() -> str:
    return BrowserPages("https://mcp.example", "https://site.example", "0.1.0")._about


@pytest.fixture
def site_page() -> str:
    template = pages("https://site.example", "https://mcp.example/mcp").environment
    return template.get_template("message.html").render(
        heading="Sent", account=None, csrf="", version="0.1.0", text="x", link=None, label=None
    )


@pytest.fixture
async def site() -> httpx2.AsyncClient:
    unused: Any = SimpleNamespace(oauth=None)  # of files, no route reads it
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(http_app(unused)), base_url="https://site.example"
    )


def _outline(document: str) -> list[str]:
    """Return the elements and classes of a frame, without what its service fills in."""
    return re.findall(
        r'<(?:meta|link rel="icon"|header|a class="(?:skip|wordmark)"|main|footer)[^>]*?>', document
    )


async def test_every_service_has_the_shared_rules_first_and_then_its_own(
    gateway_page: str, site: httpx2.AsyncClient
) -> None:
    served = (await site.get("/static/site.css")).text
    (inline,) = re.findall(r"<style>(.*?)</style>", gateway_page, re.DOTALL)
    for style in (served, inline):
        assert style.startswith(SHARED)
        assert len(style) > len(SHARED)
    assert "--accent:#0a6a57" in SHARED
    assert "prefers-color-scheme:dark" in SHARED
    assert "/*" not in SHARED


@pytest.mark.parametrize("service", ["gateway.web/pages/page.css", "auth_service.web/site.css"])
def test_no_service_writes_a_shared_rule_or_a_colour_again(service: str) -> None:
    package, _, path = service.partition("/")
    own = re.sub(r"\s+", " ", files(package).joinpath(path).read_text(encoding="utf-8"))
    declared = set(re.findall(r"[^{}]+\{[^{}]+\}", SHARED))
    assert len(declared) > 40
    assert not [rule for rule in declared if rule.strip() in own]
    assert not re.findall(r"#[0-9a-f]{3,8}\b(?=[^{}]*;)", own)
    assert "--bg:" not in own


def test_a_page_of_each_service_stands_in_the_same_frame(gateway_page: str, site_page: str) -> None:
    parts = dict.fromkeys(
        ("title", "head", "icon", "home", "navigation", "content", "version"), "x"
    )
    frame = [re.sub(r'="[^"#]*"', "", tag) for tag in _outline(page(PageParts(**parts)))]
    assert len(frame) == 11
    for document in (gateway_page, site_page):
        tags = [re.sub(r'="[^"#]*"', "", tag) for tag in _outline(document)]
        remaining = iter(tags)
        assert all(tag in remaining for tag in frame), tags


async def test_the_icon_of_every_service_is_one(
    gateway_page: str, site: httpx2.AsyncClient
) -> None:
    drawing = ICON.read_text(encoding="utf-8")
    assert drawing.startswith("<svg ")
    served = await site.get("/static/icon.svg")
    assert (served.text, served.headers["content-type"]) == (drawing, "image/svg+xml")
    assert set(re.findall(r'"data:image/svg\+xml,([^"]*)"', gateway_page)) == {quote(drawing)}


async def test_the_style_of_the_site_is_cached_and_validated(site: httpx2.AsyncClient) -> None:
    first = await site.get("/static/site.css")
    assert first.status_code == 200
    assert first.headers["content-type"] == "text/css; charset=utf-8"
    script = await site.get("/static/site.js")
    for name in ("cache-control", "x-content-type-options", "referrer-policy", "x-frame-options"):
        assert first.headers[name] == script.headers[name]
    again = await site.get("/static/site.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "public, max-age=3600"
    changed = await site.get("/static/site.css", headers={"if-none-match": '"other"'})
    assert changed.status_code == 200
    head = await site.head("/static/site.css")
    assert (head.content, head.headers["etag"]) == (b"", first.headers["etag"])


async def test_a_first_visit_stays_light(
    gateway_page: str, site_page: str, site: httpx2.AsyncClient
) -> None:
    assert len(gateway_page.encode()) <= FIRST_LOAD["gateway"]
    assert len((await site.get("/static/site.css")).content) <= FIRST_LOAD["site.css"]
    assert re.findall(r'rel="stylesheet" href="([^"]*)"', site_page) == ["/static/site.css"]
