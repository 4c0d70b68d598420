"""Progress of calls: as events before the result, for callers who requested it."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from gateway.app import serve
from gateway.mcp.versions import STATELESS
from protos.imports.v1 import imports_pb2
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import Service, request, settings_for
from tests.integration.gateway.test_protocol_versions import META

BOTH = "application/json, text/event-stream"


def steps(*seen: int) -> list[imports_pb2.ImportStatus]:
    found = [
        imports_pb2.ImportStatus(
            import_id="imp_1",
            channel_title="Example",
            state="running",
            videos_seen=number,
            videos_total=100,
            created_at="2026-11-21T12:00:00Z",
        )
        for number in seen
    ]
    found[-1].state = "done"
    return found


def import_call(token: Any = 1) -> dict[str, Any]:
    message = request("tools/call", name="channel.import", arguments={"channel": "@example"})
    if token is not None:
        message["params"]["_meta"] = {"progressToken": token}
    return message


def events(text: str) -> list[Any]:
    return [
        json.loads(line.removeprefix("data: "))
        for line in text.splitlines()
        if line.startswith("data: ")
    ]


async def test_progress_comes_as_events_and_the_result_last(service: Service) -> None:
    service.backends.import_steps = steps(0, 50, 100)
    reply = await service.post(import_call(), accept=BOTH, mcp_protocol_version="2025-11-25")
    assert reply.headers["content-type"] == "text/event-stream"
    *notifications, response = events(reply.text)
    assert [item["params"]["progress"] for item in notifications] == [0, 50, 100]
    assert {item["params"]["progressToken"] for item in notifications} == {1}
    assert {item["params"]["total"] for item in notifications} == {100}
    assert "50 of 100 videos" in notifications[1]["params"]["message"]
    assert response["id"] == 7
    assert response["result"]["structuredContent"]["state"] == "done"


async def test_progress_never_goes_back(service: Service) -> None:
    service.backends.import_steps = steps(50, 0, 50, 60)
    reply = await service.post(import_call(3), accept=BOTH, mcp_protocol_version="2025-11-25")
    assert [event["params"]["progress"] for event in events(reply.text)[:-1]] == [50, 60]


@pytest.mark.parametrize(
    ("token", "accept"), [(None, BOTH), ("t", "application/json"), (True, BOTH), ([1], BOTH)]
)
async def test_without_a_token_or_a_stream_the_result_comes_at_once(
    service: Service, token: Any, accept: str
) -> None:
    service.backends.import_steps = steps(0, 100)
    reply = await service.post(import_call(token), accept=accept, mcp_protocol_version="2025-11-25")
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["result"]["isError"] is False


async def test_a_call_without_progress_gets_a_json_response(service: Service) -> None:
    message = request("tools/call", name="category.list", arguments={})
    message["params"]["_meta"] = {"progressToken": "t"}
    reply = await service.post(message, accept=BOTH, mcp_protocol_version="2025-11-25")
    assert reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_receives_progress(backends: Backends, fresh_valkey: str, mode: Any) -> None:
    backends.import_steps = steps(0, 50, 100)
    received: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        received.append((progress, total, message))

    async with (
        serve(settings_for(backends, fresh_valkey, port=0)) as port,
        httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}) as http,
    ):
        transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            arguments = {"channel": "@example"}
            result = await client.call_tool(
                "channel.import", arguments, progress_callback=on_progress
            )
    assert result.structured_content
    assert result.structured_content["state"] == "done"
    assert [progress for progress, _, _ in received] == [0, 50, 100]


@pytest.mark.parametrize("version", [STATELESS, "2025-11-25"])
async def test_a_caller_that_goes_away_has_cancelled_in_the_stateless_revision_only(
    service: Service, version: str
) -> None:
    is_cancelled = version == STATELESS
    service.backends.import_steps = steps(0, 50, 100)
    leaves, moved_on = asyncio.Event(), asyncio.Event()
    seen: list[object] = []

    async def wait() -> None:
        seen.append(None)
        # The start returns at once; the first step is received, and the caller leaves.
        if len(seen) == 2:
            leaves.set()
            await asyncio.wait_for(moved_on.wait(), 10)

    service.backends.before_response = wait
    message = import_call()
    message["params"]["_meta"] |= META
    if version != STATELESS:
        del message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]
    headers = {
        "authorization": f"Bearer {KEY}",
        "accept": BOTH,
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "channel.import",
    }
    bodies = [{"type": "http.request", "body": json.dumps(message).encode()}]

    async def receive() -> Any:
        if bodies:
            return bodies.pop()
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        pass

    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": "/mcp", "method": "POST", "query_string": b""}
    call = asyncio.create_task(service.web({**scope, "headers": fields}, receive, send))
    await leaves.wait()
    done, _ = await asyncio.wait({call}, timeout=0.5)
    assert bool(done) is is_cancelled
    moved_on.set()
    await call
    assert await service.counted() == (0 if is_cancelled else 1)


async def test_a_plan_without_imports_is_named_even_when_the_scope_is_missing(
    service: Service,
) -> None:
    service.backends.access.give(KEY, principal(scopes=("catalog:read",), features=()))
    reply = await service.post(import_call(), accept=BOTH, mcp_protocol_version="2025-11-25")
    error = reply.json()["result"]["structuredContent"]["error"]
    assert error["code"] == "plan_required"
    assert "/plans" in error["upgrade_url"]
