"""Wires the catalog service and runs it."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import grpc.aio

from catalog_service.domain.category_list import CategoryQueries
from catalog_service.domain.comparisons import ComparisonQueries
from catalog_service.domain.corrections import Corrections
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.ingest import Ingest
from catalog_service.domain.paging import Cursors, Paging
from catalog_service.domain.periods import today
from catalog_service.domain.reports import Reports
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.sponsors import SponsorQueries
from catalog_service.domain.videos import VideoQueries
from catalog_service.domain.youtubers import YoutuberQueries
from catalog_service.rpc import CatalogApi, add_servicers
from catalog_service.settings import CatalogSettings
from catalog_service.storage.catalog_coverage import PostgresCoverage
from catalog_service.storage.connections import Database, no_announcement
from catalog_service.storage.corrections.review import PostgresReviews
from catalog_service.storage.ingest.batches import PostgresIngest
from catalog_service.storage.store import (
    PostgresCategories,
    PostgresComparisons,
    PostgresSponsors,
    PostgresVideos,
    PostgresYoutubers,
)
from catalog_service.storage.version_publisher import ValkeyVersions
from servicekit import database
from servicekit.grpc import server as grpc_server
from servicekit.process.runtime import serve_until_stopped


@asynccontextmanager
async def serve(settings: CatalogSettings) -> AsyncGenerator[int]:
    """Serve until the block ends; yield the port."""
    async with AsyncExitStack() as stack:
        engine = database.open_engine(settings, "catalog")
        stack.push_async_callback(engine.dispose)
        read_engine = database.open_reading_engine(settings, "catalog")
        stack.push_async_callback(read_engine.dispose)
        versions = None
        if settings.valkey_url:
            versions = ValkeyVersions(settings.valkey_url)
            stack.push_async_callback(versions.close)
            # A change may have been stored, and not announced, by a process that was killed.
            await versions.announce()
        announce = no_announcement if versions is None else versions.announce
        postgres = Database(engine, read_engine, announce)
        queries = _queries(postgres, settings)

        def register(server: grpc.aio.Server) -> str:
            return add_servicers(server, queries, settings.operator_token.get_secret_value())

        yield await stack.enter_async_context(grpc_server.serve_grpc(settings, register))


async def run(settings: CatalogSettings) -> None:
    await serve_until_stopped(lambda: serve(settings), settings.drain_seconds)


def _queries(postgres: Database, settings: CatalogSettings) -> CatalogApi:
    sponsors, youtubers = PostgresSponsors(postgres), PostgresYoutubers(postgres)
    reviews = PostgresReviews(postgres)
    resolver = Resolver(sponsors, youtubers)
    paging = Paging(Cursors(settings.cursor_secret.get_secret_value()))
    coverage = CoverageQueries(PostgresCoverage(postgres))
    statistics = SponsorQueries(sponsors, resolver, paging, today, coverage)
    return CatalogApi(
        sponsors=statistics,
        youtubers=YoutuberQueries(youtubers, resolver, paging, today, coverage),
        videos=VideoQueries(PostgresVideos(postgres), youtubers, paging),
        comparisons=ComparisonQueries(
            PostgresComparisons(postgres), coverage, statistics, resolver, paging, today
        ),
        categories=CategoryQueries(PostgresCategories(postgres), coverage),
        ingest=Ingest(PostgresIngest(postgres), today),
        reports=Reports(reviews, resolver),
        corrections=Corrections(reviews, sponsors, resolver, paging),
    )
