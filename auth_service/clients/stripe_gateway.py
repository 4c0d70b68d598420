"""Stripe as the payment provider, by its official library.

The wiring imports this module only when billing is configured: Stripe's library takes a tenth of a
second and memory that a service without billing does not need.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import stripe

from auth_service.domain.billing import (
    PAST_DUE,
    BillingEvent,
    InvalidSignature,
    PaymentFailed,
    Price,
    Subscription,
)
from servicekit.errors import InvalidInput, Unavailable
from servicekit.observability import logs

_TIMEOUT_SECONDS: Final = 6.0
_MAX_RETRIES: Final = 1
_TOLERANCE_SECONDS: Final = 300
_MAX_SUBSCRIPTIONS: Final = 100
_MAX_INVOICES: Final = 100
_GONE: Final = "resource_missing"
_LOST_CHANGE: Final = (
    "Payments are not available now, and the change that you had planned may be withdrawn. "
    "Look at your plan again in a few minutes."
)

_MAX_NAME: Final = 255
_ODD_BODIES: Final = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)

log = logs.get(__name__)


@asynccontextmanager
async def open_gateway(
    secret_key: str, webhook_secret: str, api_base: str
) -> AsyncGenerator["StripeGateway"]:
    """Open a gateway to Stripe's API at `api_base`."""
    stripe.enable_telemetry = False
    http = stripe.HTTPXClient(timeout=_TIMEOUT_SECONDS)
    client = stripe.StripeClient(
        secret_key,
        base_addresses={"api": api_base},
        http_client=http,
        max_network_retries=_MAX_RETRIES,
    )
    try:
        yield StripeGateway(client.v1, webhook_secret)
    finally:
        await http.close_async()


