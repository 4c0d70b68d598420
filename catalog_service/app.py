"""Wires the catalog service and runs it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from time import monotonic

import grpc.aio

from catalog_service import MIGRATIONS
from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.comparisons import ComparisonQueries
from catalog_service.domain.conflicts import ConflictQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.events.queries import EventQueries
from catalog_service.domain.ingest import Ingest
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.lists.service import ListService
from catalog_service.domain.outlook.queries import OutlookQueries
from catalog_service.domain.paging import Cursors, Paging
from catalog_service.domain.periods import today
from catalog_service.domain.reports import Reports
from catalog_service.domain.resolutions import ResolutionQueries
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.sql.free_work import FreeWork
from catalog_service.domain.sql.queries import SqlQueries
from catalog_service.domain.topics.queries import TopicQueries
from catalog_service.domain.track_records import RecordQueries
from catalog_service.domain.videos import VideoQueries
from catalog_service.domain.youtubers import YoutuberQueries
from catalog_service.rpc import CatalogApi, add_servicers
from catalog_service.settings import CatalogSettings
from catalog_service.storage.catalog_coverage import PostgresCoverage
from catalog_service.storage.connections import Database, no_announcement
from catalog_service.storage.corrections.review import PostgresReviews
from catalog_service.storage.events import PostgresEvents
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.lists.store import PostgresLists
from catalog_service.storage.read_servers import ReadServers, Standby, choosing
from catalog_service.storage.sql.role import readable_url
from catalog_service.storage.sql.runner import PostgresSql, SqlLimits
from catalog_service.storage.store import (
    PostgresCategories,
    PostgresComparisons,
    PostgresOutlook,
    PostgresRecords,
    PostgresSponsors,
    PostgresVideos,
    PostgresYoutubers,
)
from catalog_service.storage.topics.store import PostgresTopics
from catalog_service.storage.version_publisher import ValkeyVersions
from servicekit import database, database_servers, database_wait
from servicekit.database_hosts import address_of, of_server, servers_of
from servicekit.grpc import server as grpc_server
from servicekit.observability.gauges import polling
from servicekit.observability.process_reports import reporting
from servicekit.process.runtime import serve_until_stopped
from servicekit.valkey_cluster import refuse_wrong_mode


@asynccontextmanager
async def serve(settings: CatalogSettings) -> AsyncGenerator[int]:
    """Serve until the block ends; yield the port."""
    async with AsyncExitStack() as stack:
        engine = database.open_engine(settings, "catalog")
        stack.push_async_callback(engine.dispose)
        read_engine = database.open_reading_engine(settings, "catalog")
        stack.push_async_callback(read_engine.dispose)
        await stack.enter_async_context(database_servers.follow(settings, engine, read_engine))
        queried = Database(engine, read_engine)
        announce = await _announcement(stack, settings, queried)
        await stack.enter_async_context(choosing(_read_servers(stack, settings, queried)))
        postgres = Database(engine, read_engine, announce)
        sql_url = await readable_url(postgres, settings.sql_url.get_secret_value())
        sql = PostgresSql(postgres, sql_url, _sql_limits(settings))
        stack.push_async_callback(sql.close)
        queries = _queries(postgres, queried, settings, sql)

        def register(server: grpc.aio.Server) -> str:
            operator_token = settings.operator_token.get_secret_value()
            return add_servicers(server, queries, operator_token, queried)

        yield await stack.enter_async_context(grpc_server.serve_grpc(settings, register))


async def _announcement(
    stack: AsyncExitStack, settings: CatalogSettings, queried: Database
) -> Callable[[], Awaitable[None]]:
    """Return what announces the catalogue's version after a change; it is announced now and then as well."""
    if not settings.valkey_url:
        return no_announcement
    versions = ValkeyVersions(settings.valkey_url, queried.primary_version)
    stack.push_async_callback(versions.close)
    # A change may have been stored, and not announced, by a process that was killed; and what was
    # announced may be lost with a Valkey, or be of a Postgres that another one followed.
    await versions.announce()
    await stack.enter_async_context(polling("catalog_version", versions.announce))
    await stack.enter_async_context(reporting(versions.valkey, "catalog_service"))
    return versions.announce


def _read_servers(
    stack: AsyncExitStack, settings: CatalogSettings, queried: Database
) -> ReadServers:
    """Return the servers that `queried` asks: the standbys of the settings, and the primary."""
    standbys: list[Standby] = []
    for server in servers_of(settings.read_url) if settings.read_url else ():
        name, url = address_of(server), of_server(settings.read_url, server)
        own = settings.model_copy(update={"database_url": url})
        engine = database.open_reading_engine(own, f"catalog standby {name}")
        stack.push_async_callback(engine.dispose)
        standbys.append(Standby(name, own, engine))
    return ReadServers(
        queried,
        standbys,
        max_lag=settings.read_max_lag_seconds,
        within=settings.database_connect_timeout_seconds,
    )


async def run(settings: CatalogSettings) -> None:
    await serve_until_stopped(
        lambda: serve(settings),
        settings.drain_seconds,
        lambda: _prepare(settings),
    )


async def _prepare(settings: CatalogSettings) -> None:
    await refuse_wrong_mode(settings.valkey_url, "CATALOG_VALKEY_URL")
    await database_wait.wait_at_start(settings, MIGRATIONS)


def _queries(
    postgres: Database, queried: Database, settings: CatalogSettings, sql: PostgresSql
) -> CatalogApi:
    """Return the service's methods: questions go to `queried`, what writes or was just written to `postgres`."""
    sponsors, youtubers = PostgresSponsors(queried), PostgresYoutubers(queried)
    reviews = PostgresReviews(postgres)
    resolver = Resolver(sponsors, youtubers)
    paging = Paging(Cursors(settings.cursor_secret.get_secret_value()))
    coverage = CoverageQueries(PostgresCoverage(queried))
    records = RecordQueries(PostgresRecords(queried))
    lists, resolutions = PostgresLists(postgres), ResolutionQueries(resolver)
    filters = ListFilters(lists)
    statistics = SponsorQueries(sponsors, resolver, paging, today, coverage, records, filters)
    return CatalogApi(
        sponsors=statistics,
        outlook=OutlookQueries(PostgresOutlook(queried), youtubers, resolver, today),
        youtubers=YoutuberQueries(youtubers, resolver, paging, today, coverage, records, filters),
        conflicts=ConflictQueries(youtubers, resolver, today),
        videos=VideoQueries(PostgresVideos(queried), youtubers, paging, coverage, filters),
        topics=TopicQueries(
            PostgresTopics(queried), youtubers, resolver, paging, coverage, filters
        ),
        comparisons=ComparisonQueries(
            PostgresComparisons(queried), coverage, statistics, resolver, paging, today, filters
        ),
        categories=CategoryQueries(PostgresCategories(queried), coverage),
        resolutions=resolutions,
        sql=SqlQueries(sql, coverage, FreeWork(monotonic)),
        ingest=Ingest(PostgresIngest(postgres), today),
        reports=Reports(reviews, resolver, paging),
        corrections=Corrections(reviews, sponsors, resolver, paging),
        lists=ListService(lists, resolutions, paging),
        events=EventQueries(PostgresEvents(postgres)),
    )


def _sql_limits(settings: CatalogSettings) -> SqlLimits:
    return SqlLimits(settings.sql_seconds, settings.sql_max_cost, settings.sql_connections)
