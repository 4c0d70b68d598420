"""The command that container engines run: 0 for a service that responds, 1 for one that does not."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest
from grpc import aio as grpc_aio
from grpc_health.v1 import health as reports
from grpc_health.v1 import health_pb2, health_pb2_grpc
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from devstack.ports import free_port
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.settings import GrpcServerSettings
from tests import health
from tests.fakes.peers import GRPC_TOKEN


async def _well(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")


async def _ill(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("down", status_code=503)


@pytest.fixture
async def http() -> AsyncGenerator[str]:
    app = Starlette(routes=[Route("/well", _well), Route("/ill", _ill)])
    async with http_server.serve_http(app, "127.0.0.1", 0, 1) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
async def grpc() -> AsyncGenerator[str]:
    settings = GrpcServerSettings(grpc_port=0, grpc_token=GRPC_TOKEN)
    async with grpc_server.serve_grpc(settings, lambda _server: "probe.Service") as port:
        yield f"grpc://127.0.0.1:{port}"


async def check(*urls: str) -> int:
    return (await asyncio.to_thread(health.check, *urls)).returncode


async def test_all_that_is_named_has_to_respond(http: str, grpc: str) -> None:
    assert await check(f"{http}/well", grpc) == 0
    assert await check(f"{http}/well", f"{http}/ill") == 1
    assert await check(grpc, f"{http}/ill") == 1


async def test_a_service_that_does_not_listen_is_not_well() -> None:
    nobody = f"127.0.0.1:{free_port()}"
    for url in (f"http://{nobody}/healthz", f"grpc://{nobody}"):
        done = await asyncio.to_thread(health.check, url)
        assert (done.returncode, nobody in done.stdout) == (1, True)


@pytest.mark.parametrize("scheme", ["http", "grpc"])
async def test_a_service_that_hangs_is_not_well(scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        done = await asyncio.to_thread(health.check, url, seconds=1)
    assert done.returncode == 1


async def test_a_service_that_reports_not_serving_is_not_well() -> None:
    server = grpc_aio.server()
    reporting: Any = cast("Any", reports).aio.HealthServicer()
    registering: Any = cast("Any", health_pb2_grpc).add_HealthServicer_to_server
    registering(reporting, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        url = f"grpc://127.0.0.1:{port}"
        for status, expected in (("SERVING", 0), ("NOT_SERVING", 1)):
            await reporting.set("", health_pb2.HealthCheckResponse.ServingStatus.Value(status))
            assert await check(url) == expected
    finally:
        await server.stop(None)


async def test_it_prints_its_usage() -> None:
    assert await check() == 2
    assert await check("ftp://127.0.0.1") == 1


def test_it_starts_no_other_program() -> None:
    """An idle deployment asks all day long."""
    words = health.SCRIPT.read_text()
    for program in ("python", "curl", "wget", "$(", "`", " | "):
        assert program not in "\n".join(
            line for line in words.splitlines() if not line.startswith("#")
        )
