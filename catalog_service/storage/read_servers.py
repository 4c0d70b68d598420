"""Which server is read: the first standby that has the newest catalogue, or the primary.

A standby can lag behind the primary. So each server is polled once a second for its version of the catalogue, over a
connection of its own, and each result carries the version that was last seen on the server it comes from: the server
has that version or a later one.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import psycopg
from prometheus_client import Gauge
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from catalog_service.storage.connections import VERSION, Database
from servicekit import database_parameters
from servicekit.concurrency.background import in_background
from servicekit.database_servers import ServerConnections
from servicekit.errors import Unavailable
from servicekit.observability import logs
from servicekit.process.loops import run_forever
from servicekit.settings import DatabaseSettings

EVERY_SECONDS: Final = 1.0

LAG: Final = Gauge(
    "sponsorgraph_catalog_standby_lag_seconds",
    "For how long a standby has lacked the newest version of the catalogue.",
    ["server"],
)
IN_USE: Final = Gauge(
    "sponsorgraph_catalog_standby_in_use",
    "Whether this process asks the standby: 1, else 0. With 0 for all of them it asks the primary.",
    ["server"],
)

log = logs.get(__name__)


class Standby:
    """A server that replicates the primary and is read from.

    Attributes:
        name: Host and port, an IPv6 host in brackets.
        engine: Its connections for reads.
        version: Of the catalogue, as last seen; "" while it does not answer.
        behind_since: When it first lacked the newest version; None while it has it.
    """

    def __init__(self, name: str, settings: DatabaseSettings, engine: AsyncEngine) -> None:
        self.name = name
        self.engine = engine
        self.version = ""
        self.behind_since: float | None = None
        self._url = settings.database_url
        self._parameters = database_parameters.role_parameters(settings)
        self._options = database_parameters.startup_options(settings, self._parameters)
        self._connection: psycopg.AsyncConnection | None = None
        self._connections = ServerConnections()

        def remember(connection: Any, _record: Any) -> None:
            self._connections.add(getattr(connection, "driver_connection", connection))

        event.listen(engine.sync_engine, "connect", remember)

    async def poll(self, within: float) -> None:
        """Read its version, for at most so many seconds."""
        polling = asyncio.ensure_future(self._read_version())
        await asyncio.wait({polling}, timeout=within)
        if not polling.done():
            # A statement that is cancelled would wait for the silent server once more.
            self._connections.cut()
            if self._connection is None:
                polling.cancel()
        (found,) = await asyncio.gather(polling, return_exceptions=True)
        if not isinstance(found, str):
            await self.close()
            found = ""
        self.version = found

    async def _read_version(self) -> str:
        if self._connection is None:
            self._connection = await psycopg.AsyncConnection.connect(
                self._url, autocommit=True, **self._options
            )
            self._connections.add(self._connection)
            await self._check_parameters(self._connection)
        row = await (await self._connection.execute(VERSION)).fetchone()
        return str(row[0]) if row else ""

    async def _check_parameters(self, connection: psycopg.AsyncConnection) -> None:
        """Refuse a server whose connections lack the limits of reads, as behind a pooler that loses them."""
        cursor = await connection.execute(database_parameters.VALUES, [list(self._parameters)])
        differing = database_parameters.differences(await cursor.fetchall(), self._parameters)
        if differing:
            log.error("standby_lacks_parameters", server=self.name, parameters=differing)
            raise psycopg.DataError("The server's connections lack parameters.")

    async def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error, OSError):
                await self._connection.close()
            self._connection = None

    async def leave(self) -> None:
        """Close the connections that wait for its response."""
        self._connections.cut()
        await self.engine.dispose()


class ReadServers:
    """Chooses between the standbys, in their order, and the primary.

    Args:
        database: Its reads go to the server that is chosen.
        standbys: In order of preference. Without any, only the primary's version is polled.
        max_lag: Seconds for which a standby may lack the newest version.
        within: Seconds in which a server has to respond.
    """

    def __init__(
        self,
        database: Database,
        standbys: Sequence[Standby],
        *,
        max_lag: float,
        within: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._standbys = standbys
        self._max_lag = max_lag
        self._within = within
        self._clock = clock
        self._newest = ""
        self._used: Standby | None = None

    async def check(self) -> None:
        """Poll every server, and choose one."""
        # The standbys first: the primary's version is then at least as new as theirs.
        await asyncio.gather(*(standby.poll(self._within) for standby in self._standbys))
        await self._poll_primary()
        close = [standby for standby in self._standbys if self._is_close(standby)]
        chosen = close[0] if close else None
        before, self._used = self._used, chosen
        if chosen is None:
            self._database.read_from_primary(self._newest)
        else:
            self._database.read_from(chosen.engine, chosen.version)
        for standby in self._standbys:
            IN_USE.labels(standby.name).set(standby is chosen)
        if before is not chosen:
            log.warning("read_server_changed", server=chosen.name if chosen else "primary")
        if before is not None and not before.version:
            await before.leave()

    async def _poll_primary(self) -> None:
        """Record the primary's version; while it does not respond, the version seen last stays."""
        with suppress(Unavailable, TimeoutError):
            async with asyncio.timeout(self._within):
                self._newest = await self._database.primary_version()

    def _is_close(self, standby: Standby) -> bool:
        """Return whether it answers, and lags by no more than is allowed; set its metric."""
        now = self._clock()
        if standby.version == self._newest:
            standby.behind_since = None
        elif standby.behind_since is None:
            standby.behind_since = now
        lag = 0.0 if standby.behind_since is None else now - standby.behind_since
        LAG.labels(standby.name).set(lag)
        return bool(standby.version) and lag <= self._max_lag

    async def close(self) -> None:
        for standby in self._standbys:
            await standby.close()


@asynccontextmanager
async def choosing(servers: ReadServers) -> AsyncGenerator[None]:
    """Choose every second until the block ends; it begins after the first choice."""
    await servers.check()

    async def check_forever() -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await servers.check()

    try:
        async with in_background(run_forever("read servers", check_forever)):
            yield
    finally:
        await servers.close()
