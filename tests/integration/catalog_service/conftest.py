"""The catalog service on a real Postgres, reached over gRPC."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr

from catalog_service import MIGRATIONS, app
from catalog_service.settings import CatalogSettings
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc
from servicekit.grpc import client as grpc_client
from servicekit.migration.command import migrate
from tests.databases import Databases
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN
from tests.integration.catalog_service import example, sums
from tests.poolers import through

OPERATOR_TOKEN = "the operators' token of the tests"


@dataclass(frozen=True, slots=True)
class Catalog:
    """A running service. `call` returns the response of an RPC or raises its error."""

    settings: CatalogSettings
    target: str
    stub: catalog_pb2_grpc.CatalogAsyncStub
    channel: Any
    corrections: catalog_pb2_grpc.CorrectionsAsyncStub

    async def call(self, rpc: str, **arguments: Any) -> Any:
        method: Any = getattr(self.stub, rpc)
        return await grpc_client.call(method, _request("Catalog", rpc, arguments), timeout=20)

    async def operate(self, rpc: str, token: str = OPERATOR_TOKEN, **arguments: Any) -> Any:
        """As an operator called Olga, if that is the token."""
        method: Any = getattr(self.corrections, rpc)
        metadata = (("x-operator-token", token), ("x-operator-name", "olga"))
        call = partial(self._with, method, metadata)
        return await grpc_client.call(call, _request("Corrections", rpc, arguments), timeout=20)

    async def _with(self, method: Any, more: Any, request: Any, **options: Any) -> Any:
        options["metadata"] = (*options["metadata"], *more)
        return await method(request, **options)

    async def ingest(self, *batches: Sequence[pb.IngestItem]) -> pb.IngestReply:
        async def stream() -> AsyncIterator[pb.IngestRequest]:
            for batch in batches:
                yield pb.IngestRequest(items=batch)

        return await grpc_client.call(self.stub.Ingest, stream(), timeout=60)


def _request(service: str, rpc: str, arguments: dict[str, Any]) -> Any:
    descriptor = pb.DESCRIPTOR.services_by_name[service].methods_by_name[rpc]
    request: Any = getattr(pb, descriptor.input_type.name)
    if "limit" in descriptor.input_type.fields_by_name:
        arguments.setdefault("limit", 10)
    return request(**arguments)


def new_settings(database_url: str) -> CatalogSettings:
    """Return the settings of a service on the database, which gets its tables if it has none."""
    settings = CatalogSettings(
        database_url=database_url,
        cursor_secret=SecretStr("a secret of the tests"),
        operator_token=SecretStr(OPERATOR_TOKEN),
        grpc_token=GRPC_TOKEN,
        grpc_port=0,
    )
    migrate(settings.database_url, MIGRATIONS)
    return through(settings)


@asynccontextmanager
async def running_catalog(settings: CatalogSettings) -> AsyncGenerator[Catalog]:
    async with app.serve(settings) as port:
        target = f"127.0.0.1:{port}"
        channel = grpc_client.open_channel(target, credentials=CREDENTIALS)
        try:
            yield Catalog(
                settings,
                target,
                catalog_pb2_grpc.CatalogStub(channel),
                channel,
                catalog_pb2_grpc.CorrectionsStub(channel),
            )
        finally:
            await channel.close()


@pytest.fixture(scope="session")
def fresh_database(databases: Databases) -> Callable[[], str]:
    """Makes a new database with the catalogue's tables each time it is called."""
    return partial(databases.migrated, MIGRATIONS)


@pytest.fixture(scope="session")
async def catalog(fresh_database: Callable[[], str]) -> AsyncGenerator[Catalog]:
    """A service that holds the example catalogue; tests only read it."""
    async with running_catalog(new_settings(fresh_database())) as running:
        reply = await running.ingest(example.FACTS)
        assert not reply.rejected
        yield running


@pytest.fixture
async def empty_catalog(databases: Databases) -> AsyncGenerator[Catalog]:
    """A service that knows nothing yet."""
    url = databases.migrated(MIGRATIONS)
    async with running_catalog(new_settings(url)) as running:
        yield running
    databases.drop(url)  # 12 MB each


@pytest.fixture
async def own_catalog(empty_catalog: Catalog) -> Catalog:
    """A service that holds the example catalogue, for tests that add to it."""
    reply = await empty_catalog.ingest(example.FACTS)
    assert not reply.rejected
    return empty_catalog


@pytest.fixture
async def filled(own_catalog: Catalog) -> AsyncGenerator[Catalog]:
    """The example catalogue, to be changed; afterwards its sums are still what the facts add up to."""
    yield own_catalog
    sums.assert_sums_are_right(own_catalog)
