"""The rights of owners and members, and the rule that an organisation has an owner."""

from __future__ import annotations

import asyncio
import re
import secrets

import pytest

from tests.clients import organisations
from tests.clients.organisations import PAGE
from tests.clients.person import PASSWORD, Person, mails_to
from tests.integration.auth_service.conftest import Service
from tests.integration.auth_service.test_organisations import account_id_of, new_key, pair


async def sent(person: Person, path: str, **fields: str) -> int:
    """Submit a form with the token of the person's own session; return the status."""
    await person.visit("/account/keys")
    csrf = dict(person.form("/account/switch").fields)["csrf"]
    response = await person.client.post(path, data={"csrf": csrf, **fields})
    return response.status_code


async def test_members_see_no_forms_of_owners_and_may_send_none(service: Service) -> None:
    owner, member, _ = await pair(service)
    owner_id = await account_id_of(service, owner.email)
    page = (await member.visit(PAGE)).text
    for action in ("invite", "role", "remove", "rename", "delete", "invitations/revoke"):
        assert f"{PAGE}/{action}" not in page
    for action, fields in {
        "invite": {"email": "friend@example.com", "role": "owner"},
        "role": {"account_id": await account_id_of(service, member.email), "role": "owner"},
        "remove": {"account_id": owner_id},
        "rename": {"name": "Mine"},
        "delete": {"confirm_name": "Acme & Söhne"},
        "invitations/revoke": {"invitation_id": "inv_x"},
    }.items():
        assert await sent(member, f"{PAGE}/{action}", **fields) == 403, action
    assert "You are an owner" in (await owner.visit(PAGE)).text
    assert (await member.visit("/account/security")).status_code == 403


async def test_members_revoke_their_own_keys_and_owners_any(service: Service) -> None:
    owner, member, _ = await pair(service)
    await new_key(owner, "key of the owner")
    await new_key(member, "key of the member")
    page = (await member.visit("/account/keys")).text
    assert "key of the owner" in page
    assert "Revoke the key “key of the member”" in page
    assert "Revoke the key “key of the owner”" not in page
    page = (await owner.visit("/account/keys")).text
    ids = re.findall(r'name="key_id" value="([^"]+)"', page)
    assert len(ids) == 2
    newest, oldest = ids
    assert await sent(member, "/account/keys/revoke", key_id=oldest) == 404
    assert await sent(member, "/account/keys/revoke", key_id=newest) == 303
    assert await sent(owner, "/account/keys/revoke", key_id=oldest) == 303


async def test_members_see_and_end_their_own_connections_and_owners_all(
    service: Service,
) -> None:
    owner, member, _ = await pair(service)
    clients = [await service.client(client_name=name) for name in ("Owner Bot", "Member Bot")]
    tokens = [
        await client.connect(person)
        for client, person in zip(clients, (owner, member), strict=True)
    ]
    page = (await member.visit("/account/apps")).text
    assert "Member Bot" in page
    assert "Owner Bot" not in page
    await sent(member, "/account/apps/revoke", client_id=clients[0].client_id)
    await sent(member, "/account/apps/disconnect-all")
    refused = await clients[1].refresh(tokens[1]["refresh_token"])
    assert refused.json()["error"] == "invalid_grant"
    assert (await clients[0].refresh(tokens[0]["refresh_token"])).status_code == 200
    await clients[1].connect(member)
    page = (await owner.visit("/account/apps")).text
    assert "Member Bot" in page
    assert "Owner Bot" in page
    await sent(owner, "/account/apps/disconnect-all")
    assert "Bot" not in (await member.visit("/account/apps")).text


@pytest.mark.parametrize("action", ["role", "remove", "leave"])
async def test_the_last_owner_stays_one(service: Service, action: str) -> None:
    owner, _, _ = await pair(service)
    own_id = await account_id_of(service, owner.email)
    status = await sent(owner, f"{PAGE}/{action}", account_id=own_id, role="member")
    assert status == 409
    page = (await owner.visit(PAGE)).text
    assert "You are an owner" in page
    assert "Make somebody else an owner" in page


@pytest.mark.parametrize("action", ["role", "remove"])
async def test_of_two_owners_who_end_each_others_role_at_once_one_remains(
    service: Service, action: str
) -> None:
    owner, second, _ = await pair(service)
    await organisations.member_action(owner, "role", second, role="owner")
    ids = [await account_id_of(service, person.email) for person in (second, owner)]
    statuses = await asyncio.gather(
        *(
            sent(person, f"{PAGE}/{action}", account_id=account_id, role="member")
            for person, account_id in zip((owner, second), ids, strict=True)
        )
    )
    assert min(statuses) == 303
    assert max(statuses) in (403, 404)
    pages = [(await person.visit(PAGE)).text for person in (owner, second)]
    assert sum("You are an owner" in page for page in pages) == 1


