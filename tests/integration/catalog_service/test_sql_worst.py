"""The most work that callers' SQL can be on a real Postgres: bounded in time and memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

import psycopg
import pytest

from catalog_service.domain.sql.errors import SqlRefused
from catalog_service.storage.sql import statements
from catalog_service.storage.sql.runner import PostgresSql, SqlLimits
from tests.fakes.worst_sql import WORST

pytest_plugins = ["tests.integration.catalog_service.sql_fixtures"]

_MAX_MEGABYTES: Final = 120
_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.02


@dataclass
class Peak:
    """The most memory of its own that a server process of the role had."""

    megabytes: float = 0.0


@asynccontextmanager
async def watched(url: str) -> AsyncGenerator[Peak]:
    peak = Peak()
    role = url.split("//")[1].split(":", maxsplit=1)[0]

    def poll(connection: psycopg.Connection) -> None:
        query = "SELECT pid FROM pg_stat_activity WHERE usename = %s AND application_name = 'catalog sql'"
        for (process,) in connection.execute(query, (role,)).fetchall():
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{process}/status").read_text()
                own = next(line for line in status.splitlines() if line.startswith("RssAnon"))
                peak.megabytes = max(peak.megabytes, int(own.split()[1]) / 1024)

    async def go_on() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while True:
                await asyncio.to_thread(poll, connection)
                await asyncio.sleep(_POLL_SECONDS)

    task = asyncio.create_task(go_on())
    try:
        yield peak
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("name", WORST)
async def test_the_worst_accepted_statements_end_in_time_with_bounded_memory(
    store: PostgresSql, name: str
) -> None:
    sql = WORST[name]
    statements.check(sql)
    limited = PostgresSql(store._database, store._url, SqlLimits(seconds=_SECONDS, cost=1e9))
    started = monotonic()
    async with watched(store._url) as peak:
        with contextlib.suppress(SqlRefused):
            await limited.run("acct_1", sql)
        responded = monotonic() - started
        # The next one waits for the end of this one's server process.
        await limited.run("acct_2", "SELECT 1")
        ended = monotonic() - started
    print(f"{name}: {responded:.1f} s, ended after {ended:.1f} s, {peak.megabytes:.0f} MB")  # noqa: T201
    assert responded < 2 * _SECONDS + 2
    assert ended < 2 * _SECONDS + 4
    assert peak.megabytes < _MAX_MEGABYTES