@dataclass(frozen=True, slots=True)
class StripeGateway:
    """Implement `PaymentGateway`; `api` are the services of a `StripeClient`."""

    api: Any
    webhook_secret: str

    async def create_customer(self, account_id: str, email: str) -> str:
        async with _calls():
            params = {"email": email, "metadata": {"account_id": account_id}}
            customer = await _fields(self.api.customers.create_async(params))
        return customer["id"]

    async def change_email(self, customer_id: str, email: str) -> None:
        async with _calls():
            await self.api.customers.update_async(customer_id, {"email": email})

    async def delete_customer(self, customer_id: str) -> None:
        async with _calls():
            try:
                await self.api.customers.delete_async(customer_id)
            except stripe.InvalidRequestError as error:
                if error.code != _GONE:
                    raise

    async def subscriptions(self, customer_id: str) -> Sequence[Subscription]:
        params = {
            "customer": customer_id,
            "status": "all",
            "limit": _MAX_SUBSCRIPTIONS,
            "expand": ["data.schedule"],
        }
        async with _calls():
            try:
                found = await _fields(self.api.subscriptions.list_async(params))
            except stripe.InvalidRequestError as error:
                if error.code != _GONE:
                    raise
                return []
            return [
                replace(_subscription(item), failing_since=await self._failing_since(item))
                for item in found["data"]
            ]

    async def _failing_since(self, subscription: Any) -> datetime | None:
        """Return the time of the oldest unpaid invoice, however many came after it."""
        if subscription["status"] != PAST_DUE:
            return None
        params = {"subscription": subscription["id"], "status": "open", "limit": _MAX_INVOICES}
        found = await _fields(self.api.invoices.list_async(params))
        unpaid = [invoice["created"] for invoice in found["data"]]
        return _moment(min(unpaid, default=_item(subscription)["current_period_start"]))

    async def start_checkout(
        self, customer_id: str, price_id: str, success_url: str, cancel_url: str
    ) -> str:
        async with _calls():
            await self._expire_checkouts(customer_id)
            params = {
                "mode": "subscription",
                "customer": customer_id,
                "line_items": [{"price": price_id, "quantity": 1}],
                "success_url": success_url,
                "cancel_url": cancel_url,
            }
            session = await _fields(self.api.checkout.sessions.create_async(params))
        return session["url"]

    async def _expire_checkouts(self, customer_id: str) -> None:
        params = {"customer": customer_id, "status": "open", "limit": _MAX_SUBSCRIPTIONS}
        found = await _fields(self.api.checkout.sessions.list_async(params))
        for session in found["data"]:
            try:
                await self.api.checkout.sessions.expire_async(session["id"])
            except stripe.InvalidRequestError:  # it was completed or has expired meanwhile
                log.info("checkout_not_expired")

    async def open_portal(self, customer_id: str, return_url: str) -> str:
        async with _calls():
            params = {"customer": customer_id, "return_url": return_url}
            session = await _fields(self.api.billing_portal.sessions.create_async(params))
        return session["url"]

    async def upgrade(self, subscription_id: str, price_id: str) -> None:
        async with _calls():
            former = await self._retrieve(subscription_id)
            # One call changes the price and withdraws a cancellation: a refused payment does neither.
            params = {
                "items": [{"id": _item(former)["id"], "price": price_id}],
                "proration_behavior": "always_invoice",
                "payment_behavior": "error_if_incomplete",
                **_without_cancellation(former),
            }
            async with self._planned_again_on_failure(former):
                await self._release(former)
                await self.api.subscriptions.update_async(subscription_id, params)

    async def change_with_period(self, subscription_id: str, price_id: str) -> None:
        async with _calls():
            former = await self._retrieve(subscription_id)
            if former["schedule"]:
                await self._schedule(former["schedule"], former, price_id)
                return
            async with self._planned_again_on_failure(former):
                await self._withdraw_cancellation(former)
                await self._schedule_anew(former, price_id)

    async def end_with_period(self, subscription_id: str) -> None:
        async with _calls():
            former = await self._retrieve(subscription_id)
            if former["schedule"]:
                await self._schedule(former["schedule"], former, None)
            else:
                params = {"cancel_at_period_end": True}
                await self.api.subscriptions.update_async(subscription_id, params)

    async def withdraw_change(self, subscription_id: str) -> None:
        async with _calls():
            former = await self._retrieve(subscription_id)
            await self._release(former)
            await self._withdraw_cancellation(former)

    async def _retrieve(self, subscription_id: str) -> dict[str, Any]:
        params = {"expand": ["schedule"]}
        return await _fields(self.api.subscriptions.retrieve_async(subscription_id, params))

    async def _release(self, subscription: Any) -> None:
        if subscription["schedule"]:
            await self.api.subscription_schedules.release_async(subscription["schedule"]["id"])

    async def _withdraw_cancellation(self, subscription: Any) -> None:
        params = _without_cancellation(subscription)
        if params:
            await self.api.subscriptions.update_async(subscription["id"], params)

    async def _schedule_anew(self, subscription: Any, price_id: str) -> None:
        params = {"from_subscription": subscription["id"]}
        schedule = await _fields(self.api.subscription_schedules.create_async(params))
        await self._schedule(schedule, subscription, price_id)

    async def _schedule(self, schedule: Any, subscription: Any, price_id: str | None) -> None:
        """Let a schedule change the price after the period, or end the subscription without one."""
        current = _phase_of(schedule, _item(subscription)["current_period_start"])
        phases: list[dict[str, Any]] = [
            {
                "items": [{"price": _id(current["items"][0]["price"]), "quantity": 1}],
                "start_date": current["start_date"],
                "end_date": _item(subscription)["current_period_end"],
            }
        ]
        if price_id is not None:
            price = await _fields(self.api.prices.retrieve_async(price_id))
            interval = price["recurring"]
            phases.append(
                {
                    "items": [{"price": price_id, "quantity": 1}],
                    "duration": {
                        "interval": interval["interval"],
                        "interval_count": interval["interval_count"],
                    },
                    "proration_behavior": "none",
                }
            )
        params = {
            "phases": phases,
            "end_behavior": "cancel" if price_id is None else "release",
            "proration_behavior": "none",
        }
        await self.api.subscription_schedules.update_async(schedule["id"], params)

    @asynccontextmanager
    async def _planned_again_on_failure(self, former: Any) -> AsyncGenerator[None]:
        """Plan what was planned before, if a call in the block fails; the failure is raised."""
        try:
            yield
        except stripe.StripeError:
            try:
                await self._plan_again(former)
            except stripe.StripeError as error:
                log.warning("stripe_change_not_planned_again", subscription=former["id"])
                raise Unavailable(_LOST_CHANGE, retry_after=60) from error
            raise

    async def _plan_again(self, former: Any) -> None:
        before, present = _subscription(former), await self._retrieve(former["id"])
        now = _subscription(present)
        if now.price_id != before.price_id:  # the payment arrived though its response did not
            return
        if (now.next_price_id, now.ends_with_period) == (
            before.next_price_id,
            before.ends_with_period,
        ):
            return
        if before.next_price_id is not None:
            if present["schedule"]:
                await self._schedule(present["schedule"], present, before.next_price_id)
            else:
                await self._schedule_anew(present, before.next_price_id)
        elif before.ends_with_period:
            await self._release(present)
            at = former.get("cancel_at")
            is_other_day = not former["cancel_at_period_end"] and not former["schedule"]
            params = {"cancel_at": at} if is_other_day else {"cancel_at_period_end": True}
            await self.api.subscriptions.update_async(former["id"], params)

    async def end_now(self, subscription_id: str, *, credit: bool) -> None:
        async with _calls():
            params = {"prorate": credit, "invoice_now": credit}
            await self.api.subscriptions.cancel_async(subscription_id, params)

    async def is_refunded(self, subscription_id: str) -> bool:
        async with _calls():
            params = {"expand": ["latest_invoice.payments"]}
            subscription = await _fields(
                self.api.subscriptions.retrieve_async(subscription_id, params)
            )
            invoice: Any = subscription.get("latest_invoice") or {}
            payments = [p for p in _entries(invoice, "payments") if p["status"] == "paid"]
            charges = [await self._charge(payment["payment"]) for payment in payments]
        return bool(charges) and all(charge.get("refunded") is True for charge in charges)

    async def _charge(self, payment: Any) -> Mapping[str, Any]:
        if payment["type"] == "charge":
            return await _fields(self.api.charges.retrieve_async(_id(payment["charge"])))
        if payment["type"] != "payment_intent":
            return {}
        params = {"expand": ["latest_charge"]}
        intent = _id(payment["payment_intent"])
        fields = await _fields(self.api.payment_intents.retrieve_async(intent, params))
        return fields["latest_charge"] or {}

    async def price(self, price_id: str) -> Price:
        async with _calls():
            price = await _fields(self.api.prices.retrieve_async(price_id))
        recurring = price["recurring"]
        interval, count = recurring["interval"], recurring["interval_count"]
        words = interval if count == 1 else f"{count} {interval}s"
        return Price(price["unit_amount"] or 0, price["currency"], words)

    async def price_problem(self, price_id: str, *, is_sold: bool) -> str:
        """Return what is wrong with a configured price, empty if nothing is."""
        try:
            price = await _fields(self.api.prices.retrieve_async(price_id))
        except stripe.InvalidRequestError as error:
            return "is not known to Stripe" if error.code == _GONE else f"is refused ({error.code})"
        except (stripe.AuthenticationError, stripe.PermissionError):
            return "cannot be looked up: Stripe refuses the key"
        except stripe.StripeError as error:
            return f"cannot be looked up now ({type(error).__name__})"
        if not price["recurring"]:
            return "is charged once and not every month: no subscription can have it"
        if is_sold and not price["active"]:
            return "is archived: nobody can buy it"
        return ""

    def event(self, payload: str, signature: str) -> BillingEvent:
        if not signature.isascii():  # the library's comparison raises TypeError for it
            raise InvalidSignature("The signature is not valid.")
        try:
            stripe.WebhookSignature.verify_header(
                payload, signature, self.webhook_secret, _TOLERANCE_SECONDS
            )
        except stripe.SignatureVerificationError as error:
            raise InvalidSignature("The signature is not valid.") from error
        try:
            return _event(json.loads(payload))
        except _ODD_BODIES as error:
            raise InvalidInput("The body is not an event.") from error


