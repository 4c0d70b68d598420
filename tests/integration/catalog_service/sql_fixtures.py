"""Fixtures: a service that offers SQL over the example catalogue, and its store without the checks."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import psycopg
import pytest
from pydantic import SecretStr

from catalog_service import MIGRATIONS
from catalog_service.storage.connections import Database
from catalog_service.storage.sql.runner import PostgresSql, SqlLimits
from servicekit import database
from tests.databases import Databases
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog, new_settings, running_catalog
from tests.integration.catalog_service.sql_stores import accept


@pytest.fixture(scope="module")
async def offering(databases: Databases) -> AsyncGenerator[Catalog]:
    """A service that offers SQL over the example catalogue."""
    url = databases.migrated(MIGRATIONS)
    settings = new_settings(url)
    settings = settings.model_copy(
        update={"sql_url": SecretStr(databases.powerless(url)), "sql_seconds": 1.0}
    )
    async with running_catalog(settings) as running:
        reply = await running.ingest(example.FACTS)
        assert not reply.rejected
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")
        yield running


@pytest.fixture(scope="module")
async def store(offering: Catalog) -> AsyncGenerator[PostgresSql]:
    """The store of the same catalogue, reached without the checks."""
    settings = offering.settings
    engine = database.open_engine(settings, "test")
    try:
        yield PostgresSql(
            Database(engine, engine), settings.sql_url.get_secret_value(), SqlLimits(), accept
        )
    finally:
        await engine.dispose()
