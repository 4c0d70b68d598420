"""People who open the address of programs in a browser are led on; programs get what they got before."""

import base64
import hashlib
import re

import pytest

from gateway.web.browser_pages import prefers_html
from tests.integration.gateway.conftest import Service

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/"])
async def test_a_browser_is_shown_how_to_connect(service: Service, path: str) -> None:
    reply = await service.http.get(path, headers={"accept": CHROMIUM})
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    address, site = f"{service.settings.base_url}/mcp", service.settings.site_url
    for client in ("Claude", "ChatGPT", "Cursor", "VS Code", "Claude Code", "mcp-remote"):
        assert client in reply.text
    assert f"claude mcp add --transport http sponsorgraph {address}" in reply.text
    assert f"curl -s {address}" in reply.text
    assert f'href="{site}/signup"' in reply.text
    assert "$" not in reply.text


@pytest.mark.parametrize("path", ["/mcp", "/", "/nowhere"])
async def test_head_gets_the_fields_of_get_without_the_body(service: Service, path: str) -> None:
    page = await service.http.get(path, headers={"accept": CHROMIUM})
    head = await service.http.head(path, headers={"accept": CHROMIUM})
    assert head.status_code == page.status_code
    assert head.content == b""
    for name in ("content-type", "content-length", "content-security-policy", "vary"):
        assert head.headers[name] == page.headers[name]
    program = await service.http.head("/mcp", headers={"accept": "application/json"})
    assert (program.status_code, program.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(("path", "status"), [("/mcp", 200), ("/", 200), ("/nowhere", 404)])
async def test_a_page_loads_and_runs_nothing(service: Service, path: str, status: int) -> None:
    reply = await service.http.get(path, headers={"accept": CHROMIUM})
    assert reply.status_code == status
    policy = reply.headers["content-security-policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", reply.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    assert "<script" not in reply.text
    assert 'style="' not in reply.text
    assert all(source.startswith("data:") for source in re.findall(r'src="([^"]*)"', reply.text))
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["vary"] == "Accept"
    assert "prefers-color-scheme:dark" in style


async def test_an_unknown_address_has_a_way_home_and_repeats_nothing(service: Service) -> None:
    reply = await service.http.get(
        "/nowhere%3Cb%3E", headers={"accept": CHROMIUM, "host": "evil.example"}
    )
    assert reply.status_code == 404
    assert f'href="{service.settings.site_url}/"' in reply.text
    assert f'href="{service.settings.base_url}/mcp"' in reply.text
    assert "evil.example" not in reply.text
    assert "nowhere" not in reply.text


@pytest.mark.parametrize(
    "accept",
    [
        "text/event-stream", "application/json, text/event-stream", "application/json", "*/*", "",
        "text/html, text/event-stream", "application/json, text/html;q=0.5", "text/html;q=0",
    ],
)  # fmt: skip
async def test_a_program_gets_json_as_before(service: Service, accept: str) -> None:
    headers = {"accept": accept}
    refused = await service.http.get("/mcp", headers=headers)
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert refused.json()["error"]["code"] == -32600
    for path in ("/", "/nowhere"):
        unknown = await service.http.get(path, headers=headers)
        assert (unknown.status_code, unknown.json()) == (404, {"detail": "Not Found"})


async def test_a_script_of_a_page_gets_no_page(service: Service) -> None:
    headers = {"accept": CHROMIUM, "origin": "https://evil.example"}
    assert (await service.http.get("/mcp", headers=headers)).status_code == 403
    headers["origin"] = "http://localhost:3000"
    assert (await service.http.get("/mcp", headers=headers)).status_code == 405


async def test_other_methods_are_refused_to_browsers_too(service: Service) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        reply = await service.http.request(method, "/mcp", headers={"accept": CHROMIUM})
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (CHROMIUM, True), ("TEXT/HTML", True), ("text/html;q=0.9, application/json;q=0.8", True),
        ("text/html;level=1;q=0.4", True), ("text/html;q=2", True), ("text/html;q=0.000", False),
        ("text/htmlx", False), (", ;;q=,", False), ("text/html;q=0.5, text/event-stream;q=0.5", False),
    ],
)  # fmt: skip
def test_a_browser_is_known_by_the_types_that_it_names(accept: str, expected: bool) -> None:  # noqa: FBT001
    assert prefers_html(accept) is expected
