"""Write records into the catalog over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import Final

import grpc
import grpc.aio

from import_worker.domain.ingest import IngestReport, Record, Rejection
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc import codec as wire
from servicekit.grpc.errors import from_rpc_error, no_response
from shapes.catalog.ingest import SponsorFact, VideoRemoval, YoutuberFact

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
        requests = _Requests(records)
        try:
            reply = await self._stub.Ingest(
                requests.batches(), timeout=self._timeout, wait_for_ready=self._waits
            )
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # So does grpc.aio end a call whose requests fail; nobody asked this task to stop.
            raise requests.failure or no_response() from None
        rejected = sorted((item.index, item.reason) for item in reply.rejected)
        return IngestReport(
            created=reply.created,
            updated=reply.updated,
            unchanged=reply.unchanged,
            rejected=requests.rejections(rejected),
        )


class _Requests:
    """The records as messages, without those that no message can carry.

    Attributes:
        failure: The error that ended the records early.
    """

    def __init__(self, records: AsyncIterable[Record]) -> None:
        self._records = records
        self._left_out: list[Rejection] = []
        self.failure: Exception | None = None

    async def batches(self) -> AsyncIterator[pb.IngestRequest]:
        try:
            async for batch in self._batches():
                yield batch
        except Exception as error:
            self.failure = error
            raise

    def rejections(self, of_catalog: Sequence[tuple[int, str]]) -> tuple[Rejection, ...]:
        """Return the catalog's rejections, which count the records that it was sent, and ours, by the records' numbers."""
        found = list(self._left_out)
        gaps = iter(found.copy())
        gap = next(gaps, None)
        before = 0
        for index, reason in of_catalog:
            while gap is not None and gap.index <= index + before:
                before += 1
                gap = next(gaps, None)
            found.append(Rejection(index + before, reason))
        return tuple(sorted(found, key=lambda rejection: rejection.index))

    async def _batches(self) -> AsyncIterator[pb.IngestRequest]:
        batch = pb.IngestRequest()
        index = -1
        async for record in self._records:
            index += 1
            try:
                batch.items.append(_item(record))
            except (ValueError, TypeError, OverflowError) as error:
                # Half a character, a number that is too large, a moment that UTC does not have.
                self._left_out.append(Rejection(index, f"cannot be sent: {error!a}"))
                continue
            if len(batch.items) == BATCH:
                yield batch
                batch = pb.IngestRequest()
        if batch.items:
            yield batch


def _item(record: Record) -> pb.IngestItem:
    if isinstance(record, SponsorFact):
        return pb.IngestItem(sponsor=wire.encode(record, pb.SponsorFact))
    if isinstance(record, YoutuberFact):
        return pb.IngestItem(youtuber=wire.encode(record, pb.YoutuberFact))
    if isinstance(record, VideoRemoval):
        return pb.IngestItem(removal=wire.encode(record, pb.VideoRemoval))
    return pb.IngestItem(video=wire.encode(record, pb.VideoFact))
