"""Tokens that are bound to a key of their client (DPoP, RFC 9449)."""

from __future__ import annotations

import secrets
import time
from typing import Any

import httpx2
import psycopg
import pytest
from joserfc.jwk import RSAKey

from servicekit.http import dpop
from tests.clients.oauth import OAuthClient, query_of
from tests.clients.proofs import Prover
from tests.clients.tokens import claims
from tests.integration.auth_service.conftest import Age, Service
from tests.integration.auth_service.test_code_flow import holds
from tests.integration.auth_service.test_issuer import Machine


async def proving(service: Service, **metadata: Any) -> OAuthClient:
    """A registered client with a key."""
    client = await service.client(**metadata)
    client.prover = Prover()
    return client


def thumbprint(client: OAuthClient) -> str:
    assert client.prover is not None
    return client.prover.thumbprint


def refused(response: httpx2.Response, error: str) -> None:
    assert (response.status_code, response.json()["error"]) == (400, error), response.text


async def test_tokens_are_bound_to_the_key_of_the_proof(service: Service) -> None:
    client = await proving(service)
    tokens = await client.connect(await service.person())
    assert tokens["token_type"] == "DPoP"
    assert claims(tokens["access_token"])["cnf"] == {"jkt": thumbprint(client)}
    refreshed = (await client.refresh(tokens["refresh_token"])).json()
    assert refreshed["token_type"] == "DPoP"
    assert claims(refreshed["access_token"])["cnf"] == {"jkt": thumbprint(client)}


async def test_without_a_proof_tokens_are_bound_to_nothing(service: Service) -> None:
    client = await service.client()
    tokens = await client.connect(await service.person())
    assert tokens["token_type"] == "Bearer"
    assert "cnf" not in claims(tokens["access_token"])


async def test_a_stolen_refresh_token_is_worth_nothing_without_its_key_and_ends_nothing(
    service: Service, age: Age
) -> None:
    client = await proving(service)
    tokens = await client.connect(await service.person())
    first = tokens["refresh_token"]
    prover, thief = client.prover, Prover()
    second = (await client.refresh(first)).json()["refresh_token"]
    age.used_refresh_tokens(minutes=5)
    for stolen in (first, second):
        client.prover = None
        refused(await client.refresh(stolen), "invalid_dpop_proof")
        client.prover = thief
        refused(await client.refresh(stolen), "invalid_grant")
    client.prover = prover
    again = await client.refresh(second)
    assert again.status_code == 200, again.text
    assert await holds(service, again.json()["access_token"])
    # With the key, a token that was used is one that was copied with it.
    refused(await client.refresh(first), "invalid_grant")
    assert not await holds(service, again.json()["access_token"])


async def test_a_key_that_comes_later_binds_from_then_on(service: Service, age: Age) -> None:
    client = await service.client()
    free = (await client.connect(await service.person()))["refresh_token"]
    client.prover = Prover()
    bound = (await client.refresh(free)).json()["refresh_token"]
    client.prover, prover = None, client.prover
    # Within the grace the successor goes to who has its key alone.
    refused(await client.refresh(free), "invalid_grant")
    refused(await client.refresh(bound), "invalid_dpop_proof")
    client.prover = prover
    assert (await client.refresh(free)).json()["refresh_token"] == bound
    assert (await client.refresh(bound)).status_code == 200
    # Whoever binds a stolen token to a key of their own is found out by its owner, without one.
    client.prover = None
    age.used_refresh_tokens(minutes=5)
    refused(await client.refresh(free), "invalid_grant")
    client.prover = prover
    refused(await client.refresh(bound), "invalid_grant")


async def test_the_refresh_token_of_a_confidential_client_goes_with_any_key(
    service: Service,
) -> None:
    url = f"{service.url}/oauth/register"
    metadata = {
        "redirect_uris": ["https://client.example/callback"],
        "token_endpoint_auth_method": "client_secret_post",
    }
    async with httpx2.AsyncClient() as http:
        made = (await http.post(url, json=metadata)).json()
    client = OAuthClient(service.url, "https://api.example/mcp", made["client_id"])
    client.prover, secret = Prover(), made["client_secret"]
    code = await client.code_from(await service.person())
    tokens = (await client.redeem(code, client_secret=secret)).json()
    assert claims(tokens["access_token"])["cnf"] == {"jkt": thumbprint(client)}
    client.prover = Prover()
    refreshed = (await client.refresh(tokens["refresh_token"], client_secret=secret)).json()
    assert claims(refreshed["access_token"])["cnf"] == {"jkt": thumbprint(client)}


async def test_a_code_that_was_requested_with_a_key_is_redeemed_with_it_alone(
    service: Service,
) -> None:
    client, person = await proving(service), await service.person()
    issued_to = client.prover
    for prover in (Prover(), None):
        code = await client.code_from(person, dpop_jkt=thumbprint(client))
        client.prover = prover
        refused(await client.redeem(code), "invalid_grant")
        client.prover = issued_to
        refused(await client.redeem(code), "invalid_grant")
    code = await client.code_from(person, dpop_jkt=thumbprint(client))
    assert (await client.redeem(code)).json()["token_type"] == "DPoP"


