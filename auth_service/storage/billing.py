"""A transaction of billing on Postgres."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from auth_service.domain.billing import BillingEvent, BillingState
from auth_service.domain.billing_ports import BillingCustomer
from auth_service.storage.billing_tables import billing_customers, billing_events
from auth_service.storage.store import PostgresStore

_RETRY: Final = timedelta(minutes=5)
_STATE: Final = tuple(BillingState.__dataclass_fields__)
_c: Final = billing_customers.c


class PostgresBillingStore(PostgresStore):
    """Implement `BillingStore` on one connection."""

    async def customer_of(self, account_id: str) -> BillingCustomer | None:
        return await self._customer(_c.account_id == account_id)

    async def customer(self, customer_id: str) -> BillingCustomer | None:
        return await self._customer(_c.customer_id == customer_id)

    async def _customer(self, condition: Any) -> BillingCustomer | None:
        query = select(billing_customers).where(condition)
        row = (await self._connection.execute(query)).first()
        return None if row is None else _customer_of(row)

    async def add_customer(self, customer_id: str, account_id: str, check_at: datetime) -> str:
        statement = insert(billing_customers).values(
            customer_id=customer_id, account_id=account_id, check_at=check_at
        )
        await self._connection.execute(
            statement.on_conflict_do_nothing(index_elements=["account_id"])
        )
        query = select(_c.customer_id).where(_c.account_id == account_id)
        return (await self._connection.execute(query)).scalar_one()

    async def forget_customer(self, customer_id: str) -> None:
        await self._connection.execute(
            delete(billing_customers).where(_c.customer_id == customer_id)
        )

    async def next_ticket(self, customer_id: str) -> int | None:
        statement = (
            update(billing_customers)
            .where(_c.customer_id == customer_id)
            .values(ticket=_c.ticket + 1)
            .returning(_c.ticket)
        )
        return (await self._connection.execute(statement)).scalar_one_or_none()

    async def apply_state(
        self, customer_id: str, ticket: int, state: BillingState, check_at: datetime
    ) -> bool:
        values = {name: getattr(state, name) for name in _STATE}
        statement = (
            update(billing_customers)
            .where(_c.customer_id == customer_id, _c.applied_ticket < ticket)
            .values(applied_ticket=ticket, check_at=check_at, **values)
        )
        return (await self._connection.execute(statement)).rowcount == 1

    async def claim_due(self, now: datetime, limit: int) -> Sequence[BillingCustomer]:
        is_orphan = _c.account_id.is_(None)
        due = (
            select(_c.customer_id)
            .where((_c.check_at <= now) | (is_orphan & ~_c.is_ending))
            .order_by(_c.check_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        statement = (
            update(billing_customers)
            .where(_c.customer_id.in_(due))
            .values(check_at=now + _RETRY, is_ending=is_orphan)
            .returning(billing_customers)
        )
        return [_customer_of(row) for row in await self._connection.execute(statement)]

    async def is_processed(self, event_id: str) -> bool:
        query = select(billing_events.c.event_id).where(billing_events.c.event_id == event_id)
        return (await self._connection.execute(query)).first() is not None

    async def record_processed(self, event: BillingEvent, until: datetime) -> None:
        values = {
            "event_id": event.event_id,
            "kind": event.kind,
            "created_at": event.created_at,
            "expires_at": until,
        }
        await self._connection.execute(
            insert(billing_events).values(values).on_conflict_do_nothing()
        )


def _customer_of(row: Any) -> BillingCustomer:
    state = BillingState(**{name: getattr(row, name) for name in _STATE})
    return BillingCustomer(row.customer_id, row.account_id, state)
