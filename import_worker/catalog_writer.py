"""A writer to the catalogue alone, for those who run no worker: without database, queue and detector."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import CatalogWriter
from servicekit.grpc import client as grpc_client
from servicekit.peer_credentials import PeerCredentials

_WRITE_SECONDS: Final = 3_600.0


@asynccontextmanager
async def catalog_writer(
    target: str, credentials: PeerCredentials
) -> AsyncGenerator[CatalogWriter]:
    """Yield a writer to the catalog service at `target`."""
    async with grpc_client.open_channel(target, credentials=credentials) as channel:
        yield GrpcCatalogWriter(channel, timeout=_WRITE_SECONDS)
