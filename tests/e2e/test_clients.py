"""The official clients connect to a whole stack with an API key, list the tools and call one."""

import json

import pytest

from tests.e2e.conftest import RunningStack
from tests.e2e.matrix import CLIENTS, take_steps


@pytest.mark.parametrize("client", ["python1", "python2-auto", "python2-legacy", "typescript1"])
async def test_official_clients_list_the_tools_and_call_one(
    stack: RunningStack, client: str
) -> None:
    url, key = stack.connection["mcp_url"], stack.connection["api_key"]
    seen = await take_steps(CLIENTS[client], url, key, "tools", "call")
    assert {"sponsor_search", "youtuber_sponsors"} <= set(seen["tools"])
    assert json.loads(seen["call"])["sponsors"][0]["name"] == "NordVPN"
