"""Alerts of an account's own: imports that ended, and shares of its requests."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from cryptography.fernet import Fernet
from sqlalchemy.ext.asyncio import create_async_engine

from auth_service import MIGRATIONS
from auth_service.domain.alerts.account_events import AccountEvents
from auth_service.domain.alerts.model import SUBJECTS, Channel, Watch
from auth_service.domain.plans import DEFAULT_PLANS, Plan
from auth_service.domain.site.imports import ChannelImport, ImportPage
from auth_service.storage.alerts.store import PostgresAlertStore
from auth_service.storage.store import transactions
from shapes.catalog.corrections import OwnReport, OwnReportPage, Report
from shapes.catalog.shared import Video
from tests.databases import Databases

NOW = datetime.now(UTC)
PLANS = {plan.plan_id: plan for plan in DEFAULT_PLANS}


class Worker:
    """An import worker with imports by account."""

    def __init__(self) -> None:
        self.imports: dict[str, list[ChannelImport]] = {}

    async def list(self, account_id: str, limit: int, cursor: str | None = None) -> ImportPage:
        assert cursor is None
        return ImportPage(tuple(self.imports.get(account_id, [])[:limit]), None)

    async def start(self, account_id: str, import_form: Any, plan: Plan) -> ChannelImport:
        raise NotImplementedError

    async def cancel(self, account_id: str, import_id: str) -> ChannelImport:
        raise NotImplementedError


def ended(import_id: str, after: timedelta, state: str = "done") -> ChannelImport:
    at = NOW + after
    is_over = state in ("done", "failed", "cancelled")
    return ChannelImport(
        import_id, "UCx", "Ada", state, "Read.", 10, 10, 3, (), NOW, NOW, at if is_over else None
    )


class Catalog:
    """A catalogue with reports by account, the newest first."""

    def __init__(self) -> None:
        self.reports: dict[str, list[OwnReport]] = {}

    async def own_reports(self, account_id: str, limit: int, cursor: str | None) -> OwnReportPage:
        assert cursor is None
        return OwnReportPage(tuple(self.reports.get(account_id, [])[:limit]), None)


def reported(report_id: str, state: str, decided_after: timedelta | None) -> OwnReport:
    video = Video("vid_1", "v1", None, "T", NOW.date(), 1, None, "unknown", None)
    report = Report(report_id, state, "wrong", video, None, None, None, None, NOW, None, None, None)
    return OwnReport(report, None if decided_after is None else NOW + decided_after, "Right.")


def unreported(source: str, error: str) -> None:
    raise AssertionError((source, error))


class World:
    """Two accounts with watches, and what looks for their events."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = create_async_engine(url)
        cipher = Fernet(Fernet.generate_key())
        self.opened = transactions(
            self.engine, lambda connection: PostgresAlertStore(connection, cipher)
        )
        self.worker = Worker()
        self.catalog = Catalog()
        self.events = AccountEvents(
            self.opened, self.worker, self.catalog, PLANS, lambda: datetime.now(UTC), unreported
        )

    async def account(self, account_id: str, about: str, subject: str = "") -> None:
        kinds = SUBJECTS[about]
        channel = Channel(
            f"chan_{account_id}", account_id, "feed", "F", "", (), "at_once", NOW, NOW
        )
        watch = Watch(
            f"watch_{account_id}", account_id, about, subject, "S", kinds, channel.channel_id, NOW
        )
        self.rows(
            "INSERT INTO accounts (id, email, plan_id, created_at) VALUES (%s, %s, 'creator', now())",
            account_id,
            f"{account_id}@example.com",
        )
        async with self.opened() as store:
            await store.add_channel(channel)
            await store.add_watch(watch)

    def used(self, account_id: str, requests: int) -> None:
        self.rows(
            "INSERT INTO usage_daily VALUES (%s, current_date, 'sponsor.get', 'key', %s) "
            "ON CONFLICT (account_id, day, tool, credential_id) DO UPDATE SET requests = excluded.requests",
            account_id,
            requests,
        )

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            found = connection.execute(statement.encode(), values)
            return found.fetchall() if found.description else []

    def delivered(self, account_id: str) -> list[dict[str, Any]]:
        query = "SELECT data FROM alert_deliveries WHERE watch_id = %s ORDER BY number"
        return [row[0] for row in self.rows(query, f"watch_{account_id}")]


@pytest.fixture
async def world(databases: Databases) -> AsyncGenerator[World]:
    made = World(databases.migrated(MIGRATIONS))
    yield made
    await made.engine.dispose()


async def test_an_import_that_ended_is_an_event_once(world: World) -> None:
    await world.account("a", "import")
    soon = timedelta(seconds=1)
    world.worker.imports["a"] = [
        ended("imp_3", soon * 3, "failed"),
        ended("imp_2", soon * 2),
        ended("imp_1", soon, "running"),
        ended("imp_0", -soon),
    ]
    for _ in range(2):
        await world.events.step()
    found = [(data["import_id"], data["state"]) for data in world.delivered("a")]
    assert found == [("imp_2", "done"), ("imp_3", "failed")]


async def test_a_watch_on_one_import_gets_no_other(world: World) -> None:
    await world.account("a", "import", "imp_2")
    world.worker.imports["a"] = [ended(f"imp_{n}", timedelta(seconds=1)) for n in range(4)]
    await world.events.step()
    assert [data["import_id"] for data in world.delivered("a")] == ["imp_2"]


async def test_nobody_gets_anothers_import(world: World) -> None:
    await world.account("a", "import")
    await world.account("b", "import")
    world.worker.imports["b"] = [ended("imp_1", timedelta(seconds=1))]
    await world.events.step()
    assert (len(world.delivered("a")), len(world.delivered("b"))) == (0, 1)


async def test_a_decision_on_a_report_is_an_event_once(world: World) -> None:
    await world.account("a", "report")
    await world.account("b", "report")
    soon = timedelta(seconds=1)
    world.catalog.reports["a"] = [
        reported("4", "received", None),
        reported("3", "rejected", soon * 3),
        reported("2", "applied", soon * 2),
        reported("1", "accepted", -soon),
    ]
    for _ in range(2):
        await world.events.step()
    found = [(data["report_id"], data["state"], data["note"]) for data in world.delivered("a")]
    assert found == [("2", "applied", "Right."), ("3", "rejected", "Right.")]
    assert world.delivered("b") == []


async def test_eighty_and_a_hundred_percent_of_the_requests_are_events_once(world: World) -> None:
    await world.account("a", "quota")
    limit = PLANS["creator"].monthly_requests
    percents: list[list[int]] = []
    for used in (limit * 79 // 100, limit * 80 // 100, limit - 1, limit, limit):
        world.used("a", used)
        await world.events.step()
        percents.append([data["percent"] for data in world.delivered("a")])
    assert percents == [[], [80], [80], [80, 100], [80, 100]]


async def test_an_account_on_free_gets_nothing(world: World) -> None:
    await world.account("a", "quota")
    world.used("a", 10_000)
    world.rows("UPDATE accounts SET plan_id = 'free'")
    await world.events.step()
    assert world.delivered("a") == []
