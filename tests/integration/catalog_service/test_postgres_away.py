"""Calls get a readable error while Postgres is away, and succeed afterwards."""

from typing import Any

import psycopg
import pytest

from servicekit.errors import Unavailable
from tests.integration.catalog_service import example
from tests.integration.catalog_service.conftest import Catalog


def _administrate(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _kill_connections(name: str) -> str:
    return f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"


async def test_killed_connections_are_replaced(empty_catalog: Catalog, postgres_url: str) -> None:
    await empty_catalog.ingest(example.FACTS)
    name = empty_catalog.settings.database_url.rpartition("/")[2]
    _administrate(postgres_url, _kill_connections(name))
    assert (await empty_catalog.call("GetSponsor", sponsor="azura-vpn")).sponsor.videos == 3
    _administrate(postgres_url, _kill_connections(name))
    assert (await empty_catalog.ingest(example.FACTS)).unchanged == 20


async def test_without_postgres_calls_are_unavailable_until_it_returns(
    empty_catalog: Catalog, postgres_url: str
) -> None:
    await empty_catalog.ingest(example.FACTS)
    name = empty_catalog.settings.database_url.rpartition("/")[2]
    _administrate(
        postgres_url, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false", _kill_connections(name)
    )
    calls: list[tuple[str, dict[str, Any]]] = [
        ("SearchSponsors", {}),
        ("GetSponsorStats", {"sponsor": "azura-vpn"}),
    ]
    for rpc, arguments in calls:
        with pytest.raises(Unavailable) as caught:
            await empty_catalog.call(rpc, **arguments)
        assert caught.value.retry_after == 1.0
    with pytest.raises(Unavailable):
        await empty_catalog.ingest(example.FACTS)
    _administrate(postgres_url, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    for rpc, arguments in calls:
        await empty_catalog.call(rpc, **arguments)