@pytest.mark.parametrize("jkt", ["", "x", "x" * 44, "!" * 43])
async def test_a_key_that_is_none_is_refused_before_consent(service: Service, jkt: str) -> None:
    client, person = await service.client(), await service.person()
    response = await person.client.get(client.authorize_url(dpop_jkt=jkt))
    error = response.text if response.status_code == 400 else query_of(response.headers["location"])
    assert "dpop_jkt" in str(error)


@pytest.mark.parametrize(
    "changes",
    [
        {"htu": "https://evil.example/oauth/token"},
        {"method": "GET"},
        {"iat": int(time.time()) - 600},
        {"jti": None},
        {"header": {"typ": "JWT"}},
    ],
)
async def test_a_bad_proof_is_refused_and_uses_up_no_code(
    service: Service, changes: dict[str, Any]
) -> None:
    client = await proving(service)
    code = await client.code_from(await service.person())
    fields = {
        "grant_type": "authorization_code",
        "client_id": client.client_id,
        "code": code,
        "redirect_uri": client.redirect_uri,
        "code_verifier": client.verifier,
    }
    url = f"{service.url}/oauth/token"
    assert client.prover is not None
    good = client.prover.proof(url)
    async with httpx2.AsyncClient() as http:
        for proofs in (
            [client.prover.proof(url, **changes)],
            [good, client.prover.proof(url)],
            [""],
        ):
            headers = [("DPoP", proof) for proof in proofs]
            refused(await http.post(url, data=fields, headers=headers), "invalid_dpop_proof")
        bare = await http.post(url, data=fields, headers={"DPoP": good})
        assert bare.status_code == 200, bare.text
        # The proof was used, the code too.
        refused(await http.post(url, data=fields, headers={"DPoP": good}), "invalid_dpop_proof")


async def test_a_key_of_any_size_is_no_key_for_a_proof(service: Service) -> None:
    client = await service.client()
    client.prover = Prover(RSAKey.generate_key(2048), "RS256")
    refused(await client.refresh("rt_x"), "invalid_dpop_proof")


async def test_a_proof_of_somebody_who_is_no_client_is_not_remembered(
    service: Service, auth_database: str
) -> None:
    prover = Prover()
    async with httpx2.AsyncClient() as http:
        response = await http.post(
            f"{service.url}/oauth/token",
            data={"grant_type": "refresh_token", "client_id": "nobody", "refresh_token": "rt_x"},
            headers={"DPoP": prover.proof(f"{service.url}/oauth/token")},
        )
    assert response.status_code == 401
    with psycopg.connect(auth_database) as connection:
        query = "SELECT count(*) FROM oauth_assertions WHERE client_id = %s"
        assert connection.execute(query, (prover.thumbprint,)).fetchone() == (0,)


async def test_a_client_that_registers_for_bound_tokens_gets_no_others(service: Service) -> None:
    client = await service.client(dpop_bound_access_tokens=True)
    code = await client.code_from(await service.person())
    refused(await client.redeem(code), "invalid_dpop_proof")
    client.prover = Prover()
    assert (await client.redeem(code)).json()["token_type"] == "DPoP"


async def test_a_registration_returns_what_the_client_requested(service: Service) -> None:
    wishes = {"dpop_bound_access_tokens": True, "require_pushed_authorization_requests": True}
    body = {"client_name": secrets.token_hex(4), "redirect_uris": ["https://client.example/cb"]}
    async with httpx2.AsyncClient() as http:
        url = f"{service.url}/oauth/register"
        plain = (await http.post(url, json=body)).json()
        wishing = (await http.post(url, json=body | wishes)).json()
        refusal = await http.post(url, json=body | {"dpop_bound_access_tokens": "yes"})
        # A client that requests nothing is the same as before there was something to request.
        again = (await http.post(url, json=body | dict.fromkeys(wishes, False))).json()
    assert not wishes.keys() & plain.keys()
    assert wishes.items() <= wishing.items()
    assert again["client_id"] == plain["client_id"] != wishing["client_id"]
    assert (refusal.status_code, refusal.json()["error"]) == (400, "invalid_client_metadata")


async def test_a_machine_may_bind_its_tokens(service: Service) -> None:
    machine, prover = Machine(service), Prover()
    await machine.add(await service.account())
    url = f"{service.url}/oauth/token"
    async with httpx2.AsyncClient() as http:
        response = await http.post(
            url,
            data={"grant_type": "client_credentials", **machine.assertion()},
            headers={"DPoP": prover.proof(url)},
        )
        token = response.json()["access_token"]
        fields = {"token": token, **machine.assertion()}
        known = (await http.post(f"{service.url}/oauth/introspect", data=fields)).json()
    assert response.json()["token_type"] == "DPoP"
    assert claims(token)["cnf"] == known["cnf"] == {"jkt": prover.thumbprint}


async def test_the_metadata_and_pages_know_of_proofs(service: Service) -> None:
    async with httpx2.AsyncClient() as http:
        url = f"{service.url}/.well-known/oauth-authorization-server"
        assert (await http.get(url)).json()["dpop_signing_alg_values_supported"] == list(
            dpop.ALGORITHMS
        )
        for path in ("/oauth/token", "/oauth/par", "/token"):
            preflight = await http.options(
                service.url + path,
                headers={
                    "Origin": "https://client.example",
                    "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "dpop",
                },
            )
            assert preflight.status_code == 200, path
