"""A stand-in for Stripe over HTTP: the calls that billing makes, by Stripe's reference of its API.

It holds objects as Stripe does, refuses parameters that these calls do not have, and signs events
as Stripe does. Tests act as the person at Stripe's pages, and as time.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from servicekit.http.server import serve_http

KEY: Final = "sk_test_of_the_stand_in"
WEBHOOK_SECRET: Final = "whsec_of_the_stand_in"
PERIOD: Final = 30 * 86_400
PRICES: Final = {
    "price_creator": 900,
    "price_agent": 2_900,
    "price_creator_old": 700,
    "price_for_ever": 9_000,
}
ARCHIVED: Final = ("price_creator_old",)
ONE_TIME: Final = ("price_for_ever",)
_KEY_PART: Final = re.compile(r"[^\[\]]+")
_PARAMETERS: Final = {
    "POST /v1/customers": "email metadata",
    "POST /v1/customers/ID": "email",
    "DELETE /v1/customers/ID": "",
    "GET /v1/prices/ID": "",
    "GET /v1/subscriptions": "customer status limit expand",
    "GET /v1/subscriptions/ID": "expand",
    "POST /v1/subscriptions/ID": "items proration_behavior payment_behavior cancel_at_period_end cancel_at",
    "DELETE /v1/subscriptions/ID": "prorate invoice_now",
    "POST /v1/subscription_schedules": "from_subscription",
    "POST /v1/subscription_schedules/ID": "phases end_behavior proration_behavior",
    "POST /v1/subscription_schedules/ID/release": "",
    "GET /v1/checkout/sessions": "customer status limit",
    "POST /v1/checkout/sessions": "mode customer line_items success_url cancel_url",
    "POST /v1/checkout/sessions/ID/expire": "",
    "POST /v1/billing_portal/sessions": "customer return_url",
    "GET /v1/invoices": "subscription status limit",
    "GET /v1/payment_intents/ID": "expand",
}
Fields = dict[str, Any]


class ApiError(Exception):
    def __init__(self, status: int, kind: str, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"type": kind, "code": code, "message": message}}


def missing(name: str) -> ApiError:
    return ApiError(404, "invalid_request_error", "resource_missing", f"No such object: '{name}'")


def invalid(message: str, code: str = "parameter_invalid") -> ApiError:
    return ApiError(400, "invalid_request_error", code, message)


def nested(pairs: list[tuple[str, str]]) -> Fields:
    """Return form fields such as `items[0][price]` as nested objects, lists as dicts by index."""
    found: Fields = {}
    for name, value in pairs:
        parts = _KEY_PART.findall(name)
        inside = found
        for part in parts[:-1]:
            inside = inside.setdefault(part, {})
        inside[parts[-1]] = value
    return found


def listed(items: list[Fields]) -> Fields:
    return {"object": "list", "data": items, "has_more": False, "url": "/v1"}


@dataclass(slots=True)
class StripeStandIn:
    """The objects of one Stripe account. `webhook_url` gets events when they are delivered."""

    url: str = ""
    webhook_url: str = ""
    down: bool = False
    declines: bool = False
    refuses: str = ""
    delivers: bool = False
    shift: float = 0
    customers: dict[str, Fields] = field(default_factory=dict[str, Fields])
    sessions: dict[str, Fields] = field(default_factory=dict[str, Fields])
    subscriptions: dict[str, Fields] = field(default_factory=dict[str, Fields])
    schedules: dict[str, Fields] = field(default_factory=dict[str, Fields])
    invoices: dict[str, Fields] = field(default_factory=dict[str, Fields])
    charges: dict[str, Fields] = field(default_factory=dict[str, Fields])
    events: list[Fields] = field(default_factory=list[Fields])
    calls: list[tuple[str, Fields]] = field(default_factory=list[tuple[str, Fields]])
    idempotent: dict[str, Response] = field(default_factory=dict[str, Response])
    before_reply: Callable[[str], Any] | None = None
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _delivered: int = 0

    # --- the HTTP side ------------------------------------------------------------------------

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/{path:path}", self._serve, methods=["GET", "POST", "DELETE"]),
                Route("/pay/{session}", self._page, methods=["GET"]),
                Route("/pay/{session}", self._pay, methods=["POST"]),
                Route("/portal/{customer}", self._portal, methods=["GET"]),
            ]
        )

    def called(self, shape: str) -> int:
        """Return how many calls of a shape have come."""
        return sum(item == shape for item, _ in self.calls)

    async def _serve(self, request: Request) -> Response:
        try:
            return await self._reply(request)
        except ApiError as error:
            return JSONResponse(error.body, error.status, {"Request-Id": "req_refused"})

    async def _reply(self, request: Request) -> Response:
        if self.down:
            raise ApiError(500, "api_error", "", "The stand-in is down.")
        if request.headers.get("authorization") != f"Bearer {KEY}":
            raise ApiError(401, "invalid_request_error", "", "Invalid API Key provided")
        body = (await request.body()).decode()
        text = body or request.url.query
        fields = nested(parse_qsl(text, keep_blank_values=True))
        parts = request.path_params["path"].split("/")
        shape, name = _shape(request.method, parts)
        if shape not in _PARAMETERS:
            raise ApiError(404, "invalid_request_error", "", f"Unrecognized request URL ({shape})")
        for parameter in fields:
            if parameter not in _PARAMETERS[shape].split():
                raise invalid(f"Received unknown parameter: {parameter}", "parameter_unknown")
        key = request.headers.get("idempotency-key", "")
        if key in self.idempotent:
            return self.idempotent[key]
        if shape == self.refuses:
            raise ApiError(500, "api_error", "", "The stand-in refuses this call.")
        self.calls.append((shape, fields))
        document = getattr(self, _method(shape))(name, fields)
        response = JSONResponse(document, headers={"Request-Id": f"req_{next(self._numbers)}"})
        if request.method == "POST" and key:
            self.idempotent[key] = response
        if self.before_reply is not None:
            await self.before_reply(shape)
        return response

    async def _page(self, request: Request) -> Response:
        session = self.sessions[request.path_params["session"]]
        text = f"""<!doctype html><title>Checkout of the stand-in</title><h1>Pay {session["price"]}</h1>
            <form method="post"><button>Pay</button></form><a href="{session["cancel_url"]}">Back</a>"""
        return HTMLResponse(text)

    async def _pay(self, request: Request) -> Response:
        session = request.path_params["session"]
        self.pay(session)
        if self.delivers:
            await self.deliver_new()
        return RedirectResponse(self.sessions[session]["success_url"], 303)

    async def _portal(self, _request: Request) -> Response:
        return HTMLResponse("<!doctype html><title>Portal of the stand-in</title><h1>Cards</h1>")

    # --- the API -------------------------------------------------------------------------------

    def post_customers(self, _name: str, fields: Fields) -> Fields:
        customer = self._add(self.customers, "cus", "customer", **fields)
        self._event("customer.created", customer)
        return customer

    def post_customers_id(self, name: str, fields: Fields) -> Fields:
        customer = self._customer(name)
        customer["email"] = fields["email"]
        self._event("customer.updated", customer)
        return customer

    def delete_customers_id(self, name: str, _fields: Fields) -> Fields:
        customer = self._customer(name)
        customer["deleted"] = True
        for subscription in self.of_customer(name):
            self._cancel(subscription)
        self._event("customer.deleted", customer)
        return {"id": name, "object": "customer", "deleted": True}

    def get_prices_id(self, name: str, _fields: Fields) -> Fields:
        if name not in PRICES:
            raise missing(name)
        return _price(name)

    def get_subscriptions(self, _name: str, fields: Fields) -> Fields:
        if fields["customer"] not in self.customers:
            raise missing(fields["customer"])
        found = [s for s in self.subscriptions.values() if s["customer"] == fields["customer"]]
        assert fields["status"] == "all"
        return listed([self._expanded(s, fields) for s in found])

    def get_subscriptions_id(self, name: str, fields: Fields) -> Fields:
        return self._expanded(self._subscription(name), fields)

    def post_subscriptions_id(self, name: str, fields: Fields) -> Fields:
        subscription = self._subscription(name)
        if subscription["status"] == "canceled":
            raise invalid("A canceled subscription can only update its cancellation_details.")
        cancellation = fields.keys() & {"cancel_at", "cancel_at_period_end"}
        if subscription["schedule"] and cancellation:
            raise invalid("Updating any cancelation behavior directly is not allowed.")
        if len(cancellation) > 1:
            raise invalid("You may only specify one of these parameters.")
        if "items" in fields:
            self._change_price(subscription, fields)
        if "cancel_at_period_end" in fields:
            ends = fields["cancel_at_period_end"] == "true"
            end = subscription["items"]["data"][0]["current_period_end"]
            subscription |= {"cancel_at_period_end": ends, "cancel_at": end if ends else None}
        if "cancel_at" in fields:
            subscription["cancel_at"] = int(fields["cancel_at"]) if fields["cancel_at"] else None
        self._event("customer.subscription.updated", subscription)
        return self._expanded(subscription, {})

    def _change_price(self, subscription: Fields, fields: Fields) -> None:
        change, item = fields["items"]["0"], subscription["items"]["data"][0]
        if subscription["schedule"]:
            raise invalid("The subscription is managed by the subscription schedule.")
        if change["id"] != item["id"] or change["price"] not in PRICES:
            raise missing(change["price"])
        assert fields["payment_behavior"] == "error_if_incomplete"
        if self.declines:
            raise ApiError(402, "card_error", "card_declined", "Your card was declined.")
        item["price"] = _price(change["price"])
        if fields["proration_behavior"] == "always_invoice":
            self._invoice(subscription, PRICES[change["price"]], paid=True)

    def delete_subscriptions_id(self, name: str, fields: Fields) -> Fields:
        subscription = self._subscription(name)
        if subscription["status"] == "canceled":
            raise missing(name)
        subscription["credited"] = fields.get("prorate") == "true"
        self._cancel(subscription)
        return self._expanded(subscription, {})

    def post_subscription_schedules(self, _name: str, fields: Fields) -> Fields:
        subscription = self._subscription(fields["from_subscription"])
        if subscription["cancel_at"]:
            raise invalid("The subscription is set to be canceled.")
        if subscription["schedule"]:
            raise invalid(
                "You cannot migrate a subscription that is already attached to a schedule."
            )
        item = subscription["items"]["data"][0]
        phase = {
            "items": [{"price": item["price"]["id"], "quantity": 1}],
            "start_date": item["current_period_start"],
            "end_date": item["current_period_end"],
        }
        schedule = self._add(
            self.schedules,
            "sub_sched",
            "subscription_schedule",
            customer=subscription["customer"],
            subscription=subscription["id"],
            status="active",
            end_behavior="release",
            phases=[phase],
        )
        subscription["schedule"] = schedule["id"]
        return schedule

    def post_subscription_schedules_id(self, name: str, fields: Fields) -> Fields:
        schedule = self.schedules[name]
        subscription = self.subscriptions[schedule["subscription"]]
        item = subscription["items"]["data"][0]
        sent = [fields["phases"][index] for index in sorted(fields["phases"])]
        now = item["current_period_start"]
        current = next(p for p in schedule["phases"] if p["start_date"] <= now < p["end_date"])
        if int(sent[0]["start_date"]) != current["start_date"]:
            raise invalid("The start date of the current phase cannot be changed.")
        phases, start = list[Fields](), current["start_date"]
        for phase in sent:
            price = phase["items"]["0"]["price"]
            if price not in PRICES:
                raise missing(price)
            if "end_date" not in phase and "interval" not in phase["duration"]:
                raise invalid("A phase has an end.")
            end = int(phase["end_date"]) if "end_date" in phase else start + PERIOD
            items = [{"price": price, "quantity": 1}]
            phases.append({"items": items, "start_date": start, "end_date": end})
            start = end
        schedule |= {"phases": phases, "end_behavior": fields["end_behavior"]}
        ends = fields["end_behavior"] == "cancel"
        subscription["cancel_at"] = start if ends else None
        self._event("subscription_schedule.updated", schedule)
        return schedule

    def post_subscription_schedules_id_release(self, name: str, _fields: Fields) -> Fields:
        schedule = self.schedules[name]
        if schedule["status"] != "active":
            raise invalid("The schedule is released already.")
        schedule["status"] = "released"
        self.subscriptions[schedule["subscription"]] |= {"schedule": None, "cancel_at": None}
        self._event("subscription_schedule.released", schedule)
        return schedule

    def get_checkout_sessions(self, _name: str, fields: Fields) -> Fields:
        found = [
            session
            for session in self.sessions.values()
            if session["customer"] == fields["customer"] and session["status"] == fields["status"]
        ]
        return listed(found)

    def post_checkout_sessions(self, _name: str, fields: Fields) -> Fields:
        customer = self._customer(fields["customer"])
        line = fields["line_items"]["0"]
        if line["price"] not in PRICES or fields["mode"] != "subscription":
            raise missing(line["price"])
        session = self._add(
            self.sessions,
            "cs_test",
            "checkout.session",
            customer=customer["id"],
            status="open",
            price=line["price"],
            success_url=fields["success_url"],
            cancel_url=fields["cancel_url"],
        )
        session["url"] = f"{self.url}/pay/{session['id']}"
        return session

    def post_checkout_sessions_id_expire(self, name: str, _fields: Fields) -> Fields:
        session = self.sessions[name]
        if session["status"] != "open":
            raise invalid('Only Checkout Sessions with a status in ["open"] can be expired.')
        session["status"] = "expired"
        return session

    def post_billing_portal_sessions(self, _name: str, fields: Fields) -> Fields:
        customer = self._customer(fields["customer"])
        url = f"{self.url}/portal/{customer['id']}"
        return {"id": "bps_1", "object": "billing_portal.session", "url": url, **fields}

    def get_invoices(self, _name: str, fields: Fields) -> Fields:
        found = [
            invoice
            for invoice in self.invoices.values()
            if invoice["subscription"] == fields["subscription"]
            and invoice["status"] == fields["status"]
        ]
        return listed(sorted(found, key=lambda invoice: -invoice["created"]))

    def get_payment_intents_id(self, name: str, fields: Fields) -> Fields:
        charge = next(c for c in self.charges.values() if c["payment_intent"] == name)
        assert fields["expand"] == {"0": "latest_charge"}
        return {"id": name, "object": "payment_intent", "latest_charge": charge}

    # --- what people and time do ---------------------------------------------------------------

    def of_customer(self, customer: str) -> list[Fields]:
        return [s for s in self.subscriptions.values() if s["customer"] == customer]

    def pay(self, session_id: str) -> Fields:
        """Complete a checkout with a card that works."""
        session = self.sessions[session_id]
        if session["status"] != "open" or self._customer(session["customer"]).get("deleted"):
            raise missing(session_id)
        session["status"] = "complete"
        return self.subscribe(session["customer"], session["price"])

    def subscribe(self, customer: str, price: str) -> Fields:
        """Begin a subscription of a customer, paid."""
        now = self._now()
        subscription = self._add(
            self.subscriptions,
            "sub",
            "subscription",
            customer=customer,
            status="active",
            cancel_at_period_end=False,
            cancel_at=None,
            schedule=None,
            latest_invoice=None,
        )
        item = {
            "id": f"si_{next(self._numbers)}",
            "object": "subscription_item",
            "price": _price(price),
            "current_period_start": now,
            "current_period_end": now + PERIOD,
        }
        subscription["items"] = listed([item])
        self._event("customer.subscription.created", subscription)
        self._invoice(subscription, PRICES[price], paid=True)
        return subscription

    def renew(self, subscription: Fields, *, paid: bool = True) -> None:
        """Begin the next period, whose payment succeeds or fails."""
        item = subscription["items"]["data"][0]
        if subscription["cancel_at"] == item["current_period_end"]:
            self._cancel(subscription)
            return
        start = item["current_period_end"]
        if subscription["schedule"]:
            schedule = self.schedules[subscription["schedule"]]
            following = [p for p in schedule["phases"] if p["start_date"] == start]
            item["price"] = _price(following[0]["items"][0]["price"])
        item |= {"current_period_start": start, "current_period_end": start + PERIOD}
        self._invoice(subscription, item["price"]["unit_amount"], paid=paid, at=start)
        subscription["status"] = "active" if paid else "past_due"
        self._event("customer.subscription.updated", subscription)

    def recover(self, subscription: Fields) -> None:
        """Pay the open invoice with another card."""
        invoice = self.invoices[subscription["latest_invoice"]]
        self._charge(invoice)
        subscription["status"] = "active"
        self._event("invoice.paid", invoice)
        self._event("customer.subscription.updated", subscription)

    def give_up(self, subscription: Fields, status: str = "unpaid") -> None:
        """End Stripe's attempts to charge the open invoice."""
        subscription["status"] = status
        self._event("customer.subscription.updated", subscription)

    def refund(self, subscription: Fields, *, share: float = 1.0) -> None:
        """Pay back the latest invoice, as an operator does in the dashboard."""
        invoice = self.invoices[subscription["latest_invoice"]]
        intent = invoice["payments"]["data"][0]["payment"]["payment_intent"]
        charge = next(c for c in self.charges.values() if c["payment_intent"] == intent)
        charge["amount_refunded"] = round(charge["amount"] * share)
        charge["refunded"] = charge["amount_refunded"] == charge["amount"]
        self._event("charge.refunded", charge)

    # --- events --------------------------------------------------------------------------------

    @staticmethod
    def signature(payload: str, at: float | None = None, secret: str = WEBHOOK_SECRET) -> str:
        """Return the header `Stripe-Signature` of a payload."""
        moment = int(time.time() if at is None else at)
        digest = hmac.new(secret.encode(), f"{moment}.{payload}".encode(), hashlib.sha256)
        return f"t={moment},v1={digest.hexdigest()},v0={'0' * 64}"

    async def send(self, payload: str, signature: str | None) -> httpx2.Response:
        headers = {"Content-Type": "application/json; charset=utf-8"}
        if signature is not None:
            headers["Stripe-Signature"] = signature
        async with httpx2.AsyncClient(timeout=15) as http:
            return await http.post(self.webhook_url, content=payload.encode(), headers=headers)

    async def deliver(self, event: Fields) -> httpx2.Response:
        payload = json.dumps(event, indent=2)
        return await self.send(payload, self.signature(payload))

    async def deliver_new(self) -> list[int]:
        """Deliver the events that were not delivered yet; return the statuses of the replies."""
        new, self._delivered = self.events[self._delivered :], len(self.events)
        return [(await self.deliver(event)).status_code for event in new]

    def newest(self, kind: str) -> Fields:
        return next(event for event in reversed(self.events) if event["type"] == kind)

    # --- inside --------------------------------------------------------------------------------

    def _now(self) -> int:
        return int(time.time() + self.shift)

    def _add(self, table: dict[str, Fields], prefix: str, kind: str, **fields: Any) -> Fields:
        name = f"{prefix}_{next(self._numbers):06}"
        table[name] = {"id": name, "object": kind, "created": self._now(), **fields}
        return table[name]

    def _customer(self, name: str) -> Fields:
        if name not in self.customers or self.customers[name].get("deleted"):
            raise missing(name)
        return self.customers[name]

    def _subscription(self, name: str) -> Fields:
        if name not in self.subscriptions:
            raise missing(name)
        return self.subscriptions[name]

    def _cancel(self, subscription: Fields) -> None:
        subscription["status"] = "canceled"
        self._event("customer.subscription.deleted", subscription)

    def _invoice(self, subscription: Fields, amount: int, *, paid: bool, at: int = 0) -> None:
        invoice = self._add(
            self.invoices,
            "in",
            "invoice",
            customer=subscription["customer"],
            subscription=subscription["id"],
            amount_due=amount,
            status="open",
            payments=listed([]),
        )
        invoice["created"] = at or invoice["created"]
        subscription["latest_invoice"] = invoice["id"]
        if paid:
            self._charge(invoice)
        self._event("invoice.paid" if paid else "invoice.payment_failed", invoice)

    def _charge(self, invoice: Fields) -> None:
        intent = f"pi_{next(self._numbers)}"
        self._add(
            self.charges,
            "ch",
            "charge",
            customer=invoice["customer"],
            payment_intent=intent,
            amount=invoice["amount_due"],
            amount_refunded=0,
            refunded=False,
        )
        payment = {"type": "payment_intent", "payment_intent": intent}
        invoice["payments"] = listed([{"id": "inpay_1", "status": "paid", "payment": payment}])
        invoice["status"] = "paid"

    def _expanded(self, subscription: Fields, fields: Fields) -> Fields:
        expand = {path.removeprefix("data.") for path in fields.get("expand", {}).values()}
        known = {"latest_invoice", "schedule", "latest_invoice.payments"}
        if expand - known:
            raise invalid(f"This property cannot be expanded ({expand - known}).")
        document = json.loads(json.dumps(subscription))
        if any(path.startswith("latest_invoice") for path in expand):
            invoice = dict(self.invoices[subscription["latest_invoice"]])
            if "latest_invoice.payments" not in expand:
                del invoice["payments"]
            document["latest_invoice"] = invoice
        if "schedule" in expand and subscription["schedule"]:
            document["schedule"] = self.schedules[subscription["schedule"]]
        return document

    def _event(self, kind: str, subject: Fields) -> None:
        self.events.append(
            {
                "id": f"evt_{next(self._numbers):06}_{time.time_ns()}",
                "object": "event",
                "api_version": "2026-10-28.endive",
                "created": self._now(),
                "type": kind,
                "livemode": False,
                "data": {"object": json.loads(json.dumps(subject))},
            }
        )


def _price(name: str) -> Fields:
    return {
        "id": name,
        "object": "price",
        "currency": "eur",
        "unit_amount": PRICES[name],
        "active": name not in ARCHIVED,
        "recurring": None if name in ONE_TIME else {"interval": "month", "interval_count": 1},
    }


def _shape(method: str, parts: list[str]) -> tuple[str, str]:
    """Return a call with ID in the place of the object's id, and the id."""
    names = [part for part in parts if re.search(r"_\d|^price_", part)]
    shape = "/".join("ID" if part in names else part for part in parts)
    return f"{method} /v1/{shape}", names[0] if names else ""


def _method(shape: str) -> str:
    verb, _, path = shape.partition(" /v1/")
    return f"{verb}_{path.replace('/', '_')}".lower()


@asynccontextmanager
async def running_stripe(port: int = 0) -> AsyncGenerator[StripeStandIn]:
    """Run the stand-in on this machine."""
    stripe = StripeStandIn()
    async with serve_http(stripe.app(), "127.0.0.1", port, 1) as opened:
        stripe.url = f"http://127.0.0.1:{opened}"
        yield stripe
