"""Counting by the ledger in Postgres.

Advisory locks order it. Who writes to the ledger beside the counters shares `_EPOCH`, and the begin
of an epoch takes it alone: so each such entry is either before the epoch, and part of what its
counters begin at, or marks it as bypassed. A lock an account makes admissions follow each other.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from sqlalchemy import ARRAY, Text, bindparam, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from auth_service.domain.usage import CounterState
from auth_service.storage.tables import counting, usage_daily, usage_entries

_EPOCH: Final = 4_019_000_001
_ACCOUNTS: Final = text(
    """
    SELECT pg_advisory_xact_lock(key)
    FROM (
        SELECT DISTINCT hashtextextended(account_id, 19) AS key
        FROM unnest(:account_ids) AS given (account_id) ORDER BY 1
    ) AS keys
    """
).bindparams(bindparam("account_ids", type_=ARRAY(Text)))


class PostgresAdmissionStore:
    """`AdmissionStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def enter(self) -> None:
        await self._connection.execute(select(func.pg_advisory_xact_lock_shared(_EPOCH)))

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
        row = (await self._connection.execute(select(counting.c.epoch, counting.c.bypassed))).one()
        return CounterState(row.epoch, row.bypassed)

    async def mark_bypassed(self) -> None:
        # Only the first of an epoch writes: the row is not what they all wait for.
        await self._connection.execute(
            update(counting).where(~counting.c.bypassed).values(bypassed=True)
        )

    async def begin(self, epoch: str) -> None:
        await self._connection.execute(select(func.pg_advisory_xact_lock(_EPOCH)))
        await self._connection.execute(update(counting).values(epoch=epoch, bypassed=False))
