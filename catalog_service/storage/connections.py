"""Connections to the catalogue's Postgres, with queries that the driver runs directly.

SQLAlchemy compiles each statement once and pools the connections; psycopg runs the queries, because
SQLAlchemy's own execution takes several times as long as Postgres needs for a short query.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import CoroutineType
from typing import Any, Concatenate, Final, LiteralString, ParamSpec, Protocol, TypeVar, cast

import psycopg
import sqlalchemy
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row
from sqlalchemy import PoolProxiedConnection, func
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.util import greenlet_spawn

from catalog_service.storage.columns import AnyRow, AnySelect
from servicekit.errors import Unavailable
from servicekit.observability import telemetry

P = ParamSpec("P")
R = TypeVar("R")

_DIALECT: Final = PGDialect_psycopg(paramstyle="numeric_dollar")
"""Parameters in Postgres's own form (`$1`): psycopg would parse each long statement for `%s` at every run."""

_SNAPSHOT: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
WRITER_LOCK: Final = 0x5B0_CA7A
"""The advisory lock of the one writing transaction."""

_take_writer_lock: Final = sqlalchemy.select(
    func.pg_advisory_xact_lock(WRITER_LOCK),
    func.set_config("enable_seqscan", "off", True),
    func.set_config("plan_cache_mode", "force_generic_plan", True),
)
"""The ingest reads by key. Without statistics, as in a new catalogue, Postgres takes its tables for small
and would scan them again and again while they grow. Planning the largest statement takes about as long
as running it, so plans are cached."""


VERSION: Final = (
    "SELECT version || '-' || coalesce(left(change_id::text, 13), '') FROM catalog_state"
)
"""The version of the catalogue: its number and the first characters of the id of its last change, such as "17-0b8f6a3e-5c1d"."""

reads_primary: Final = ContextVar("reads_primary", default=False)
"""Whether the queries of this request read from the primary, as a standby may lack what was just written."""


async def no_announcement() -> None:
    """Do nothing: without Valkey no gateway caches results, so none needs an announcement of changes."""


class QueryConnection(Protocol):
    """A connection for SELECTs: one of this module, or SQLAlchemy's in a writing transaction."""

    async def execute(
        self, statement: AnySelect, values: Mapping[str, Any] | None = None, /
    ) -> Any: ...


class Rows(list[AnyRow]):
    """Rows with their columns by name."""

    def all(self) -> Rows:
        return self

    def one(self) -> AnyRow:
        (row,) = self
        return row

    def scalar_one(self) -> Any:
        return self.one()[0]

    def scalar(self) -> Any:
        return self[0][0] if self else None


class ReadConnection:
    """A connection for queries."""

    def __init__(self, driver: psycopg.AsyncConnection[Any]) -> None:
        self._driver = driver

    async def execute(
        self, statement: AnySelect, values: Mapping[str, Any] | None = None, /
    ) -> Rows:
        text, names, constants = _compiled(statement)
        bound = constants if values is None else {**constants, **values}
        parameters = [_array(bound[name]) for name in names]
        with telemetry.step("SELECT", {"db.system": "postgresql", "db.statement": text}):
            async with psycopg.AsyncRawCursor(self._driver, row_factory=namedtuple_row) as cursor:
                await cursor.execute(text, parameters, binary=True)
                return Rows(cast("list[AnyRow]", await cursor.fetchall()))


def _array(value: object) -> object:
    # The driver takes a tuple for a composite.
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value


@lru_cache(maxsize=2048)
def _compiled(statement: AnySelect) -> tuple[LiteralString, Sequence[str], Mapping[str, Any]]:
    """Return a statement as text, the names of its parameters in their order, and the values that are bound in it."""
    compiled = statement.compile(dialect=_DIALECT)
    if compiled.post_compile_params:
        raise TypeError("This statement's text depends on its values.")
    names = compiled.positiontup or ()
    return cast("LiteralString", str(compiled)), names, dict(compiled.params)


