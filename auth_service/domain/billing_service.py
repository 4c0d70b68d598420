"""What a person does who buys, changes and ends a plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final

from auth_service.domain.accounts import Account
from auth_service.domain.billing import (
    AlreadySubscribed,
    BillingPolicy,
    BillingState,
    NotSubscribed,
    PaymentGateway,
    PlanSetByOperator,
    Price,
    Subscription,
)
from auth_service.domain.billing_ports import BillingTransactions
from auth_service.domain.billing_sync import BillingSync
from auth_service.domain.plans import FREE, Plan
from auth_service.domain.ports import AuditEvent, Clock, Throttle
from auth_service.domain.rate_limits import RateLimit
from servicekit.errors import Conflict, InvalidInput, ServiceError

_REQUESTS: Final = RateLimit("billing", 20, 600)
_RETURNS: Final = RateLimit("billing-return", 20, 600)


class Change(Enum):
    """The ways in which a subscription changes."""

    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    END = "end"
    CONTINUE = "continue"


@dataclass(slots=True)
class PriceList:
    """The amounts of all prices of plans, as they were last fetched."""

    gateway: PaymentGateway
    policy: BillingPolicy
    by_id: Mapping[str, Price]

    async def refresh(self) -> None:
        """Fetch the amounts of the prices that are sold, and were."""
        self.by_id = {
            price_id: await self.gateway.price(price_id)
            for prices in self.policy.prices.values()
            for price_id in prices
        }

    def of_plan(self, plan_id: str, state: BillingState) -> Price | None:
        """Return what a plan costs whoever has a subscription in this state, None if unknown."""
        if plan_id == state.subscribed_plan_id and state.price_id is not None:
            return self.by_id.get(state.price_id)
        prices = self.policy.prices.get(plan_id)
        return self.by_id.get(prices[0]) if prices else None


@dataclass(frozen=True, slots=True)
class BillingService:
    """Buying, changing and ending a plan. Addresses that the provider returns people to begin with `site_url`."""

    transactions: BillingTransactions
    gateway: PaymentGateway
    policy: BillingPolicy
    plans: Mapping[str, Plan]
    sync: BillingSync
    prices: PriceList
    throttle: Throttle
    clock: Clock
    site_url: str

    async def state(self, account: Account) -> BillingState:
        """Return the stored state of an account's billing."""
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        return BillingState() if customer is None else customer.state

    async def export(self, account: Account) -> Mapping[str, Any] | None:
        """Return all that is stored of an account's billing, None when it has bought nothing."""
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        return None if customer is None else asdict(customer)

    async def arrive(self, account: Account) -> None:
        """Fetch the state after a change or a return from the provider, before its event comes."""
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        if customer is None or await _RETURNS.wait(self.throttle, account.account_id) is not None:
            return
        try:
            await self.sync.sync(customer.customer_id)
        except ServiceError as error:
            self.sync.report("billing_check_failed", reason=error.reason)

    async def follow_address(self, account: Account) -> None:
        """Set the address at the provider to that of the account, if it has bought something."""
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        if customer is None:
            return
        try:
            await self.gateway.change_email(customer.customer_id, account.email)
        except ServiceError as error:
            self.sync.report("billing_address_not_changed", reason=error.reason)

    async def check_out(self, account: Account, plan_id: str) -> str:
        """Return the address at which the account buys a plan.

        Raises:
            InvalidInput: The plan is not for sale.
            PlanSetByOperator: An operator gave the account its plan.
            AlreadySubscribed: The account has a running subscription.
        """
        price_id = self.policy.sold_price(plan_id)
        await _REQUESTS.check(self.throttle, account.account_id)
        if account.plan_by_operator:
            raise PlanSetByOperator("The operator of this service gave you your plan.")
        customer_id = await self._ensure_customer(account)
        state = await self.sync.sync(customer_id)
        if state is not None and state.is_running:
            raise AlreadySubscribed("You have a subscription already. Change its plan instead.")
        await self._audit(account, "checkout_opened", plan_id)
        return await self.gateway.start_checkout(
            customer_id, price_id, f"{self.site_url}/plans?notice=paid", f"{self.site_url}/plans"
        )

    async def open_portal(self, account: Account) -> str:
        """Return the address at which the account manages cards and invoices.

        Raises:
            NotSubscribed: The account has bought nothing yet.
        """
        await _REQUESTS.check(self.throttle, account.account_id)
        customer_id = await self._customer_id(account)
        return await self.gateway.open_portal(customer_id, f"{self.site_url}/plans?notice=back")

    def change_to(self, state: BillingState, plan_id: str) -> Change:
        """Return what choosing a plan does to a running subscription.

        Raises:
            NotSubscribed: There is no running subscription.
            InvalidInput: The plan is not for sale.
            Conflict: Nothing would change, or an invoice has to be paid first.
        """
        subscribed = state.subscribed_plan_id
        if subscribed is None:
            raise NotSubscribed("You have no subscription that could be changed.")
        if plan_id == FREE:
            if state.next_plan_id == FREE:
                raise Conflict("Your subscription ends with the period already.")
            return Change.END
        self.policy.sold_price(plan_id)
        if plan_id == state.next_plan_id:
            raise Conflict("Your plan changes to this one with the period already.")
        if plan_id == subscribed:
            if state.next_plan_id is None:
                raise Conflict("This is your plan already.")
            return Change.CONTINUE
        if state.status not in ("active", "trialing"):
            raise Conflict("A payment is open. Pay it first, under “Cards and invoices”.")
        if self.policy.is_larger(plan_id, subscribed):
            return Change.UPGRADE
        return Change.DOWNGRADE

    async def change(self, account: Account, plan_id: str, confirmed: str) -> Change:
        """Change the account's running subscription in the way that was confirmed.

        Raises:
            NotSubscribed, InvalidInput, Conflict: See `change_to`; or another change was confirmed.
            PaymentFailed: The difference was not paid, and nothing has changed.
        """
        if plan_id not in self.plans:
            raise InvalidInput("There is no such plan.", details={"field": "plan"})
        await _REQUESTS.check(self.throttle, account.account_id)
        customer_id = await self._customer_id(account)
        running = self.policy.running(await self.gateway.subscriptions(customer_id))
        state = self.policy.state(running[0] if running else None, self.clock())
        change = self.change_to(state, plan_id)
        if change.value != confirmed:
            raise Conflict("Your subscription has changed meanwhile. Look at the plans again.")
        await self._perform(change, running[0], plan_id)
        await self._audit(account, f"subscription_{change.value}", plan_id)
        await self.arrive(account)
        return change

    async def _perform(self, change: Change, subscription: Subscription, plan_id: str) -> None:
        subscription_id = subscription.subscription_id
        if change is Change.END:
            await self.gateway.end_with_period(subscription_id)
        elif change is Change.CONTINUE:
            await self.gateway.withdraw_change(subscription_id)
        elif change is Change.UPGRADE:
            await self.gateway.upgrade(subscription_id, self.policy.sold_price(plan_id))
        else:
            await self.gateway.change_with_period(subscription_id, self.policy.sold_price(plan_id))

    async def _customer_id(self, account: Account) -> str:
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        if customer is None:
            raise NotSubscribed("You have bought nothing here yet.")
        return customer.customer_id

    async def _ensure_customer(self, account: Account) -> str:
        async with self.transactions() as store:
            customer = await store.customer_of(account.account_id)
        if customer is not None:
            return customer.customer_id
        customer_id = await self.gateway.create_customer(account.account_id, account.email)
        async with self.transactions() as store:
            return await store.add_customer(customer_id, account.account_id, self.clock())

    async def _audit(self, account: Account, event: str, detail: str) -> None:
        async with self.transactions() as store:
            await store.record_event(
                AuditEvent(self.clock(), event, account.account_id, "owner", detail)
            )
