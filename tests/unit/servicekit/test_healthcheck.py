"""The command that container engines run: 0 for a service that responds, 1 for one that does not."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from devstack.ports import free_port
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.process import healthcheck
from servicekit.settings import GrpcServerSettings
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
    return await asyncio.to_thread(healthcheck.main, list(urls))


async def test_all_that_is_named_has_to_respond(http: str, grpc: str) -> None:
    assert await check(f"{http}/well", grpc) == 0
    assert await check(f"{http}/well", f"{http}/ill") == 1
    assert await check(grpc, f"{http}/ill") == 1


async def test_a_service_that_does_not_listen_is_not_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    assert await check(f"http://{nobody}/healthz") == 1
    assert await check(f"grpc://{nobody}") == 1
    assert capsys.readouterr().err.count(nobody) == 2


async def test_it_prints_its_usage() -> None:
    assert await check() == 2
    assert await check("ftp://127.0.0.1") == 1
