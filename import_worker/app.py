"""Wires the import worker."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import grpc.aio

from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import CatalogWriter
from import_worker.settings import ImportSettings
from servicekit import grpc_client, grpc_server

_SERVICE: Final = "sponsorgraph.imports.v1.Imports"
_WRITE_SECONDS: Final = 3_600.0


def _register(_server: grpc.aio.Server) -> str:
    """Nothing but health for now: the import jobs' face comes with the jobs."""
    return _SERVICE


@asynccontextmanager
async def running(settings: ImportSettings) -> AsyncGenerator[int]:
    """The service, answering until the block ends; yields its gRPC port."""
    async with grpc_server.running(settings, _register) as port:
        yield port


@asynccontextmanager
async def catalog_writer(target: str) -> AsyncGenerator[CatalogWriter]:
    """A writer to the catalog service at `target`."""
    async with grpc_client.open_channel(target) as channel:
        yield GrpcCatalogWriter(channel, timeout=_WRITE_SECONDS)
