"""Of the servers that a database's URL names, the one that answers is tried first.

libpq tries servers in the order of the URL at each connection (libpq, "Specifying Multiple Hosts"), and a server that is
silent, powered off or behind a partition, costs every attempt its whole timeout. So one task asks for all connections: it
checks each second that the server in use answers, and finds the one that does when it is silent.
"""

import asyncio
import os
import socket
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from servicekit.concurrency.background import in_background
from servicekit.database_hosts import Server, servers_of
from servicekit.observability import logs
from servicekit.process.loops import run_forever
from servicekit.settings import DatabaseSettings

_CHECK_SECONDS: Final = 1.0
_READ_ONLY: Final = "SHOW transaction_read_only"

log = logs.get(__name__)

Connection = psycopg.AsyncConnection[Any] | psycopg.Connection[Any]


class Servers:
    """The servers of one URL, the one in use first.

    Attributes:
        in_order: Every server, in the order in which connections try them.
    """

    def __init__(self, url: str, connect_timeout_seconds: int) -> None:
        self._url = url
        self._seconds = connect_timeout_seconds
        self.in_order = servers_of(url)
        self._writes = conninfo_to_dict(url).get("target_session_attrs") in (
            "read-write",
            "primary",
        )
        self._connection: psycopg.AsyncConnection | None = None

    def order(self, parameters: dict[str, Any]) -> None:
        """Write the servers in their order into the parameters of a connection."""
        hosts, ports = zip(*self.in_order, strict=True)
        parameters |= {"host": ",".join(hosts), "port": ",".join(ports)}

    async def check(self) -> bool:
        """Return whether another server is now the first: the one in use does not answer, and that one does."""
        if await self._is_responding():
            return False
        found = await self._connect_to_any()
        chosen = next((index for index, item in enumerate(found) if item is not None), None)
        for index, connection in enumerate(found):
            if connection is not None and index != chosen:
                await connection.close()
        if chosen is None:
            return False
        self._connection, server = found[chosen], self.in_order[chosen]
        self.in_order = (server, *(other for other in self.in_order if other != server))
        return chosen > 0

    async def close(self) -> None:
        """Close the connection by which the server in use is checked."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _is_responding(self) -> bool:
        connection = self._connection
        if connection is None:
            return False
        response = asyncio.ensure_future(_is_read_only(connection))
        try:
            await asyncio.wait({response}, timeout=self._seconds)
        finally:
            if not response.done():
                # A statement that is cancelled would wait for the silent server once more.
                _cut(connection)
            (is_read_only,) = await asyncio.gather(response, return_exceptions=True)
        if not isinstance(is_read_only, bool):
            await self.close()
            return False
        return not (self._writes and is_read_only)

    async def _connect_to_any(self) -> list[psycopg.AsyncConnection | None]:
        """Return for each server its connection, or None: once one answers, the others have a moment left."""
        attempts = [asyncio.create_task(self._connect(server)) for server in self.in_order]
        try:
            for attempt in asyncio.as_completed(attempts):
                if await attempt is not None:
                    break
            await asyncio.wait(attempts, timeout=_CHECK_SECONDS)
        finally:
            for attempt in attempts:
                attempt.cancel()
        found = await asyncio.gather(*attempts, return_exceptions=True)
        return [item if isinstance(item, psycopg.AsyncConnection) else None for item in found]

    async def _connect(self, server: Server) -> psycopg.AsyncConnection | None:
        host, port = server
        with suppress(psycopg.Error, OSError):
            return await psycopg.AsyncConnection.connect(
                self._url,
                host=host,
                port=port,
                connect_timeout=self._seconds,
                autocommit=True,
            )
        return None


class ServerConnections:
    """The connections that are open to the server in use, so that none is waited for when it is silent."""

    def __init__(self) -> None:
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()

    def add(self, connection: Connection) -> None:
        self._open.add(connection)

    def cut(self) -> None:
        """End every connection at once: whoever waits for an answer on one gets an error."""
        for connection in tuple(self._open):
            _cut(connection)
        self._open.clear()


def _cut(connection: Connection) -> None:
    # The file descriptor itself stays open, as an event loop waits for it.
    with (
        suppress(psycopg.Error, OSError),
        socket.socket(fileno=os.dup(connection.fileno())) as duplicate,
    ):
        duplicate.shutdown(socket.SHUT_RDWR)


async def _is_read_only(connection: psycopg.AsyncConnection) -> bool:
    row = await (await connection.execute(_READ_ONLY)).fetchone()
    return row == ("on",)


@asynccontextmanager
async def follow(
    settings: DatabaseSettings, *engines: AsyncEngine | Engine
) -> AsyncGenerator[ServerConnections]:
    """Keep the engines at the server that answers, where the URL names several, until the block ends.

    Yields the connections that are cut when another server takes over; those of the engines are among them.
    """
    servers = Servers(settings.database_url, settings.database_connect_timeout_seconds)
    connections = ServerConnections()
    if len(servers.in_order) == 1:
        yield connections
        return

    def put_in_order(
        _dialect: Any, _record: Any, _arguments: Any, parameters: dict[str, Any]
    ) -> None:
        servers.order(parameters)

    def remember(connection: Any, _record: Any) -> None:
        connections.add(getattr(connection, "driver_connection", connection))

    for engine in engines:
        target = engine.sync_engine if isinstance(engine, AsyncEngine) else engine
        event.listen(target, "do_connect", put_in_order)
        event.listen(target, "connect", remember)

    async def replace() -> None:
        host, port = servers.in_order[0]
        log.warning("database_server_changed", host=host, port=port)
        connections.cut()
        for engine in engines:
            if isinstance(engine, AsyncEngine):
                await engine.dispose()
            else:
                await asyncio.to_thread(engine.dispose)

    watch = run_forever("database servers", partial(_watch, servers, replace))
    try:
        async with in_background(watch):
            yield connections
    finally:
        await servers.close()


async def _watch(servers: Servers, changed: Callable[[], Awaitable[None]]) -> None:
    await servers.check()
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        if await servers.check():
            await changed()
