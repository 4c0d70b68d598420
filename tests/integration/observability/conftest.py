"""The gateway before the real auth and catalog services, with spans recorded in memory."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr

import catalog_service
from auth_service import MIGRATIONS
from auth_service import app as auth
from auth_service.settings import AuthSettings
from catalog_service import app as catalog
from catalog_service.settings import CatalogSettings
from devstack.clients.operations import OperationsClient
from devstack.ports import free_port
from gateway.app import open_app
from gateway.settings import GatewaySettings
from servicekit.migration.command import migrate
from servicekit.observability import telemetry
from servicekit.observability.tracing import OpenTelemetry
from servicekit.settings import ServiceSettings
from tests.fakes.peers import CREDENTIALS, GRPC_TOKEN, TOKEN

OPERATOR = "operators-canary-token"
PASSWORD = "a password canary of some length"


@dataclass(frozen=True, slots=True)
class Services:
    """A gateway to talk to, an API key for it, and the spans so far."""

    http: httpx2.AsyncClient
    key: str
    exporter: InMemorySpanExporter
    secrets: tuple[str, ...]

    async def call(self, tool: str, arguments: Any = None, **more: Any) -> httpx2.Response:
        params: dict[str, Any] = {
            "name": tool,
            "arguments": arguments or {},
            **more.pop("params", {}),
        }
        message: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": params,
        }
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return await self.http.post("/mcp", content=json.dumps(message), headers=headers | more)

    def trace(self, trace_id: str | None = None) -> list[ReadableSpan]:
        """The spans of one trace; of the only one there is when it is not named."""
        found = self.exporter.get_finished_spans()
        if trace_id is None:
            traces = {trace_of(span) for span in found}
            assert len(traces) == 1, [(span.name, trace_of(span)) for span in found]
            return list(found)
        return [span for span in found if trace_of(span) == trace_id]


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


@pytest.fixture
def exporter() -> Generator[InMemorySpanExporter]:
    """Traces are on; the spans of this process are recorded."""
    made = InMemorySpanExporter()
    tracing = OpenTelemetry("test", ServiceSettings(), made, at_once=True)
    with telemetry.switched_on(tracing):
        yield made


@pytest.fixture
async def services(
    exporter: InMemorySpanExporter, fresh_database: Callable[[], str], fresh_valkey: str
) -> AsyncGenerator[Services]:
    catalog_settings = CatalogSettings(
        database_url=fresh_database(),
        cursor_secret=SecretStr("a secret of the tests"),
        grpc_port=0,
        grpc_token=GRPC_TOKEN,
    )
    migrate(catalog_settings.database_url, catalog_service.MIGRATIONS)
    site = f"http://127.0.0.1:{free_port()}"
    auth_settings = AuthSettings(
        database_url=fresh_database(),
        valkey_url=fresh_valkey,
        operator_token=SecretStr(OPERATOR),
        grpc_token=GRPC_TOKEN,
        grpc_port=0,
        http_port=int(site.rpartition(":")[2]),
        site_url=site,
        token_secret=SecretStr("a secret of tests, long enough to be taken"),
        client_documents="pinned",
    )
    migrate(auth_settings.database_url, MIGRATIONS)
    async with (
        catalog.serve(catalog_settings) as catalog_port,
        auth.serve(auth_settings) as auth_ports,
    ):
        key = await _key(f"127.0.0.1:{auth_ports.grpc}")
        facts: dict[str, Any] = {
            "session_secret": "a secret of at least 16",
            "grpc_token": TOKEN,
            "catalog_target": f"127.0.0.1:{catalog_port}",
            "auth_target": f"127.0.0.1:{auth_ports.grpc}",
            "valkey_url": fresh_valkey,
            "issuer": site,
        }
        settings = GatewaySettings(**facts)
        async with open_app(settings) as web:
            transport = httpx2.ASGITransport(web)  # pyright: ignore[reportArgumentType]
            async with httpx2.AsyncClient(transport=transport, base_url=settings.base_url) as http:
                exporter.clear()
                yield Services(http, key, exporter, (key, OPERATOR, PASSWORD, TOKEN))


async def _key(target: str) -> str:
    """The API key of a new account, made as an operator makes it."""

    def make() -> str:
        client = OperationsClient(target, OPERATOR, CREDENTIALS)
        email = f"{secrets.token_hex(6)}@example.com"
        client.create_account(email, "creator", PASSWORD)
        return client.create_key(email, "probe", None)[0]

    return await asyncio.to_thread(make)
