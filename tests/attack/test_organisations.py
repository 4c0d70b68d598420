"""Attacks on organisations: by former and disabled members with old tokens, and by strangers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx2
import pytest

from tests.attack.conftest import PASSWORD, Party
from tests.clients import organisations
from tests.clients.oauth import OAuthClient
from tests.clients.organisations import PAGE
from tests.clients.person import Person
from tests.e2e.conftest import RunningStack

pytestmark = [pytest.mark.timeout(300)]
WITHIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Team:
    """An organisation on Creator with an owner and a member, both acting for it."""

    stack: RunningStack
    organisation_id: str
    owner: Person
    member: Person

    async def token(self) -> str:
        """Return an access token that the member has approved for the organisation."""
        site, resource = self.member.site_url, self.stack.connection["mcp_url"]
        client = await OAuthClient.registered(site, resource)
        return (await client.connect(self.member))["access_token"]

    async def key(self) -> str:
        """Return an API key of the organisation that the member has made."""
        await self.member.visit("/account/keys")
        made = await self.member.submit("/account/keys", name="x", password=PASSWORD, expires="30")
        return made.text.partition('id="new-key">')[2].partition("<")[0]


@pytest.fixture
async def team(stack: RunningStack) -> AsyncGenerator[Team]:
    async with AsyncExitStack() as people:
        found: list[Person] = []
        for _ in range(2):
            address = f"10.9.{secrets.randbelow(250)}.{secrets.randbelow(250)}"
            person = Person(stack.connection["site_url"], address)
            await people.enter_async_context(person)
            person.email = stack.account("free", PASSWORD)
            assert (await person.log_in(person.email, PASSWORD)).url.path == "/account"
            found.append(person)
        owner, member = found
        organisation_id = await organisations.create(owner, "Acme")
        result = stack.command("account", "set-plan", organisation_id, "creator")
        assert result.returncode == 0, result.stderr
        await organisations.join(owner, member, stack.home / "mails")
        yield Team(stack, organisation_id, owner, member)


def usage(team: Team, credential: str) -> httpx2.Response:
    return team.stack.call_tool("account.usage", {}, credential)


def refused_within_a_second(team: Team, token: str) -> httpx2.Response:
    deadline = time.monotonic() + WITHIN_SECONDS
    while (response := usage(team, token)).status_code == 200:
        assert time.monotonic() < deadline, "still admitted"
    return response


async def test_a_removed_members_token_is_refused_within_a_second_and_the_key_that_they_made_is_not(
    team: Team,
) -> None:
    token, key = await team.token(), await team.key()
    for credential in (token, key):
        assert usage(team, credential).status_code == 200
    await organisations.member_action(team.owner, "remove", team.member)
    assert refused_within_a_second(team, token).status_code == 401
    assert usage(team, key).status_code == 200


async def test_members_use_up_one_quota(team: Team) -> None:
    token, key = await team.token(), await team.key()
    first = usage(team, token).json()["result"]["structuredContent"]
    found = team.stack.call_tool("category.list", {}, key)
    assert found.status_code == 200, found.text
    second = usage(team, token).json()["result"]["structuredContent"]
    assert first["plan"] == "creator"
    assert second["requests_used"] > first["requests_used"]


async def test_a_disabled_members_token_for_an_organisation_is_refused_within_a_second(
    team: Team,
) -> None:
    token, key = await team.token(), await team.key()
    assert usage(team, token).status_code == 200
    assert team.stack.command("account", "disable", team.member.email).returncode == 0
    assert refused_within_a_second(team, token).status_code == 401
    assert usage(team, key).status_code == 200


async def test_a_stranger_switches_to_no_organisation_of_others(
    team: Team, stranger: Party
) -> None:
    person = stranger.person
    await person.visit("/account/settings")
    csrf = dict(person.form("/account/settings/password").fields)["csrf"]
    outcomes: list[tuple[int, str]] = []
    for organisation_id in (team.organisation_id, "org_none"):
        fields = {"csrf": csrf, "account": organisation_id}
        response = await person.client.post("/account/switch", data=fields)
        outcomes.append((response.status_code, response.text))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 404
    assert (await person.visit(PAGE)).url.path == "/account/organisations"
    assert "Acme" not in (await person.visit("/account")).text


async def test_no_field_of_a_form_chooses_another_organisation(team: Team, stranger: Party) -> None:
    person = stranger.person
    await person.visit("/account/settings")
    csrf = dict(person.form("/account/settings/password").fields)["csrf"]
    for action in ("invite", "leave", "delete", "remove", "role", "invitations/revoke"):
        fields = {
            "csrf": csrf,
            "organisation_id": team.organisation_id,
            "organisation": team.organisation_id,
            "acting_for": team.organisation_id,
            "email": "stranger@example.com",
            "confirm_name": "Acme",
            "role": "owner",
            "account_id": team.organisation_id,
        }
        response = await person.client.post(f"{PAGE}/{action}", data=fields)
        assert response.status_code == 404, action
    page = (await team.owner.visit(PAGE)).text
    assert team.member.email in page
    assert "stranger@example.com" not in page
