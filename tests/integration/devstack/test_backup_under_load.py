"""Backups while calls are charged and carried to the ledger: what is restored is one moment of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from sqlalchemy.ext.asyncio import create_async_engine

from cli.backups import BackupError, DatabaseLocations, make_backup, restore_backup, snapshots
from devstack.schemas import SERVICES, migrations_of
from gateway.quota.models import Reservation, Seed, UsageRequest
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_ledger_writer import LedgerPace, LedgerWriter
from gateway.storage.valkey import USAGE_STREAM
from gateway.storage.valkey_client import open_valkey
from servicekit.concurrency.background import in_background
from servicekit.database_url import driver_url
from servicekit.migration.command import migrate
from tests.fakes.gateway_ports import entitlements
from tests.fakes.ledger_access import LedgerAccess

CALLERS: Final = 8
BACKUPS: Final = 4
PACE: Final = LedgerPace(batch=50, wait_seconds=0.01, retry_seconds=0.01, gather_seconds=0)
LIMIT: Final = 10_000_000
REFUND: Final = ":refund"


def silent(_text: str) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Callers:
    """Callers with their responses: when an admission was, and which were refunded."""

    quota: ValkeyQuota
    admitted: dict[str, datetime] = field(default_factory=dict[str, datetime])
    refunded: set[str] = field(default_factory=set[str])
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def call(self) -> None:
        """Calls without end; every seventh call fails and is refunded."""
        while True:
            number = next(self._numbers)
            account = f"account-{number % 3}"
            usage = UsageRequest(f"e{number}", account, "key-1", "sponsor.search", 1)
            caller = entitlements(account_id=account, monthly_requests=LIMIT, burst_requests=LIMIT)
            decision = await self.quota.reserve(usage, caller, Seed(0))
            assert decision.outcome == "admitted"
            assert decision.state
            self.admitted[usage.entry_id] = decision.at
            if number % 7 == 0:
                await self.quota.refund(
                    Reservation(usage, decision.month, decision.at, decision.state)
                )
                self.refunded.add(usage.entry_id + REFUND)


@pytest.fixture
def locations(fresh_database: Callable[[], str], fresh_valkey: str) -> DatabaseLocations:
    return DatabaseLocations(_migrated(fresh_database), fresh_valkey)


def _migrated(fresh_database: Callable[[], str]) -> dict[str, str]:
    urls = {name: fresh_database() for name in SERVICES}
    for name, url in urls.items():
        migrate(url, migrations_of(name))
    return urls


@asynccontextmanager
async def carrying(locations: DatabaseLocations) -> AsyncGenerator[tuple[Any, LedgerWriter]]:
    """Valkey of the places, and a gateway's part in bringing its stream to their ledger."""
    engine = create_async_engine(driver_url(locations.databases["auth"]))
    assert locations.valkey
    valkey: Any = open_valkey(locations.valkey, timeout=5)
    try:
        ledger = LedgerWriter(valkey, LedgerAccess(engine, lambda: datetime.now(UTC)), PACE)
        await ledger.open()
        yield valkey, ledger
    finally:
        await valkey.aclose()
        await engine.dispose()


async def restored_ledger(file: Path, elsewhere: DatabaseLocations) -> dict[str, datetime]:
    """Restores a backup and has everything told; the entries, each with its call's moment."""
    await asyncio.to_thread(restore_backup, file, elsewhere, silent, force=True)
    async with carrying(elsewhere) as (valkey, ledger):
        while await valkey.xlen(USAGE_STREAM):
            await ledger.carry()
    return await asyncio.to_thread(_entries, elsewhere.databases["auth"])


def _entries(url: str) -> dict[str, datetime]:
    with psycopg.connect(url) as connection:
        apart = connection.execute(
            "SELECT (SELECT sum(cost) FROM usage_entries) - (SELECT sum(requests) FROM usage_daily)"
        ).fetchone()
        assert apart == (0,)
        return dict(
            connection.execute("SELECT entry_id, admitted_at FROM usage_entries").fetchall()
        )


