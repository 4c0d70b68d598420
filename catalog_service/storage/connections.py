"""Queries straight on the driver, by statements that are compiled once.

SQLAlchemy writes the statements and pools the connections, psycopg runs them: the rest of SQLAlchemy's
way costs several times what a short query costs Postgres.
"""

import asyncio
import select
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, Final, LiteralString, Protocol, cast

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row
from sqlalchemy import PoolProxiedConnection
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import greenlet_spawn

from catalog_service.storage.columns import AnyRow, AnySelect
from servicekit.observability import telemetry

_DIALECT: Final = PGDialect_psycopg(paramstyle="pyformat")
_SNAPSHOT: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class QueryConnection(Protocol):
    """A connection for SELECTs: one of this module, or SQLAlchemy's in a writing transaction."""

    async def execute(
        self, statement: AnySelect, values: Mapping[str, Any] | None = None, /
    ) -> Any: ...


class Rows(list[AnyRow]):
    """Rows with their columns by name."""

    def all(self) -> "Rows":
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
        text, constants = _compiled(statement)
        parameters = {**constants, **{name: _array(one) for name, one in (values or {}).items()}}
        with telemetry.step("SELECT", {"db.system": "postgresql", "db.statement": text}):
            async with self._driver.cursor(binary=True, row_factory=namedtuple_row) as cursor:
                await cursor.execute(text, parameters)
                return Rows(cast("list[AnyRow]", await cursor.fetchall()))


def _array(value: object) -> object:
    # The driver takes a tuple for a composite.
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value


@lru_cache(maxsize=2048)
def _compiled(statement: AnySelect) -> tuple[LiteralString, Mapping[str, Any]]:
    """Return a statement as text, and the values that are bound in it."""
    compiled = statement.compile(dialect=_DIALECT)
    if compiled.post_compile_params:
        raise TypeError("This statement's text depends on its values.")
    return cast("LiteralString", str(compiled)), dict(compiled.params)


class ReadPool:
    """Connections for queries.

    Args:
        engine: Pools them; each statement is its own transaction, and nothing is done when a
            connection is returned.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @asynccontextmanager
    async def reader(self) -> AsyncGenerator[ReadConnection]:
        """Open a connection for a query of one statement."""
        async with self._driver() as driver:
            yield ReadConnection(driver)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[ReadConnection]:
        """Open a connection for a query of several statements that see the same catalogue."""
        async with self._driver() as driver:
            await driver.execute(_SNAPSHOT)
            yield ReadConnection(driver)
            await driver.execute(b"COMMIT")

    @asynccontextmanager
    async def _driver(self) -> AsyncGenerator[psycopg.AsyncConnection[Any]]:
        pooled, driver = await self._open_connection()
        try:
            yield driver
        finally:
            # Cut off, or left by an error inside a transaction or a statement.
            is_sound = driver.info.transaction_status == TransactionStatus.IDLE
            await asyncio.shield(greenlet_spawn(pooled.close if is_sound else pooled.invalidate))

    async def _open_connection(self) -> tuple[PoolProxiedConnection, psycopg.AsyncConnection[Any]]:
        """Return a connection that the server has not closed while it was idle."""
        while True:
            pooled = await self._engine.raw_connection()
            driver: Any = pooled.driver_connection
            if not _has_unread_data(driver):
                return pooled, driver
            await greenlet_spawn(pooled.invalidate)


def _has_unread_data(driver: psycopg.AsyncConnection[Any]) -> bool:
    """Return true if the server sent something: on an idle connection, that it was closed."""
    poll = select.poll()
    poll.register(driver.fileno(), select.POLLIN)
    return bool(poll.poll(0))