async def test_of_two_owners_who_delete_their_accounts_at_once_one_remains(
    service: Service,
) -> None:
    owner, second, _ = await pair(service)
    await organisations.member_action(owner, "role", second, role="owner")

    async def delete(person: Person) -> int:
        await person.visit("/account/settings")
        fields = {"password": "a good long passphrase", "confirm_email": person.email}
        return (await person.submit("/account/settings/delete", **fields)).status_code

    assert sorted(await asyncio.gather(delete(owner), delete(second))) == [200, 409]


async def test_a_form_that_was_opened_for_another_account_is_refused(service: Service) -> None:
    owner, _, organisation_id = await pair(service)
    await organisations.switch(owner, "")
    await owner.visit("/account/keys")
    csrf = dict(owner.form("/account/switch").fields)["csrf"]
    await organisations.switch(owner, organisation_id)
    stale = {"csrf": csrf, "plan": "free", "change": "end"}
    for path in ("/account/keys", "/plans/change", f"{PAGE}/leave", "/account/apps/disconnect-all"):
        refused = await owner.client.post(path, data=stale)
        assert refused.status_code == 403, path
        assert "for another account" in refused.text
    left = await owner.client.post("/account/switch", data={"csrf": csrf, "account": ""})
    assert left.status_code == 303


async def test_a_consent_page_that_was_opened_for_another_account_is_refused(
    service: Service,
) -> None:
    _, member, _ = await pair(service)
    client = await service.client()
    await member.visit(client.authorize_url())
    request = dict(member.form("/oauth/authorize/decision").fields)["request"]
    await organisations.switch(member, "")
    await member.visit("/account/settings")
    csrf = dict(member.form("/account/settings/password").fields)["csrf"]
    refused = await member.client.post(
        "/oauth/authorize/decision",
        data={"csrf": csrf, "request": request, "decision": "approve"},
    )
    assert refused.status_code == 403


async def test_a_session_of_a_removed_member_acts_for_nobody_but_themselves(
    service: Service,
) -> None:
    owner, member, organisation_id = await pair(service)
    await organisations.member_action(owner, "remove", member)
    assert "Your plan is <strong>Free</strong>" in (await member.visit("/account")).text
    await member.visit("/account/settings")
    csrf = dict(member.form("/account/settings/password").fields)["csrf"]
    fields = {"csrf": csrf, "account": organisation_id}
    assert (await member.client.post("/account/switch", data=fields)).status_code == 404
    assert (await member.visit(PAGE)).url.path == "/account/organisations"


async def test_a_member_who_comes_back_consents_anew(service: Service) -> None:
    owner, member, _ = await pair(service)
    await organisations.member_action(owner, "remove", member)
    await organisations.join(owner, member, service.mails)
    client = await service.client()
    page = await member.visit(client.authorize_url())
    assert "Approve" in page.text


async def test_nobody_is_made_an_owner_without_the_password(service: Service) -> None:
    owner, member, _ = await pair(service)
    member_id = await account_id_of(service, member.email)
    new_owner = {"account_id": member_id, "role": "owner"}
    assert await sent(owner, f"{PAGE}/role", **new_owner) == 200
    for password in ("", "a wrong passphrase"):
        fields = {**new_owner, "confirmed": "yes", "password": password}
        assert await sent(owner, f"{PAGE}/role", **fields) == 403
    assert "You are a member" in (await member.visit(PAGE)).text

    page = await owner.visit(PAGE)
    page = await owner.submit(f"{PAGE}/role", **new_owner)
    assert f"{member.email}</strong> is to be an owner" in page.text
    page = await owner.submit(f"{PAGE}/role", password=PASSWORD)
    assert "The role is changed" in page.text
    assert "You are an owner" in (await member.visit(PAGE)).text


async def test_nobody_is_invited_as_an_owner_without_the_password(service: Service) -> None:
    owner, _, _ = await pair(service)
    address = f"{secrets.token_hex(6)}@example.com"
    invited = {"email": address, "role": "owner"}
    assert await sent(owner, f"{PAGE}/invite", **invited) == 200
    fields = {**invited, "confirmed": "yes", "password": "a wrong passphrase"}
    assert await sent(owner, f"{PAGE}/invite", **fields) == 403
    assert mails_to(service.mails, address) == []
    await organisations.invite(owner, address, service.mails, "owner")


async def test_an_owner_renames_the_organisation(service: Service) -> None:
    owner, member, _ = await pair(service)
    await owner.visit(PAGE)
    page = await owner.submit(f"{PAGE}/rename", name="  Lake   Söhne ")
    assert "The organisation has its new name." in page.text
    assert "<h1>Lake Söhne</h1>" in (await member.visit(PAGE)).text
    assert "Acme &amp; Söhne is Lake Söhne" in (await owner.visit("/account/security")).text
    await owner.visit(PAGE)
    refused = await owner.submit(f"{PAGE}/rename", name="see evil.example")
    assert refused.status_code == 400
    assert "<h1>Lake Söhne</h1>" in refused.text
