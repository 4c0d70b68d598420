"""The health check without a token, whatever is done with it, leaves the service to those who have one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from protos.catalog.v1 import batch_pb2 as pb
from protos.catalog.v1 import batch_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc.health_limits import MAX_OPEN
from tests import health
from tests.fakes.peers import CREDENTIALS, METADATA
from tests.integration.servicekit.test_grpc_token import send_two, serving

WATCH: Final = "/grpc.health.v1.Health/Watch"
CHECK: Final = "/grpc.health.v1.Health/Check"
FURTHER: Final = 48
SERVING: Final = health_pb2.HealthCheckResponse.SERVING


@asynccontextmanager
async def stranger(target: str) -> AsyncGenerator[grpc.aio.Channel]:
    """A connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(target, options=options) as channel:
        yield channel


async def watch(channel: grpc.aio.Channel, metadata: Any = None) -> Any:
    """A watch that has had its first response, or has been ended."""
    stub: Any = health_pb2_grpc.HealthStub(channel)
    call = stub.Watch(health_pb2.HealthCheckRequest(), metadata=metadata)
    with suppress(grpc.aio.AioRpcError):
        assert (await call.read()).status == SERVING
    return call


def still_open(calls: list[Any]) -> list[bool]:
    return [not call.done() for call in calls]


async def test_watches_without_a_token_take_no_slot_of_a_call_with_one() -> None:
    async with serving(grpc_max_concurrent_rpcs=4) as (_, target), stranger(target) as channel:
        watches = [await watch(channel) for _ in range(MAX_OPEN + FURTHER)]
        assert await send_two(target, CREDENTIALS) == ["a", "b"]
        ended = watches[:FURTHER]
        codes = await asyncio.wait_for(asyncio.gather(*(call.code() for call in ended)), 10)
        assert set(codes) == {grpc.StatusCode.UNIMPLEMENTED}
        # The caller's own connection was watched too, until it had brought the token.
        assert all(still_open(watches[FURTHER + 1 :]))


async def test_calls_that_never_send_their_request_keep_out_neither_probes_nor_callers() -> None:
    async with serving(grpc_max_concurrent_rpcs=4) as (_, target), stranger(target) as channel:
        opening: Any = channel.stream_stream  # its types are partial
        begun: list[Any] = []
        for number in range(MAX_OPEN + FURTHER):
            call = opening(CHECK if number % 2 else WATCH)()
            await call.wait_for_connection()
            begun.append(call)
        assert await asyncio.to_thread(health.failure, f"grpc://{target}") is None
        assert await send_two(target, CREDENTIALS) == ["a", "b"]
        codes = await asyncio.wait_for(asyncio.gather(*(c.code() for c in begun[:FURTHER])), 10)
        assert set(codes) == {grpc.StatusCode.UNIMPLEMENTED}


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One of HTTP/2: https://www.rfc-editor.org/rfc/rfc9113#section-4.1."""
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def watch_that_reads_nothing() -> bytes:
    """A connection on which the server may send no byte of a response, and a watch on it."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": WATCH,
        ":authority": "a",
        "te": "trailers",
    }
    fields["content-type"] = "application/grpc"
    literal = b"".join(
        b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in fields.items()
    )
    no_window = (4).to_bytes(2) + (0).to_bytes(4)
    return b"".join(
        (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            frame(4, 0, 0, no_window),
            frame(1, 4, 1, literal),
            frame(0, 1, 1, bytes(5)),
        )
    )


async def test_a_watcher_that_reads_nothing_delays_nobody() -> None:
    async with serving() as (_, target):
        host, _, port = target.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(watch_that_reads_nothing())
        await read_until_headers(reader)
        async with stranger(target) as channel:
            call = await asyncio.wait_for(watch(channel), 10)
            assert not call.done()
        assert await send_two(target, CREDENTIALS) == ["a", "b"]
        writer.close()
        await writer.wait_closed()


async def read_until_headers(reader: asyncio.StreamReader) -> None:
    """The begin of a response says that the call is under way."""
    async with asyncio.timeout(10):
        while True:
            head = await reader.readexactly(9)
            await reader.readexactly(int.from_bytes(head[:3]))
            if head[3] == 1:
                return


async def test_a_channel_sends_its_calls_though_strangers_watch_and_end_its_own_watch() -> None:
    async with (
        serving(grpc_max_concurrent_rpcs=4) as (_, target),
        stranger(target) as other,
        grpc_client.open_channel(target, credentials=CREDENTIALS) as channel,
    ):
        channel.get_state(try_to_connect=True)
        await asyncio.wait_for(channel.channel_ready(), 10)
        for _ in range(MAX_OPEN + FURTHER):
            await watch(other)
        assert channel.get_state() == grpc.ChannelConnectivity.READY
        assert await response_of(channel) == "a"


async def response_of(channel: grpc.aio.Channel) -> str:
    stub: Any = pb_grpc.BatchCatalogStub(channel)
    call = stub.Execute(timeout=10)
    await call.write(pb.BatchRequest(requests=[pb.BatchedRequest(method="a")]))
    responses: Any = await call.read()
    await call.done_writing()
    return responses.responses[0].json.decode()


async def test_watches_of_connections_that_brought_the_token_stay_however_many_they_are() -> None:
    async with serving() as (_, target), AsyncExitStack() as stack:
        own: list[Any] = []
        for _ in range(MAX_OPEN + 8):
            channel = await stack.enter_async_context(stranger(target))
            own.append(await watch(channel))
            stub: Any = pb_grpc.BatchCatalogStub(channel)
            call = stub.Execute(metadata=METADATA, timeout=30)
            await call.write(pb.BatchRequest(requests=[pb.BatchedRequest(method="a")]))
            await call.read()
        other = await stack.enter_async_context(stranger(target))
        for _ in range(MAX_OPEN + FURTHER):
            await watch(other)
        assert all(still_open(own))


async def test_watches_that_bring_the_token_are_not_counted() -> None:
    async with serving(grpc_max_concurrent_rpcs=4) as (_, target), stranger(target) as channel:
        own = [await watch(channel, METADATA) for _ in range(MAX_OPEN + FURTHER)]
        async with stranger(target) as other:
            for _ in range(MAX_OPEN + FURTHER):
                await watch(other)
        assert all(still_open(own))
        assert await send_two(target, CREDENTIALS) == ["a", "b"]


async def test_calls_with_the_token_beyond_the_limit_are_refused_at_once() -> None:
    async with serving(grpc_max_concurrent_rpcs=2) as (_, target), stranger(target) as channel:
        stub: Any = pb_grpc.BatchCatalogStub(channel)
        begun: list[Any] = []
        for _ in range(2):
            call = stub.Execute(metadata=METADATA)
            await call.write(pb.BatchRequest(requests=[pb.BatchedRequest(method="a")]))
            await call.read()
            begun.append(call)
        further = stub.Execute(metadata=METADATA, timeout=10)
        assert await further.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        await begun[0].done_writing()
        assert await begun[0].code() == grpc.StatusCode.OK
        assert await send_two(target, CREDENTIALS) == ["a", "b"]
