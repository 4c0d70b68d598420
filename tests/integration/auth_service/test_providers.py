"""Login by a provider that vouches for an address."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from auth_service import app
from auth_service.clients.providers import OAuthProvider, github
from auth_service.settings import AuthSettings
from auth_service.wiring import site
from devstack.ports import free_port
from servicekit.http import server as http_server
from tests.clients.oauth import query_of
from tests.clients.person import Person
from tests.integration.auth_service.two_factor_person import MovedClock, enable


class Elsewhere:
    """A fake provider that records the token request."""

    def __init__(self) -> None:
        self.emails: Any = []
        self.form: dict[str, str] = {}

    async def token(self, request: Request) -> Response:
        self.form = {name: str(value) for name, value in (await request.form()).items()}
        if self.form["code"] != "good":
            return JSONResponse({"error": "bad_verification_code"}, 400)
        return JSONResponse({"access_token": "at", "token_type": "bearer"})

    async def user(self, request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer at"
        return JSONResponse(self.emails)


@pytest.fixture
async def elsewhere() -> AsyncGenerator[tuple[Elsewhere, OAuthProvider]]:
    site, port = Elsewhere(), free_port()
    routes = [Route("/token", site.token, methods=["POST"]), Route("/emails", site.user)]
    url = f"http://127.0.0.1:{port}"
    provider = replace(
        github("id", "secret"),
        authorize_url=f"{url}/authorize",
        token_url=f"{url}/token",
        emails_url=f"{url}/emails",
    )
    async with http_server.serve_http(Starlette(routes=routes), "127.0.0.1", port, 1):
        yield site, provider


@pytest.fixture
async def site_url(
    auth_settings: AuthSettings,
    elsewhere: tuple[Elsewhere, OAuthProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncGenerator[str]:
    """A separate service that offers login by the fake provider."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    changes = {"http_port": port, "site_url": url, "github_client_id": "id"}

    def provider(_client_id: str, _secret: str) -> OAuthProvider:
        return elsewhere[1]

    monkeypatch.setattr(site, "github", provider)
    async with app.serve(auth_settings.model_copy(update=changes)):
        yield url


async def come_back(person: Person, code: str = "good") -> httpx2.Response:
    begun = await person.visit("/login/github?next=/account/apps")
    location = begun.headers["location"]
    query = query_of(location)
    assert query["code_challenge_method"] == "S256"
    return await person.visit(f"/login/github/callback?code={code}&state={query['state']}")


async def test_a_checked_address_makes_an_account_and_finds_it_again(
    site_url: str, elsewhere: tuple[Elsewhere, OAuthProvider]
) -> None:
    address = f"{secrets.token_hex(6)}@example.com"
    elsewhere[0].emails = [
        {"email": "unchecked@example.com", "primary": False, "verified": False},
        {"email": address, "primary": True, "verified": True},
    ]
    for _ in range(2):
        async with Person(site_url) as person:
            landed = await come_back(person)
            assert landed.url.path == "/account/apps"
            assert address in landed.text
    assert elsewhere[0].form["code_verifier"]


async def test_an_address_that_was_not_checked_opens_nothing(
    site_url: str, elsewhere: tuple[Elsewhere, OAuthProvider]
) -> None:
    elsewhere[0].emails = {"email": "x@example.com", "email_verified": False}
    async with Person(site_url) as person:
        refused = await come_back(person)
        assert refused.status_code == 401
        assert (await person.visit("/account")).url.path == "/login"


async def test_a_login_begun_elsewhere_or_refused_there_opens_nothing(
    site_url: str, elsewhere: tuple[Elsewhere, OAuthProvider]
) -> None:
    elsewhere[0].emails = {"email": "x@example.com", "email_verified": True}
    async with Person(site_url) as person:
        assert (await come_back(person, code="bad")).status_code == 401
    async with Person(site_url) as victim:
        forged = await victim.visit("/login/github/callback?code=good&state=forged")
        assert forged.status_code == 401
        assert (await victim.visit("/login/google")).status_code == 404


async def test_a_login_by_a_provider_needs_the_code_of_an_account_that_has_one(
    site_url: str, elsewhere: tuple[Elsewhere, OAuthProvider]
) -> None:
    address = f"{secrets.token_hex(6)}@example.com"
    elsewhere[0].emails = [{"email": address, "primary": True, "verified": True}]
    async with Person(site_url) as person:
        await come_back(person)
        clock = MovedClock()
        phone = await enable(person, clock)
    async with Person(site_url) as person:
        form = await come_back(person)
        assert form.url.path == "/login/code"
        assert (await person.visit("/account")).url.path == "/login", "not logged in yet"
        await come_back(person)
        done = await person.submit("/login/code", code=phone.recovery_codes[0])
        assert done.url.path == "/account/apps", "where the person was going"


async def test_a_login_by_a_provider_ends_the_session_of_before_and_makes_the_browser_known(
    site_url: str, elsewhere: tuple[Elsewhere, OAuthProvider]
) -> None:
    earlier = ""
    async with Person(site_url) as person:
        for _ in range(2):
            address = f"{secrets.token_hex(6)}@example.com"
            elsewhere[0].emails = [{"email": address, "primary": True, "verified": True}]
            earlier = dict(person.client.cookies).get("session", "")
            await come_back(person)
        assert dict(person.client.cookies)["session"] != earlier
        assert "device" in dict(person.client.cookies)
    async with Person(site_url) as thief:
        thief.client.cookies.set("session", earlier)
        assert (await thief.visit("/account")).url.path == "/login"
