"""Connections to the catalogue's Postgres, and the error that callers get without it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from catalog_service.storage.connections import ReadConnection, ReadPool
from servicekit.errors import Unavailable

_WRITER: Final = 0x5B0_CA7A
"""The advisory lock of the one writing transaction."""

_take_writer_lock: Final = select(
    func.pg_advisory_xact_lock(_WRITER),
    func.set_config("enable_seqscan", "off", True),
    func.set_config("plan_cache_mode", "force_generic_plan", True),
)
"""The ingest reads by key. Without statistics, as in a new catalogue, Postgres takes its tables for small
and would scan them again and again while they grow. Planning the largest statement takes about as long
as running it, so plans are cached."""


async def no_announcement() -> None:
    """Do nothing: without Valkey no gateway caches results, so none has to hear of changes."""


class Database:
    """Opens connections for four kinds of work; each may raise `Unavailable`.

    Args:
        engine: For what writes.
        readers: For queries.
        changed: Called after each commit, before the writer gets its response.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        readers: ReadPool,
        changed: Callable[[], Awaitable[None]] = no_announcement,
    ) -> None:
        self._engine = engine
        self._readers = readers
        self._changed = changed
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reader(self) -> AsyncGenerator[ReadConnection]:
        """For a question that is one statement."""
        async with _available(), self._readers.reader() as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[ReadConnection]:
        """For a question of several statements, which all see the same catalogue."""
        async with _available(), self._readers.snapshot() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection]:
        """Open a transaction, committed at the end of the block and then announced; never two at a time.

        Waiting in line costs less than retries: what one batch writes (totals of well-known
        sponsors, the version) nearly every other batch writes too. Inside a process the line
        forms before a connection is taken, so that batches that wait leave the rest to readers.
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
