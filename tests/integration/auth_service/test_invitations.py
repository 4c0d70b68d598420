"""Invitations to organisations: whom they are for, how long and how often they work."""

from __future__ import annotations

import secrets
from datetime import timedelta
from urllib.parse import quote, urlsplit

import psycopg
import pytest

from protos.auth.v1 import auth_pb2 as pb
from tests.clients import organisations
from tests.clients.organisations import PAGE, accept, invite
from tests.clients.person import Person, link_in, mails_to, newest_mail
from tests.integration.auth_service.conftest import Service, somewhere_else

DEAD = "This invitation does not work any more"


async def owned(service: Service) -> Person:
    """Return the owner of a new organisation, who acts for it."""
    owner = await service.person()
    await organisations.create(owner)
    return owner


async def test_the_mail_names_who_invites_to_what_and_the_link_makes_a_member(
    service: Service,
) -> None:
    owner, invited = await owned(service), await service.person()
    link = await invite(owner, invited.email, service.mails)
    mail = await newest_mail(service.mails, invited.email)
    assert f"{owner.email} invites you to the organisation “Acme & Söhne”" in mail.replace(
        "\n", " "
    )
    assert "Accept as" in (await invited.visit(link)).text
    assert invited.email not in (await owner.visit(PAGE)).text.partition("Open invitations")[0]
    page = await invited.submit("/invitation")
    assert "You are a member now" in page.text
    assert "You are a member: you use the plan" in page.text
    assert invited.email in (await owner.visit(PAGE)).text


async def test_the_invited_may_sign_up_first(service: Service) -> None:
    owner, address = await owned(service), f"{secrets.token_hex(6)}@example.com"
    link = await invite(owner, address, service.mails)
    async with Person(service.url, somewhere_else()) as invited:
        page = await invited.visit(link)
        target = urlsplit(link)
        following = quote(f"{target.path}?{target.query}", safe="")
        assert f"/signup?next={following}".replace("%2F", "/") in page.text
        await invited.visit(f"/signup?next={following}")
        await invited.submit("/signup", email=address, password="a good long passphrase")
        await invited.visit(link_in(await newest_mail(service.mails, address, 2)))
        landed = await invited.submit("/confirm")
        assert landed.url.path == "/invitation"
        assert "You are a member now" in (await invited.submit("/invitation")).text


async def test_the_invited_who_has_to_log_in_comes_back_to_the_invitation(
    service: Service,
) -> None:
    owner, email = await owned(service), await service.account()
    link = await invite(owner, email, service.mails)
    async with Person(service.url, somewhere_else()) as invited:
        target = urlsplit(link)
        await invited.visit(f"/login?next={quote(f'{target.path}?{target.query}', safe='')}")
        landed = await invited.log_in(email)
        assert f"Accept as {email}" in landed.text


async def test_an_owner_can_be_invited(service: Service) -> None:
    owner, invited = await owned(service), await service.person()
    await accept(invited, await invite(owner, invited.email, service.mails, "owner"))
    assert "You are an owner" in (await invited.visit(PAGE)).text


async def test_a_link_works_once(service: Service) -> None:
    owner, invited = await owned(service), await service.person()
    link = await invite(owner, invited.email, service.mails)
    await invited.visit(link)
    form = invited.form("/invitation")
    await invited.submit("/invitation")
    assert DEAD in (await invited.visit(link)).text, "also while they are a member"
    await invited.visit(PAGE)
    await invited.submit(f"{PAGE}/leave")
    await invited.visit(f"{service.url}/account/settings")
    csrf = dict(invited.form("/account/settings/password").fields)["csrf"]
    token = dict(form.fields)["token"]
    replayed = await invited.client.post("/invitation", data={"csrf": csrf, "token": token})
    assert replayed.status_code == 404
    assert DEAD in replayed.text
    assert DEAD in (await invited.visit(link)).text
    assert invited.email not in (await owner.visit(PAGE)).text


