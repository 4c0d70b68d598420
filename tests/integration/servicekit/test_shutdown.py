"""A process that leaves: its callers go elsewhere before it closes, and none of their calls fails."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import grpc.aio
import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from protos.catalog.v1 import catalog_pb2 as pb
from protos.catalog.v1 import catalog_pb2_grpc as pb_grpc
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.process import shutdown
from servicekit.settings import GrpcServerSettings
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN


class Counting(pb_grpc.CatalogServicer):
    """Implements one method, and counts."""

    def __init__(self) -> None:
        self.calls = 0

    async def GetSponsor(self, request: pb.SponsorRequest, context: Any) -> pb.Sponsor:  # noqa: ARG002, N802
        self.calls += 1
        return pb.Sponsor(aliases=[request.sponsor])


@asynccontextmanager
async def serving(servicer: Counting) -> AsyncGenerator[int]:
    def register(server: grpc.aio.Server) -> str:
        pb_grpc.add_CatalogServicer_to_server(servicer, server)
        return "sponsorgraph.catalog.v1.Catalog"

    async with grpc_server.serve_grpc(
        GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN), register
    ) as port:
        yield port


def counting() -> Counting:
    return Counting()  # pyright: ignore[reportAbstractUsage] - one method is enough


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0)


async def another_hundred(servicer: Counting) -> None:
    before = servicer.calls
    await until(lambda: servicer.calls >= before + 100)


async def test_calls_that_may_not_be_repeated_go_elsewhere_before_a_server_closes() -> None:
    stopping, staying = counting(), counting()
    ended = False

    async def calls(stub: Any) -> None:
        while not ended:
            await stub.GetSponsor(pb.SponsorRequest(sponsor="x"), timeout=10)

    async with AsyncExitStack() as stack:
        staying_port = await stack.enter_async_context(serving(staying))
        with shutdown.of_this_process() as process:
            closing = await stack.enter_async_context(AsyncExitStack())
            port = await closing.enter_async_context(serving(stopping))
        target = f"ipv4:127.0.0.1:{port},127.0.0.1:{staying_port}"
        channel = await stack.enter_async_context(
            grpc_client.open_channel(target, credentials=CREDENTIALS)
        )
        stub = pb_grpc.CatalogStub(channel)
        callers = [asyncio.create_task(calls(stub)) for _ in range(10)]
        async with asyncio.timeout(30):
            await until(lambda: bool(stopping.calls and staying.calls))
            await process.drain(0)
            before = -1
            while stopping.calls != before:  # until a hundred others went by it
                before = stopping.calls
                await another_hundred(staying)
            await closing.aclose()
            await another_hundred(staying)
            ended = True
            await asyncio.gather(*callers)
    assert stopping.calls == before


async def test_http_connections_end_with_their_responses_once_the_process_shuts_down() -> None:
    async def respond(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("ok")

    app = Starlette(routes=[Route("/", respond)])
    with shutdown.of_this_process() as process:
        async with (
            http_server.serve_http(app, "127.0.0.1", 0, 1) as port,
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
        ):
            assert "connection" not in (await client.get("/")).headers
            await process.drain(0)
            reply = await client.get("/")
            assert (reply.text, reply.headers["connection"]) == ("ok", "close")


_REQUEST = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"


async def respond_ok(_scope: Any, _receive: Any, send: Any) -> None:
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


async def test_a_connection_that_waits_to_be_accepted_is_served_when_the_server_closes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waiting: list[socket.socket] = []
    main_loop = uvicorn.Server.main_loop

    async def connected_at_the_end(server: uvicorn.Server) -> None:
        await main_loop(server)
        # The event loop accepts nothing any more until the server closes.
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(_REQUEST)
        waiting.append(connection)

    monkeypatch.setattr(uvicorn.Server, "main_loop", connected_at_the_end)
    async with http_server.serve_http(respond_ok, "127.0.0.1", 0, 5) as port:
        pass
    with waiting[0] as connection:
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200")


async def test_a_connection_may_bring_its_first_request_while_the_server_closes() -> None:
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(
            http_server.serve_http(respond_ok, "127.0.0.1", 0, 5)
        )
        used, new, unused = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        used[1].write(_REQUEST)
        assert (await used[0].readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        closing = asyncio.create_task(stack.aclose())
        assert await used[0].read() == b""  # the server has begun to close
        new[1].write(_REQUEST)
        assert (await new[0].read()).startswith(b"HTTP/1.1 200")
        assert await unused[0].read() == b""
        async with asyncio.timeout(3):  # not until the grace of 5 s is over
            await closing
        for _, writer in (used, new, unused):
            writer.close()


async def test_nothing_waits_for_a_process_without_callers() -> None:
    with shutdown.of_this_process() as process:
        async with asyncio.timeout(10):
            await process.drain(1_000)
    assert process.begun
    assert shutdown.current() is not process
