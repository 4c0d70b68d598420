"""Writing to a catalog that is on its way back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import grpc.aio
import pytest

from devstack.ports import free_port
from import_worker.clients.catalog import GrpcCatalogWriter
from import_worker.domain.ingest import Record
from import_worker.domain.records import VideoRecord
from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.errors import Unavailable
from servicekit.grpc import client as grpc_client
from shapes.catalog.ingest import SponsorFact


class _Counting:
    async def Ingest(self, request_iterator: Any, context: Any) -> pb.IngestReply:  # noqa: N802
        del context
        return pb.IngestReply(created=sum([len(item.items) async for item in request_iterator]))

    def __getattr__(self, name: str) -> None:
        """The other methods, which nobody calls."""


async def _one_record() -> AsyncIterator[Record]:
    yield SponsorFact(slug="probe", name="Probe")


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


class _Taking(_Counting):
    """Refuses the second video of each call, and keeps the rest."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def Ingest(self, request_iterator: Any, context: Any) -> pb.IngestReply:  # noqa: N802
        del context
        items = [item async for element in request_iterator for item in element.items]
        self.keys = [item.video.key for item in items]
        rejected = [pb.RejectedItem(index=1, reason="not wanted")] if len(items) > 1 else []
        return pb.IngestReply(created=len(items) - len(rejected), rejected=rejected)


@asynccontextmanager
async def _taking() -> AsyncGenerator[tuple[_Taking, GrpcCatalogWriter]]:
    servicer: Any = _Taking()
    server = grpc.aio.server()
    pb_grpc.add_CatalogServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc_client.open_channel(f"127.0.0.1:{port}") as channel:
        yield servicer, GrpcCatalogWriter(channel, timeout=30, waits=True)
    await server.stop(0)


def _video(key: str, **changes: Any) -> VideoRecord:
    video = VideoRecord(
        key, key, "UC", "A title", datetime(2026, 1, 1, tzinfo=UTC), 1, None, 1, "1", ()
    )
    return replace(video, **changes)


_BEFORE_UTC = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))


@pytest.mark.parametrize(
    "bent",
    [
        {"title": "half \ud800 a character"},
        {"views": 2**63},
        {"views": -(2**63) - 1},
        {"duration_seconds": 2**31},
        {"published_at": _BEFORE_UTC},
        {"title": 7},
    ],
)
async def test_a_record_that_no_message_can_carry_is_reported_and_the_others_are_written(
    bent: Any,
) -> None:
    records = [
        _video("0", **bent), _video("1"), _video("2", **bent), _video("3"), _video("4", **bent)
    ]  # fmt: skip

    async def each() -> AsyncIterator[Record]:
        for record in records:
            yield record

    async with asyncio.timeout(20), _taking() as (catalog, writer):
        report = await writer.write(each())
    assert catalog.keys == ["1", "3"]
    assert report.created == 1
    assert [item.index for item in report.rejected] == [0, 2, 3, 4]
    assert report.rejected[2].reason == "not wanted"
    assert all("cannot be sent" in report.rejected[at].reason for at in (0, 1, 3))


async def test_records_that_break_off_are_a_failure_and_no_wish_to_stop() -> None:
    async def breaks() -> AsyncIterator[Record]:
        yield _video("0")
        raise LookupError("the file ends here")

    async with asyncio.timeout(20), _taking() as (_, writer):
        with pytest.raises(LookupError, match="the file ends here"):
            await writer.write(breaks())


async def test_a_writer_stops_on_request() -> None:
    begun = asyncio.Event()

    async def hangs() -> AsyncIterator[Record]:
        yield _video("0")
        begun.set()
        await asyncio.Event().wait()

    async with asyncio.timeout(20), _taking() as (_, writer):
        writing = asyncio.create_task(writer.write(hangs()))
        await begun.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
