"""Trusted headers and origins of `/mcp`, and the separation of accounts in its responses."""

from __future__ import annotations

from typing import Any, Final

import pytest

from gateway.tools import Tool, all_tools
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import principal
from tests.integration.gateway.conftest import (
    CATALOG_VERSION,
    OpenGateway,
    Service,
    backends,
    open_gateway,
    request,
    service,
    valkey,
)

__all__ = ["backends", "open_gateway", "service", "valkey"]

EVIL: Final = "evil.example"
OTHER: Final = "mcp_" + "o" * 36
SPOOFED: Final = {
    "host": EVIL,
    "x_forwarded_host": EVIL,
    "x_forwarded_proto": "gopher",
    "forwarded": f"host={EVIL}",
}


@pytest.mark.parametrize(
    "origin",
    [
        f"http://{EVIL}", f"http://{EVIL}:8000", "null", "http://localhost.evil.example",
        "http://127.0.0.1.evil.example", "http://localhost@evil.example", "http://127.0.0.2",
        f"http://{EVIL}#@localhost", "file://localhost", "http://[::1].evil.example",
        "http://0.0.0.0:8000", "http://localhost\\.evil.example", "http://[::ffff:127.0.0.1]",
        "chrome-extension://localhost", "", "http://", "http://2130706433",
    ],
)  # fmt: skip
async def test_pages_of_strangers_are_refused_though_their_name_leads_here(
    service: Service, origin: str
) -> None:
    """DNS rebinding: the page's host name resolves to this server, but its origin stays foreign."""
    response = await service.post(request("tools/list"), origin=origin, host=EVIL)
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers
    preflight = await service.http.request("OPTIONS", "/mcp", headers={"origin": origin})
    assert preflight.status_code == 403


async def test_no_response_trusts_a_request_about_the_address_of_the_service(
    service: Service,
) -> None:
    spoofed = {name.replace("_", "-"): value for name, value in SPOOFED.items()}
    challenged = await service.http.post("/mcp", content=b"{}", headers=spoofed)
    assert challenged.status_code == 401
    assert service.settings.base_url in challenged.headers["www-authenticate"]
    for path in (
        "/healthz/", "/metrics/", "/nowhere", "/mcp//", "/.well-known/mcp/server-card.json",
        "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource/",
    ):  # fmt: skip
        response = await service.http.get(path, headers=spoofed)
        assert EVIL not in response.text + str(response.headers), path


@pytest.mark.parametrize("header", ["x_http_method_override", "x_http_method", "x_method_override"])
async def test_a_get_stays_a_get(service: Service, header: str) -> None:
    response = await service.http.get("/mcp", headers={header.replace("_", "-"): "POST"})
    assert response.status_code == 405


async def test_no_response_may_be_cached_or_content_sniffed(service: Service) -> None:
    good = [await service.call("category.list"), await service.post(request("tools/list"))]
    bad = [
        await service.call("nothing"),
        await service.http.post("/mcp"),
        await service.http.get("/mcp"),
    ]
    for response in good + bad:
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "etag" not in response.headers
    seen = await service.post(request("tools/list"), origin="http://localhost:3000")
    assert set(seen.headers["vary"].split(", ")) == {"Origin", "Accept-Encoding"}
    seen = await service.call("category.list", origin="http://localhost:3000")
    assert seen.headers["vary"] == "Origin"


async def test_a_result_cached_for_all_names_no_account(service: Service) -> None:
    """Results are cached by tool and arguments: a query that names an account must not be."""
    for tool in all_tools():
        service.backends.requests.clear()
        await service.call(tool.name, needed(tool))
        named = [
            name for name, query in service.backends.requests if getattr(query, "account_id", "")
        ]
        is_shared = tool.is_cacheable and not tool.params.parse(needed(tool)).is_of_account
        assert not (is_shared and named), tool.name


def needed(tool: Tool) -> dict[str, Any]:
    """Return the required arguments of a tool."""
    fields = tool.input_schema["properties"]
    return {
        name: fields[name].get("enum", fields[name].get("examples", ["imp_1"]))[0]
        for name in tool.input_schema.get("required", [])
    }


async def test_two_accounts_get_their_own_figures_with_the_same_result(
    backends: Backends, open_gateway: OpenGateway
) -> None:
    backends.access.give(OTHER, principal(account_id="account-2", monthly_requests=77))
    async with open_gateway() as service:
        await service.valkey.set(CATALOG_VERSION, 1)  # else nothing is cached
        other = {"authorization": f"Bearer {OTHER}"}
        first = await service.call("category.list")
        second = await service.call("category.list", **other)
        results = [item.json()["result"]["structuredContent"] for item in (first, second)]
        assert results[0] == results[1]
        assert first.headers["ratelimit"].startswith('"monthly";r=999;')
        assert second.headers["ratelimit"].startswith('"monthly";r=76;')
        usage = await service.call("account.usage", **other)
        assert usage.json()["result"]["structuredContent"]["requests_per_month"] == 77


async def test_a_list_of_tools_is_that_of_the_callers_own_plan(
    backends: Backends, open_gateway: OpenGateway
) -> None:
    backends.access.give(OTHER, principal(account_id="account-2", features=()))
    async with open_gateway() as service:
        for _ in range(2):
            first = await service.post(request("tools/list"))
            second = await service.post(request("tools/list"), authorization=f"Bearer {OTHER}")
            assert "channel.import" in first.text
            assert "channel.import" not in second.text


async def test_an_error_shows_neither_the_credential_nor_where_it_arose(service: Service) -> None:
    service.backends.catalog_error = RuntimeError("/srv/secret/place.py: password=hunter2")
    response = await service.call("sponsor.get", {"sponsor": "x"})
    assert response.status_code == 503
    for secret in ("hunter2", "RuntimeError", "/srv", "Traceback", "mcp_"):
        assert secret not in response.text
