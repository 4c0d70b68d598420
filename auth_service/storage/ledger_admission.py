"""Counting by the ledger in Postgres, and the leases of gateways.

Advisory locks order it. Transactions that write to the ledger beside the counters share `_EPOCH`,
and a renewal of a lease takes it alone: so each such entry is either before an epoch, and part of
what its counters begin at, or marks it as bypassed. A lock an account makes admissions follow each
other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import ARRAY, Function, Text, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.usage import CounterState, Lease
from auth_service.storage.tables import counter_state, gateway_leases, usage_daily, usage_entries

_EPOCH: Final = 4_019_000_001
_LOCK_MILLISECONDS: Final = 6_000
"""Longest wait for a lock: less than a gateway waits for the reply, so that no transaction goes on
for callers that have left, with one of the few connections."""

_ACCOUNTS: Final = text(
    """
    SELECT pg_advisory_xact_lock(key)
    FROM (
        SELECT DISTINCT hashtextextended(account_id, 19) AS key
        FROM unnest(:account_ids) AS given (account_id) ORDER BY 1
    ) AS keys
    """
).bindparams(bindparam("account_ids", type_=ARRAY(Text)))


_TIMELINE: Final = text("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)")
_STATE: Final = (
    counter_state.c.epoch,
    counter_state.c.bypassed,
    counter_state.c.counted_by,
    counter_state.c.is_open,
    counter_state.c.timeline,
)
_LEASE_CHANGES: Final = ("renewed_at", "epoch", "valkey")


class PostgresAdmissionStore:
    """`AdmissionStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def enter(self) -> None:
        await self._lock(func.pg_advisory_xact_lock_shared(_EPOCH))

    async def now(self) -> datetime:
        return (await self._connection.execute(select(func.clock_timestamp()))).scalar_one()

    async def locked_usage(
        self, account_ids: Sequence[str], first: date, following: date
    ) -> Mapping[str, int]:
        # A statement of its own: the next one sees what was committed while this one waited.
        await self._connection.execute(_ACCOUNTS, {"account_ids": list(account_ids)})
        table = usage_daily
        query = (
            select(table.c.account_id, func.sum(table.c.requests).label("requests"))
            .where(
                table.c.account_id.in_(account_ids),
                table.c.day >= first,
                table.c.day < following,
            )
            .group_by(table.c.account_id)
        )
        rows = await self._connection.execute(query)
        return {row.account_id: int(row.requests) for row in rows}

    async def known(self, entry_ids: Sequence[str]) -> Mapping[str, datetime]:
        table = usage_entries
        query = select(table.c.entry_id, table.c.admitted_at).where(table.c.entry_id.in_(entry_ids))
        return {row.entry_id: row.admitted_at for row in await self._connection.execute(query)}

    async def state(self) -> CounterState:
        row = (await self._connection.execute(select(*_STATE))).one()
        return CounterState(*row)

    async def mark_bypassed(self) -> None:
        # Only the first of an epoch writes: the row is not what they all wait for.
        await self._connection.execute(
            update(counter_state).where(~counter_state.c.bypassed).values(bypassed=True)
        )

    async def enter_alone(self) -> None:
        await self._lock(func.pg_advisory_xact_lock(_EPOCH))

    async def _lock(self, lock: Function[Any]) -> None:
        """Take the first lock of the transaction, and bound the waits for it and all further ones."""
        bound = func.set_config("lock_timeout", f"{_LOCK_MILLISECONDS}ms", True)
        await self._connection.execute(select(bound, lock))

    async def timeline(self) -> str:
        return (await self._connection.execute(_TIMELINE)).scalar_one()

    async def change(self, state: CounterState) -> None:
        await self._connection.execute(update(counter_state).values(**asdict(state)))

    async def leases(self) -> Sequence[Lease]:
        return [Lease(*row) for row in await self._connection.execute(select(gateway_leases))]

    async def save_leases(self, leases: Sequence[Lease]) -> None:
        if leases:
            statement = insert(gateway_leases).values([asdict(lease) for lease in leases])
            changes = {name: statement.excluded[name] for name in _LEASE_CHANGES}
            await self._connection.execute(
                statement.on_conflict_do_update(index_elements=["gateway_id"], set_=changes)
            )

    async def replace_leases(self, leases: Sequence[Lease]) -> None:
        await self._connection.execute(delete(gateway_leases))
        await self.save_leases(leases)
