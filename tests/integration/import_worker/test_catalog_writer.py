"""Writing to a catalog that is on its way back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc.aio
import pytest

from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import Record
from import_worker.domain.records import SponsorRecord
from local_stack.ports import free_port
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit import grpc_client
from servicekit.errors import Unavailable


class _Counting:
    async def Ingest(self, request_iterator: Any, context: Any) -> pb.IngestReply:  # noqa: N802
        del context
        return pb.IngestReply(created=sum([len(one.items) async for one in request_iterator]))

    def __getattr__(self, name: str) -> None:
        """The other methods, which nobody calls."""


async def _one_record() -> AsyncIterator[Record]:
    yield SponsorRecord("probe", "Probe", (), (), None, None, None)


async def test_a_patient_writer_waits_for_the_catalog_and_another_does_not() -> None:
    port = free_port()
    async with grpc_client.open_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(Unavailable):
            await GrpcCatalogWriter(channel, timeout=30).write(_one_record())
        patient = GrpcCatalogWriter(channel, timeout=30, waits=True)
        writing = asyncio.create_task(patient.write(_one_record()))
        await asyncio.sleep(0.3)
        assert not writing.done()
        server = grpc.aio.server()
        servicer: Any = _Counting()
        pb_grpc.add_CatalogServicer_to_server(servicer, server)
        server.add_insecure_port(f"127.0.0.1:{port}")
        await server.start()
        try:
            assert (await writing).created == 1
        finally:
            await server.stop(0)


async def test_a_patient_writer_gives_up_in_time() -> None:
    async with grpc_client.open_channel(f"127.0.0.1:{free_port()}") as channel:
        patient = GrpcCatalogWriter(channel, timeout=0.3, waits=True)
        with pytest.raises(Unavailable):
            await patient.write(_one_record())
