"""Bring accounts to the plan that the payment provider's state entitles them to.

An event only says that something has changed: the state is always fetched. Each fetch is numbered
before it starts, and a fetch is stored only if none with a higher number is. The provider sends an
event after each change, so the fetch for the newest change has the highest number of those that
began before it, and events may come twice, late or in any order.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

from auth_service.domain.billing import BillingPolicy, BillingState, PaymentGateway
from auth_service.domain.billing_ports import BillingCustomer, BillingStore, BillingTransactions
from auth_service.domain.plans import FREE, Plan
from auth_service.domain.ports import AuditEvent, Clock, RevocationPublisher
from servicekit.errors import ServiceError

_ACTOR: Final = "billing"
_EVENT_AGE: Final = timedelta(days=30)
_BATCH: Final = 10
_REFUNDED: Final = "charge.refunded"
_CUSTOMER_DELETED: Final = "customer.deleted"


class Report(Protocol):
    """Report to operators."""

    def __call__(self, event: str, **details: str) -> None: ...


@dataclass(frozen=True, slots=True)
class BillingSync:
    """Synchronise accounts with the payment provider, by its events and by a periodic check."""

    transactions: BillingTransactions
    gateway: PaymentGateway
    policy: BillingPolicy
    plans: Mapping[str, Plan]
    feed: RevocationPublisher
    clock: Clock
    report: Report

    async def receive(self, payload: str, signature: str) -> None:
        """Process a webhook; one that was processed before changes nothing.

        Raises:
            InvalidSignature: It is not the provider's, or too old.
            Unavailable: The provider or the database does not respond; it is to be sent again.
        """
        event = self.gateway.event(payload, signature)
        async with self.transactions() as store:
            if await store.is_processed(event.event_id):
                return
            customer = await store.customer(event.customer_id) if event.customer_id else None
        if customer is not None:
            if event.kind == _REFUNDED:
                await self._end_refunded(customer.customer_id)
            await self.sync(customer.customer_id)
        async with self.transactions() as store:
            if customer is not None and event.kind == _CUSTOMER_DELETED:
                await store.forget_customer(customer.customer_id)
            await store.record_processed(event, self.clock() + _EVENT_AGE)

    async def sync(self, customer_id: str) -> BillingState | None:
        """Fetch the provider's state and apply it; return it, None for an unknown customer."""
        async with self.transactions() as store:
            ticket = await store.next_ticket(customer_id)
        if ticket is None:
            return None
        running = self.policy.running(await self.gateway.subscriptions(customer_id))
        for superfluous in running[1:]:
            self.report("billing_second_subscription", customer=customer_id)
            await self.gateway.end_now(superfluous.subscription_id, credit=True)
        now = self.clock()
        state = self.policy.state(running[0] if running else None, now)
        changed = None
        async with self.transactions() as store:
            if await store.apply_state(customer_id, ticket, state, state.next_check(now)):
                changed = await self._change_plan(store, customer_id, state)
        if changed is not None:
            await self.feed.announce(changed, "plan_changed")
        return state

    async def check_due(self) -> int:
        """Check customers whose time has come, and end those of deleted accounts."""
        async with self.transactions() as store:
            due = await store.claim_due(self.clock(), _BATCH)
        for customer in due:
            try:
                await self._check(customer)
            except ServiceError as error:
                self.report("billing_check_failed", reason=error.reason)
        return len(due)

    async def run(self, seconds: float) -> None:
        """Check due customers until cancelled."""
        while True:
            try:
                while await self.check_due() == _BATCH:
                    pass
            except Exception as error:  # noqa: BLE001 - the next round tries again
                self.report("billing_check_failed", reason=repr(error))
            await asyncio.sleep(seconds)

    async def _check(self, customer: BillingCustomer) -> None:
        if customer.account_id is not None:
            await self.sync(customer.customer_id)
            return
        await self.gateway.delete_customer(customer.customer_id)
        async with self.transactions() as store:
            await store.forget_customer(customer.customer_id)

    async def _end_refunded(self, customer_id: str) -> None:
        for subscription in self.policy.running(await self.gateway.subscriptions(customer_id)):
            if await self.gateway.is_refunded(subscription.subscription_id):
                await self.gateway.end_now(subscription.subscription_id, credit=False)

    async def _change_plan(
        self, store: BillingStore, customer_id: str, state: BillingState
    ) -> str | None:
        """Give the account its plan unless an operator did; return the id of a changed account."""
        customer = await store.customer(customer_id)
        if customer is None or customer.account_id is None:
            return None
        await store.lock_account(customer.account_id)
        account = await store.account(customer.account_id)
        plan_id = state.plan_id or FREE
        if account is None or account.plan_by_operator or account.plan_id == plan_id:
            return None
        await store.change_plan(account.account_id, plan_id, by_operator=False)
        change = f"{account.plan_id} to {plan_id}"
        await store.record_event(
            AuditEvent(self.clock(), "plan_changed", account.account_id, _ACTOR, change)
        )
        return account.account_id
