"""Calls that stay open: what goes over them, and what happens when either side ends one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import grpc.aio
import pytest

from protos.catalog.v1 import batch_pb2 as pb
from protos.catalog.v1 import batch_pb2_grpc as pb_grpc
from servicekit.errors import InvalidInput, Unavailable
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.grpc.client import TokenChannel
from servicekit.grpc.stream_client import StreamClient
from servicekit.grpc.stream_server import StreamServer
from servicekit.observability import telemetry
from servicekit.process import shutdown
from servicekit.settings import GrpcServerSettings
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN, TOKEN

METHOD: Final = "/sponsorgraph.catalog.v1.BatchCatalog/Execute"
REFUSED: Final = "refused"
LONG: Final = 30.0


class Echoing(pb_grpc.BatchCatalogServicer):
    """Returns the names of the requested methods; counts calls and messages; can be made to wait."""

    def __init__(self) -> None:
        self.calls = self.messages = 0
        self.traces: list[str] = []
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self._stream = StreamServer(METHOD, self._echo)

    async def Execute(self, request_iterator: Any, context: Any) -> None:  # noqa: ARG002, N802 # pyright: ignore[reportIncompatibleMethodOverride]
        self.calls += 1
        await self._stream.serve(context)

    async def _echo(self, batch: pb.BatchRequest) -> pb.BatchResponse:
        self.messages += 1
        self.traces.append(batch.traceparent)
        await self.goes_on.wait()
        if batch.requests[0].method == REFUSED:
            raise InvalidInput("Ask something else.")
        return pb.BatchResponse(
            responses=[
                pb.BatchedResponse(json=request.method.encode()) for request in batch.requests
            ]
        )


@asynccontextmanager
async def serving(port: int = 0) -> AsyncGenerator[tuple[Echoing, shutdown.GracefulShutdown, int]]:
    made: list[Echoing] = []

    def register(server: grpc.aio.Server) -> str:
        made.append(Echoing())
        pb_grpc.add_BatchCatalogServicer_to_server(made[0], server)
        return "sponsorgraph.catalog.v1.BatchCatalog"

    settings = GrpcServerSettings(
        grpc_port=port, grpc_token=GRPC_TOKEN, shutdown_grace_seconds=LONG
    )
    with shutdown.of_this_process() as process:
        async with grpc_server.serve_grpc(settings, register) as listening:
            yield made[0], process, listening


@asynccontextmanager
async def connected_to(target: str, **options: Any) -> AsyncGenerator[StreamClient[Any, Any]]:
    async with grpc_client.open_channel(target, credentials=CREDENTIALS) as channel:
        stub: Any = pb_grpc.BatchCatalogStub(channel)
        client = StreamClient[Any, Any](METHOD, stub.Execute, **options)
        yield client
        client.close()


async def call(client: StreamClient[Any, Any], method: str = "x", within: float = LONG) -> str:
    request = pb.BatchRequest(requests=[pb.BatchedRequest(method=method)])
    responses = await client.call(request, within=within)
    return responses.responses[0].json.decode()


async def test_requests_that_follow_each_other_share_four_calls() -> None:
    async with serving() as (servicer, _, port), connected_to(f"127.0.0.1:{port}") as client:
        assert [await call(client, str(number)) for number in range(9)] == list("012345678")
        assert (servicer.calls, servicer.messages) == (4, 9)


async def test_requests_that_follow_each_other_are_shared_by_two_servers() -> None:
    async with serving() as (first, _, a), serving() as (second, _, b):
        target = f"ipv4:127.0.0.1:{a},127.0.0.1:{b}"
        async with (
            connected_to(target, old_seconds=0.0) as connecting,
            connected_to(target) as client,
        ):
            # Until both are connected, the one that is takes all.
            async with asyncio.timeout(LONG):
                while not (first.calls and second.calls):
                    await call(connecting)
            first.messages = second.messages = 0
            for _ in range(40):
                await call(client)
    assert first.messages + second.messages == 40
    assert min(first.messages, second.messages) >= 10


async def test_requests_at_the_same_time_have_calls_of_their_own() -> None:
    async with (
        serving() as (servicer, _, port),
        connected_to(f"127.0.0.1:{port}", spread=1) as client,
    ):
        responses = await asyncio.gather(*(call(client, str(number)) for number in range(3)))
        assert responses == list("012")
        assert servicer.calls == 3
        await asyncio.gather(*(call(client) for _ in range(3)))
        assert servicer.calls == 3


async def test_an_old_call_is_ended_after_its_response() -> None:
    async with (
        serving() as (servicer, _, port),
        connected_to(f"127.0.0.1:{port}", old_seconds=0.0) as client,
    ):
        await call(client)
        await call(client)
        assert servicer.calls == 2


async def test_an_error_of_the_other_side_arrives_with_its_kind_and_spoils_nothing() -> None:
    async with serving() as (_, _, port), connected_to(f"127.0.0.1:{port}") as client:
        await call(client)
        with pytest.raises(InvalidInput, match=r"Ask something else\."):
            await call(client, REFUSED)
        assert await call(client, "next") == "next"


async def test_a_request_without_a_response_in_time_ends_its_call() -> None:
    async with (
        serving() as (servicer, _, port),
        connected_to(f"127.0.0.1:{port}", spread=1) as client,
    ):
        await call(client)
        servicer.goes_on.clear()
        with pytest.raises(Unavailable) as failed:
            await call(client, "late", within=0.05)
        assert failed.value.__notes__ == [f"{METHOD}: no response within 0.05 s"]
        servicer.goes_on.set()
        # The earlier response would be read here if that call were used again.
        assert await call(client, "next") == "next"
        assert servicer.calls == 2


async def test_a_request_without_a_server_is_to_be_tried_again() -> None:
    async with connected_to("127.0.0.1:1") as client:
        with pytest.raises(Unavailable) as failed:
            await call(client, within=5)
        assert "UNAVAILABLE" in failed.value.__notes__[0]
        assert METHOD in failed.value.__notes__[0]
        assert "127.0.0.1" not in failed.value.public_message


async def test_calls_that_wait_end_when_the_process_leaves_and_hold_it_up_for_nothing() -> None:
    async with asyncio.timeout(LONG / 2), AsyncExitStack() as stack:
        servicer, process, port = await stack.enter_async_context(serving())
        # A channel that does not watch the server's health.
        channel = TokenChannel(grpc.aio.insecure_channel(f"127.0.0.1:{port}"), TOKEN)
        await stack.enter_async_context(channel)
        stub: Any = pb_grpc.BatchCatalogStub(channel)
        client = StreamClient[Any, Any](METHOD, stub.Execute)
        await asyncio.gather(call(client), call(client))
        await process.drain(0)
        # It still responds to callers that have not reconnected, over a call for this request alone.
        assert await call(client, "late") == "late"
        assert servicer.calls == 3


async def test_a_request_goes_elsewhere_when_its_call_was_ended_meanwhile() -> None:
    async with AsyncExitStack() as stack:
        staying, _, staying_port = await stack.enter_async_context(serving())
        closing = await stack.enter_async_context(AsyncExitStack())
        stopping, process, port = await closing.enter_async_context(serving())
        target = f"ipv4:127.0.0.1:{port},127.0.0.1:{staying_port}"
        client = await stack.enter_async_context(connected_to(target))
        async with asyncio.timeout(LONG / 2):
            while not (stopping.calls and staying.calls):
                await asyncio.gather(*(call(client) for _ in range(4)))
                client.close()
                client = await stack.enter_async_context(connected_to(target))
            await asyncio.gather(*(call(client) for _ in range(4)))
            await process.drain(0)
            await closing.aclose()
            before = staying.messages
            assert await asyncio.gather(*(call(client, str(n)) for n in range(4))) == list("0123")
            assert staying.messages == before + 4


async def test_each_request_brings_the_trace_that_it_belongs_to() -> None:
    async with serving() as (servicer, _, port), connected_to(f"127.0.0.1:{port}") as client:
        with telemetry.bound(telemetry.new_context()) as first:
            await call(client)
        with telemetry.bound(telemetry.new_context()) as second:
            await call(client)
        await call(client)
    assert servicer.traces == [first.traceparent(), second.traceparent(), ""]
