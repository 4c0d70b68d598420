"""The authorization code flow over HTTP: consent, codes, refresh tokens, revocation."""

from __future__ import annotations

import asyncio
import re
import secrets
from html import unescape
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from tests.clients.in_turn import in_turn
from tests.clients.oauth import CALLBACK, OAuthClient, query_of
from tests.clients.person import Person
from tests.clients.tokens import claims
from tests.integration.auth_service.conftest import RESOURCE, Age, Service


async def holds(service: Service, access_token: str) -> bool:
    """Return whether the grant of an access token is still active for the gateway."""
    request = pb.ResolveGrantRequest(grant_id=claims(access_token)["gid"])
    try:
        await service.call(service.access.ResolveGrant, request)
    except Unauthenticated:
        return False
    return True


async def test_a_person_who_approves_connects_the_client(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["scope"] == "catalog:read account:read offline_access"
    found = claims(tokens["access_token"])
    assert (found["iss"], found["aud"]) == (service.url, RESOURCE)
    assert found["nbf"] == found["iat"] == found["exp"] - 3600
    assert await holds(service, tokens["access_token"])


async def test_a_person_who_denies_sends_the_client_away_with_the_issuer(service: Service) -> None:
    person, client = await service.person(), await service.client()
    landed = query_of(await person.decide(client.authorize_url(), "deny"))
    assert landed["error"] == "access_denied"
    assert (landed["iss"], landed["state"]) == (service.url, client.state)


async def test_somebody_not_logged_in_comes_back_to_the_consent_page_after_login(
    service: Service,
) -> None:
    client, email = await service.client(), await service.account()
    async with Person(service.url) as person:
        login = await person.visit(client.authorize_url())
        assert login.url.path == "/login"
        consent = await person.log_in(email)
        assert consent.url.path == "/oauth/authorize"
        response = await person.submit("/oauth/authorize/decision", decision="approve")
    assert query_of(response.headers["location"])["code"]


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "unknown"},
        {"redirect_uri": "https://client.example/other"},
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": f"{CALLBACK}#fragment"},
        {"redirect_uri": "https://user@client.example/callback"},
        {"client_id": None},
    ],
)
async def test_an_unknown_client_or_redirect_is_shown_and_never_redirected(
    service: Service, changes: dict[str, str | None]
) -> None:
    person, client = await service.person(), await service.client()
    response = await person.visit(client.authorize_url(**changes))
    assert response.status_code == 400
    assert "location" not in response.headers
    assert "cannot be connected" in response.text


WRONG: list[tuple[dict[str, str | None], str]] = [
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge": "x" * 42}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": "code id_token"}, "unsupported_response_type"),
    ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ({"resource": "https://["}, "invalid_target"),
    ({"scope": "openid"}, "invalid_scope"),
    ({"scope": "catalog:read openid"}, "invalid_scope"),
    ({"scope": 'catalog:read "\u00e9'}, "invalid_scope"),
]


@pytest.mark.parametrize(("changes", "error"), WRONG)
async def test_a_wrong_request_is_redirected_with_error_state_and_issuer(
    service: Service, changes: dict[str, str | None], error: str
) -> None:
    person, client = await service.person(), await service.client()
    await client.connect(person)
    response = await person.visit(client.authorize_url(**changes))
    landed = query_of(response.headers["location"])
    assert landed["error"] == error
    assert landed["iss"] == service.url


@pytest.mark.parametrize(("changes", "error"), WRONG)
async def test_a_wrong_request_of_a_client_that_is_not_connected_leads_nowhere_by_itself(
    service: Service, changes: dict[str, str | None], error: str
) -> None:
    person, client = await service.person(), await service.client()
    response = await person.visit(client.authorize_url(**changes))
    assert response.status_code == 400
    assert "location" not in response.headers
    (link,) = re.findall(r'href="(https://client\.example/[^"]*)"', response.text)
    assert query_of(unescape(link))["error"] == error


@pytest.mark.parametrize(("changes", "error"), WRONG)
async def test_a_wrong_request_leads_nowhere_before_login(
    service: Service, changes: dict[str, str | None], error: str
) -> None:
    person, client = await service.person(), await service.client()
    await client.connect(person)
    async with Person(service.url) as stranger:
        response = await stranger.client.get(client.authorize_url(**changes))
    assert response.status_code == 400
    assert "location" not in response.headers
    assert "Go to client.example" in response.text
    assert "/login?next=" not in response.text
    (link,) = re.findall(r'href="(https://client\.example/[^"]*)"', response.text)
    assert query_of(unescape(link))["error"] == error


