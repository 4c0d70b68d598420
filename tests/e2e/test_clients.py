"""The official clients connect with an API key, list the tools and call one."""

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.clients.node_programs import modern_node
from tests.e2e.conftest import RunningStack

pytestmark = pytest.mark.xdist_group("stack")

CLIENTS = Path(__file__).resolve().parent.parent / "clients"
ROOT = CLIENTS.parent.parent
QUESTION = {"search": "nordvpm", "limit": 3}


def run(command: list[str], stack: RunningStack) -> Any:
    connection = stack.connection
    result = subprocess.run(
        [
            *command,
            connection["mcp_url"],
            connection["api_key"],
            "sponsor.search",
            json.dumps(QUESTION),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.strip().splitlines()[-1])


def check(answer: Any) -> None:
    assert {"sponsor.search", "youtuber.sponsors"} <= set(answer["tools"])
    assert not answer["result"].get("isError")
    assert answer["result"]["structuredContent"]["sponsors"][0]["name"] == "NordVPN"


def test_the_typescript_sdk_1_works(stack: RunningStack) -> None:
    node = modern_node()
    check(run([node, str(CLIENTS / "node" / "sdk1.mjs")], stack))


def test_the_python_sdk_1_works(stack: RunningStack) -> None:
    python = ROOT / ".venv-mcp1" / "bin" / "python"
    if not python.exists():
        pytest.skip("the environment .venv-mcp1 with mcp 1.x is missing (.ci/run makes it)")
    check(run([str(python), str(CLIENTS / "python_sdk1.py")], stack))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_python_sdk_2_works_in_both_eras(stack: RunningStack, mode: Any) -> None:
    connection = stack.connection
    headers = {"authorization": f"Bearer {connection['api_key']}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(connection["mcp_url"], http_client=http)
        async with Client(transport, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("sponsor.search", QUESTION)
    check({"tools": tools, "result": result.model_dump(mode="json", by_alias=True)})
