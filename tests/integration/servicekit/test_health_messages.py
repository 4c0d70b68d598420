"""Messages of strangers to the health check are bounded in size and number, and never unpacked."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import grpc.aio
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from devstack import certificates
from devstack.ports import free_port
from servicekit.grpc.health_limits import MAX_OPEN, MAX_READING, MAX_REQUEST_BYTES
from tests.fakes.peers import METADATA
from tests.integration.servicekit.test_grpc_token import serving
from tests.integration.servicekit.test_health_limits import (
    CHECK,
    FURTHER,
    SERVING,
    WATCH,
    still_open,
    stranger,
    watch,
)

MESSAGES: Final = 60
LARGE: Final = 15 * 1024 * 1024
SENT: Final = MESSAGES * LARGE
INVALID: Final = grpc.StatusCode.INVALID_ARGUMENT


async def serve_until_ended(options: dict[str, Any], end: Connection) -> None:
    async with serving(**options) as (_, target):
        end.send(target)
        await asyncio.to_thread(end.recv)


def run_server(options: dict[str, Any], end: Connection) -> None:
    asyncio.run(serve_until_ended(options, end))


@contextmanager
def server_process(**options: Any) -> Generator[tuple[str, psutil.Process]]:
    """A service in a process of its own, whose memory is nobody else's."""
    spawn = multiprocessing.get_context("spawn")
    end, other_end = spawn.Pipe()
    process = spawn.Process(target=run_server, args=(options, other_end))
    process.start()
    try:
        assert end.poll(30)
        yield end.recv(), psutil.Process(process.pid)
    finally:
        end.send(None)
        process.join(10)
        process.kill()


async def watch_large_names(target: str, compression: grpc.Compression) -> None:
    options = [("grpc.max_send_message_length", -1)]
    request = health_pb2.HealthCheckRequest(service="a" * LARGE)
    async with grpc.aio.insecure_channel(
        target, options=options, compression=compression
    ) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        calls: list[Any] = []
        for _ in range(MESSAGES):
            calls.append(stub.Watch(request))
            with suppress(grpc.aio.AioRpcError):
                await asyncio.wait_for(calls[-1].read(), 20)


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_large_names_of_strangers_stay_in_no_memory(compression: grpc.Compression) -> None:
    with server_process() as (target, process):
        before = process.memory_info().rss
        await watch_large_names(target, compression)
        assert process.memory_info().rss - before < SENT // 3


@pytest.mark.parametrize("method", [CHECK, WATCH])
@pytest.mark.parametrize(
    "message",
    [
        health_pb2.HealthCheckRequest(service="a" * MAX_REQUEST_BYTES).SerializeToString(),
        b"\xff" * 10,
    ],
)
async def test_a_message_that_names_no_service_is_refused(method: str, message: bytes) -> None:
    async with serving() as (_, target), stranger(target) as channel:
        opening: Any = channel.stream_stream
        call = opening(method)(iter([message]), timeout=10)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call.read()
        assert refused.value.code() == INVALID


async def test_few_messages_are_read_at_once_and_a_further_one_ends_the_oldest() -> None:
    async with serving() as (_, target), stranger(target) as channel:
        watched = await watch(channel)
        opening: Any = channel.stream_stream
        begun: list[Any] = []
        for _ in range(MAX_READING + 2):
            call = opening(WATCH)()
            await call.wait_for_connection()
            begun.append(call)
        codes = await asyncio.wait_for(asyncio.gather(*(call.code() for call in begun[:2])), 10)
        assert set(codes) == {grpc.StatusCode.UNIMPLEMENTED}
        assert all(still_open([watched, *begun[2:]]))
        assert not (await watch(channel)).done()


@pytest.mark.parametrize("metadata", [None, METADATA])
async def test_a_packed_message_is_refused_whoever_sends_it(metadata: Any) -> None:
    async with (
        serving() as (_, target),
        grpc.aio.insecure_channel(target, compression=grpc.Compression.Gzip) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.Check(
                health_pb2.HealthCheckRequest(service="a" * 200), metadata=metadata, timeout=10
            )
        assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED


@asynccontextmanager
async def plain_health(folder: Path) -> AsyncGenerator[grpc.aio.Channel]:
    """A connection to the port without TLS of a service that has certificates."""
    certificates.make(folder, {"catalog": ()}, addresses=["127.0.0.1"])
    port = free_port()
    async with (
        serving(grpc_tls_folder=str(folder / "catalog"), grpc_health_port=port),
        stranger(f"127.0.0.1:{port}") as channel,
    ):
        yield channel


async def test_the_plain_port_has_few_watches_at_once(tmp_path: Path) -> None:
    async with plain_health(tmp_path) as channel:
        watches = [await watch(channel) for _ in range(MAX_OPEN + FURTHER)]
        ended = watches[:FURTHER]
        codes = await asyncio.wait_for(asyncio.gather(*(call.code() for call in ended)), 10)
        assert set(codes) == {grpc.StatusCode.UNIMPLEMENTED}
        assert all(still_open(watches[FURTHER:]))
        stub: Any = health_pb2_grpc.HealthStub(channel)
        assert (await stub.Check(health_pb2.HealthCheckRequest(), timeout=10)).status == SERVING


async def test_the_plain_port_takes_in_no_large_message(tmp_path: Path) -> None:
    async with plain_health(tmp_path) as channel:
        request = health_pb2.HealthCheckRequest(service="a" * (LARGE // 5)).SerializeToString()
        opening: Any = channel.stream_stream
        for method in (CHECK, WATCH):
            call = opening(method)(iter([request]), timeout=10)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call.read()
            assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
