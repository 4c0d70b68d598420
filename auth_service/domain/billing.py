"""Paid plans: subscriptions at a payment provider, and the plan that each entitles to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from auth_service.domain.plans import FREE
from servicekit.errors import Conflict, InvalidInput, PermissionDenied

PAST_DUE: Final = "past_due"
_PAID: Final = frozenset({"trialing", "active"})
_RUNNING: Final = _PAID | {PAST_DUE, "unpaid", "paused"}
_AFTER_PERIOD: Final = timedelta(hours=2)
_RUNNING_CHECK: Final = timedelta(days=1)
_IDLE_CHECK: Final = timedelta(days=30)


class InvalidSignature(PermissionDenied):
    default_reason = "SIGNATURE_INVALID"


class PaymentFailed(Conflict):
    default_reason = "PAYMENT_FAILED"


class AlreadySubscribed(Conflict):
    default_reason = "ALREADY_SUBSCRIBED"


class NotSubscribed(Conflict):
    default_reason = "NOT_SUBSCRIBED"


class PlanSetByOperator(Conflict):
    default_reason = "PLAN_SET_BY_OPERATOR"


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription as the provider has it now.

    Attributes:
        status: Stripe's word for its state.
        failing_since: Time of the oldest invoice that is not paid yet.
        ends_with_period: True if it is cancelled for the end of the period.
        next_price_id: Price that a schedule changes it to at the end of the period.
    """

    subscription_id: str
    status: str
    price_id: str
    created_at: datetime
    period_end: datetime
    failing_since: datetime | None = None
    ends_with_period: bool = False
    next_price_id: str | None = None

    @property
    def is_running(self) -> bool:
        """True if it charges its owner, or will when a payment succeeds."""
        return self.status in _RUNNING


@dataclass(frozen=True, slots=True)
class BillingState:
    """The outcome of the provider's state, as it is stored and shown.

    Attributes:
        status: Status of the subscription; empty without one.
        subscribed_plan_id: Plan of the running subscription.
        plan_id: Plan that is entitled to now; none after the grace of a failed payment.
        next_plan_id: Plan after the period, if it will be another one.
        grace_until: End of the grace while a payment is failing.
        price_id: Price of the running subscription, which may be an earlier one of its plan.
    """

    status: str = ""
    subscribed_plan_id: str | None = None
    plan_id: str | None = None
    next_plan_id: str | None = None
    period_end: datetime | None = None
    grace_until: datetime | None = None
    price_id: str | None = None

    @property
    def is_running(self) -> bool:
        return self.subscribed_plan_id is not None

    def next_check(self, now: datetime) -> datetime:
        """Return when to fetch the provider's state even if no event arrives."""
        if not self.is_running:
            return now + _IDLE_CHECK
        period_check = self.period_end and self.period_end + _AFTER_PERIOD
        moments = (now + _RUNNING_CHECK, period_check, self.grace_until)
        return min(moment for moment in moments if moment is not None and moment > now)


NOTHING: Final = BillingState()


@dataclass(frozen=True, slots=True)
class BillingEvent:
    """A verified event. `customer_id` is empty when the event concerns no customer."""

    event_id: str
    kind: str
    customer_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Price:
    """An amount in the smallest unit of its currency, charged each interval."""

    amount: int
    currency: str
    interval: str


@dataclass(frozen=True, slots=True)
class BillingPolicy:
    """The prices of plans, and the grace of failed payments.

    Attributes:
        prices: Price ids by plan id: the first is sold, the others were sold earlier.
        ranks: Plan ids from the smallest plan to the largest.
        grace: Time after a failed payment in which the plan stays.
    """

    prices: Mapping[str, Sequence[str]]
    ranks: Sequence[str]
    grace: timedelta

    def sold_price(self, plan_id: str) -> str:
        """Return the price id under which a plan is sold.

        Raises:
            InvalidInput: The plan is not for sale.
        """
        if not self.prices.get(plan_id):
            raise InvalidInput("This plan is not for sale.", details={"field": "plan"})
        return self.prices[plan_id][0]

    def plan_of(self, price_id: str | None) -> str | None:
        """Return the plan of a price, None for a price of something else."""
        return next((plan for plan, prices in self.prices.items() if price_id in prices), None)

    def is_larger(self, plan_id: str, than: str) -> bool:
        return self.ranks.index(plan_id) > self.ranks.index(than)

    def running(self, subscriptions: Sequence[Subscription]) -> Sequence[Subscription]:
        """Return the running subscriptions to plans: the one that counts first."""
        found = [s for s in subscriptions if s.is_running and self.plan_of(s.price_id)]
        return sorted(found, key=self._preference)

    def _preference(self, subscription: Subscription) -> tuple[bool, int, datetime]:
        plan = self.plan_of(subscription.price_id)
        rank = self.ranks.index(plan) if plan else -1
        return subscription.status not in _PAID, -rank, subscription.created_at

    def state(self, subscription: Subscription | None, now: datetime) -> BillingState:
        """Return what a running subscription entitles to."""
        if subscription is None:
            return NOTHING
        subscribed = self.plan_of(subscription.price_id)
        grace_until = None
        if subscription.status == PAST_DUE:
            grace_until = (subscription.failing_since or subscription.created_at) + self.grace
        is_entitled = subscription.status in _PAID or (
            grace_until is not None and now < grace_until
        )
        following = self.plan_of(subscription.next_price_id)
        if subscription.ends_with_period:
            following = FREE
        return BillingState(
            subscription.status,
            subscribed,
            subscribed if is_entitled else None,
            following if following != subscribed else None,
            subscription.period_end,
            grace_until,
            subscription.price_id,
        )


class PaymentGateway(Protocol):
    """The payment provider. Every method raises `Unavailable` when it does not respond."""

    async def create_customer(self, account_id: str, email: str) -> str: ...

    async def change_email(self, customer_id: str, email: str) -> None:
        """Set the address that invoices go to."""
        ...

    async def delete_customer(self, customer_id: str) -> None:
        """Delete a customer, which ends its subscriptions at once; one that is gone stays so."""
        ...

    async def subscriptions(self, customer_id: str) -> Sequence[Subscription]: ...

    async def start_checkout(
        self, customer_id: str, price_id: str, success_url: str, cancel_url: str
    ) -> str:
        """End the customer's open checkouts, open another and return its address."""
        ...

    async def open_portal(self, customer_id: str, return_url: str) -> str: ...

    async def upgrade(self, subscription_id: str, price_id: str) -> None:
        """Change the price now and charge the difference.

        Raises:
            PaymentFailed: The difference was not paid; the subscription is as before.
        """
        ...

    async def change_with_period(self, subscription_id: str, price_id: str) -> None:
        """Change the price at the end of the period."""
        ...

    async def end_with_period(self, subscription_id: str) -> None: ...

    async def withdraw_change(self, subscription_id: str) -> None:
        """Let the subscription go on as it is after the period."""
        ...

    async def end_now(self, subscription_id: str, *, credit: bool) -> None:
        """End a subscription; with `credit`, the rest of the period is credited."""
        ...

    async def is_refunded(self, subscription_id: str) -> bool:
        """Return whether all that was paid for its latest invoice was refunded."""
        ...

    async def price(self, price_id: str) -> Price: ...

    async def price_problem(self, price_id: str, *, is_sold: bool) -> str:
        """Return what is wrong with a configured price in words, empty if nothing is."""
        ...

    def event(self, payload: str, signature: str) -> BillingEvent:
        """Return the event of a webhook.

        Raises:
            InvalidSignature: The signature is absent, wrong or too old.
            InvalidInput: The body is no event.
        """
        ...
