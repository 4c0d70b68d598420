"""Accounts of attackers and of their victims, on the whole stack of `make run`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest

from tests.clients.person import Person
from tests.e2e.conftest import RunningStack, chromium, stack

__all__ = ["Party", "chromium", "owner", "stack", "stranger"]

STATELESS: Final = "2026-07-28"
PASSWORD: Final = "a password for all of these accounts"
FOLLOWING: Final[dict[str, Any]] = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {
        "extensions": {"io.modelcontextprotocol/tasks": {}}
    },
}


@dataclass(slots=True)
class Party:
    """An account with an API key, and its owner, logged in to the site."""

    stack: RunningStack
    email: str
    key: str
    person: Person
    http: httpx2.AsyncClient

    async def rpc(self, method: str, /, **params: Any) -> httpx2.Response:
        """Send a JSON-RPC request as a script does."""
        return await self._sent(method, params, {})

    async def call(self, tool: str, arguments: Any = None, **params: Any) -> httpx2.Response:
        return await self.rpc("tools/call", name=tool, arguments=arguments or {}, **params)

    async def post_stateless(self, method: str, /, **params: Any) -> httpx2.Response:
        """Send a request as a client of the newest protocol version, with support for tasks."""
        named = str(params.get("taskId") or params.get("name") or params.get("uri") or "")
        headers = {
            "MCP-Protocol-Version": STATELESS,
            "Mcp-Method": method,
            "Accept": "application/json, text/event-stream",
            **({"Mcp-Name": named} if named else {}),
        }
        return await self._sent(method, {**params, "_meta": FOLLOWING}, headers)

    async def _sent(
        self, method: str, params: dict[str, Any], headers: dict[str, str]
    ) -> httpx2.Response:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        # Text may hold what is no text at all: that is for the gateway to find.
        body = json.dumps(message).encode("utf-8", "surrogatepass")
        return await self.http.post("/mcp", content=body, headers=headers)


async def party(stack: RunningStack, address: str) -> Party:
    """Create an account on Creator whose owner visits the site from `address`."""
    email = stack.account("creator", PASSWORD)
    person = Person(stack.connection["site_url"], address)
    assert (await person.log_in(email, PASSWORD)).url.path == "/account"
    key = stack.key(email)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    base = stack.connection["mcp_url"].removesuffix("/mcp")
    http = httpx2.AsyncClient(base_url=base, headers=headers, timeout=30)
    return Party(stack, email, key, person, http)


@pytest.fixture(scope="session")
async def owner(stack: RunningStack) -> AsyncGenerator[Party]:
    """Two accounts of which one attacks the other."""
    found = await party(stack, "198.51.100.1")
    yield found
    await found.person.client.aclose()
    await found.http.aclose()


@pytest.fixture(scope="session")
async def stranger(stack: RunningStack) -> AsyncGenerator[Party]:
    """Another account of the same plan, which attacks the owner's."""
    found = await party(stack, "198.51.100.2")
    yield found
    await found.person.client.aclose()
    await found.http.aclose()
