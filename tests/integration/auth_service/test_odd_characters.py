"""Characters that Postgres cannot store are refused in every request, never a 500."""

from __future__ import annotations

import json

import httpx2
import pytest

from tests.clients.oauth import CALLBACK
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_issuer import send

ZERO = "a\0b"


@pytest.mark.parametrize("path", ["/oauth/token", "/token", "/oauth/revoke", "/oauth/introspect"])
@pytest.mark.parametrize("field", ["client_id", "grant_type", "token", "\0"])
async def test_a_form_with_a_zero_character_is_refused(
    service: Service, path: str, field: str
) -> None:
    response = await send("POST", service.url + path, data={"client_id": "x", field: ZERO})
    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


async def test_a_client_id_with_a_zero_character_in_a_header_is_unknown(service: Service) -> None:
    async with httpx2.AsyncClient(auth=(ZERO, "x")) as http:
        response = await http.post(
            f"{service.url}/oauth/token", data={"grant_type": "refresh_token", "refresh_token": "x"}
        )
    assert (response.status_code, response.json()["error"]) == (401, "invalid_client")


@pytest.mark.parametrize("text", [ZERO, "\ud800"])
@pytest.mark.parametrize("field", ["client_name", "redirect_uris", "client_uri", "other", None])
async def test_a_registration_with_such_a_character_is_refused(
    service: Service, field: str | None, text: str
) -> None:
    body = {"client_name": "x", "redirect_uris": [CALLBACK], field or text: [text]}
    response = await send(
        "POST",
        f"{service.url}/oauth/register",
        content=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    assert (response.status_code, response.json()["error"]) == (400, "invalid_client_metadata")


@pytest.mark.parametrize(
    "path",
    ["/oauth/authorize?client_id=a%00", "/login?next=%00", "/confirm?token=%00", "/?%00=x"],
)
async def test_a_page_requested_with_a_zero_character_says_so(service: Service, path: str) -> None:
    response = await send("GET", service.url + path)
    assert response.status_code == 400
    assert "zero byte" in response.text


async def test_a_login_with_a_zero_character_is_refused(service: Service) -> None:
    person = await service.person()
    await person.visit("/account/settings")
    response = await person.submit("/account/settings/password", current=ZERO)
    assert response.status_code == 400
    assert "zero byte" in response.text
