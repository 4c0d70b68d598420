"""A writer to the catalogue alone, for those who run no worker: without database, queue and detector."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import CatalogWriter
from servicekit import grpc_client

_WRITE_SECONDS: Final = 3_600.0


@asynccontextmanager
async def catalog_writer(target: str, tls_folder: str = "") -> AsyncGenerator[CatalogWriter]:
    """A writer to the catalog service at `target`."""
    async with grpc_client.open_channel(target, tls_folder=tls_folder) as channel:
        yield GrpcCatalogWriter(channel, timeout=_WRITE_SECONDS)
