"""The way over from a Postgres that died to its standby, as docs/operations.md has it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from devstack.engines import Postgres, program
from devstack.ports import HOST, free_port
from servicekit import database
from servicekit.settings import DatabaseSettings
from tests.databases import is_reachable

PASSWORD = "replicated"


@dataclass(frozen=True, slots=True)
class Pair:
    """A primary, and a standby that confirms each commit."""

    primary: Postgres
    standby: Postgres

    @property
    def url(self) -> str:
        """Both of them; whoever takes writes is used."""
        ports = f"{self.primary.port},{self.standby.port}"
        return (
            f"postgresql://postgres:{PASSWORD}@/postgres"
            f"?host={HOST},{HOST}&port={ports}&target_session_attrs=read-write"
        )


@pytest.fixture
def pair(tmp_path: Path) -> Generator[Pair]:
    waits = {"synchronous_standby_names": "*", "synchronous_commit": "on"}
    primary = Postgres(tmp_path / "primary", free_port(), PASSWORD, waits, tmp_path / "primary.log")
    standby = Postgres(tmp_path / "standby", free_port(), PASSWORD, {}, tmp_path / "standby.log")
    with ExitStack() as stack:
        primary.start()
        stack.callback(primary.stop)
        copied = subprocess.run(
            [program("pg_basebackup"), "-D", str(standby.data), "-d", primary.url(), "-R"],
            capture_output=True,
            check=False,
        )
        assert copied.returncode == 0, copied.stderr
        owner = primary.data.stat()
        for path in (standby.data, *standby.data.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid)
        standby.start()
        stack.callback(standby.stop)
        yield Pair(primary, standby)


async def test_committed_rows_are_there_after_the_primary_died(pair: Pair) -> None:
    engine = database.open_engine(DatabaseSettings(database_url=pair.url), "failover")
    try:
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE kept (n integer)"))
        for n in range(50):
            async with engine.begin() as connection:
                await connection.execute(text("INSERT INTO kept VALUES (:n)"), {"n": n})
        assert pair.primary.process is not None
        pair.primary.process.kill()
        pair.primary.process.wait()
        assert not await is_reachable(engine)  # a standby takes no writes
        with psycopg.connect(pair.standby.url(), autocommit=True) as standby:
            standby.execute("SELECT pg_promote()")
        async with asyncio.timeout(60):
            while not await is_reachable(engine):  # noqa: ASYNC110 - no event to wait for
                await asyncio.sleep(0.05)
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO kept VALUES (50)"))
            count = (await connection.execute(text("SELECT count(*) FROM kept"))).scalar_one()
        assert count == 51
    finally:
        await engine.dispose()


async def test_jobs_and_migrations_take_the_same_url(pair: Pair) -> None:
    async with await psycopg.AsyncConnection.connect(pair.url) as connection:
        cursor = await connection.execute("SELECT pg_is_in_recovery()")
        assert await cursor.fetchone() == (False,)
