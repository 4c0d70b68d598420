"""Plans that are bought, changed, not paid and paid back, against Stripe's API over HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis

from auth_service.domain.billing import PaymentFailed
from protos.auth.v1 import auth_pb2 as pb
from servicekit.errors import Unauthenticated
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.clients.person import PASSWORD, link_in, newest_mail
from tests.fakes.stripe_api import PERIOD
from tests.integration.auth_service.billing_shop import (
    GRACE_DAYS,
    LIBRARY_WARNS,
    Shop,
    readable,
    shop_of_module,
)

pytestmark = LIBRARY_WARNS


shop = pytest.fixture(scope="module")(shop_of_module)


@pytest.fixture(autouse=True)
def _as_before(shop: Shop) -> Any:
    yield
    shop.clock.shift = timedelta()
    shop.stripe.shift = 0
    shop.stripe.down = shop.stripe.declines = False
    shop.stripe.before_reply = None
    shop.stripe.refuses = ""
    shop.stripe._delivered = len(shop.stripe.events)


async def test_a_plan_is_bought_and_follows_the_payment(shop: Shop) -> None:
    person = await shop.service.person("free")
    page = await person.visit("/plans")
    assert "9.00 EUR a month" in page.text
    assert "By buying you accept" not in page.text  # there are no terms
    session = await shop.open_checkout(person)
    assert await shop.plan_of(person.email) == "free"
    subscription = shop.stripe.pay(session)
    assert await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    assert "Creator, renewed on" in readable((await person.visit("/plans")).text)
    assert shop.stripe.customers[subscription["customer"]]["email"] == person.email
    events = readable((await person.visit("/account/security")).text)
    assert "The plan was changed from Free to Creator." in events
    assert "by the payment service" in events


async def test_gateways_are_informed_as_soon_as_the_payment_is(shop: Shop, valkey_url: str) -> None:
    person = await shop.service.person("free")
    session = await shop.open_checkout(person)
    client: Any = Redis.from_url(valkey_url)  # pyright: ignore[reportUnknownMemberType]
    async with client, client.pubsub() as feed:
        await feed.subscribe(REVOCATION_CHANNEL)
        shop.stripe.pay(session)
        await shop.stripe.deliver_new()
        message = None
        async with asyncio.timeout(1):
            while message is None or message["type"] != "message":
                message = await feed.get_message(timeout=1)
    assert b'"reason": "plan_changed"' in message["data"]


async def test_a_return_before_the_payment_says_that_the_plan_follows(shop: Shop) -> None:
    person = await shop.service.person("free")
    await shop.open_checkout(person)
    page = await person.visit("/plans?notice=paid")
    assert "Thank you. Your plan follows as soon as the payment is confirmed" in page.text


@pytest.mark.parametrize("notice", ["upgrade", "downgrade", "end", "continue"])
async def test_an_address_alone_makes_no_notice(shop: Shop, notice: str) -> None:
    person = await shop.service.person("free")
    page = (await person.visit(f"/plans?notice={notice}")).text
    assert page == (await person.visit("/plans")).text


async def test_a_planned_change_is_not_offered_again(shop: Shop) -> None:
    person, _ = await shop.subscriber("creator_agent")
    await shop.change(person, "creator")
    page = (await person.visit("/plans")).text
    assert "/plans/change?plan=creator_agent" in page
    assert '/plans/change?plan=creator"' not in page
    response = await person.visit("/plans/change?plan=creator")
    assert response.status_code == 409
    assert '<a class="button quiet" href="/plans">Back to the plans</a>' in response.text


async def test_a_return_from_checkout_needs_no_event(shop: Shop) -> None:
    person = await shop.service.person("free")
    shop.stripe.pay(await shop.open_checkout(person))
    page = await person.visit("/plans?notice=paid")
    assert "Thank you. Your plan is Creator." in page.text
    assert await shop.plan_of(person.email) == "creator"


async def test_a_key_made_on_a_bought_plan_works_and_ends_with_it(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    key = await shop.service.key(person.email)
    digest = hashlib.sha256(key.secret.encode()).digest()
    request = pb.ResolveKeyRequest(key_sha256=digest)
    resolved = await shop.service.call(shop.service.access.ResolveKey, request)
    assert resolved.entitlements.plan == "creator"
    shop.stripe._cancel(subscription)
    await shop.stripe.deliver_new()
    with pytest.raises(Unauthenticated, match="/plans"):
        await shop.service.call(shop.service.access.ResolveKey, request)


async def test_an_upgrade_counts_at_once_and_is_charged(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    page = await shop.change(person, "creator_agent")
    assert "Your plan is Creator with Agent. The invoice is under" in page
    assert await shop.plan_of(person.email) == "creator_agent"
    invoices = [
        i for i in shop.stripe.invoices.values() if i["customer"] == subscription["customer"]
    ]
    assert len(invoices) == 2


async def test_an_upgrade_that_is_not_paid_changes_nothing(shop: Shop) -> None:
    person, _ = await shop.subscriber()
    shop.stripe.declines = True
    page = await shop.change(person, "creator_agent")
    assert "The payment did not go through" in page
    assert await shop.plan_of(person.email) == "creator"


async def test_an_upgrade_that_is_not_paid_leaves_the_cancellation(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    await shop.change(person, "free")
    confirmation = readable((await person.visit("/plans/change?plan=creator_agent")).text)
    assert "You had planned Free for after this period." in confirmation
    shop.stripe.declines = True
    assert "The payment did not go through" in await shop.change(person, "creator_agent")
    await shop.stripe.deliver_new()
    assert "After that your plan is Free." in readable((await person.visit("/plans")).text)
    shop.stripe.renew(subscription)
    assert subscription["status"] == "canceled"


@pytest.mark.parametrize("planned", ["price_creator_old", ""])
async def test_an_upgrade_that_is_not_paid_leaves_the_schedule(shop: Shop, planned: str) -> None:
    person, subscription = await shop.subscriber()
    gateway, name = shop.gateway(), subscription["id"]
    async with gateway as stripe:
        await stripe.change_with_period(name, "price_creator_old")
        if not planned:
            await stripe.end_with_period(name)
        shop.stripe.declines = True
        with pytest.raises(PaymentFailed):
            await stripe.upgrade(name, "price_agent")
        found = (await stripe.subscriptions(subscription["customer"]))[0]
        assert (found.next_price_id or "", found.ends_with_period) == (planned, not planned)
        assert found.price_id == "price_creator"
        shop.stripe.declines = False
        await stripe.upgrade(name, "price_agent")
        found = (await stripe.subscriptions(subscription["customer"]))[0]
        assert (found.price_id, found.next_price_id) == ("price_agent", None)
        assert not found.ends_with_period
    assert await shop.plan_of(person.email) == "creator"


async def test_a_person_reads_that_a_planned_change_may_be_withdrawn(shop: Shop) -> None:
    person, _ = await shop.subscriber("creator_agent")
    await shop.change(person, "free")
    await person.visit("/plans/change?plan=creator")

    async def fail(shape: str) -> None:
        shop.stripe.down = shop.stripe.down or shape == "POST /v1/subscriptions/ID"

    shop.stripe.before_reply = fail
    response = await person.submit("/plans/change")
    assert response.status_code == 503
    assert "the change that you had planned may be withdrawn" in response.text


CALLS = [
    "POST /v1/subscriptions/ID",
    "POST /v1/subscription_schedules",
    "POST /v1/subscription_schedules/ID",
    "POST /v1/subscription_schedules/ID/release",
]


@pytest.mark.parametrize("refused", CALLS)
@pytest.mark.parametrize(("planned", "wanted"), [("creator", "free"), ("free", "creator")])
async def test_a_change_that_fails_midway_leaves_the_former_one(
    shop: Shop, planned: str, wanted: str, refused: str
) -> None:
    person, subscription = await shop.subscriber("creator_agent")
    await shop.change(person, planned)
    await person.visit(f"/plans/change?plan={wanted}")
    shop.stripe.refuses = refused
    is_changed = (await person.submit("/plans/change")).status_code == 200
    shop.stripe.refuses = ""
    await shop.stripe.deliver_new()
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == (wanted if is_changed else planned)


async def test_a_downgrade_counts_from_the_end_of_the_period(shop: Shop) -> None:
    person, subscription = await shop.subscriber("creator_agent")
    assert "changes at the end of the period" in await shop.change(person, "creator")
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator_agent"
    assert "After that your plan is Creator." in readable((await person.visit("/plans")).text)
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"


async def test_a_planned_change_is_withdrawn(shop: Shop) -> None:
    person, subscription = await shop.subscriber("creator_agent")
    for plan in ("creator", "free"):
        await shop.change(person, plan)
        assert "After that your plan is" in readable((await person.visit("/plans")).text)
        assert "goes on as it is" in await shop.change(person, "creator_agent")
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator_agent"


async def test_an_upgrade_replaces_a_planned_change(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    await shop.change(person, "free")
    await shop.change(person, "creator_agent")
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator_agent"


async def test_an_ended_subscription_leaves_the_plan_until_the_period_ends(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    assert "ends with the period" in await shop.change(person, "free")
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"
    assert "Buy Creator" in (await person.visit("/plans")).text


async def test_a_failed_payment_has_its_days_of_grace_and_then_the_plan_is_free(
    shop: Shop,
) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.renew(subscription, paid=False)
    shop.clock.shift = timedelta(seconds=PERIOD) + timedelta(days=GRACE_DAYS, minutes=-5)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    shop.clock.shift += timedelta(minutes=10)
    await shop.becomes(person.email, "free")  # no event says that the grace is over
    shop.stripe.recover(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"


async def test_a_further_unpaid_invoice_begins_no_further_grace(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.renew(subscription, paid=False)
    shop.stripe.renew(subscription, paid=False)
    shop.clock.shift = timedelta(seconds=PERIOD) + timedelta(days=GRACE_DAYS, minutes=-5)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    shop.clock.shift = timedelta(seconds=2 * PERIOD, minutes=5)
    await shop.becomes(person.email, "free")
    shop.stripe.renew(subscription, paid=False)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"


async def test_a_person_reads_that_a_payment_failed(shop: Shop) -> None:
    person, _ = await shop.debtor()
    page = readable((await person.visit("/plans")).text)
    assert "The last payment failed. You keep Creator until" in page
    response = await person.visit("/plans/change?plan=creator_agent")
    assert response.status_code == 409
    assert "Pay it first" in response.text


@pytest.mark.parametrize("status", ["unpaid", "canceled", "incomplete_expired", "paused"])
async def test_a_subscription_that_stripe_gave_up_entitles_to_nothing(
    shop: Shop, status: str
) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.give_up(subscription, status)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"


async def test_a_full_refund_ends_the_subscription(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.refund(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"
    assert subscription["status"] == "canceled"


async def test_a_refund_of_a_part_changes_nothing(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.refund(subscription, share=0.5)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    assert subscription["status"] == "active"


async def test_a_refund_of_an_earlier_period_changes_nothing(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.refund(subscription)
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"
    assert subscription["status"] == "active"


async def test_events_in_any_order_and_number_lead_to_the_same_plan(shop: Shop) -> None:
    person = await shop.service.person("free")
    first = len(shop.stripe.events)
    subscription = shop.stripe.pay(await shop.open_checkout(person))
    shop.stripe.renew(subscription, paid=False)
    shop.stripe.recover(subscription)
    shop.stripe._cancel(subscription)
    again = shop.stripe.subscribe(subscription["customer"], "price_agent")
    events = shop.stripe.events[first:] * 2
    random.Random(19).shuffle(events)
    replies = await asyncio.gather(*(shop.stripe.deliver(event) for event in events))
    assert {reply.status_code for reply in replies} == {200}
    assert again["status"] == "active"
    assert await shop.plan_of(person.email) == "creator_agent"


async def test_a_fetch_that_began_earlier_does_not_replace_a_later_one(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.give_up(subscription, "active")
    slow = shop.stripe.events[-1]
    goes_on, is_fetched = asyncio.Event(), asyncio.Event()

    async def hold_back(shape: str) -> None:
        if shape == "GET /v1/subscriptions" and not is_fetched.is_set():
            is_fetched.set()
            await goes_on.wait()

    shop.stripe.before_reply = hold_back
    delayed = asyncio.create_task(shop.stripe.deliver(slow))
    await is_fetched.wait()
    shop.stripe._cancel(subscription)
    assert (await shop.stripe.deliver(shop.stripe.events[-1])).status_code == 200
    goes_on.set()
    assert (await delayed).status_code == 200
    assert await shop.plan_of(person.email) == "free"


async def test_a_replayed_event_is_processed_once(shop: Shop) -> None:
    await shop.subscriber()
    event = shop.stripe.events[-1]
    before = len(shop.stripe.calls)
    assert (await shop.stripe.deliver(event)).status_code == 200
    assert len(shop.stripe.calls) == before
    rows = shop.rows("SELECT kind FROM billing_events WHERE event_id = %s", event["id"])
    assert rows == [(event["type"],)]


async def test_an_event_that_could_not_be_processed_is_sent_again(shop: Shop) -> None:
    person = await shop.service.person("free")
    shop.stripe.pay(await shop.open_checkout(person))
    shop.stripe.down = True
    assert set(await shop.stripe.deliver_new()) == {503}
    assert await shop.plan_of(person.email) == "free"
    shop.stripe.down = False
    assert (await shop.stripe.deliver(shop.stripe.events[-1])).status_code == 200
    assert await shop.plan_of(person.email) == "creator"


async def test_a_lost_event_is_made_up_for(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe._cancel(subscription)
    shop.clock.shift = timedelta(days=1, minutes=5)
    await shop.becomes(person.email, "free")


async def test_a_subscription_ends_with_its_account(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    await person.visit("/account/settings")
    deleted = await person.submit(
        "/account/settings/delete", password="a good long passphrase", confirm_email=person.email
    )
    assert "deleted" in deleted.text
    query = "SELECT 1 FROM billing_customers WHERE customer_id = %s"
    await shop.until(lambda: not shop.rows(query, subscription["customer"]))
    assert subscription["status"] == "canceled"
    assert shop.stripe.customers[subscription["customer"]]["deleted"] is True


async def test_a_subscription_ends_with_its_account_though_stripe_was_down(shop: Shop) -> None:
    _, subscription = await shop.subscriber()
    shop.stripe.down = True
    customer = subscription["customer"]
    deletion = """
        DELETE FROM accounts a USING billing_customers c
        WHERE c.account_id = a.id AND c.customer_id = %s RETURNING 1
    """
    assert shop.rows(deletion, customer)
    query = "SELECT is_ending FROM billing_customers WHERE customer_id = %s"
    await shop.until(lambda: shop.rows(query, customer) == [(True,)])
    shop.stripe.down = False
    shop.clock.shift = timedelta(minutes=6)
    await shop.until(lambda: subscription["status"] == "canceled")


async def test_a_second_checkout_is_refused_and_the_first_one_expires(shop: Shop) -> None:
    person = await shop.service.person("free")
    first = await shop.open_checkout(person)
    second = await shop.open_checkout(person, "creator_agent")
    assert shop.stripe.sessions[first]["status"] == "expired"
    await person.visit("/plans")
    form = dict(person.form("/plans/checkout").fields)
    shop.stripe.pay(second)
    response = await person.client.post("/plans/checkout", data=form)
    assert response.status_code == 409
    assert "You have a subscription already" in response.text
    customer = shop.stripe.sessions[first]["customer"]
    of_customer = [s for s in shop.stripe.sessions.values() if s["customer"] == customer]
    assert [session["status"] for session in of_customer] == ["expired", "complete"]


async def test_of_two_subscriptions_one_is_ended_with_a_credit(shop: Shop) -> None:
    person, first = await shop.subscriber()
    second = shop.stripe.subscribe(first["customer"], "price_creator")
    await shop.stripe.deliver_new()
    assert (first["status"], second["status"]) == ("active", "canceled")
    assert second["credited"] is True
    assert await shop.plan_of(person.email) == "creator"


async def test_a_plan_that_an_operator_gave_stays_until_it_is_set_to_free(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    assert await shop.set_plan(person.email, "creator_agent") == "creator_agent"
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator_agent"
    assert "has given you the plan" in readable((await person.visit("/plans")).text)
    assert await shop.set_plan(person.email, "free") == "creator"
    shop.stripe._cancel(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"


async def test_whoever_has_a_plan_from_an_operator_is_sold_none(shop: Shop) -> None:
    person = await shop.service.person("creator")
    page = await person.visit("/plans")
    assert "/plans/checkout" not in page.text
    await person.visit("/account/settings")
    csrf = dict(person.form("/account/settings/password").fields)["csrf"]
    fields = {"csrf": csrf, "plan": "creator_agent"}
    response = await person.client.post("/plans/checkout", data=fields)
    assert response.status_code == 409
    assert "gave you your plan" in response.text


async def test_whoever_has_a_price_of_before_reads_that_one(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    subscription["items"]["data"][0]["price"] |= {"id": "price_creator_old", "unit_amount": 700}
    shop.stripe.give_up(subscription, "active")
    await shop.stripe.deliver_new()
    page = readable((await person.visit("/plans")).text)
    assert "Creator Your plan 7.00 EUR a month" in page
    await shop.change(person, "free")
    page = readable((await person.visit("/plans/change?plan=creator")).text)
    assert "as it is now, for 7.00 EUR a month" in page


async def test_the_end_of_a_subscription_that_is_not_paid_is_named_as_such(shop: Shop) -> None:
    person, subscription = await shop.debtor()
    page = readable((await person.visit("/plans/change?plan=free")).text)
    assert "The last payment for Creator is open. You keep Creator until" in page
    assert "The open invoice stays" in page
    assert "You have paid" not in page
    shop.stripe.give_up(subscription)
    await shop.stripe.deliver_new()
    page = readable((await person.visit("/plans/change?plan=free")).text)
    assert "Your plan is Free until it is paid." in page


async def test_a_price_of_before_still_entitles_to_its_plan(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    subscription["items"]["data"][0]["price"]["id"] = "price_creator_old"
    shop.stripe.renew(subscription)
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "creator"


async def test_a_subscription_to_something_else_is_left_alone(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    subscription["items"]["data"][0]["price"]["id"] = "price_of_something_else"
    await shop.stripe.deliver(shop.stripe.events[-1] | {"id": f"evt_{secrets.token_hex(8)}"})
    assert await shop.plan_of(person.email) == "free"
    assert subscription["status"] == "active"


async def test_a_customer_deleted_at_stripe_may_buy_again(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    shop.stripe.delete_customers_id(subscription["customer"], {})
    await shop.stripe.deliver_new()
    assert await shop.plan_of(person.email) == "free"
    again = shop.stripe.pay(await shop.open_checkout(person))
    await shop.stripe.deliver_new()
    assert again["customer"] != subscription["customer"]
    assert await shop.plan_of(person.email) == "creator"


async def test_the_portal_is_the_persons_own(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    await person.visit("/plans")
    response = await person.submit("/plans/portal")
    assert response.headers["location"] == f"{shop.stripe.url}/portal/{subscription['customer']}"
    shape, fields = shop.stripe.calls[-1]
    assert shape == "POST /v1/billing_portal/sessions"
    assert fields["return_url"] == f"{shop.service.url}/plans?notice=back"


async def test_an_export_has_what_is_stored_of_the_subscription(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    exported = (await person.client.get("/account/export")).json()["subscription"]
    assert exported["customer_id"] == subscription["customer"]
    assert (exported["state"]["status"], exported["state"]["plan_id"]) == ("active", "creator")


async def test_a_page_of_plans_comes_while_stripe_is_down(shop: Shop) -> None:
    person, _ = await shop.subscriber()
    shop.stripe.down = True
    assert (await person.visit("/plans?notice=back")).status_code == 200
    await person.visit("/plans")
    response = await person.submit("/plans/portal")
    assert response.status_code == 503
    assert "Payments are not available now" in response.text


async def test_invoices_go_to_a_changed_address(shop: Shop) -> None:
    person = await shop.service.person("free")
    await shop.open_checkout(person)
    new = f"{secrets.token_hex(6)}@example.com"
    await person.visit("/account/settings")
    await person.submit("/account/settings/email", email=new, password=PASSWORD)
    mails = shop.service.mails
    for address in (person.email, new):
        await person.visit(link_in(await newest_mail(mails, address)))
        await person.submit("/email-change/confirm")
    assert new in {customer["email"] for customer in shop.stripe.customers.values()}
