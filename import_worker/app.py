"""Wire the import worker: a gRPC server that takes imports, and workers that run them, in two processes or in one."""

import asyncio
import functools
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import grpc.aio
import procrastinate
import psycopg
import redis.asyncio as redis
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from import_worker import MIGRATIONS
from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.clients.youtube_api import YouTubeApi
from import_worker.clients.youtube_feed import YouTubeFeed
from import_worker.clients.youtube_http import open_youtube
from import_worker.clients.youtube_quota import Quota
from import_worker.clients.youtube_units import measure_units
from import_worker.domain.bulk_requests import BulkImports
from import_worker.domain.follow_requests import FollowLimits, Follows
from import_worker.domain.import_operations import ImportOperations, Units, UnitsInUse
from import_worker.domain.imports import Backoff
from import_worker.domain.ports import ImportTransactions
from import_worker.domain.redetections import Redetections
from import_worker.domain.requests import Imports
from import_worker.domain.second_reader import ReaderPolicy
from import_worker.domain.segmented_source import SegmentedSource
from import_worker.domain.sources import Source
from import_worker.jobs.policy import Policy
from import_worker.rpc import UseCases, add_servicers
from import_worker.settings import ImportSettings
from import_worker.storage import queue_metrics
from import_worker.storage.overview import PostgresOverviewStore
from import_worker.storage.queue import rescue
from import_worker.storage.store import transactions
from servicekit import database, database_servers, database_wait
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.observability import logs
from servicekit.observability.gauges import polling
from servicekit.observability.process_reports import reporting
from servicekit.process.loops import begin_loop
from servicekit.process.runtime import serve_until_stopped
from servicekit.valkey import open_client
from servicekit.valkey_cluster import refuse_wrong_mode

if TYPE_CHECKING:
    from import_worker.jobs.review import Review

_BATCH_SECONDS: Final = 60.0
_CONNECTIONS: Final = 4
_CONNECTION_SECONDS: Final = 5.0
_JOBS_POLL_SECONDS: Final = 1.0
_READER_RETRY_SECONDS: Final = 1.0
_READER_MAX_RETRY_SECONDS: Final = 10.0
_random = random.SystemRandom()

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class SharedResources:
    """What both the server and the worker need.

    Attributes:
        engine: Of the worker's own database.
        connections: Those of it that the check of its servers knows.
        source: YouTube.
    """

    engine: AsyncEngine
    connections: database_servers.ServerConnections
    source: Source


def now() -> datetime:
    return datetime.now(UTC)


def policy_of(settings: ImportSettings) -> Policy:
    """Return the policy of attempts and refreshes in the settings."""
    return Policy(
        max_attempts=settings.max_attempts,
        backoff=Backoff(settings.retry_seconds, settings.retry_max_seconds),
        reread=timedelta(days=settings.reread_days),
        refresh=timedelta(days=settings.refresh_days),
        chance=_random.random,
        redetects=settings.redetect_automatically,
        follow=timedelta(hours=settings.follow_hours),
    )


@asynccontextmanager
async def source_of(settings: ImportSettings, valkey: redis.Redis) -> AsyncGenerator[Source]:
    """YouTube's API with a key, else its feeds."""
    key = settings.youtube_api_key.get_secret_value()
    url = settings.youtube_url if key else settings.youtube_feed_url
    async with open_youtube(url, settings.youtube_timeout_seconds) as http:
        if key:
            units = settings.youtube_daily_units
            quota = Quota(valkey, key, budget=units)
            async with polling("youtube", functools.partial(measure_units, quota, units)):
                yield YouTubeApi(http, key, quota)
        else:
            yield YouTubeFeed(http)


@asynccontextmanager
async def review_of(
    settings: ImportSettings, open_store: ImportTransactions
) -> "AsyncGenerator[Review | None]":
    """Yield the second reader of the settings at work; without an address nothing of it is even loaded."""
    if not settings.reader_url:
        yield None
        return
    from import_worker.clients.reader import open_reader  # noqa: PLC0415
    from import_worker.jobs.second_reading import SecondReading  # noqa: PLC0415

    policy = ReaderPolicy(
        lower=settings.reader_from,
        upper=settings.reader_to,
        channel_requests=settings.reader_channel_requests,
        max_attempts=settings.reader_max_attempts,
        backoff=Backoff(_READER_RETRY_SECONDS, _READER_MAX_RETRY_SECONDS),
        concurrency=settings.reader_concurrency,
    )
    async with open_reader(
        settings.reader_url,
        settings.reader_model.strip(),
        settings.reader_key.get_secret_value(),
        timeout_seconds=settings.reader_timeout_seconds,
        concurrency=settings.reader_concurrency,
    ) as reader:
        yield SecondReading(open_store, reader, policy, now)


