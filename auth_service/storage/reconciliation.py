"""The ledger as a comparison reads it."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, cast

from sqlalchemy import ARRAY, Text, bindparam, func, select, text, tuple_
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from auth_service.domain.reconciliation import Difference, Kind, Month
from auth_service.domain.usage import REFUND, Counting
from auth_service.storage.counting import PostgresCounting
from auth_service.storage.tables import usage_daily
from servicekit.errors import Unavailable

_PATIENT: Final = text("SET LOCAL statement_timeout = '2min'")
_WAIT: Final = text("SET LOCAL lock_timeout = '3s'")
_REST: Final = text("LOCK TABLE usage_entries IN SHARE MODE")

# One statement, so that a batch that is recorded meanwhile is in both or in neither.
_WRONG_DAYS: Final = text(
    """
    WITH entries AS (
        SELECT account_id, tool, credential_id, sum(cost)::bigint AS requests
        FROM usage_entries WHERE admitted_at >= :first AND admitted_at < :following
        GROUP BY 1, 2, 3
    ), sums AS (
        SELECT account_id, tool, credential_id, requests FROM usage_daily WHERE day = :day
    )
    SELECT account_id, coalesce(sum(entries.requests), 0)::bigint AS ledger,
           coalesce(sum(sums.requests), 0)::bigint AS other
    FROM entries FULL JOIN sums USING (account_id, tool, credential_id)
    GROUP BY account_id
    HAVING bool_or(coalesce(entries.requests, 0) <> coalesce(sums.requests, 0))
    ORDER BY account_id
    """
)
_REFUNDS: Final = text(
    """
    SELECT account_id, sum(cost)::bigint AS other FROM usage_entries AS refund
    WHERE admitted_at >= :first AND admitted_at < :following AND admitted_at < :until AND cost < 0
      AND NOT EXISTS (
          SELECT FROM usage_entries AS call
          WHERE call.entry_id = regexp_replace(refund.entry_id, :ending, '') AND call.cost > 0
      )
    GROUP BY account_id ORDER BY account_id
    """
)
_UNKNOWN: Final = text(
    """
    SELECT given.entry_id FROM unnest(:entry_ids) AS given (entry_id)
    WHERE NOT EXISTS (SELECT FROM usage_entries WHERE usage_entries.entry_id = given.entry_id)
    """
).bindparams(bindparam("entry_ids", type_=ARRAY(Text)))


class PostgresRestingLedger:
    """`RestingLedger` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def counting(self) -> Counting:
        return await PostgresCounting(self._connection).state()

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        table = usage_daily
        month = func.to_char(table.c.day, "YYYY-MM")
        query = (
            select(table.c.account_id, month, func.sum(table.c.requests))
            .where(tuple_(table.c.account_id, month).in_([(m.account_id, m.month) for m in months]))
            .group_by(table.c.account_id, month)
        )
        rows = (await self._connection.execute(query)).all()
        return {Month(account_id, name): int(requests) for account_id, name, requests in rows}

    async def unknown(self, entry_ids: Sequence[str]) -> frozenset[str]:
        rows = await self._connection.execute(_UNKNOWN, {"entry_ids": list(entry_ids)})
        return frozenset(cast("Sequence[str]", rows.scalars().all()))


class PostgresBooks:
    """`Books` on connections of a pool."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def counting(self) -> Counting:
        async with self._patient() as connection:
            return await PostgresRestingLedger(connection).counting()

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        async with self._patient() as connection:
            return await PostgresRestingLedger(connection).used(months)

    async def wrong_days(self, day: date) -> Sequence[Difference]:
        async with self._patient() as connection:
            rows = await connection.execute(_WRONG_DAYS, {**_bounds(day), "day": day})
            return [_difference("days", r.account_id, day, r.ledger, r.other) for r in rows]

    async def refunds_of_nothing(self, day: date, until: datetime) -> Sequence[Difference]:
        async with self._patient() as connection:
            rows = await connection.execute(
                _REFUNDS, {**_bounds(day), "until": until, "ending": f"{REFUND}$"}
            )
            return [_difference("refunds", r.account_id, day, 0, r.other) for r in rows]

    @asynccontextmanager
    async def at_rest(self) -> AsyncGenerator[PostgresRestingLedger]:
        async with self._patient() as connection:
            await connection.execute(_WAIT)
            await connection.execute(_REST)
            yield PostgresRestingLedger(connection)

    @asynccontextmanager
    async def _patient(self) -> AsyncGenerator[AsyncConnection]:
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_PATIENT)
                yield connection
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            raise Unavailable(
                "The ledger cannot be compared now. Try again in a few seconds.", retry_after=5
            ) from error


def _bounds(day: date) -> dict[str, datetime]:
    first = datetime.combine(day, time(), UTC)
    return {"first": first, "following": first + timedelta(days=1)}


def _difference(kind: Kind, account_id: str, day: date, ledger: int, other: int) -> Difference:
    return Difference(kind, account_id, day.isoformat(), ledger, other)