class Database:
    """Opens connections for four kinds of work; each may raise `Unavailable`.

    Args:
        engine: For what writes.
        read_engine: Pools the connections for queries: each statement is its own transaction, and
            nothing is done when a connection is returned.
        changed: Called after each commit, before the writer gets its response.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        read_engine: AsyncEngine,
        changed: Callable[[], Awaitable[None]] = no_announcement,
    ) -> None:
        self._engine = engine
        self._read_engine = read_engine
        self._changed = changed
        self._turn = asyncio.Lock()
        self._current_engine = read_engine
        self.version = ""
        """Of the catalogue: the server that is read from holds this one or a later one; "" while that is not known."""
        self.changes = 0
        """How often the server that is read from, or its version, has changed."""

    def read_from(self, engine: AsyncEngine, version: str) -> None:
        """Read from this engine's server from now on, which holds this version of the catalogue."""
        if (engine, version) != (self._current_engine, self.version):
            self._current_engine, self.version = engine, version
            self.changes += 1

    def read_from_primary(self, version: str) -> None:
        """Read from the server that takes writes."""
        self.read_from(self._read_engine, version)

    async def primary_version(self) -> str:
        """Return the version of the catalogue that the server that takes writes holds now."""
        async with self._driver(self._read_engine) as driver:
            cursor = await driver.execute(VERSION)
            row = await cursor.fetchone()
            return str(row[0]) if row else ""

    @asynccontextmanager
    async def reader(self) -> AsyncGenerator[ReadConnection]:
        """Open a connection for a query of one statement."""
        async with self._driver(self._engine_for_queries()) as driver:
            yield ReadConnection(driver)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[ReadConnection]:
        """Open a connection for a query of several statements that see the same catalogue."""
        async with self._driver(self._engine_for_queries()) as driver:
            await driver.execute(_SNAPSHOT)
            yield ReadConnection(driver)
            await driver.execute(b"COMMIT")

    def in_reader(
        self, query: Callable[Concatenate[QueryConnection, P], Awaitable[R]]
    ) -> Callable[P, CoroutineType[Any, Any, R]]:
        """Return a query of one statement that opens its connection by itself."""
        return _opening(self.reader, query)

    def in_snapshot(
        self, query: Callable[Concatenate[QueryConnection, P], Awaitable[R]]
    ) -> Callable[P, CoroutineType[Any, Any, R]]:
        """Return a query of several statements that opens its snapshot by itself."""
        return _opening(self.snapshot, query)

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection]:
        """Open a transaction, committed at the end of the block and then announced; never two at a time.

        Waiting costs less than retries: nearly all batches write the same rows (totals of well-known
        sponsors, the version). Inside a process batches wait before they take a connection, so that
        the other connections stay free for readers.
        """
        async with _available(), self._turn, self._engine.begin() as connection:
            await connection.execute(_take_writer_lock)
            yield connection
        await self._changed()

    @asynccontextmanager
    async def report_transaction(self) -> AsyncGenerator[AsyncConnection]:
        """Open a transaction that writes nothing of the catalogue, and so waits for no writer."""
        async with _available(), self._engine.begin() as connection:
            yield connection

    def _engine_for_queries(self) -> AsyncEngine:
        return self._read_engine if reads_primary.get() else self._current_engine

    @asynccontextmanager
    async def _driver(self, engine: AsyncEngine) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        async with _available():
            pooled, driver = await _open_connection(engine)
            try:
                yield driver
            finally:
                # Cut off, or left by an error inside a transaction or a statement.
                is_sound = driver.info.transaction_status == TransactionStatus.IDLE
                await asyncio.shield(
                    greenlet_spawn(pooled.close if is_sound else pooled.invalidate)
                )


def _opening(
    opened: Callable[[], AbstractAsyncContextManager[ReadConnection]],
    query: Callable[Concatenate[QueryConnection, P], Awaitable[R]],
) -> Callable[P, CoroutineType[Any, Any, R]]:
    """Return a query that opens its connection by itself."""

    async def call(*arguments: P.args, **options: P.kwargs) -> R:
        async with opened() as connection:
            return await query(connection, *arguments, **options)

    return call


async def _open_connection(
    engine: AsyncEngine,
) -> tuple[PoolProxiedConnection, psycopg.AsyncConnection[Any]]:
    """Return a connection that the server has not closed while it was idle."""
    while True:
        pooled = await engine.raw_connection()
        driver: Any = pooled.driver_connection
        if not _has_unread_data(driver):
            return pooled, driver
        await greenlet_spawn(pooled.invalidate)


def _has_unread_data(driver: psycopg.AsyncConnection[Any]) -> bool:
    """Return true if the server sent something: on an idle connection, that it was closed."""
    poll = select.poll()
    poll.register(driver.fileno(), select.POLLIN)
    return bool(poll.poll(0))


@asynccontextmanager
async def _available() -> AsyncGenerator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError) as error:
        raise _unavailable() from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise _unavailable() from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise _unavailable() from error
        raise


def _unavailable() -> Unavailable:
    return Unavailable(
        "The catalogue's database does not answer now. Try again in a few seconds.",
        retry_after=1.0,
    )
