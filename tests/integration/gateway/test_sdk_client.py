"""The official Python SDK over a real socket, in both generations of the protocol."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal

import httpx2
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from gateway.app import serve
from gateway.tools import all_tools
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.fakes.listed_tools import LISTED
from tests.integration.gateway.conftest import settings_for

Mode = Literal["auto", "legacy"]
IN_BOTH_MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@asynccontextmanager
async def connected(url: str, mode: Mode) -> AsyncGenerator[Client]:
    """A client in the test's own task, as the SDK demands."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@IN_BOTH_MODES
async def test_the_sdk_lists_the_tools_and_their_hints(url: str, mode: Mode) -> None:
    async with connected(url, mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [tool.alias for tool in LISTED]
    hinted = [tool.annotations and tool.annotations.read_only_hint for tool in tools]
    assert hinted == [tool.hints.read_only for tool in LISTED]
    assert all(tool.output_schema for tool in tools)


@IN_BOTH_MODES
async def test_the_sdk_calls_every_tool_and_checks_results_against_their_schemas(
    url: str, mode: Mode, backends: Backends
) -> None:
    backends.access.give(KEY, principal(scopes=("catalog:read", "channels:import")))
    async with connected(f"{url}?toolsets=all", mode) as client:
        for tool in all_tools():
            needed = {"sponsor", "video", *tool.input_schema.get("required", [])}
            arguments = {
                name: ["nordvpn", "surfshark"]
                if field.get("type") == "array"
                else field.get("enum", ["nordvpn"])[0]
                for name, field in tool.input_schema["properties"].items()
                if name in needed
            }
            if tool.name == "catalog.export":
                arguments["tool"] = "sponsor.search"
            result = await client.call_tool(tool.name, arguments)
            assert not result.is_error, f"{tool.name}: {result.content}"
            assert result.structured_content


@IN_BOTH_MODES
async def test_the_sdk_returns_the_text_of_a_failed_call(
    url: str, mode: Mode, backends: Backends
) -> None:
    backends.access.used = 1000
    async with connected(url, mode) as client:
        wrong = await client.call_tool("sponsor.top", {"limit": 51})
        refused = await client.call_tool("sponsor.top", {})
    assert wrong.is_error
    assert isinstance(wrong.content[0], TextContent)
    assert "from 1 to 50" in wrong.content[0].text
    assert refused.is_error
    assert refused.structured_content
    assert refused.structured_content["error"]["code"] == "quota_exceeded"


@IN_BOTH_MODES
async def test_the_sdk_raises_the_nearest_names_of_an_unknown_tool(url: str, mode: Mode) -> None:
    async with connected(url, mode) as client:
        with pytest.raises(MCPError, match=r"Did you mean sponsor_search"):
            await client.call_tool("sponsor.serch", {})


@pytest.mark.parametrize(("mode", "revision"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_the_sdk_chooses_the_newest_revision_of_its_mode(
    url: str, mode: Mode, revision: str
) -> None:
    async with connected(url, mode) as client:
        assert client.protocol_version == revision


async def test_calls_under_way_complete_before_the_server_stops(
    backends: Backends, fresh_valkey: str
) -> None:
    reached, proceed = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        reached.set()
        await proceed.wait()

    backends.before_response = wait
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    message |= {"params": {"name": "category.list"}}
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}) as http:
        async with serve(settings_for(backends, fresh_valkey, port=0)) as port:
            call = asyncio.create_task(http.post(f"http://127.0.0.1:{port}/mcp", json=message))
            await reached.wait()
            asyncio.get_running_loop().call_later(0.2, proceed.set)
        assert (await call).json()["result"]["isError"] is False