async def test_a_backup_under_load_has_every_charged_call_of_one_moment(
    locations: DatabaseLocations,
    fresh_database: Callable[[], str],
    fresh_valkey: str,
    tmp_path: Path,
) -> None:
    taken: list[tuple[Path, set[str]]] = []
    async with carrying(locations) as (valkey, first), carrying(locations) as (_, other):
        callers = Callers(ValkeyQuota(valkey))
        async with AsyncExitStack() as stack:
            calling = [callers.call() for _ in range(CALLERS)]
            tasks = [
                await stack.enter_async_context(in_background(loop))
                for loop in (first.run(), other.run(), *calling)
            ]
            for number in range(BACKUPS):
                before = len(callers.admitted)
                file = tmp_path / f"{number}.tar"
                finished = callers.admitted.keys() | callers.refunded
                await asyncio.to_thread(make_backup, locations, file, silent)
                assert len(callers.admitted) > before, "there was no load"
                taken.append((file, finished))
            assert [task for task in tasks if task.done()] == []
    elsewhere = DatabaseLocations(_migrated(fresh_database), _second(fresh_valkey))
    for file, finished in taken:
        found = await restored_ledger(file, elsewhere)
        assert finished - found.keys() == set()
        last = max(found.values())
        charged = {entry_id for entry_id, at in callers.admitted.items() if at <= last}
        assert {item for item in found if not item.endswith(REFUND)} == charged
        orphans = {item for item in found if item.endswith(REFUND)} - {
            item + REFUND for item in found
        }
        assert orphans == set()


def _second(url: str) -> str:
    """Another database of the same server."""
    return url.removesuffix("/0") + "/1"


def test_a_ledger_that_cannot_be_locked_is_reported_and_nobody_waits_for_ever(
    locations: DatabaseLocations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_LOCK_WAIT", "50ms")
    with psycopg.connect(locations.databases["auth"]) as writer:
        writer.execute("LOCK TABLE usage_entries IN ROW EXCLUSIVE MODE")
        with pytest.raises(BackupError, match="could not be locked"):
            make_backup(locations, tmp_path / "backup.tar", silent)
    assert list(tmp_path.iterdir()) == []


def test_a_backup_that_hangs_gives_the_ledger_free(
    locations: DatabaseLocations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_MAX_LOCK_TIME", "100ms")
    url = locations.databases["auth"]
    locked = snapshots.ledger_locked(url)
    locked.__enter__()
    with psycopg.connect(url) as writer:
        writer.execute("SET lock_timeout = '20s'")
        writer.execute("LOCK TABLE usage_entries IN ROW EXCLUSIVE MODE")
    with pytest.raises(BackupError, match="could not be locked"):
        locked.__exit__(None, None, None)


@pytest.mark.parametrize("table", ["mail_tokens", "alembic_version"])
def test_a_backup_that_waits_for_a_table_ends_and_names_it(
    locations: DatabaseLocations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setattr(snapshots, "_TABLE_LOCK_WAIT_SECONDS", 1)
    url = make_conninfo(locations.databases["auth"], application_name="migration of tests")
    with psycopg.connect(url) as holder:
        holder.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        with pytest.raises(BackupError, match=rf"{table} \(process \d+ migration of tests\)"):
            make_backup(locations, tmp_path / "backup.tar", silent)
    assert list(tmp_path.iterdir()) == []


def test_calls_of_the_moment_wait_no_longer_than_it_takes(
    locations: DatabaseLocations, tmp_path: Path
) -> None:
    """While the databases are dumped nobody waits: the lock is gone by then."""
    reported: list[str] = []

    def report(text: str) -> None:
        reported.append(text)
        if text.startswith("Dumping"):
            with psycopg.connect(locations.databases["auth"]) as writer:
                writer.execute("LOCK TABLE usage_entries IN ROW EXCLUSIVE MODE NOWAIT")

    make_backup(locations, tmp_path / "backup.tar", report)
    assert len([item for item in reported if item.startswith("Dumping")]) == len(SERVICES)
