"""Of several servers in a database's URL, connections go to the one that answers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Generator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from devstack.ports import HOST
from servicekit import database, database_servers
from servicekit.database_servers import ServerConnections, Servers
from servicekit.settings import DatabaseSettings
from tests.databases import is_reachable


@pytest.fixture
def silent_port() -> Generator[int]:
    """A port where the kernel takes connections and nobody answers."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def url(fresh_database: Callable[[], str], silent_port: int) -> str:
    """A silent server, and after it the real one."""
    real = conninfo_to_dict(fresh_database())
    servers = f"host={HOST},{real['host']}&port={silent_port},{real['port']}"
    return (
        f"postgresql://{real['user']}:{real.get('password', '')}@/{real['dbname']}"
        f"?{servers}&target_session_attrs=read-write"
    )


async def test_the_server_that_responds_becomes_the_first(url: str, silent_port: int) -> None:
    servers = Servers(url, 2)
    assert servers.in_order[0] == (HOST, str(silent_port))
    try:
        assert await servers.check()
        assert servers.in_order[1] == (HOST, str(silent_port))
        assert not await servers.check()
    finally:
        await servers.close()


async def test_the_order_stays_while_no_server_responds(silent_port: int) -> None:
    url = f"postgresql://u:p@/d?host={HOST},{HOST}&port={silent_port},{silent_port}"
    servers = Servers(url, 2)
    assert not await servers.check()
    assert servers.in_order == ((HOST, str(silent_port)),) * 2


async def test_connections_of_an_engine_try_the_server_that_responds_first(
    url: str, silent_port: int
) -> None:
    engine = database.open_engine(DatabaseSettings.model_construct(database_url=url), "test")
    tried: list[str] = []
    async with database_servers.follow(DatabaseSettings.model_construct(database_url=url), engine):

        @event.listens_for(engine.sync_engine, "do_connect")
        def note(*arguments: Any) -> None:
            tried.append(arguments[-1]["port"].split(",")[0])

        async with asyncio.timeout(60):
            while not tried or tried[-1] == str(silent_port):
                await engine.dispose()
                assert await is_reachable(engine)
    await engine.dispose()


async def test_whoever_waits_on_a_connection_that_is_cut_gets_an_error(
    fresh_database: Callable[[], str],
) -> None:
    connections = ServerConnections()
    connection: psycopg.AsyncConnection[Any] = await psycopg.AsyncConnection.connect(
        fresh_database()
    )
    connections.add(connection)
    waiting = asyncio.create_task(connection.execute("SELECT pg_sleep(600)"))
    await asyncio.sleep(0)
    connections.cut()
    with pytest.raises(psycopg.OperationalError):
        await asyncio.wait_for(waiting, 30)
    await connection.close()


async def test_one_server_alone_is_not_watched(fresh_database: Callable[[], str]) -> None:
    settings = DatabaseSettings.model_construct(database_url=fresh_database())
    engine = database.open_engine(settings, "test")
    before = asyncio.all_tasks()
    async with database_servers.follow(settings, engine):
        assert asyncio.all_tasks() == before
        async with engine.connect() as connection:
            assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1
    await engine.dispose()


async def test_an_engine_without_a_watch_fails_at_the_first_server_in_time(
    silent_port: int,
) -> None:
    url = f"postgresql://u:p@{HOST}:{silent_port}/d"
    engine = database.open_engine(DatabaseSettings.model_construct(database_url=url), "test")
    with pytest.raises(DBAPIError):
        async with engine.connect():
            pass
    await engine.dispose()
