"""Storage port of billing."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from auth_service.domain.billing import BillingEvent, BillingState
from auth_service.domain.ports import Store


@dataclass(frozen=True, slots=True)
class BillingCustomer:
    """A customer of the provider; `account_id` is None once the account is deleted."""

    customer_id: str
    account_id: str | None
    state: BillingState


class BillingStore(Store, Protocol):
    """A transaction of billing."""

    async def customer_of(self, account_id: str) -> BillingCustomer | None: ...

    async def customer(self, customer_id: str) -> BillingCustomer | None: ...

    async def add_customer(self, customer_id: str, account_id: str, check_at: datetime) -> str:
        """Store the account's customer; return the one that it has, which may be an earlier one."""
        ...

    async def forget_customer(self, customer_id: str) -> None: ...

    async def next_ticket(self, customer_id: str) -> int | None:
        """Number a fetch of the provider's state; None when the customer is unknown."""
        ...

    async def apply_state(
        self, customer_id: str, ticket: int, state: BillingState, check_at: datetime
    ) -> bool:
        """Store a fetched state; False when that of a later fetch is stored."""
        ...

    async def claim_due(self, now: datetime, limit: int) -> Sequence[BillingCustomer]:
        """Return customers to check, and those of deleted accounts; others see them later."""
        ...

    async def is_processed(self, event_id: str) -> bool: ...

    async def record_processed(self, event: BillingEvent, until: datetime) -> None: ...


class BillingTransactions(Protocol):
    """Open stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[BillingStore]: ...
