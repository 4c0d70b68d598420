"""Postgres's side of the reconciliation: the ledger's reads, locks and refunds."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, cast

from sqlalchemy import ARRAY, Text, TextClause, bindparam, func, select, text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from auth_service.domain.reconciliation import Difference, Kind, Month, first_day, following_month
from auth_service.domain.usage import REFUND, CounterState, UsageEntry
from auth_service.storage.ledger import PostgresLedger
from auth_service.storage.ledger_admission import PostgresAdmissionStore
from servicekit.errors import Unavailable

_STATEMENT_TIMEOUT: Final = text("SET LOCAL statement_timeout = '2min'")
_LOCK_TIMEOUT: Final = text("SET LOCAL lock_timeout = '3s'")
_BLOCK_WRITERS: Final = text("LOCK TABLE usage_entries IN SHARE MODE")
_REPEATABLE_READ: Final = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
_TAKE_SNAPSHOT: Final = text("SELECT 1")
_USED: Final = text(
    """
    SELECT account_id, sum(cost)::bigint AS requests FROM usage_entries
    WHERE admitted_at >= :first AND admitted_at < :following AND account_id = ANY(:account_ids)
    GROUP BY account_id
    """
).bindparams(bindparam("account_ids", type_=ARRAY(Text)))

_SUMS: Final = text(
    """
    SELECT account_id, sum(requests)::bigint AS requests FROM usage_daily
    WHERE day >= :first AND day < :following AND account_id = ANY(:account_ids)
    GROUP BY account_id
    """
).bindparams(bindparam("account_ids", type_=ARRAY(Text)))
_SETTLEMENT_LOCK: Final = 4_019_000_002
_LOCK_SETTLEMENT: Final = select(func.pg_advisory_xact_lock(_SETTLEMENT_LOCK))
_LAST_CALLS: Final = text(
    """
    WITH calls AS (
        SELECT entry_id, account_id, credential_id, tool, admitted_at, cost,
               sum(cost) OVER (ORDER BY admitted_at > :ended_before, admitted_at DESC, entry_id) AS running
        FROM usage_entries AS call
        WHERE admitted_at >= :first AND admitted_at < :following AND account_id = :account_id
          AND cost > 0 AND NOT EXISTS (
              SELECT FROM usage_entries AS refund WHERE refund.entry_id = call.entry_id || :ending
          )
    )
    SELECT entry_id, account_id, credential_id, tool, admitted_at, cost FROM calls
    WHERE running - cost < :requests
    """
)

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
          WHERE call.entry_id = regexp_replace(refund.entry_id, :ending, '') AND call.cost = -refund.cost
      )
    GROUP BY account_id ORDER BY account_id
    """
)
_MISSING: Final = text(
    """
    SELECT given.entry_id FROM unnest(:entry_ids) AS given (entry_id)
    WHERE NOT EXISTS (SELECT FROM usage_entries WHERE usage_entries.entry_id = given.entry_id)
    """
).bindparams(bindparam("entry_ids", type_=ARRAY(Text)))


class PostgresLedgerSnapshot:
    """`LedgerSnapshot` on one connection.

    Args:
        connection: In a repeatable-read transaction.
        unblock_writers: Releases the lock that writers of the ledger wait for.
    """

    def __init__(
        self, connection: AsyncConnection, unblock_writers: Callable[[], Awaitable[None]]
    ) -> None:
        self._connection = connection
        self._unblock_writers = unblock_writers

    async def unblock_writers(self) -> None:
        await self._unblock_writers()

    async def counter_state(self) -> CounterState:
        return await PostgresAdmissionStore(self._connection).state()

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        return await _used(self._connection, months)

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        return await _by_month(self._connection, _SUMS, months)

    async def missing(self, entry_ids: Sequence[str]) -> frozenset[str]:
        rows = await self._connection.execute(_MISSING, {"entry_ids": list(entry_ids)})
        return frozenset(cast("Sequence[str]", rows.scalars().all()))


class PostgresReconciliationStore:
    """`ReconciliationStore` on connections of a pool."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def counter_state(self) -> CounterState:
        async with self._transaction() as connection:
            return await PostgresAdmissionStore(connection).state()

    async def used(self, months: Sequence[Month]) -> Mapping[Month, int]:
        async with self._transaction() as connection:
            return await _used(connection, months)

    async def sums(self, months: Sequence[Month]) -> Mapping[Month, int]:
        async with self._transaction() as connection:
            return await _by_month(connection, _SUMS, months)

    async def refund_last_calls(self, month: Month, requests: int, ended_before: datetime) -> int:
        first = first_day(month.month)
        values = {
            "first": _midnight(first),
            "following": _midnight(following_month(first)),
            "account_id": month.account_id,
            "ending": REFUND,
            "requests": requests,
            "ended_before": ended_before,
        }
        async with self._transaction() as connection:
            rows = (await connection.execute(_LAST_CALLS, values)).all()
            entries = [UsageEntry(row[0] + REFUND, *row[1:5], cost=-row[5]) for row in rows]
            return await PostgresLedger(connection).record(entries)

    @asynccontextmanager
    async def settlement_lock(self) -> AsyncGenerator[None]:
        async with self._transaction() as connection:
            await connection.execute(_LOCK_TIMEOUT)
            await connection.execute(_LOCK_SETTLEMENT)
            yield

    async def wrong_days(self, day: date) -> Sequence[Difference]:
        async with self._transaction() as connection:
            rows = await connection.execute(_WRONG_DAYS, {**_bounds(day), "day": day})
            return [_difference("days", r.account_id, day, r.ledger, r.other) for r in rows]

    async def refunds_without_call(self, day: date, until: datetime) -> Sequence[Difference]:
        async with self._transaction() as connection:
            rows = await connection.execute(
                _REFUNDS, {**_bounds(day), "until": until, "ending": f"{REFUND}$"}
            )
            return [_difference("refunds", r.account_id, day, 0, r.other) for r in rows]

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[PostgresLedgerSnapshot]:
        async with self._transaction() as blocking, self._transaction() as reading:
            await reading.execute(_REPEATABLE_READ)
            await blocking.execute(_LOCK_TIMEOUT)
            await blocking.execute(_BLOCK_WRITERS)
            await reading.execute(_TAKE_SNAPSHOT)
            yield PostgresLedgerSnapshot(reading, blocking.rollback)

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[AsyncConnection]:
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_STATEMENT_TIMEOUT)
                yield connection
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            raise Unavailable(
                "The ledger cannot be compared now. Try again in a few seconds.", retry_after=5
            ) from error


async def _used(connection: AsyncConnection, months: Sequence[Month]) -> Mapping[Month, int]:
    """Sum up entries, not the daily sums, which are compared with them as well."""
    return await _by_month(connection, _USED, months)


async def _by_month(
    connection: AsyncConnection, statement: TextClause, months: Sequence[Month]
) -> Mapping[Month, int]:
    used: dict[Month, int] = {}
    for name in {month.month for month in months}:
        first = first_day(name)
        values = {
            "first": _midnight(first),
            "following": _midnight(following_month(first)),
            "account_ids": [month.account_id for month in months if month.month == name],
        }
        for row in await connection.execute(statement, values):
            used[Month(row.account_id, name)] = row.requests
    return used


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _bounds(day: date) -> dict[str, datetime]:
    return {"first": _midnight(day), "following": _midnight(day + timedelta(days=1))}


def _difference(kind: Kind, account_id: str, day: date, ledger: int, other: int) -> Difference:
    return Difference(kind, account_id, day.isoformat(), ledger, other)
