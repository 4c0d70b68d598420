"""The entitlements of an OAuth connection at the gateway, and its end."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import httpx2
import psycopg
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from devstack.home import Home
from tests.clients.oauth import OAuthClient
from tests.clients.person import PASSWORD, Person
from tests.clients.tokens import header
from tests.e2e.conftest import RunningStack

WITHIN_SECONDS = 1.0


async def connected(
    stack: RunningStack, plan: str = "creator", **changes: Any
) -> tuple[Person, OAuthClient, dict[str, Any]]:
    """Somebody of a plan, a client, and the tokens of their connection."""
    connection = stack.connection
    made = stack.command(
        "account",
        "create",
        email := f"{time.monotonic_ns()}@example.com",
        "--plan",
        plan,
        "--password-stdin",
        stdin=f"{PASSWORD}\n",
    )
    assert made.returncode == 0, made.stderr
    person = Person(connection["site_url"])
    person.email = email
    await person.log_in(email)
    client = await OAuthClient.registered(connection["site_url"], connection["mcp_url"])
    code = await client.code_from(person, **changes)
    return person, client, (await client.redeem(code)).json()


def call(
    stack: RunningStack, token: str, tool: str = "category.list", **arguments: Any
) -> httpx2.Response:
    return stack.call_tool(tool, arguments, token)


def refused_within_a_second(stack: RunningStack, token: str) -> httpx2.Response:
    deadline = time.monotonic() + WITHIN_SECONDS
    while (response := call(stack, token)).status_code == 200:
        assert time.monotonic() < deadline, "still admitted"
    return response


async def test_an_app_that_is_disconnected_is_refused_within_a_second(
    stack: RunningStack,
) -> None:
    person, _, tokens = await connected(stack)
    assert call(stack, tokens["access_token"]).status_code == 200
    await person.visit("/account/apps")
    await person.submit("/account/apps/revoke")
    response = refused_within_a_second(stack, tokens["access_token"])
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["www-authenticate"]


async def test_a_token_revoked_by_its_client_is_refused_within_a_second(
    stack: RunningStack,
) -> None:
    _, client, tokens = await connected(stack)
    assert call(stack, tokens["access_token"]).status_code == 200
    await client.post("/oauth/revoke", token=tokens["refresh_token"])
    assert refused_within_a_second(stack, tokens["access_token"]).status_code == 401


async def test_a_replayed_code_ends_its_tokens_within_a_second(stack: RunningStack) -> None:
    person, client, _ = await connected(stack)
    code = await client.code_from(person)
    tokens = (await client.redeem(code)).json()
    assert call(stack, tokens["access_token"]).status_code == 200
    assert (await client.redeem(code, code_verifier="z" * 43)).status_code == 400
    assert refused_within_a_second(stack, tokens["access_token"]).status_code == 401


async def test_a_disabled_account_is_refused_within_a_second(stack: RunningStack) -> None:
    person, _, tokens = await connected(stack)
    assert call(stack, tokens["access_token"]).status_code == 200
    assert stack.command("account", "disable", person.email).returncode == 0
    assert refused_within_a_second(stack, tokens["access_token"]).status_code in (401, 403)


async def test_a_token_without_the_scope_has_to_step_up(stack: RunningStack) -> None:
    _, _, tokens = await connected(stack, scope="account:read")
    response = call(stack, tokens["access_token"], "sponsor.search", search="NordVPN")
    assert response.status_code == 403
    challenge = response.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert "catalog:read" in challenge
    assert "resource_metadata=" in challenge


async def test_tokens_of_a_rotated_key_work_and_those_of_before_go_on(
    stack: RunningStack,
) -> None:
    home = Home(stack.home)
    addresses = home.addresses()
    assert addresses is not None
    with psycopg.connect(addresses.database_urls(home.secrets(), ["auth"])["auth"]) as connection:
        connection.execute(
            "UPDATE oauth_signing_keys SET created_at = created_at - interval '1 hour'"
        )
    person, client, before = await connected(stack)
    assert call(stack, before["access_token"]).status_code == 200
    rotated = stack.command("issuer", "rotate-key")
    assert rotated.returncode == 0, rotated.stderr
    after = (await client.redeem(await client.code_from(person))).json()
    assert header(after["access_token"])["kid"] != header(before["access_token"])["kid"]
    assert call(stack, after["access_token"]).status_code == 200
    assert call(stack, before["access_token"]).status_code == 200


async def test_a_free_account_gets_thirty_requests_then_the_date_and_the_way_on(
    stack: RunningStack,
) -> None:
    _, _, tokens = await connected(stack, "free")
    headers = {"authorization": f"Bearer {tokens['access_token']}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(stack.connection["mcp_url"], http_client=http)
        async with Client(transport) as client:
            for _ in range(30):
                assert not (await client.call_tool("category.list", {})).is_error
            refused = await client.call_tool("category.list", {})
    assert refused.is_error
    assert isinstance(refused.content[0], TextContent)
    text = refused.content[0].text
    now = datetime.now(UTC)
    following = now.replace(year=now.year + now.month // 12, month=now.month % 12 + 1, day=1)
    assert f"{following:%Y-%m-%d}" in text
    assert f"{stack.connection['site_url']}/plans" in text


async def test_a_token_in_the_url_is_no_token(stack: RunningStack) -> None:
    _, _, tokens = await connected(stack)
    url = f"{stack.connection['mcp_url']}?access_token={tokens['access_token']}"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient() as http:
        assert (await http.post(url, json=body)).status_code == 401


async def test_the_metadata_leads_from_the_resource_to_the_issuer(stack: RunningStack) -> None:
    connection = stack.connection
    origin = connection["mcp_url"].removesuffix("/mcp")
    async with httpx2.AsyncClient() as http:
        for path in (
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-protected-resource",
        ):
            document = (await http.get(origin + path)).json()
            assert document["resource"] == connection["mcp_url"]
            assert document["authorization_servers"] == [connection["site_url"]]
            assert "offline_access" not in document["scopes_supported"]
        copied = (await http.get(f"{origin}/.well-known/oauth-authorization-server")).json()
        own = f"{connection['site_url']}/.well-known/oauth-authorization-server"
        assert copied == (await http.get(own)).json()