@asynccontextmanager
async def _calls() -> AsyncGenerator[None]:
    """Raise the domain's errors for those of the library."""
    try:
        yield
    except stripe.CardError as error:
        raise PaymentFailed(
            "The payment did not go through, and your plan is as before. Look at your card under "
            "“Cards and invoices”, then try again."
        ) from error
    except stripe.StripeError as error:
        log.warning(
            "stripe_failed", kind=type(error).__name__, code=error.code, request=error.request_id
        )
        raise Unavailable(
            "Payments are not available now. Try again in a few minutes.", retry_after=60
        ) from error


async def _fields(call: Awaitable[Any]) -> dict[str, Any]:
    """Return the object that a call of the library returns, as plain values."""
    return (await call).to_dict()


def _event(document: Any) -> BillingEvent:
    subject = document["data"]["object"]
    customer = subject["id"] if subject.get("object") == "customer" else subject.get("customer")
    return BillingEvent(
        _name(document["id"]),
        _name(document["type"]),
        _name(_id(customer)) if customer else "",
        _moment(document["created"]),
    )


def _subscription(document: Any) -> Subscription:
    item = _item(document)
    return Subscription(
        document["id"],
        document["status"],
        _id(item["price"]),
        _moment(document["created"]),
        _moment(item["current_period_end"]),
        ends_with_period=_ends(document),
        next_price_id=_next_price(document.get("schedule"), item["current_period_end"]),
    )