@asynccontextmanager
async def serve(settings: ImportSettings) -> AsyncGenerator[int]:
    """Serve gRPC until the block ends; yield the port."""
    async with _shared_resources(settings) as shared, _serving(settings, shared) as port:
        yield port


@asynccontextmanager
async def work(settings: ImportSettings) -> AsyncGenerator[None]:
    """Run jobs of the queue until the block ends."""
    async with _shared_resources(settings) as shared, _working(settings, shared):
        yield


@asynccontextmanager
async def serve_and_work(settings: ImportSettings) -> AsyncGenerator[int]:
    """Do both in this process, with one pool of connections; yield the port.

    The detector runs in threads, and gRPC's thread waits for a tenth of a millisecond for its turn.
    """
    async with (
        _shared_resources(settings) as shared,
        _working(settings, shared),
        _serving(settings, shared) as port,
    ):
        yield port


COMMANDS: Final[Mapping[str, Callable[[ImportSettings], AbstractAsyncContextManager[object]]]] = {
    "serve": serve,
    "work": work,
    "serve-and-work": serve_and_work,
}


async def run(settings: ImportSettings, command: str) -> None:
    """Do what one of `COMMANDS` says until a signal to stop, once the database is there and migrated."""
    opening = COMMANDS[command]
    await serve_until_stopped(
        lambda: opening(settings),
        settings.drain_seconds,
        lambda: _prepare(settings),
    )


async def _prepare(settings: ImportSettings) -> None:
    await refuse_wrong_mode(settings.valkey_url, "IMPORT_VALKEY_URL")
    await database_wait.wait_at_start(settings, MIGRATIONS)


@asynccontextmanager
async def _shared_resources(settings: ImportSettings) -> AsyncGenerator[SharedResources]:
    async with AsyncExitStack() as stack:
        engine = database.open_engine(settings, "import_worker")
        stack.push_async_callback(engine.dispose)
        connections = await stack.enter_async_context(database_servers.follow(settings, engine))
        source = source_of(settings, _valkey(stack, settings))
        yield SharedResources(engine, connections, await stack.enter_async_context(source))


@asynccontextmanager
async def _serving(settings: ImportSettings, shared: SharedResources) -> AsyncGenerator[int]:
    engine, source = shared.engine, shared.source
    async with AsyncExitStack() as stack:
        queue = functools.partial(queue_metrics.measure, engine)
        await stack.enter_async_context(polling("import queue", queue))
        # Never opened: it defers on our connections alone.
        jobs = procrastinate.App(connector=procrastinate.PsycopgConnector())
        opening = transactions(engine, jobs)
        overview = PostgresOverviewStore(engine)
        use_cases = UseCases(
            imports=Imports(opening, source, now),
            bulk_imports=BulkImports(opening, now),
            follows=Follows(opening, source, now, checks=settings.follow_hours > 0),
            follow_limits=FollowLimits(opening),
            redetections=Redetections(opening, now),
            operations=ImportOperations(opening, overview, _units(stack, settings), now),
        )
        operator_token = settings.operator_token.get_secret_value()
        await stack.enter_async_context(reporting(_valkey(stack, settings), "import_worker"))

        def register(server: grpc.aio.Server) -> str:
            return add_servicers(server, use_cases, operator_token)

        yield await stack.enter_async_context(grpc_server.serve_grpc(settings, register))


