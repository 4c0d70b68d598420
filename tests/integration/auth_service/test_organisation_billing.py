"""Plans that owners buy for an organisation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

import pytest

from tests.clients import organisations
from tests.clients.organisations import PAGE
from tests.clients.person import PASSWORD
from tests.integration.auth_service.billing_shop import LIBRARY_WARNS, Shop, open_shop

pytestmark = LIBRARY_WARNS


@pytest.fixture(scope="module")
async def shop(
    fresh_database: Callable[[], str], valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Shop]:
    folder = tmp_path_factory.mktemp("mails")
    async with open_shop(fresh_database(), valkey_url, folder) as opened:
        yield opened


async def test_owners_buy_for_the_organisation_and_members_cannot(shop: Shop) -> None:
    owner, member = [await shop.service.person("free") for _ in range(2)]
    organisation_id = await organisations.create(owner, "Acme")
    await organisations.join(owner, member, shop.service.mails)
    page = await member.visit("/plans")
    assert "Its owners can change it" in page.text
    assert "/plans/checkout" not in page.text
    assert "you manage members and the plan" in (await owner.visit(PAGE)).text
    page = await owner.visit("/plans")
    assert "You change it for all members." in page.text
    session = await shop.open_checkout(owner)
    subscription = shop.stripe.pay(session)
    assert await shop.stripe.deliver_new()
    assert await shop.plan_of(organisation_id) == "creator"
    assert await shop.plan_of(owner.email) == "free"
    assert shop.stripe.customers[subscription["customer"]]["email"] == owner.email
    page = await member.visit("/plans")
    assert "/plans/portal" not in page.text
    csrf = dict(member.form("/account/switch").fields)["csrf"]
    for path, fields in {
        "/plans/checkout": {"plan": "creator_agent"},
        "/plans/change": {"plan": "free", "change": "end"},
        "/plans/portal": {},
    }.items():
        refused = await member.client.post(path, data={"csrf": csrf, **fields})
        assert refused.status_code == 403, path
        assert "Only owners of the organisation" in refused.text
    assert (await member.visit("/plans/change?plan=free")).status_code == 403


async def test_the_subscription_of_a_deleted_organisation_ends(shop: Shop) -> None:
    owner = await shop.service.person("free")
    await organisations.create(owner, "Acme")
    await owner.visit("/plans")
    subscription = shop.stripe.pay(await shop.open_checkout(owner))
    assert await shop.stripe.deliver_new()
    await owner.visit(PAGE)
    await owner.submit(f"{PAGE}/delete", confirm_name="Acme", password=PASSWORD)
    await shop.until(lambda: "deleted" in shop.stripe.customers[subscription["customer"]])