async def test_a_client_that_was_disconnected_is_redirected_to_no_more(service: Service) -> None:
    person, client, other = await service.person(), await service.client(), await service.person()
    wrong = client.authorize_url(code_challenge=None)
    await client.connect(person)
    assert (await person.visit(wrong)).status_code == 303
    assert (await other.visit(wrong)).status_code == 400
    await person.visit("/account/apps")
    await person.submit("/account/apps/revoke")
    assert (await person.visit(wrong)).status_code == 400


async def test_requests_for_authorization_are_slowed_by_address(service: Service) -> None:
    url = (await service.client()).authorize_url()
    headers = {"X-Forwarded-For": f"192.0.2.{100 + secrets.randbelow(100)}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        # Twice a minute's allowance and one: the turn of a minute cannot let all of it through.
        responses = await in_turn(http.get(url) for _ in range(601))
    refused = [response for response in responses if response.status_code == 429]
    assert 1 <= len(refused) <= 301
    assert int(refused[0].headers["retry-after"]) >= 1
    assert {response.status_code for response in responses} == {303, 429}
    async with Person(service.url, "192.0.2.99") as other:
        assert (await other.client.get(url)).status_code == 303


@pytest.mark.parametrize("length", [1, 42, 129])
async def test_a_verifier_of_another_length_redeems_nothing(service: Service, length: int) -> None:
    person, client = await service.person(), await service.client()
    client.verifier = "a" * length
    response = await client.redeem(await client.code_from(person))
    assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")


async def test_a_repeated_parameter_is_refused(service: Service) -> None:
    person, client = await service.person(), await service.client()
    response = await person.visit(
        client.authorize_url() + "&" + urlencode({"scope": "catalog:read"})
    )
    assert response.status_code == 400
    assert "location" not in response.headers
    await client.connect(person)  # only a connected application is redirected to with an error
    challenge = urlencode({"code_challenge": client.challenge})
    response = await person.visit(f"{client.authorize_url()}&{challenge}")
    assert query_of(response.headers["location"])["error"] == "invalid_request"
    code = await client.code_from(person)
    verifiers: Any = [client.verifier, client.verifier]
    redeemed = await client.redeem(code, code_verifier=verifiers)
    assert (redeemed.status_code, redeemed.json()["error"]) == (400, "invalid_request")


async def test_eight_redemptions_of_one_code_give_one_success(service: Service) -> None:
    person, client = await service.person(), await service.client()
    code = await client.code_from(person)
    responses = await asyncio.gather(*(client.redeem(code) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [200] + [400] * 7
    assert {a.json()["error"] for a in responses if a.status_code == 400} == {"invalid_grant"}


async def test_a_code_replayed_by_another_ends_the_tokens_that_came_of_it(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client()
    code = await client.code_from(person)
    tokens = (await client.redeem(code)).json()
    thief = await service.client()
    replay = await thief.redeem(code, code_verifier="x" * 43)
    assert replay.json()["error"] == "invalid_grant"
    assert not await holds(service, tokens["access_token"])


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "y" * 43},
        {"code_verifier": ""},
        {"redirect_uri": "https://client.example/other"},
    ],
)
async def test_a_code_works_with_its_own_verifier_and_redirect_alone(
    service: Service, changes: dict[str, str]
) -> None:
    person, client = await service.person(), await service.client()
    response = await client.redeem(await client.code_from(person), **changes)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")


async def test_a_code_works_for_its_own_client_and_resource_alone(service: Service) -> None:
    person, client, other = await service.person(), await service.client(), await service.client()
    other.verifier = client.verifier
    assert (await other.redeem(await client.code_from(person))).json()["error"] == "invalid_grant"
    response = await client.redeem(
        await client.code_from(person), resource="https://other.example/"
    )
    assert response.json()["error"] == "invalid_target"


async def test_a_code_without_resource_is_for_what_is_served(service: Service) -> None:
    person, client = await service.person(), await service.client()
    response = await client.redeem(await client.code_from(person, resource=None), resource="")
    assert claims(response.json()["access_token"])["aud"] == RESOURCE


async def test_eight_refreshes_at_once_strand_nobody_and_fork_no_family(service: Service) -> None:
    person, client = await service.person(), await service.client()
    first = (await client.connect(person))["refresh_token"]
    responses = await asyncio.gather(*(client.refresh(first) for _ in range(8)))
    assert [response.status_code for response in responses] == [200] * 8
    successors = {response.json()["refresh_token"] for response in responses}
    assert len(successors) == 1
    families = {claims(response.json()["access_token"])["gid"] for response in responses}
    assert len(families) == 1
    assert (await client.refresh(successors.pop())).status_code == 200


async def _check_replay_ends_family(
    service: Service, client: OAuthClient, used: dict[str, Any], following: dict[str, Any]
) -> None:
    replay = await client.refresh(used["refresh_token"])
    assert (replay.status_code, replay.json()["error"]) == (400, "invalid_grant")
    assert (await client.refresh(following["refresh_token"])).status_code == 400
    assert not await holds(service, following["access_token"])


async def test_a_refresh_token_used_again_after_the_grace_ends_its_family(
    service: Service, age: Age
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    following = (await client.refresh(tokens["refresh_token"])).json()
    age.used_refresh_tokens(minutes=1)
    await _check_replay_ends_family(service, client, tokens, following)
    log = await person.visit("/account/security")
    assert "refresh_token_reused" in log.text


async def test_a_refresh_token_used_again_after_its_successor_ends_its_family_within_the_grace(
    service: Service,
) -> None:
    client = await service.client()
    tokens = await client.connect(await service.person())
    successor = (await client.refresh(tokens["refresh_token"])).json()
    following = (await client.refresh(successor["refresh_token"])).json()
    await _check_replay_ends_family(service, client, tokens, following)


async def test_a_refresh_narrows_and_never_widens(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    narrowed = await client.refresh(tokens["refresh_token"], scope="catalog:read")
    assert narrowed.json()["scope"] == "catalog:read"
    widened = await client.refresh(narrowed.json()["refresh_token"], scope="channels:import")
    assert widened.json()["error"] == "invalid_scope"
    other = await client.refresh(
        narrowed.json()["refresh_token"], resource="https://other.example/mcp"
    )
    assert other.json()["error"] == "invalid_target"


async def refuse_for_scope(service: Service, access_token: str, *scopes: str) -> None:
    """Report, as the gateway does, that a call needs scopes that the token lacks."""
    request = pb.RequireConsentRequest(
        grant_id=claims(access_token)["gid"], scopes=[*scopes] or ["channels:import"]
    )
    await service.call(service.access.RequireConsent, request)


async def test_the_refresh_after_a_refusal_for_a_scope_sends_the_client_to_its_user_once(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    await refuse_for_scope(service, tokens["access_token"])
    refused = await client.refresh(tokens["refresh_token"])
    assert (refused.status_code, refused.json()["error"]) == (400, "interaction_required")
    assert await holds(service, tokens["access_token"])
    assert (await client.refresh(tokens["refresh_token"])).status_code == 200


async def test_a_narrowed_token_gets_a_scope_of_its_grant_back_by_a_refresh(
    service: Service,
) -> None:
    person, client = await service.person(), await service.client()
    scope = "catalog:read channels:import offline_access"
    tokens = (await client.redeem(await client.code_from(person, scope=scope))).json()
    narrowed = (await client.refresh(tokens["refresh_token"], scope="catalog:read")).json()
    await refuse_for_scope(service, narrowed["access_token"], "channels:import")
    widened = await client.refresh(narrowed["refresh_token"])
    assert widened.status_code == 200, widened.text
    assert set(widened.json()["scope"].split()) == set(scope.split())
    await refuse_for_scope(service, narrowed["access_token"], "channels:import", "account:read")
    refused = await client.refresh(widened.json()["refresh_token"])
    assert refused.json()["error"] == "interaction_required"


async def test_a_refresh_that_names_its_scopes_or_comes_late_is_no_step_up(
    service: Service, age: Age
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    await refuse_for_scope(service, tokens["access_token"])
    named = await client.refresh(tokens["refresh_token"], scope="catalog:read")
    assert named.status_code == 200
    await refuse_for_scope(service, tokens["access_token"])
    age.required_consents(seconds=31)
    assert (await client.refresh(named.json()["refresh_token"])).status_code == 200


async def test_a_replayed_refresh_token_ends_its_family_after_a_refusal_for_a_scope_too(
    service: Service, age: Age
) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    following = (await client.refresh(tokens["refresh_token"])).json()
    age.used_refresh_tokens(minutes=1)
    await refuse_for_scope(service, tokens["access_token"])
    await _check_replay_ends_family(service, client, tokens, following)


async def test_a_refresh_token_works_for_its_own_client_alone(service: Service) -> None:
    person, client, other = await service.person(), await service.client(), await service.client()
    tokens = await client.connect(person)
    response = await other.refresh(tokens["refresh_token"])
    assert (response.status_code, response.json()["error"]) == (400, "invalid_grant")


async def test_a_grant_ends_at_its_absolute_expiry(service: Service, age: Age) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    age.grants(days=179)
    refreshed = (await client.refresh(tokens["refresh_token"])).json()
    age.grants(days=2)
    assert (await client.refresh(refreshed["refresh_token"])).json()["error"] == "invalid_grant"
    assert not await holds(service, refreshed["access_token"])


async def test_a_code_is_good_for_a_minute(service: Service, age: Age) -> None:
    person, client = await service.person(), await service.client()
    code = await client.code_from(person)
    age.codes(seconds=61)
    assert (await client.redeem(code)).json()["error"] == "invalid_grant"


async def test_an_unknown_client_gets_401_at_the_token_endpoint(service: Service) -> None:
    client = OAuthClient(service.url, RESOURCE, "client_of_before")
    response = await client.refresh("rt_unknown")
    assert (response.status_code, response.json()["error"]) == (401, "invalid_client")


async def test_passwords_and_machine_grants_are_not_for_registered_clients(
    service: Service,
) -> None:
    client = await service.client()
    for grant in ("password", "client_credentials", "implicit"):
        response = await client.token(grant_type=grant, username="a", password="b")
        assert response.status_code in (400, 401)
        assert "access_token" not in response.json()
    # Nor is any other grant for a client that has not registered for it.
    response = await client.post("/oauth/device_authorization")
    assert (response.status_code, response.json()["error"]) == (400, "unauthorized_client")


async def test_revocation_ends_the_connection_and_responds_alike_to_nonsense(
    service: Service,
) -> None:
    person, client, other = await service.person(), await service.client(), await service.client()
    tokens = await client.connect(person)
    assert (await client.post("/oauth/revoke", token="nonsense")).status_code == 200
    assert (await other.post("/oauth/revoke", token=tokens["refresh_token"])).status_code == 200
    assert await holds(service, tokens["access_token"])
    for _ in range(2):
        response = await client.post("/oauth/revoke", token=tokens["refresh_token"])
        assert response.status_code == 200
    assert not await holds(service, tokens["access_token"])
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_a_confidential_client_is_never_accepted_without_its_secret(service: Service) -> None:
    async with httpx2.AsyncClient() as http:
        registered = await http.post(
            f"{service.url}/oauth/register",
            json={
                "client_name": f"Server {secrets.token_hex(4)}",
                "redirect_uris": [CALLBACK],
                "token_endpoint_auth_method": "client_secret_basic",
            },
        )
    body = registered.json()
    client = OAuthClient(service.url, RESOURCE, body["client_id"])
    code = await client.code_from(await service.person())
    assert (await client.redeem(code)).status_code == 401
    assert (await client.post("/oauth/revoke", token="x")).status_code == 401
    async with httpx2.AsyncClient(auth=(body["client_id"], "another secret")) as http:
        refused = await http.post(f"{service.url}/oauth/revoke", data={"token": "x"})
    assert refused.status_code == 401
    async with httpx2.AsyncClient(auth=(body["client_id"], body["client_secret"])) as http:
        redeemed = await http.post(
            f"{service.url}/oauth/token",
            data={
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": CALLBACK,
                "code_verifier": client.verifier,
            },
        )
    assert redeemed.status_code == 200, redeemed.text


async def test_a_disabled_account_cannot_refresh(service: Service) -> None:
    person, client = await service.person(), await service.client()
    tokens = await client.connect(person)
    request = pb.SetDisabledRequest(email=person.email, disabled=True)
    await service.operate(service.operations.SetDisabled, request)
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    page = await person.visit("/account")
    assert page.url.path == "/login"


async def test_responses_with_secrets_are_never_stored_by_caches(service: Service) -> None:
    person, client = await service.person(), await service.client()
    code = await client.code_from(person)
    for response in (
        await client.redeem(code),
        await client.redeem(code),
        await person.visit("/account"),
        await person.visit(client.authorize_url()),
    ):
        assert response.headers["cache-control"] == "no-store"
