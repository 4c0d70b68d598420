"""Pushed authorization requests (RFC 9126)."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import psycopg
import pytest

from auth_service.storage.oauth.tables import pushed_requests
from auth_service.storage.retention import discard_expired
from servicekit import database
from tests.clients.oauth import CALLBACK, OAuthClient, query_of
from tests.clients.person import Person
from tests.clients.proofs import Prover
from tests.integration.auth_service.conftest import RESOURCE, Age, Service

PREFIX = "urn:ietf:params:oauth:request_uri:"


async def push(client: OAuthClient, **changes: str | None) -> httpx2.Response:
    return await client.post("/oauth/par", **client.request(**changes))


async def uri_of(client: OAuthClient, **changes: str | None) -> str:
    response = await push(client, **changes)
    assert response.status_code == 201, response.text
    return response.json()["request_uri"]


def rows(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT * FROM oauth_pushed_requests").fetchall()


async def test_a_pushed_request_leads_to_consent_and_a_code(service: Service) -> None:
    client, person = await service.client(), await service.person()
    response = await push(client)
    assert response.status_code == 201
    assert response.headers["cache-control"] == "no-store"
    body = response.json()
    assert body["expires_in"] == 90
    assert body["request_uri"].startswith(PREFIX)
    landed = query_of(await person.decide(client.url_of(body["request_uri"])))
    assert (landed["state"], landed["iss"]) == (client.state, service.url)
    assert (await client.redeem(landed["code"])).status_code == 200


@pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic"])
async def test_it_rests_under_the_hash_of_its_name_and_without_secrets(
    service: Service, auth_database: str, method: str
) -> None:
    metadata = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": method}
    async with httpx2.AsyncClient() as http:
        made, other = [
            (await http.post(f"{service.url}/oauth/register", json=metadata)).json()
            for _ in range(2)
        ]
        client_id, secret = made["client_id"], made["client_secret"]
        client = OAuthClient(service.url, RESOURCE, client_id)
        url, fields = f"{service.url}/oauth/par", client.request(client_id=None)

        async def pushed(secret: str, **more: str) -> httpx2.Response:
            if method == "client_secret_basic":
                return await http.post(url, data=fields | more, auth=(client_id, secret))
            credentials = {"client_id": client_id, "client_secret": secret}
            return await http.post(url, data=fields | credentials | more)

        response = await pushed(secret)
        for refused in (await pushed("wrong"), await pushed(secret, client_id=other["client_id"])):
            assert refused.json()["error"] in ("invalid_client", "invalid_request")
    uri = response.json()["request_uri"]
    (row,) = [row for row in rows(auth_database) if row[1] == client_id]
    assert bytes(row[0]) == hashlib.sha256(uri.encode()).digest()
    assert uri not in str(row)
    assert secret not in str(row)
    person = await service.person()
    assert query_of(await person.decide(client.url_of(uri)))["code"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"redirect_uri": "https://evil.example/callback"}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"request_uri": f"{PREFIX}x"}, "invalid_request"),
        ({"dpop_jkt": "x"}, "invalid_request"),
        ({"state": "x" * 4096}, "invalid_request"),
    ],
)
async def test_a_request_refused_in_the_browser_is_refused_when_it_is_pushed(
    service: Service, auth_database: str, changes: dict[str, str | None], error: str
) -> None:
    client = await service.client()
    response = await push(client, **changes)
    assert response.status_code == 400
    assert response.json()["error"] == error
    assert "location" not in response.headers
    assert client.client_id not in str(rows(auth_database))


async def test_a_name_is_good_for_one_browser(service: Service) -> None:
    client, person, other = (
        await service.client(),
        await service.person(),
        await service.person(),
    )
    url = client.url_of(await uri_of(client))
    assert (await person.visit(url)).status_code == 200
    for late in (other, person):
        refused = await late.visit(url)
        assert refused.status_code == 400
        assert "request_uri" in refused.text


async def test_of_eight_browsers_at_once_one_gets_the_page(service: Service) -> None:
    client = await service.client()
    url = client.url_of(await uri_of(client))
    async with httpx2.AsyncClient() as http:
        responses = await asyncio.gather(*(http.get(url) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [303] + [400] * 7


async def test_the_page_may_be_reloaded_and_decided_once(service: Service) -> None:
    client, person = await service.client(), await service.person()
    page = await person.visit(await client.pushed_url())
    opened = str(page.url)
    assert page.status_code == 200
    assert (await person.visit(opened)).status_code == 200
    landed = await person.submit("/oauth/authorize/decision", decision="approve")
    assert query_of(landed.headers["location"])["code"]
    assert (await person.visit(opened)).status_code == 400


async def test_two_pages_of_one_request_give_one_code(service: Service) -> None:
    client, person = await service.client(), await service.person()
    page = await person.visit(await client.pushed_url())
    nonces: list[dict[str, str]] = []
    for _ in range(2):
        await person.visit(str(page.url))
        nonces.append(dict(person.form("/oauth/authorize/decision").fields))
    responses = await asyncio.gather(
        *(
            person.client.post("/oauth/authorize/decision", data=fields | {"decision": "approve"})
            for fields in nonces
        )
    )
    locations = [response.headers.get("location", "") for response in responses]
    assert len([location for location in locations if "code=" in location]) == 1


async def test_a_request_uri_lives_ninety_seconds_and_login_may_last_longer(
    service: Service, age: Age
) -> None:
    client, email = await service.client(), await service.account()
    late = client.url_of(await uri_of(client))
    age.pushed_requests(seconds=91)
    async with Person(service.url) as person:
        refused = await person.visit(late)
        assert refused.status_code == 400
        login = await person.visit(await client.pushed_url())
        assert login.url.path == "/login"
        age.pushed_requests(minutes=5)
        consent = await person.log_in(email)
        assert consent.url.path == "/oauth/authorize"
        response = await person.submit("/oauth/authorize/decision", decision="approve")
        assert query_of(response.headers["location"])["code"]
        page = await person.visit(await client.pushed_url())
        age.pushed_requests(minutes=16)
        assert (await person.visit(str(page.url))).status_code == 400


async def test_a_request_belongs_to_the_client_that_pushed_it(service: Service) -> None:
    client, thief, person = (
        await service.client(),
        await service.client(),
        await service.person(),
    )
    uri = await uri_of(client)
    for stolen in (thief.url_of(uri), client.url_of(uri).replace("client_id=", "x=")):
        assert (await person.visit(stolen)).status_code == 400
    # It was not used up by them.
    page = await person.visit(client.url_of(uri))
    assert page.status_code == 200
    opened = parse_qs(urlsplit(str(page.url)).query)["request_uri"][0]
    assert opened != uri
    assert (await person.visit(thief.url_of(opened))).status_code == 400


async def test_parameters_that_the_browser_adds_to_a_pushed_request_change_nothing(
    service: Service,
) -> None:
    client, person = await service.client(), await service.person()
    uri = await uri_of(client, scope="account:read")
    page = await person.visit(
        client.url_of(uri, scope="catalog:read", redirect_uri="https://evil.example", state="x")
    )
    opened = parse_qs(urlsplit(str(page.url)).query)
    assert set(opened) == {"client_id", "request_uri"}
    added = client.url_of(opened["request_uri"][0], scope="catalog:read channels:import", state="x")
    landed = query_of(await person.decide(added))
    assert landed["state"] == client.state
    tokens = (await client.redeem(landed["code"])).json()
    assert tokens["scope"] == "account:read"


async def test_a_person_who_denies_uses_up_the_request_too(service: Service) -> None:
    client, person = await service.client(), await service.person()
    page = await person.visit(await client.pushed_url())
    denied = await person.submit("/oauth/authorize/decision", decision="deny")
    assert query_of(denied.headers["location"])["error"] == "access_denied"
    assert (await person.visit(str(page.url))).status_code == 400


async def test_a_client_that_registers_for_pushed_requests_has_no_others(
    service: Service,
) -> None:
    client = await service.client(require_pushed_authorization_requests=True)
    person = await service.person()
    plain = await person.client.get(client.authorize_url())
    assert plain.status_code == 400
    assert "location" not in plain.headers
    assert query_of(await person.decide(await client.pushed_url()))["code"]


async def test_a_proof_with_the_pushed_request_binds_the_code(service: Service) -> None:
    client, person, prover = await service.client(), await service.person(), Prover()
    url = f"{service.url}/oauth/par"
    async with httpx2.AsyncClient() as http:
        both = client.request(dpop_jkt=Prover().thumbprint)
        mixed = await http.post(url, data=both, headers={"DPoP": prover.proof(url)})
        wrong = await http.post(
            url, data=client.request(), headers={"DPoP": prover.proof(f"{service.url}/oauth/token")}
        )
        proof = {"DPoP": prover.proof(url)}
        good = await http.post(url, data=client.request(), headers=proof)
        again = await http.post(url, data=client.request(), headers=proof)
    assert (mixed.status_code, mixed.json()["error"]) == (400, "invalid_request")
    for bad in (wrong, again):
        assert (bad.status_code, bad.json()["error"]) == (400, "invalid_dpop_proof")
    code = query_of(await person.decide(client.url_of(good.json()["request_uri"])))["code"]
    client.prover = Prover()
    assert (await client.redeem(code)).json()["error"] == "invalid_grant"
    client.prover, proof = prover, {"DPoP": prover.proof(url)}
    async with httpx2.AsyncClient() as http:
        uri = (await http.post(url, data=client.request(), headers=proof)).json()["request_uri"]
    code = query_of(await person.decide(client.url_of(uri)))["code"]
    assert (await client.redeem(code)).json()["token_type"] == "DPoP"


async def test_an_address_pushes_only_so_many_requests_a_minute(service: Service) -> None:
    client = await service.client()
    client.address = "192.0.2.126"  # nobody else's
    statuses: list[int] = []
    async with httpx2.AsyncClient() as http:
        for _ in range(602):  # the minute may turn once
            response = await http.post(
                f"{service.url}/oauth/par",
                data={"client_id": client.client_id},
                headers={"X-Forwarded-For": client.address},
            )
            statuses.append(response.status_code)
            if response.status_code == 429:
                assert int(response.headers["retry-after"]) >= 1
                break
    assert statuses[-1] == 429
    assert statuses.count(400) >= 300


async def test_a_pushed_request_that_nobody_opened_is_discarded(
    service: Service, auth_database: str, age: Age
) -> None:
    client = await service.client()
    await uri_of(client)
    age.pushed_requests(minutes=30)
    await uri_of(client)
    assert len([row for row in rows(auth_database) if row[1] == client.client_id]) == 1
    age.pushed_requests(days=2)
    engine = database.open_engine(service.settings, "test")
    try:
        await discard_expired(engine, pushed_requests, datetime.now(UTC))
    finally:
        await engine.dispose()
    assert client.client_id not in str(rows(auth_database))


async def test_the_metadata_names_the_endpoint(service: Service) -> None:
    async with httpx2.AsyncClient() as http:
        url = f"{service.url}/.well-known/oauth-authorization-server"
        found = (await http.get(url)).json()
    assert found["pushed_authorization_request_endpoint"] == f"{service.url}/oauth/par"
    assert found["require_pushed_authorization_requests"] is False
