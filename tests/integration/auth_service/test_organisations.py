"""Organisations: their members, their shared plan and quota, keys and connections."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import UTC, datetime

import httpx2
import psycopg
import pytest

from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from tests.clients import organisations
from tests.clients.organisations import PAGE
from tests.clients.person import PASSWORD, Person
from tests.clients.tokens import claims
from tests.integration.auth_service.conftest import RESOURCE, Service
from tests.integration.auth_service.test_account_pages import NEW_KEY
from tests.integration.auth_service.test_code_flow import holds


async def pair(service: Service) -> tuple[Person, Person, str]:
    """Return an owner and a member of a new organisation on Creator, both acting for it, and its id."""
    owner, member = await service.person("free"), await service.person("free")
    organisation_id = await organisations.create(owner)
    await service.set_plan(organisation_id, "creator")
    await organisations.join(owner, member, service.mails)
    return owner, member, organisation_id


async def account_id_of(service: Service, email: str) -> str:
    request = pb.AccountByEmailRequest(email=email)
    return (await service.operate(service.operations.GetAccount, request)).account_id


async def new_key(person: Person, name: str = "nightly") -> str:
    await person.visit("/account/keys")
    made = await person.submit("/account/keys", name=name, password=PASSWORD, expires="30")
    secret = NEW_KEY.search(made.text)
    assert secret, made.text
    return secret.group()


async def resolved(service: Service, key: str) -> pb.Credential:
    request = pb.ResolveKeyRequest(key_sha256=hashlib.sha256(key.encode()).digest())
    return await service.call(service.access.ResolveKey, request)


async def used(service: Service, account_id: str, credential_id: str, requests: int) -> None:
    entries = [
        pb.UsageEntry(
            entry_id=secrets.token_hex(8),
            account_id=account_id,
            credential_id=credential_id,
            tool="sponsor.top",
            admitted_at=datetime.now(UTC).isoformat(),
            cost=1,
        )
        for _ in range(requests)
    ]
    await service.call(service.access.RecordUsage, pb.RecordUsageRequest(entries=entries))


async def test_an_organisation_begins_on_free_and_an_operator_gives_it_a_plan_by_its_id(
    service: Service,
) -> None:
    owner = await service.person("creator")
    organisation_id = await organisations.create(owner, "  Acme   Media ")
    page = await owner.visit("/account")
    assert "The plan of Acme Media is <strong>Free</strong>" in page.text
    assert "of 30 requests" in page.text
    await service.set_plan(organisation_id, "creator_agent")
    assert "of 10,000 requests" in (await owner.visit("/account")).text
    personal = await organisations.switch(owner, "")
    assert "Your plan is <strong>Creator</strong>" in personal.text


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 61,
        "see https://evil.example",
        "You won! See evil.example",
        "evil。example",
        "<b>Acme</b>",
        "a\u202eb",
    ],
)
async def test_a_name_that_could_be_a_link_or_markup_is_refused(
    service: Service, name: str
) -> None:
    person = await service.person()
    await person.visit("/account/organisations")
    page = await person.submit("/account/organisations", name=name)
    assert page.status_code == 400
    assert "The name of an organisation has" in page.text


async def test_members_share_the_quota_and_owners_see_who_used_what(service: Service) -> None:
    owner, member, organisation_id = await pair(service)
    key = await new_key(member, "nightly report")
    credential = await resolved(service, key)
    assert credential.entitlements.account_id == organisation_id
    assert credential.entitlements.monthly_requests == 1_000
    client = await service.client(client_name="Weather Bot")
    tokens = await client.connect(owner)
    introspected = await resolve_grant(service, tokens["access_token"])
    assert introspected.entitlements.account_id == organisation_id
    await used(service, organisation_id, credential.credential_id, 3)
    await used(service, organisation_id, introspected.credential_id, 2)
    for person in (owner, member):
        page = (await person.visit("/account")).text
        assert re.search(r"<strong>5</strong> of 1,000", page)
        rows = re.findall(
            r'<th scope="row" class="break">([^<]*)</th><td class="break">([^<]*)</td>'
            r'<td class="num">(\d+)',
            page,
        )
        assert rows == [("nightly report", member.email, "3"), ("Weather Bot", owner.email, "2")]


async def resolve_grant(service: Service, access_token: str) -> pb.Credential:
    request = pb.ResolveGrantRequest(grant_id=claims(access_token)["gid"])
    return await service.call(service.access.ResolveGrant, request)


async def test_keys_outlive_the_membership_of_who_made_them_and_connections_end_with_it(
    service: Service,
) -> None:
    owner, member, _ = await pair(service)
    key = await new_key(member)
    client = await service.client(client_name="Weather Bot")
    tokens = await client.connect(member)
    assert await holds(service, tokens["access_token"])
    assert member.email in (await owner.visit("/account/apps")).text
    page = await organisations.member_action(owner, "remove", member)
    assert "membership is ended" in page.text
    assert not await holds(service, tokens["access_token"])
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await resolved(service, key)).credential_id
    keys = (await owner.visit("/account/keys")).text
    assert "nightly" in keys
    assert "somebody who left" in keys
    assert "Acme" not in (await member.visit("/account")).text


async def test_who_leaves_loses_their_connections_at_once(service: Service) -> None:
    _, member, _ = await pair(service)
    client = await service.client()
    tokens = await client.connect(member)
    await member.visit(PAGE)
    page = await member.submit(f"{PAGE}/leave")
    assert "no longer a member" in page.text
    assert not await holds(service, tokens["access_token"])
    refused = await client.refresh(tokens["refresh_token"])
    assert refused.json()["error"] == "invalid_grant"


async def test_a_code_of_a_member_who_has_left_is_worth_nothing(service: Service) -> None:
    _, member, _ = await pair(service)
    client = await service.client()
    code = await client.code_from(member)
    await member.visit(PAGE)
    await member.submit(f"{PAGE}/leave")
    assert (await client.redeem(code)).json()["error"] == "invalid_grant"


async def test_the_database_stores_no_grant_of_somebody_who_is_no_member(
    service: Service,
) -> None:
    _, member, organisation_id = await pair(service)
    stranger_id = await account_id_of(service, await service.account())
    await (await service.client()).connect(member)
    statement = "UPDATE oauth_grants SET member_id = %s WHERE account_id = %s"
    with (
        psycopg.connect(service.settings.database_url) as connection,
        pytest.raises(psycopg.errors.ForeignKeyViolation),
    ):
        connection.execute(statement, (stranger_id, organisation_id))


async def test_a_disabled_person_has_no_connections_to_organisations(service: Service) -> None:
    _, member, _ = await pair(service)
    client = await service.client()
    tokens = await client.connect(member)
    await disable(service, member.email, disabled=True)
    assert not await holds(service, tokens["access_token"])
    refused = await client.refresh(tokens["refresh_token"])
    assert refused.json()["error"] == "invalid_grant"
    await disable(service, member.email, disabled=False)
    assert await holds(service, tokens["access_token"])


async def disable(service: Service, email: str, *, disabled: bool) -> None:
    request = pb.SetDisabledRequest(email=email, disabled=disabled)
    await service.operate(service.operations.SetDisabled, request)


async def test_a_new_password_that_disconnects_apps_disconnects_those_of_organisations(
    service: Service,
) -> None:
    _, member, _ = await pair(service)
    tokens = await (await service.client()).connect(member)
    await member.visit("/account/settings")
    change = {"current": PASSWORD, "password": "another good long passphrase"}
    await member.submit("/account/settings/password", revoke_apps="1", **change)
    assert not await holds(service, tokens["access_token"])


async def test_the_consent_page_names_the_account_and_lets_it_be_chosen(service: Service) -> None:
    _, member, organisation_id = await pair(service)
    client = await service.client()
    page = await member.visit(client.authorize_url())
    assert "Connects for</span> <strong>Acme &amp; Söhne</strong>" in page.text
    chosen = await member.submit("/account/switch", account="")
    assert chosen.url.path == "/oauth/authorize"
    assert "Connects for</span> <strong>you</strong>" in chosen.text
    approved = await member.submit("/oauth/authorize/decision", decision="approve")
    code = re.search(r"code=([^&]+)", approved.headers["location"])
    assert code
    tokens = (await client.redeem(code.group(1))).json()
    credential = await resolve_grant(service, tokens["access_token"])
    assert credential.entitlements.account_id == await account_id_of(service, member.email)
    assert credential.entitlements.account_id != organisation_id


async def test_a_person_without_organisations_sees_no_choice(service: Service) -> None:
    person, client = await service.person(), await service.client()
    page = await person.visit(client.authorize_url())
    assert "Connects for" not in page.text
    assert "/account/switch" not in page.text


async def test_scopes_are_those_of_the_plan_of_the_chosen_account(service: Service) -> None:
    _, member, _ = await pair(service)
    client = await service.client()
    url = client.authorize_url(scope="catalog:read channels:import")
    assert "channels:import" in page_scopes((await member.visit(url)).text)
    personal = await member.submit("/account/switch", account="")
    assert page_scopes(personal.text) == ["catalog:read"]


def page_scopes(page: str) -> list[str]:
    return re.findall(r'<code class="second">([^<]+)</code>', page)


async def test_a_device_is_approved_for_the_account_that_is_acted_for(service: Service) -> None:
    owner, member, organisation_id = await pair(service)
    kind = "urn:ietf:params:oauth:grant-type:device_code"
    client = await service.client(grant_types=[kind, "refresh_token"])
    started = (await client.post("/oauth/device_authorization", scope="catalog:read")).json()
    await member.visit("/device")
    page = await member.submit("/device", user_code=started["user_code"])
    assert "Acme &amp; Söhne" in page.text
    await member.submit("/device/decision", decision="approve")
    tokens = (
        await client.token(grant_type=kind, device_code=started["device_code"], resource=RESOURCE)
    ).json()
    credential = await resolve_grant(service, tokens["access_token"])
    assert credential.entitlements.account_id == organisation_id
    await organisations.member_action(owner, "remove", member)
    assert not await holds(service, tokens["access_token"])


async def test_deleting_an_organisation_needs_its_name_and_ends_everything(
    service: Service,
) -> None:
    owner, member, organisation_id = await pair(service)
    key, client = await new_key(owner), await service.client()
    tokens = await client.connect(member)
    await owner.visit(PAGE)
    refused = await owner.submit(f"{PAGE}/delete", confirm_name="Acme & Söhne", password="another")
    assert refused.status_code == 403
    assert "This is not your password" in refused.text
    refused = await owner.submit(f"{PAGE}/delete", confirm_name="Acme", password=PASSWORD)
    assert refused.status_code == 400
    assert "Type Acme &amp; Söhne" in refused.text
    page = await owner.submit(f"{PAGE}/delete", confirm_name="Acme & Söhne", password=PASSWORD)
    assert "The organisation is deleted" in page.text
    assert not await holds(service, tokens["access_token"])
    with pytest.raises(Unauthenticated):
        await resolved(service, key)
    assert organisation_id not in (await member.visit("/account/organisations")).text


async def test_the_last_owner_deletes_no_account_and_reads_what_to_do(service: Service) -> None:
    owner, member, _ = await pair(service)
    await owner.visit("/account/settings")
    fields = {"password": PASSWORD, "confirm_email": owner.email}
    refused = await owner.submit("/account/settings/delete", **fields)
    assert refused.status_code == 409
    assert "You are the only owner of Acme &amp; Söhne. Make somebody else an owner" in refused.text
    await organisations.member_action(owner, "role", member, role="owner")
    tokens = await (await service.client()).connect(owner)
    await owner.visit("/account/settings")
    gone = await owner.submit("/account/settings/delete", **fields)
    assert gone.url.path == "/"
    assert not await holds(service, tokens["access_token"])
    assert owner.email not in (await member.visit(PAGE)).text


async def test_deleting_and_creating_organisations_gives_no_further_free_quota(
    service: Service,
) -> None:
    owner = await service.person("creator")
    organisation_id = await organisations.create(owner)
    await owner.visit("/account/organisations")
    refused = await owner.submit("/account/organisations", name="Another")
    assert refused.status_code == 409
    assert "which is on the plan Free" in refused.text
    await used(service, organisation_id, "key_x", 12)
    await owner.visit(PAGE)
    await owner.submit(f"{PAGE}/delete", confirm_name="Acme & Söhne", password=PASSWORD)
    await organisations.create(owner, "Acme again")
    assert "<strong>12</strong> of 30" in (await owner.visit("/account")).text


async def test_where_plans_are_not_sold_no_page_says_that_owners_change_or_pay_one(
    service: Service,
) -> None:
    owner = await service.person("free")
    await organisations.create(owner)
    for path in ("/account/organisations", PAGE, "/plans"):
        page = (await owner.visit(path)).text
        for words in ("can change", "You change it", "and the plan.", "payments", "subscription"):
            assert words not in page, path


@pytest.mark.parametrize("way", ["invitation", "role"])
async def test_nobody_becomes_owner_of_a_second_organisation_on_free(
    service: Service, way: str
) -> None:
    owner, other = await service.person("free"), await service.person("free")
    await organisations.create(other, "Other")
    organisation_id = await organisations.create(owner)
    invited_as = "owner" if way == "invitation" else "member"
    link = await organisations.invite(owner, other.email, service.mails, invited_as)

    async def become_owner() -> httpx2.Response:
        if way == "invitation":
            return await organisations.accept(other, link)
        return await organisations.member_action(owner, "role", other, role="owner")

    if way == "role":
        await organisations.accept(other, link)
    refused = await become_owner()
    assert refused.status_code == 409
    assert "on the plan Free" in refused.text
    await service.set_plan(organisation_id, "creator")
    await become_owner()
    assert "You are an owner" in (await other.visit(PAGE)).text


async def test_events_name_members_by_their_addresses(service: Service) -> None:
    owner, member, _ = await pair(service)
    await new_key(member)
    await organisations.member_action(owner, "role", member, role="owner")
    page = (await owner.visit("/account/security")).text
    for event in ("organisation_created", "member_invited", "member_joined", "key_created"):
        assert event in page
    assert f"{member.email} is owner" in page
    assert f", by {member.email}</span>" in page


async def test_the_export_names_the_organisations_of_a_person(service: Service) -> None:
    _, member, organisation_id = await pair(service)
    document = (await member.visit("/account/export")).json()
    assert document["account"]["email"] == member.email
    assert [m["organisation_id"] for m in document["organisations"]] == [organisation_id]


async def test_an_organisation_is_no_account_to_log_in_to(service: Service) -> None:
    _, _, organisation_id = await pair(service)
    async with Person(service.url, "192.0.2.7") as stranger:
        for path in ("/login", "/forgot", "/signup"):
            await stranger.visit(path)
            page = await stranger.submit(path, email=organisation_id, password=PASSWORD)
            assert page.status_code == 400
            assert "is not an email address" in page.text
