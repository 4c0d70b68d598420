"""Callers' SQL on Postgres: each statement on a connection of its own, as a role that can only read the dataset.

A connection of its own leaves nothing behind for the next caller, whatever the statement did to its session.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final, LiteralString, TypeVar, cast

import psycopg
from prometheus_client import Histogram

from catalog_service.domain.sql.errors import SqlRefused, SqlTooExpensive, too_expensive
from catalog_service.domain.sql.free_work import Stopwatch
from catalog_service.domain.sql.ports import Plan, Rows, Statistics
from catalog_service.storage.connections import Database
from catalog_service.storage.sql import failures, plans, results, sessions, statistics
from catalog_service.storage.sql.slots import Slots
from servicekit.errors import Unavailable

SECONDS: Final = Histogram("sponsorgraph_sql_seconds", "Time of callers' SQL statements.")

R = TypeVar("R")
_GRACE_SECONDS: Final = 1.0
"""Time beyond the server's own limit, after which the caller is answered."""


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """Limits of callers' SQL.

    Attributes:
        seconds: Longest that a statement runs.
        cost: Largest planned cost.
        connections: Statements that run at once.
        waiting: Statements that wait for one of these.
        planning_seconds: Longest that one is planned before it runs.
    """

    seconds: float = 5.0
    cost: float = 1_000_000.0
    connections: int = 1
    waiting: int = 16
    planning_seconds: float = 1.0

    @property
    def planning(self) -> float:
        """Longest that a statement is planned."""
        return min(self.planning_seconds, self.seconds)


def _accept(sql: str) -> Sequence[str]:
    # Postgres' grammar takes 5 MB, and most catalogs are never sent SQL.
    from catalog_service.storage.sql import statements  # noqa: PLC0415

    return statements.check(sql).notes


class PostgresSql:
    """`SqlStore` on Postgres.

    Args:
        database: The service's own, for estimates of rows.
        url: Of the role that reads the dataset and nothing else; "" if the deployment offers no SQL.
        limits: Limits of statements.
        check: Accepts a statement, and returns notes on it; raises `SqlRefused` if it is not accepted.
    """

    def __init__(
        self,
        database: Database,
        url: str,
        limits: SqlLimits,
        check: Callable[[str], Sequence[str]] = _accept,
    ) -> None:
        self._database = database
        self._url = url
        self._limits = limits
        self._check = check
        self._checking = asyncio.Semaphore(1)
        self._slots = Slots(limits.connections, limits.waiting)
        # Planning is short: it need not wait for statements that run.
        self._planning_slots = Slots(1, limits.waiting)

    @property
    def max_cost(self) -> float:
        return self._limits.cost

    async def plan(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Plan:
        async def planned(connection: psycopg.AsyncConnection[Any], notes: Sequence[str]) -> Plan:
            cost = await self._cost(connection, sql)
            return Plan(cost, await results.columns_of_query(connection, _text(sql), sql), notes)

        return await self._within_limits(self._planning_slots, account_id, sql, planned, stopwatch)

    async def run(self, account_id: str, sql: str, stopwatch: Stopwatch | None = None) -> Rows:
        async def fetched(connection: psycopg.AsyncConnection[Any], notes: Sequence[str]) -> Rows:
            cost = await self._cost(connection, sql)
            if cost > self._limits.cost:
                raise SqlTooExpensive(too_expensive(cost, self._limits.cost))
            with failures.reported(sql, self._limits.seconds):
                await sessions.limit(connection, self._limits.seconds)
                rows = await results.fetch(connection, _text(sql), sql, cost)
            return replace(rows, plan=replace(rows.plan, notes=notes))

        return await self._within_limits(self._slots, account_id, sql, fetched, stopwatch)

    async def statistics(self) -> Mapping[str, Statistics]:
        async with self._database.report_transaction() as connection:
            return await statistics.read(connection)

    async def close(self) -> None:
        """Wait for no statement any more."""
        await self._slots.close()
        await self._planning_slots.close()

    async def _cost(self, connection: psycopg.AsyncConnection[Any], sql: str) -> float:
        with failures.reported(sql, self._limits.planning, sent_before=len(plans.EXPLAIN)):
            async with connection.cursor() as cursor:
                # Prepared: the simple protocol would run several statements.
                await cursor.execute(_text(plans.EXPLAIN + sql), prepare=True)
                explained = await cursor.fetchone()
        return plans.cost_of(str(explained[0]) if explained else "", sql)

    async def _within_limits(
        self,
        slots: Slots,
        account_id: str,
        sql: str,
        work: Callable[[psycopg.AsyncConnection[Any], Sequence[str]], Awaitable[R]],
        stopwatch: Stopwatch | None,
    ) -> R:
        """Do the work of a statement on a connection of its own.

        Raises:
            SqlRefused: It is not accepted, or Postgres refuses it.
            SqlLimitReached: It takes too long.
        """
        if not self._url:
            raise Unavailable(
                "This deployment does not offer SQL: its operator has set no CATALOG_SQL_URL."
            )
        async with slots.of(account_id) as statement:
            async with self._checking:
                notes = await asyncio.to_thread(self._check, sql)
            await statement.wait_for_slot()
            if stopwatch is not None:
                stopwatch.begin()
            with SECONDS.time(), _charged(monotonic):
                connection = await sessions.connect(self._url, self._limits.planning)
                task = asyncio.ensure_future(
                    _reported(work(connection, notes), sql, self._limits.seconds)
                )
                is_done = False
                try:
                    # The driver waits for the end of what it cancels; the caller does not.
                    await asyncio.wait({task}, timeout=self._limits.seconds + _GRACE_SECONDS)
                    is_done = task.done()
                finally:
                    statement.ending = (
                        await sessions.close(connection, self._url)
                        if is_done
                        else sessions.end(task, connection, self._url)
                    )
                if not is_done:
                    raise failures.too_slow(self._limits.seconds)
                return task.result()


@contextmanager
def _charged(clock: Callable[[], float]) -> Generator[None]:
    """Let a statement that fails count by the time that it took."""
    started = clock()
    try:
        yield
    except SqlRefused as error:
        error.after(clock() - started)
        raise


async def _reported(work: Awaitable[R], sql: str, seconds: float) -> R:
    with failures.reported(sql, seconds):
        return await work


def _text(sql: str) -> LiteralString:
    """Return a statement of a caller, which was accepted, as one that the driver takes."""
    return cast("LiteralString", sql)
