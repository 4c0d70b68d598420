"""Imports on a real Postgres with its queue; the source and the catalog are fakes at our ports."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import procrastinate
import pytest
from procrastinate.exceptions import AlreadyEnqueued
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from import_worker import MIGRATIONS
from import_worker.domain.bulk_requests import BulkImports
from import_worker.domain.follow_requests import FollowLimits, Follows
from import_worker.domain.import_operations import ImportOperations, Units
from import_worker.domain.imports import Backoff, Bounds, Import
from import_worker.domain.joining import Wanted
from import_worker.domain.redetections import Redetections
from import_worker.domain.requests import Imports
from import_worker.domain.second_reader import ReaderPolicy, SecondReader
from import_worker.domain.segmented_source import SegmentedSource
from import_worker.domain.views import ImportView
from import_worker.jobs.policy import Policy
from import_worker.jobs.second_reading import SecondReading
from import_worker.jobs.worker import JobPorts, assemble
from import_worker.settings import ImportSettings
from import_worker.storage.overview import PostgresOverviewStore
from import_worker.storage.store import transactions
from servicekit import database
from servicekit.migration.command import migrate
from tests.fakes.imports import START, FakeCatalog, FakeSegments, FakeSource
from tests.fakes.peers import GRPC_TOKEN
from tests.poolers import through

_TABLES = (
    "imports, import_requests, import_brands, import_videos, imported_videos, imported_channels, "
    "detection_runs, detection_run_channels, detection_run_changes, "
    "reader_responses, reader_requests, bulk_imports, bulk_import_channels, follows"
)
READER_POLICY = ReaderPolicy(
    lower=0.35,
    upper=0.99,
    channel_requests=100,
    max_attempts=3,
    backoff=Backoff(0.001, 0.002),
    concurrency=2,
)
"""Nearly all that the rules find is unsure, and nobody waits."""


@dataclass
class Bench:
    """The service and a worker that runs on demand."""

    engine: AsyncEngine
    jobs: procrastinate.App
    source: FakeSource = field(default_factory=FakeSource)
    catalog: FakeCatalog = field(default_factory=FakeCatalog)
    feed: FakeSource = field(default_factory=lambda: FakeSource("youtube-feed", is_partial=True))
    follow: timedelta = timedelta()
    """Zero: the worker's periodic job would check feeds whenever a test happens to run."""
    lookup: FakeSegments = field(default_factory=FakeSegments)
    moment: datetime = START
    reader: SecondReader | None = None
    reader_policy: ReaderPolicy = READER_POLICY

    def __post_init__(self) -> None:
        self.open = transactions(self.engine, self.jobs)
        self.imports = Imports(self.open, self.source, self.now)
        self.bulk_imports = BulkImports(self.open, self.now)
        self.redetections = Redetections(self.open, self.now)
        self.follows = Follows(self.open, self.source, self.now, checks=True)
        self.follow_limits = FollowLimits(self.open)
        self.policy = Policy(
            max_attempts=3,
            backoff=Backoff(60.0, 600.0),
            reread=timedelta(days=30),
            refresh=timedelta(days=7),
            chance=lambda: 0.5,
            follow=self.follow,
        )
        source = SegmentedSource(self.source, self.lookup)
        review = None
        if self.reader is not None:
            review = SecondReading(self.open, self.reader, self.reader_policy, self.now)
        ports = JobPorts(
            self.open, source, self.catalog, self.now, self.feed, units_to_spare, review
        )
        assemble(self.jobs, ports, self.policy)

    def now(self) -> datetime:
        return self.moment

    async def start(self, channel: str, account: str = "ann", **options: Any) -> ImportView:
        bounds = Bounds(options.get("since"), options.get("max_videos"))
        key, limit = options.get("key"), options.get("limit", 5)
        max_followed = options.get("max_followed", 100)
        return await self.imports.start(Wanted(account, channel, bounds, key, limit, max_followed))

    async def work(self) -> None:
        """Does all jobs that are due."""
        await self.jobs.run_worker_async(
            wait=False,
            listen_notify=False,
            install_signal_handlers=False,
            delete_jobs="successful",
        )

    async def pass_time(self, **time: float) -> None:
        """Time goes by, for the queue too."""
        self.moment += timedelta(**time)
        await self.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE scheduled_at <= :now",
            now=self.moment,
        )

    async def execute(self, statement: str, **values: Any) -> Any:
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement), values)
            return result.all() if result.returns_rows else None

    async def get(self, view: ImportView, account: str = "ann") -> Import:
        return (await self.imports.get(account, view.import_.import_id)).import_

    async def defer(self, task: str, **arguments: Any) -> None:
        # At a minute of its schedule a periodic task may have enqueued itself.
        with suppress(AlreadyEnqueued):
            await self.jobs.configure_task(task).defer_async(**arguments)


async def units_to_spare() -> bool:
    return True


@pytest.fixture(scope="session")
def import_settings(fresh_database: Callable[[], str]) -> ImportSettings:
    settings = ImportSettings(database_url=fresh_database(), grpc_port=0, grpc_token=GRPC_TOKEN)
    migrate(settings.database_url, MIGRATIONS)
    return through(settings)


@pytest.fixture
async def bench(import_settings: ImportSettings) -> AsyncGenerator[Bench]:
    async with open_bench(import_settings) as made:
        yield made


@asynccontextmanager
async def open_bench(import_settings: ImportSettings, **options: Any) -> AsyncGenerator[Bench]:
    """An empty bench until the block ends."""
    engine = database.open_engine(import_settings, "test")
    connector = procrastinate.PsycopgConnector(conninfo=import_settings.session_url, min_size=1)
    jobs = procrastinate.App(connector=connector)
    async with jobs.open_async():
        made = Bench(engine, jobs, **options)
        await made.execute(f"TRUNCATE {_TABLES}")
        await made.execute("TRUNCATE procrastinate_jobs, procrastinate_workers CASCADE")
        yield made
    await engine.dispose()


def operations(bench: Bench) -> ImportOperations:
    """Return what operators do with imports, with units that are always the same."""

    async def units() -> Units | None:
        return Units(40, 10_000)

    return ImportOperations(bench.open, PostgresOverviewStore(bench.engine), units, bench.now)
