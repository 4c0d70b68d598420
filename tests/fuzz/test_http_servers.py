"""The HTTP servers hold what is described of them, whatever is sent."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from servicekit.http.server import serve_http
from tests.fuzz.http_servers import (
    described,
    fuzz,
    issuer_routes,
    operations,
    paths_of,
    site_described,
)
from tests.integration.auth_service.conftest import Service
from tests.integration.gateway.conftest import OpenGateway

_FOR_PROGRAMS = (
    "/.well-known/",
    "/oauth/",
    "/token",
    "/register",
    "/healthz",
    "/robots",
    "/llms.txt",
    "/skills/",
    "/static",
    "/billing/webhook",
)

pytestmark = pytest.mark.timeout(300)


def test_every_route_of_the_auth_service_for_programs_is_described() -> None:
    programs = {
        (method, path)
        for method, path in issuer_routes()
        if path.startswith(_FOR_PROGRAMS) and not path.startswith("/oauth/authorize")
    }
    assert programs == operations(described("issuer"))


async def test_every_route_of_the_gateway_is_described(open_gateway: OpenGateway) -> None:
    async with open_gateway() as service:
        pages: Any = service.web._pages
        found = set(paths_of(pages.routes))
    assert found == operations(described("gateway"))


async def test_programs_get_what_is_described(service: Service) -> None:
    client = await service.client()
    text = described("issuer")
    _name(text, client.client_id)
    sent = await asyncio.to_thread(fuzz, text, service.url, 40)
    assert sent >= 200


@pytest.mark.parametrize("cases", [3, pytest.param(12, marks=pytest.mark.thorough)])
async def test_people_get_pages_whatever_they_send(service: Service, cases: int) -> None:
    text = site_described(operations(described("issuer")))
    assert len(operations(text)) >= 30
    sent = await asyncio.to_thread(fuzz, text, service.url, cases)
    assert sent >= 3 * len(operations(text))
    person = await service.person()
    # Logged in, and with the token of a form, so that forms are read and not refused unread.
    await person.visit("/account/settings")
    csrf = dict(person.form("/account/settings/password").fields)["csrf"]
    del text["paths"]["/logout"]
    # These ask the gateway, which is not here.
    for path in [item for item in text["paths"] if item.startswith(("/explore", "/console"))]:
        del text["paths"][path]
    cookies = dict(person.client.cookies)
    _allow_forms(text, csrf)
    sent = await asyncio.to_thread(fuzz, text, service.url, cases, cookies=cookies)
    assert sent >= 3 * len(operations(text))


async def test_the_gateway_gives_what_is_described(open_gateway: OpenGateway) -> None:
    async with open_gateway() as service, serve_http(service.web, "127.0.0.1", 0, 5) as port:
        url = f"http://127.0.0.1:{port}"
        text = described("gateway")
        assert await asyncio.to_thread(fuzz, text, url, 20) >= len(operations(text))
        async with httpx2.AsyncClient() as http:
            assert (await http.get(f"{url}/healthz")).status_code == 200


def _name(value: Any, client_id: str) -> None:
    """Puts a client that exists where the description says `known`."""
    if isinstance(value, dict):
        if value.get("enum") == ["known"]:  # pyright: ignore[reportUnknownMemberType]
            value["enum"] = [client_id]
        for inner in value.values():  # pyright: ignore[reportUnknownVariableType]
            _name(inner, client_id)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            _name(inner, client_id)


def _allow_forms(text: dict[str, Any], csrf: str) -> None:
    """Lets every form carry the token that it must have."""
    for item in text["paths"].values():
        if "post" in item:
            content = item["post"]["requestBody"]["content"]
            schema = content["application/x-www-form-urlencoded"]["schema"]
            schema |= {"required": ["csrf"], "properties": {"csrf": {"const": csrf}}}