def _ends(subscription: Any) -> bool:
    if subscription["cancel_at_period_end"] or subscription.get("cancel_at"):
        return True
    schedule, period_end = subscription.get("schedule"), _item(subscription)["current_period_end"]
    return (
        bool(schedule)
        and schedule["end_behavior"] == "cancel"
        and schedule["phases"][-1]["end_date"] <= period_end
    )


def _without_cancellation(subscription: Any) -> dict[str, Any]:
    """Return the parameters of an update that withdraw the cancellation, if there is one."""
    if subscription["cancel_at_period_end"]:
        return {"cancel_at_period_end": False}
    return {"cancel_at": ""} if subscription.get("cancel_at") else {}


def _phase_of(schedule: Any, moment: int) -> Any:
    """Return the phase of a moment; the last one if the schedule is behind its subscription."""
    phases = schedule["phases"]
    return next((p for p in phases if p["start_date"] <= moment < p["end_date"]), phases[-1])


def _next_price(schedule: Any, period_end: int) -> str | None:
    """Return the price of the phase that begins with the next period."""
    if not schedule:
        return None
    later = [phase for phase in schedule["phases"] if phase["start_date"] >= period_end]
    return _id(later[0]["items"][0]["price"]) if later else None


def _item(subscription: Any) -> Any:
    return _entries(subscription, "items")[0]


def _entries(document: Any, name: str) -> Sequence[Any]:
    return (document.get(name) or {"data": ()})["data"]


def _id(reference: Any) -> str:
    """Return the id of an object that is expanded or not."""
    return reference if isinstance(reference, str) else reference["id"]


def _name(value: Any) -> str:
    """Return an id or type of an event, which Postgres can store."""
    if not isinstance(value, str) or "\0" in value or not 0 < len(value) <= _MAX_NAME:
        raise ValueError("This is no name.")
    value.encode()  # a lone surrogate raises UnicodeEncodeError, which is a ValueError
    return value


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
