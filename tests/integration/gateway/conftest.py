"""The gateway on real Valkey, in front of in-process gRPC services."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx2
import pytest

from gateway.app import open_app
from gateway.mcp.transport.endpoint import McpEndpoint
from gateway.settings import GatewaySettings
from gateway.storage.valkey_client import open_valkey
from gateway.tools import Tool
from servicekit.http.server import serve_http
from servicekit.valkey_keys import SINGLE
from tests.fakes.backends import Backends, running_backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.peers import TOKEN
from tests.fakes.wire import Wire

Valkey = Any
"""redis-py's client; the types that it declares of itself are incomplete."""

CATALOG_VERSION = SINGLE.shards[0].catalog_version
"""The key of the catalogue's version."""

OpenGateway = Callable[..., AbstractAsyncContextManager["Service"]]


@dataclass
class Service:
    """A gateway to talk to, the services behind it, and its Valkey."""

    http: httpx2.AsyncClient
    backends: Backends
    valkey: Valkey
    settings: GatewaySettings
    web: McpEndpoint

    async def post(self, message: Any, **headers: str) -> httpx2.Response:
        """Posts a message with the key; underscores in header names stand for hyphens."""
        all_headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        all_headers |= {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post("/mcp", content=json.dumps(message), headers=all_headers)

    async def call(self, tool: str, arguments: Any = None, **headers: str) -> httpx2.Response:
        """Calls a tool as a bare script does."""
        return await self.post(request("tools/call", name=tool, arguments=arguments), **headers)

    async def wait_for_pushes(self) -> None:
        """Waits until the gateway has subscribed, on which it forgets its cached credentials."""

        async def subscribed() -> bool:
            return (
                "sponsorgraph_revocation_listener_connected 1.0"
                in (await self.http.get("/metrics")).text
            )

        await until(subscribed)

    async def counted(self) -> int:
        """Requests counted for the account, over all months."""
        keys = [key async for key in self.valkey.scan_iter("sponsorgraph:{quota}:month:*")]
        return sum([int(await self.valkey.get(key) or 0) for key in keys])


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 10) -> None:
    """Waits for what another task or process does in its own time.

    Raises:
        TimeoutError: It did not happen in time.
    """
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - no event to wait for
            await asyncio.sleep(0.005)


def request(method: str, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def settings_for(backends: Backends, valkey: str, /, **changes: Any) -> GatewaySettings:
    facts: dict[str, Any] = {
        "session_secret": "a secret of at least 16",
        "grpc_token": TOKEN,
        "catalog_target": backends.catalog_target,
        "imports_target": backends.imports_target,
        "auth_target": backends.auth_target,
        "valkey_url": valkey,
        "site_url": "https://site.example",
    }
    return GatewaySettings(**(facts | changes))


@pytest.fixture
async def valkey(fresh_valkey: str) -> AsyncGenerator[Valkey]:
    client = open_valkey(fresh_valkey, timeout=5)
    yield client
    await client.aclose()


@pytest.fixture
async def backends() -> AsyncGenerator[Backends]:
    async with running_backends() as both:
        both.access.give(KEY, principal())
        yield both


@pytest.fixture
def open_gateway(backends: Backends, fresh_valkey: str, valkey: Valkey) -> OpenGateway:
    """Opens a gateway: tools and a clock may be given, and any setting."""

    @asynccontextmanager
    async def opening(
        tools: tuple[Tool, ...] | None = None,
        clock: Callable[[], datetime] | None = None,
        **changes: Any,
    ) -> AsyncGenerator[Service]:
        settings = settings_for(backends, fresh_valkey, **changes)
        async with open_app(settings, tools=tools, clock=clock) as web:
            wire = Wire(web)
            transport = httpx2.ASGITransport(wire)  # pyright: ignore[reportArgumentType]
            async with httpx2.AsyncClient(transport=transport, base_url=settings.base_url) as http:
                yield Service(http, backends, valkey, settings, web)
            wire.check()

    return opening


@pytest.fixture
async def url(backends: Backends, fresh_valkey: str) -> AsyncGenerator[str]:
    """A gateway on a real socket, all of whose messages are held against the protocol's schemas."""
    settings = settings_for(
        backends, fresh_valkey, subscription_poll_seconds=0.1, credential_ttl_seconds=0.1
    )
    async with open_app(settings) as web:
        wire = Wire(web)
        async with serve_http(wire, "127.0.0.1", 0, 5) as port:
            try:
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                web.end_streams()
    wire.check()


@pytest.fixture
async def service(open_gateway: OpenGateway) -> AsyncGenerator[Service]:
    async with open_gateway() as opened_service:
        yield opened_service
