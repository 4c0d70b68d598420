"""Writes records into the catalog over its gRPC face."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

import grpc
import grpc.aio

from import_worker.domain.ingest import IngestReport, Record, Rejection
from import_worker.domain.records import SponsorRecord, YoutuberRecord
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit import wire
from servicekit.grpc_errors import from_rpc_error

BATCH: Final = 1_000
"""Records that go into one message, which is one transaction of the catalog."""


class GrpcCatalogWriter:
    """`CatalogWriter` over one channel.

    Args:
        channel: To the catalog.
        timeout: Seconds that a write may take.
        waits: Whether a catalog that does not answer is waited for meanwhile, or is a failure.
    """

    def __init__(self, channel: grpc.aio.Channel, *, timeout: float, waits: bool = False) -> None:
        self._stub = pb_grpc.CatalogStub(channel)
        self._timeout = timeout
        self._waits = waits

    async def write(self, records: AsyncIterable[Record]) -> IngestReport:
        try:
            reply = await self._stub.Ingest(
                _batches(records), timeout=self._timeout, wait_for_ready=self._waits
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
        return IngestReport(
            created=reply.created,
            updated=reply.updated,
            unchanged=reply.unchanged,
            rejected=tuple(Rejection(item.index, item.reason) for item in reply.rejected),
        )


async def _batches(records: AsyncIterable[Record]) -> AsyncIterator[pb.IngestRequest]:
    batch = pb.IngestRequest()
    async for record in records:
        batch.items.append(_item(record))
        if len(batch.items) == BATCH:
            yield batch
            batch = pb.IngestRequest()
    if batch.items:
        yield batch


def _item(record: Record) -> pb.IngestItem:
    if isinstance(record, SponsorRecord):
        return pb.IngestItem(sponsor=wire.encode(record, pb.SponsorFact))
    if isinstance(record, YoutuberRecord):
        return pb.IngestItem(youtuber=wire.encode(record, pb.YoutuberFact))
    return pb.IngestItem(video=wire.encode(record, pb.VideoFact))