async def test_a_link_is_good_for_its_address_alone_and_is_not_used_up_by_others(
    service: Service,
) -> None:
    owner, invited, other = [await owned(service), await service.person(), await service.person()]
    link = await invite(owner, invited.email, service.mails)
    refused = await accept(other, link)
    assert refused.status_code == 403
    assert "sent to another address" in refused.text
    assert invited.email not in refused.text
    assert "Acme" not in (await other.visit("/account/organisations")).text
    assert "You are a member now" in (await accept(invited, link)).text


async def test_a_link_lives_seven_days(service: Service, auth_database: str) -> None:
    owner, invited = await owned(service), await service.person()
    link = await invite(owner, invited.email, service.mails)
    shift = "UPDATE invitations SET expires_at = expires_at - %s WHERE email = %s"
    with psycopg.connect(auth_database) as connection:
        connection.execute(shift, (timedelta(days=6, hours=23), invited.email))
    assert "Accept as" in (await invited.visit(link)).text
    with psycopg.connect(auth_database) as connection:
        connection.execute(shift, (timedelta(hours=2), invited.email))
    assert (await invited.submit("/invitation")).status_code == 404
    assert DEAD in (await invited.visit(link)).text
    assert invited.email not in (await owner.visit(PAGE)).text


async def test_a_revoked_invitation_does_not_work(service: Service) -> None:
    owner, invited = await owned(service), await service.person()
    link = await invite(owner, invited.email, service.mails)
    await owner.visit(PAGE)
    page = await owner.submit(f"{PAGE}/invitations/revoke")
    assert "The invitation is revoked" in page.text
    assert invited.email not in page.text
    assert DEAD in (await invited.visit(link)).text


async def test_another_invitation_of_an_address_ends_the_one_before(service: Service) -> None:
    owner, invited = await owned(service), await service.person()
    first = await invite(owner, invited.email, service.mails, "owner")
    second = await invite(owner, invited.email, service.mails)
    assert DEAD in (await invited.visit(first)).text
    await accept(invited, second)
    assert "You are a member: you use the plan" in (await invited.visit(PAGE)).text


async def test_a_member_is_not_invited_again(service: Service) -> None:
    owner, member = await owned(service), await service.person()
    await organisations.join(owner, member, service.mails)
    await owner.visit(PAGE)
    refused = await owner.submit(f"{PAGE}/invite", email=member.email.upper(), role="member")
    assert refused.status_code == 409
    assert "is a member already" in refused.text


@pytest.mark.parametrize("action", ["remove", "role"])
async def test_invitations_end_with_the_rights_of_who_has_sent_them(
    service: Service, action: str
) -> None:
    owner, second, invited = [await owned(service), await service.person(), await service.person()]
    await organisations.join(owner, second, service.mails, "owner")
    link = await invite(second, invited.email, service.mails)
    await organisations.member_action(owner, action, second, role="member")
    assert DEAD in (await invited.visit(link)).text


async def test_invitations_of_somebody_who_is_disabled_do_not_work(service: Service) -> None:
    owner, second, invited = [await owned(service), await service.person(), await service.person()]
    await organisations.join(owner, second, service.mails, "owner")
    link = await invite(second, invited.email, service.mails, "owner")
    request = pb.SetDisabledRequest(email=second.email, disabled=True)
    await service.operate(service.operations.SetDisabled, request)
    assert DEAD in (await invited.visit(link)).text
    assert invited.email not in (await owner.visit(PAGE)).text


async def test_mails_to_one_address_are_few(service: Service) -> None:
    owner, address = await owned(service), f"{secrets.token_hex(6)}@example.com"
    for _ in range(5):
        await invite(owner, address, service.mails)
    await owner.visit(PAGE)
    refused = await owner.submit(f"{PAGE}/invite", email=address, role="member")
    assert refused.status_code == 429
    assert len(mails_to(service.mails, address)) == 5
