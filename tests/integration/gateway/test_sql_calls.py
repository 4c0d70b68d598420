"""Calls of catalog.query: what they count for, and what becomes of one whose caller disconnects."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from prometheus_client import REGISTRY

from gateway.app import open_app
from gateway.mcp.methods import tools_call
from gateway.tools import SQL_TOOLS
from servicekit.errors import InvalidInput
from servicekit.http.server import serve_http
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY
from tests.integration.gateway.conftest import (
    OpenGateway,
    Service,
    Valkey,
    request,
    settings_for,
    until,
)

SQL = {"sql": "SELECT 1"}


@pytest.fixture
async def sql_service(open_gateway: OpenGateway, backends: Backends) -> AsyncGenerator[Service]:
    async with open_gateway(sql_tools=True) as service:
        yield service


def refused(reason: str, **details: str) -> InvalidInput:
    return InvalidInput("Not this one.", reason, details={"field": "sql", **details})


@pytest.mark.parametrize("reason", ["SQL_LIMIT_REACHED", "SQL_REFUSED"])
@pytest.mark.parametrize("arguments", [SQL, {**SQL, "dry_run": True}])
async def test_a_statement_that_fails_late_counts_by_its_time(
    sql_service: Service, backends: Backends, reason: str, arguments: dict[str, Any]
) -> None:
    backends.catalog_error = refused(reason, requests="3")
    reply = await sql_service.call("catalog.query", arguments)
    assert reply.json()["error"]["data"]["code"] == "invalid_arguments"
    assert await sql_service.counted() == 3


@pytest.mark.parametrize(
    ("seconds", "requests"), [(0.0, 0), (0.99, 0), (1.0, 1), (4.2, 4), (60.0, 5)]
)
def test_a_caller_who_disconnects_pays_for_full_seconds(seconds: float, requests: int) -> None:
    (query,) = (tool for tool in SQL_TOOLS if tool.name == "catalog.query")
    assert query.failure_cost is not None
    assert query.failure_cost(None, seconds) == requests


@pytest.mark.parametrize("reason", ["SQL_REFUSED", "SQL_TOO_EXPENSIVE", "SQL_BUSY"])
async def test_a_refused_statement_counts_for_nothing(
    sql_service: Service, backends: Backends, reason: str
) -> None:
    backends.catalog_error = refused(reason)
    await sql_service.call("catalog.query", SQL)
    assert await sql_service.counted() == 0


async def test_the_cost_is_in_the_description_of_the_tool(sql_service: Service) -> None:
    reply = await sql_service.post(request("tools/list"), sponsorgraph_toolsets="catalog")
    texts = {tool["name"]: tool["description"] for tool in reply.json()["result"]["tools"]}
    text = next(text for name, text in texts.items() if "query" in name)
    assert "Counts as 5 requests; if it fails, is ended at a limit" in text


async def test_a_caller_who_disconnects_late_ends_the_statement_and_pays(
    backends: Backends, fresh_valkey: str, valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(tools_call, "monotonic", lambda: now[0])
    ended = asyncio.Event()
    reached = asyncio.Event()

    async def never() -> None:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    backends.before_response = never
    settings = settings_for(backends, fresh_valkey, sql_tools=True)
    async with open_app(settings) as web, serve_http(web, "127.0.0.1", 0, 5) as port:
        headers = {
            "authorization": f"Bearer {KEY}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "catalog.query",
        }
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            message = request("tools/call", name="catalog.query", arguments=SQL)
            message["params"]["_meta"] = META
            call = asyncio.create_task(
                http.post("/mcp", content=json.dumps(message), headers=headers)
            )
            waits = asyncio.create_task(reached.wait())
            await asyncio.wait({call, waits}, return_when=asyncio.FIRST_COMPLETED, timeout=10)
            assert reached.is_set(), call.done() and call.result().text
            now[0] = 3.5
            call.cancel()
            async with asyncio.timeout(5):
                await ended.wait()
            await until(lambda: counts(valkey, 3))
    assert query_calls("cancelled") == 1
    assert query_calls("internal") == 0


def query_calls(outcome: str) -> float:
    labels = {"tool": "catalog.query", "outcome": outcome}
    return REGISTRY.get_sample_value("sponsorgraph_tool_calls_total", labels) or 0


async def counts(valkey: Valkey, requests: int) -> bool:
    """Return whether so many requests are counted for the account."""
    keys = [key async for key in valkey.scan_iter("sponsorgraph:{quota}:month:*")]
    return sum([int(await valkey.get(key) or 0) for key in keys]) == requests


META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