@asynccontextmanager
async def _working(settings: ImportSettings, shared: SharedResources) -> AsyncGenerator[None]:
    # The detector and its lists are a tenth of a process: who only takes imports has no use for them.
    from import_worker.detector.detection import DETECTOR_VERSION  # noqa: PLC0415
    from import_worker.jobs.worker import JobPorts, assemble  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        engine = shared.engine
        source = await _segmented(stack, settings, shared.source)
        channel = await stack.enter_async_context(
            grpc_client.open_channel(
                settings.catalog_target, credentials=settings.peer_credentials()
            )
        )
        # While the catalog starts again, what was read is kept at hand: to give it up would be to
        # ask YouTube for it once more at every attempt.
        writer = GrpcCatalogWriter(channel, timeout=_BATCH_SECONDS, waits=True)

        async def remember(connection: psycopg.AsyncConnection[Any]) -> None:
            shared.connections.add(connection)

        connector = procrastinate.PsycopgConnector(
            # It listens for new jobs.
            conninfo=settings.session_url,
            min_size=1,
            max_size=_CONNECTIONS,
            # The end of a worker waits so long for a database that is away.
            timeout=_CONNECTION_SECONDS,
            configure=remember,
            kwargs={"application_name": "import_worker jobs", **database.silence_bounds(settings)},
        )
        jobs = procrastinate.App(connector=connector)
        opening = transactions(engine, jobs)
        review = await stack.enter_async_context(review_of(settings, opening))
        feed_http = open_youtube(settings.youtube_feed_url, settings.youtube_timeout_seconds)
        feed = YouTubeFeed(await stack.enter_async_context(feed_http))
        spare = _spare_units(_units(stack, settings), settings.follow_units_share)
        ports = JobPorts(opening, source, writer, now, feed, spare, review)
        assemble(jobs, ports, policy_of(settings))
        await stack.enter_async_context(jobs.open_async())
        facts = {"detector": DETECTOR_VERSION}
        reports = reporting(_valkey(stack, settings), "import_jobs", facts)
        await stack.enter_async_context(reports)
        rescue_jobs = functools.partial(_rescuing, engine, settings.stalled_seconds)
        await begin_loop(stack, "job rescue", rescue_jobs)
        run_jobs = functools.partial(_run_jobs, jobs, settings)
        await begin_loop(stack, "jobs", run_jobs, settings.shutdown_grace_seconds)
        yield


def _valkey(stack: AsyncExitStack, settings: ImportSettings) -> redis.Redis:
    valkey = open_client(settings.valkey_url, socket_timeout=2)
    stack.push_async_callback(valkey.aclose)
    return valkey


def _units(stack: AsyncExitStack, settings: ImportSettings) -> UnitsInUse:
    """Return the reader of the day's units of YouTube's API, as operators see them."""
    key, allowed = settings.youtube_api_key.get_secret_value(), settings.youtube_daily_units
    quota = Quota(_valkey(stack, settings), key, budget=allowed) if key else None

    async def units() -> Units | None:
        return Units(await quota.used(), allowed) if quota else None

    return units


def _spare_units(units: UnitsInUse, share: float) -> Callable[[], Awaitable[bool]]:
    """Return whether less than a share of the day's units is used; without a key there is nothing to spare."""

    async def has_spare_units() -> bool:
        found = await units()
        return found is None or (found.used is not None and found.used < share * found.allowed)

    return has_spare_units


async def _segmented(stack: AsyncExitStack, settings: ImportSettings, source: Source) -> Source:
    """Return the source with the segments of SponsorBlock, if the operator wants them."""
    if not settings.sponsorblock_url:
        return source
    from import_worker.clients import sponsorblock  # noqa: PLC0415 - hardly anybody uses it

    log.warning(
        "sponsorblock_licence",
        url=settings.sponsorblock_url,
        licence=sponsorblock.LICENCE,
        advice="Its segments are for non-commercial use, shared alike and with SponsorBlock named: "
        "answers name it as the source of a segment. Empty IMPORT_SPONSORBLOCK_URL if that is not yours.",
    )
    lookup = await stack.enter_async_context(
        sponsorblock.open_sponsorblock(
            settings.sponsorblock_url, settings.sponsorblock_timeout_seconds
        )
    )
    return SegmentedSource(source, lookup)


async def _run_jobs(jobs: procrastinate.App, settings: ImportSettings) -> None:
    """Run jobs until cancelled, or until the database is away."""
    await jobs.run_worker_async(
        concurrency=settings.concurrency,
        # Retries and rescued jobs become due without a notice.
        fetch_job_polling_interval=_JOBS_POLL_SECONDS,
        install_signal_handlers=False,
        delete_jobs="successful",
        update_heartbeat_interval=settings.stalled_seconds / 3,
        stalled_worker_timeout=settings.stalled_seconds,
        shutdown_graceful_timeout=settings.shutdown_grace_seconds / 2,
    )


async def _rescuing(engine: AsyncEngine, seconds: float) -> None:
    """Take up jobs of workers that were killed, until it is cancelled."""
    while True:
        slept_from = time.monotonic()
        await asyncio.sleep(seconds / 3)
        if time.monotonic() - slept_from > seconds / 2:
            continue  # this process itself stood still, and has yet to show that it lives
        try:
            rescued = await rescue(engine, seconds)
        except (SQLAlchemyError, OSError) as error:
            log.warning("job_rescue_failed", error=str(error))
            continue
        if rescued:
            log.info("jobs_rescued", jobs=rescued)
