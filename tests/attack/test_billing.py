"""Attacks on billing: forged and replayed webhooks, others' customers, prices and forms."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.fakes.stripe_api import WEBHOOK_SECRET, StripeStandIn
from tests.integration.auth_service.billing_shop import LIBRARY_WARNS, Shop, shop_of_module
from tests.integration.auth_service.conftest import running, settings_of

pytestmark = LIBRARY_WARNS

BOUND = 256 * 1024


shop = pytest.fixture(scope="module")(shop_of_module)


def signed(payload: str, at: float | None = None, secret: str = WEBHOOK_SECRET) -> str:
    return StripeStandIn.signature(payload, at, secret)


FORGERIES: dict[str, Callable[[str], str | None]] = {
    "absent": lambda _: None,
    "empty": lambda _: "",
    "of another secret": lambda payload: signed(payload, secret="whsec_of_another"),
    "of an empty secret": lambda payload: signed(payload, secret=""),
    "of another body": lambda payload: signed(payload + " "),
    "six minutes old": lambda payload: signed(payload, time.time() - 360),
    "old, with a new time": lambda payload: signed(payload, time.time() - 360).replace(
        f"t={int(time.time() - 360)}", f"t={int(time.time())}"
    ),
    "of the old scheme alone": lambda payload: signed(payload).replace("v1=", "v0="),
    "without a time": lambda payload: signed(payload).partition(",")[2],
    "not of this alphabet": lambda _: "t=1,v1=é",
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_an_event_that_stripe_did_not_sign_now_is_refused(shop: Shop, forgery: str) -> None:
    person = await shop.service.person("free")
    shop.stripe.pay(await shop.open_checkout(person))
    payload = json.dumps(shop.stripe.events[-1])
    fetched = len(shop.stripe.calls)
    signature = FORGERIES[forgery](payload)
    headers = {b"Content-Type": b"application/json"}
    if signature is not None:
        headers[b"Stripe-Signature"] = signature.encode()
    async with httpx2.AsyncClient() as http:
        response = await http.post(
            shop.stripe.webhook_url, content=payload.encode(), headers=list(headers.items())
        )
    assert response.status_code == 403
    assert len(shop.stripe.calls) == fetched
    assert await shop.plan_of(person.email) == "free"


async def test_a_signed_event_gives_nothing_that_stripe_does_not_confirm(shop: Shop) -> None:
    person = await shop.service.person("free")
    await shop.open_checkout(person)
    customer = list(shop.stripe.customers)[-1]
    subject = {"object": "subscription", "customer": customer, "status": "active"}
    subject["items"] = {"data": [{"price": {"id": "price_agent"}}]}  # type: ignore[assignment]
    event = {
        "id": "evt_1",
        "type": "customer.subscription.created",
        "created": 1,
        "data": {"object": subject},
    }
    assert (await shop.stripe.deliver(event)).status_code == 200
    assert await shop.plan_of(person.email) == "free"


async def test_an_event_about_another_customer_changes_no_account(shop: Shop) -> None:
    person, _ = await shop.subscriber()
    account = shop.rows("SELECT id FROM accounts WHERE email = %s", person.email)[0][0]
    subject: dict[str, Any] = {
        "object": "customer",
        "id": "cus_of_nobody_here",
        "metadata": {"account_id": account},
        "client_reference_id": account,
        "email": person.email,
    }
    event = {"id": "evt_2", "type": "customer.deleted", "created": 1, "data": {"object": subject}}
    fetched = len(shop.stripe.calls)
    assert (await shop.stripe.deliver(event)).status_code == 200
    assert len(shop.stripe.calls) == fetched
    assert await shop.plan_of(person.email) == "creator"


@pytest.mark.parametrize(
    "payload",
    ["", "[]", "null", "7", '"evt"', "{}", '{"id": "evt_3", "type": "x", "data": {}}', "{" * 2_000,
     '{"id": "evt_4", "type": "x", "created": 1e400, "data": {"object": {}}}'],
)  # fmt: skip
async def test_a_signed_body_that_is_no_event_is_refused(shop: Shop, payload: str) -> None:
    assert (await shop.stripe.send(payload, signed(payload))).status_code == 400


ODD_TEXTS = ['"a\\u0000b"', '"a\\ud800"', "7", "[]", "{}", "true", '"' + "a" * 10_000 + '"']


@pytest.mark.parametrize("text", [*ODD_TEXTS, "null", '""'])
@pytest.mark.parametrize("field", ["id", "type"])
async def test_a_signed_body_with_an_odd_name_is_refused(shop: Shop, field: str, text: str) -> None:
    other = {"id": "type", "type": "id"}[field]
    payload = f'{{"{field}": {text}, "{other}": "x", "created": 1, "data": {{"object": {{}}}}}}'
    assert (await shop.stripe.send(payload, signed(payload))).status_code == 400


@pytest.mark.parametrize("text", [text for text in ODD_TEXTS if text not in ("[]", "{}")])
@pytest.mark.parametrize("kind", ["customer", "charge"])
async def test_a_signed_body_about_an_odd_customer_is_refused(
    shop: Shop, kind: str, text: str
) -> None:
    name = "id" if kind == "customer" else "customer"
    subject = f'{{"object": "{kind}", "{name}": {text}}}'
    event = f'"id": "evt_odd_{kind}", "type": "x", "created": 1, "data": {{"object": {subject}}}'
    payload = f"{{{event}}}"
    assert (await shop.stripe.send(payload, signed(payload))).status_code == 400


async def test_a_signed_body_that_is_deep_is_refused(shop: Shop) -> None:
    payload = '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert (await shop.stripe.send(payload, signed(payload))).status_code == 400


async def test_the_body_of_an_event_is_bounded(shop: Shop) -> None:
    padded = json.dumps({"id": "evt_5", "type": "x", "created": 1, "data": {"object": {}}})
    fits = padded + " " * (BOUND - len(padded))
    assert (await shop.stripe.send(fits, signed(fits))).status_code == 200
    assert (await shop.stripe.send(fits + " ", signed(fits + " "))).status_code == 400


async def test_the_webhook_takes_nothing_but_json(shop: Shop) -> None:
    payload = json.dumps({"id": "evt_6", "type": "x", "created": 1, "data": {"object": {}}})
    headers = {"Content-Type": "text/plain", "Stripe-Signature": signed(payload)}
    async with httpx2.AsyncClient() as http:
        response = await http.post(shop.stripe.webhook_url, content=payload, headers=headers)
    assert response.status_code == 400


async def csrf_of(person: Any) -> str:
    await person.visit("/account/settings")
    return dict(person.form("/account/settings/password").fields)["csrf"]


@pytest.mark.parametrize("path", ["/plans/checkout", "/plans/portal", "/plans/change"])
async def test_no_form_of_plans_is_taken_from_another_site(shop: Shop, path: str) -> None:
    person, _ = await shop.subscriber()
    csrf = await csrf_of(person)
    fields = {"plan": "free", "change": "end"}
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    called = len(shop.stripe.calls)
    for sent, headers in (
        (fields, {}),
        (fields | {"csrf": "0" * 64}, {}),
        (fields | {"csrf": csrf}, foreign),
    ):
        response = await person.client.post(path, data=sent, headers=headers)
        assert response.status_code == 403, sent
    assert len(shop.stripe.calls) == called


@pytest.mark.parametrize(
    "plan", ["price_creator", "price_agent", "free", "", "creator_agent ", "enterprise", "creator,creator_agent"]
)  # fmt: skip
async def test_no_price_is_taken_from_a_form(shop: Shop, plan: str) -> None:
    person = await shop.service.person("free")
    called = len(shop.stripe.calls)
    fields = {
        "csrf": await csrf_of(person),
        "plan": plan,
        "price": "price_creator_old",
        "price_id": "price_creator_old",
    }
    response = await person.client.post("/plans/checkout", data=fields)
    assert response.status_code == 400
    assert len(shop.stripe.calls) == called


async def test_further_fields_of_a_checkout_change_nothing_about_it(shop: Shop) -> None:
    _, other = await shop.subscriber()
    person = await shop.service.person("free")
    fields = {
        "csrf": await csrf_of(person),
        "plan": "creator",
        "price": "price_creator_old",
        "customer": other["customer"],
        "account_id": "acc_other",
        "success_url": "https://evil.example/",
        "cancel_url": "https://evil.example/",
        "return_url": "https://evil.example/",
        "next": "https://evil.example/",
        "quantity": "0",
    }
    headers = {"Host": "evil.example", "Referer": "https://evil.example/"}
    response = await person.client.post(
        "/plans/checkout?next=https://evil.example/&return_url=//evil.example",
        data=fields,
        headers=headers,
    )
    assert response.status_code == 303
    assert response.headers["location"].startswith(f"{shop.stripe.url}/pay/")
    shape, sent = shop.stripe.calls[-1]
    assert shape == "POST /v1/checkout/sessions"
    assert sent["line_items"] == {"0": {"price": "price_creator", "quantity": "1"}}
    assert sent["customer"] != other["customer"]
    assert sent["success_url"] == f"{shop.service.url}/plans?notice=paid"
    assert sent["cancel_url"] == f"{shop.service.url}/plans"


async def test_anothers_customer_is_opened_to_nobody(shop: Shop) -> None:
    _, other = await shop.subscriber()
    person = await shop.service.person("free")
    fields = {
        "csrf": await csrf_of(person),
        "plan": "free",
        "change": "end",
        "customer": other["customer"],
        "customer_id": other["customer"],
        "subscription": other["id"],
    }
    for path in ("/plans/portal", "/plans/change"):
        response = await person.client.post(path, data=fields)
        assert response.status_code == 409, path
    assert other["cancel_at_period_end"] is False


async def test_a_change_that_was_not_confirmed_is_not_made(shop: Shop) -> None:
    person, subscription = await shop.subscriber()
    fields = {"csrf": await csrf_of(person), "plan": "creator_agent", "change": "downgrade"}
    response = await person.client.post("/plans/change", data=fields)
    assert response.status_code == 409
    assert subscription["items"]["data"][0]["price"]["id"] == "price_creator"


async def test_forms_that_call_stripe_are_limited_by_account(shop: Shop) -> None:
    person, _ = await shop.subscriber()
    fields = {"csrf": await csrf_of(person)}
    statuses = [
        (await person.client.post("/plans/portal", data=fields)).status_code for _ in range(21)
    ]
    assert statuses[-1] == 429
    neighbour, _ = await shop.subscriber()
    fields = {"csrf": await csrf_of(neighbour)}
    assert (await neighbour.client.post("/plans/portal", data=fields)).status_code == 303


async def test_no_secret_of_stripe_is_on_a_page_or_in_the_log(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    person, _ = await shop.subscriber()
    shop.stripe.down = True
    pages = [
        (await person.client.get("/plans?notice=back")).text,
        (await person.client.get("/plans")).text,
        (await person.client.post("/plans/portal", data={"csrf": await csrf_of(person)})).text,
        (await person.client.get("/account/export")).text,
    ]
    shop.stripe.down = False
    shown = "".join(pages) + "".join(capsys.readouterr())
    assert "stripe_failed" in shown
    assert "sk_test" not in shown
    assert "whsec" not in shown


async def test_without_billing_nothing_is_sold_and_no_event_is_taken(
    shop: Shop,
    fresh_database: Callable[[], str],
    valkey_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = settings_of(fresh_database(), valkey_url, tmp_path_factory.mktemp("mails"))
    async with running(settings) as service:
        person = await service.person("free")
        fields = {"csrf": await csrf_of(person), "plan": "creator"}
        for path in ("/plans/checkout", "/plans/portal", "/plans/change"):
            assert (await person.client.post(path, data=fields)).status_code == 404
        assert (await person.client.get("/plans/change?plan=creator")).status_code == 404
        payload = json.dumps({"id": "evt_7"})
        headers = {"Content-Type": "application/json", "Stripe-Signature": signed(payload)}
        response = await person.client.post("/billing/webhook", content=payload, headers=headers)
        assert response.status_code == 404
