"""Real clients connect from nothing but the URL: a person logs in and approves, the tools work."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.auth import OAuth

from devstack.ports import free_port
from tests.clients import python_oauth
from tests.clients.node_programs import modern_node
from tests.clients.oauth import OAuthClient
from tests.clients.person import Person
from tests.e2e.conftest import RunningStack

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "clients" / "node"
ARGUMENTS = {"search": "nordvpm", "limit": 3}
_URL = re.compile(r"https?://[^\s\"'<>]+/oauth/authorize\?[^\s\"'<>]+")


@pytest.fixture
def node() -> str:
    return modern_node()


@asynccontextmanager
async def somebody(stack: RunningStack) -> AsyncGenerator[Person]:
    """The demo account's owner, logged in."""
    connection = stack.connection
    async with Person(connection["site_url"]) as person:
        await person.log_in(connection["email"], connection["password"])
        yield person


async def run(
    stack: RunningStack, command: list[str], *, by_itself: bool = False, **environment: str
) -> str:
    """Runs a client; approves the authorization that it asks for. All that it printed.

    The callback goes to where the client listens, or as a line to the client's stdin. A client
    `by_itself` has a browser of its own.
    """
    seconds = 60
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=FOLDER,
        env={**os.environ, **environment},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdin
    assert process.stdout
    printed = ""
    decided = by_itself
    try:
        async with asyncio.timeout(seconds), somebody(stack) as person:
            while chunk := await process.stdout.read(65_536):
                printed += chunk.decode()
                found = _URL.search(printed)
                if found and not decided and not printed.endswith(found.group()):
                    decided = True
                    location = await person.decide(found.group())
                    if printed.lstrip().startswith("OPEN "):
                        process.stdin.write(f"{location}\n".encode())
                    else:
                        patient = httpx2.AsyncHTTPTransport(retries=20)
                        async with httpx2.AsyncClient(transport=patient) as browser:
                            await browser.get(location)
            await process.wait()
    except TimeoutError:
        raise AssertionError(f"no end after {seconds} s:\n{printed}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, printed
    return printed


def last_json(printed: str) -> Any:
    return json.loads(printed.strip().splitlines()[-1])


def check(response: Any) -> None:
    assert {"sponsor_search", "youtuber_sponsors"} <= set(response["tools"])
    assert not response["result"].get("isError")
    assert response["result"]["structuredContent"]["sponsors"][0]["name"] == "NordVPN"


@pytest.mark.parametrize("script", ["oauth_sdk1.mjs", "oauth_client2.mjs"])
async def test_the_typescript_clients_connect_and_refresh(
    stack: RunningStack, node: str, script: str
) -> None:
    command = [node, script, stack.connection["mcp_url"], "sponsor.search", json.dumps(ARGUMENTS)]
    response = last_json(await run(stack, command))
    check(response)
    assert response["refreshed"]


@pytest.mark.parametrize("algorithm", ["ES256", "ES384", "EdDSA"])
async def test_the_typescript_client_binds_its_tokens_to_a_key(
    stack: RunningStack, node: str, algorithm: str
) -> None:
    url = stack.connection["mcp_url"]
    command = [node, "oauth_client2.mjs", url, "sponsor.search", json.dumps(ARGUMENTS), algorithm]
    response = last_json(await run(stack, command))
    check(response)
    assert (response["refreshed"], response["type"]) == (True, "DPoP")


async def test_oauth4webapi_finds_nothing_wrong(stack: RunningStack, node: str) -> None:
    url = stack.connection["mcp_url"]
    summary = last_json(await run(stack, [node, "oauth4webapi.mjs", url]))
    assert summary == {
        "audience": url,
        "scope": "catalog:read",
        "rotated": True,
        "afterRevocation": "invalid_grant",
    }


@pytest.mark.parametrize("algorithm", ["ES256", "ES384", "Ed25519"])
async def test_oauth4webapi_pushes_its_request_and_binds_its_tokens(
    stack: RunningStack, node: str, algorithm: str
) -> None:
    url = stack.connection["mcp_url"]
    command = [node, "oauth4webapi_bound.mjs", url, algorithm]
    summary = last_json(await run(stack, command))
    algorithms = "ES256 ES384 Ed25519 EdDSA"
    assert summary == {
        "algorithms": [algorithms.split()] * 2,
        "expires": 90,
        "type": "dpop",
        "tools": True,
        "asBearer": [401, "bearer", "invalid_token", None],
        "withAnotherKey": [401, "dpop", "invalid_dpop_proof", algorithms],
        "nobody": 401,
        "stolen": "invalid_grant",
        "rotated": True,
        "refreshedWorks": 200,
    }


async def test_mcp_remote_connects(stack: RunningStack, node: str, tmp_path: Path) -> None:
    program = "node_modules/mcp-remote/dist/client.js"
    printed = await run(
        stack,
        [node, program, stack.connection["mcp_url"], str(free_port()), "--allow-http"],
        MCP_REMOTE_CONFIG_DIR=str(tmp_path),
        BROWSER="/bin/true",
    )
    assert "sponsor_search" in printed


async def test_the_inspector_connects(stack: RunningStack, node: str, tmp_path: Path) -> None:
    command = [node, "node_modules/.bin/mcp-inspector", "--cli", stack.connection["mcp_url"]]
    printed = await run(
        stack,
        [*command, "--transport", "http", "--method", "tools/list"],
        HOME=str(tmp_path),
        MCP_AUTO_OPEN_ENABLED="true",
        BROWSER="/bin/true",
    )
    assert "sponsor_search" in printed


async def test_the_conformance_suite_passes_for_the_authorization_server(
    stack: RunningStack, node: str, tmp_path: Path
) -> None:
    connection, port = stack.connection, free_port()
    client = await OAuthClient.registered(
        connection["site_url"], connection["mcp_url"], f"http://127.0.0.1:{port}/callback"
    )
    program = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    arguments = ["authorization", "--url", client.issuer, "--client-id", client.client_id]
    arguments += ["--port", str(port), "--resource", client.resource, "-o", str(tmp_path)]
    printed = await run(stack, [node, program, *arguments])
    assert re.search(r"3 passed, 0 failed|Passed: 3/3", printed), printed


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_python_sdk_connects(stack: RunningStack, mode: Any) -> None:
    async with somebody(stack) as person:
        url = stack.connection["mcp_url"]
        check(await python_oauth.call_tool(url, person, "sponsor.search", ARGUMENTS, mode=mode))


class _HeadlessOAuth(OAuth):
    """FastMCP's own client, with a person in place of the browser that it would open."""

    person: Person

    async def redirect_handler(self, authorization_url: str) -> None:
        location = await self.person.decide(authorization_url)
        self.landing = asyncio.create_task(self._land(location))

    @staticmethod
    async def _land(location: str) -> None:
        async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(retries=20)) as browser:
            await browser.get(location)


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
async def test_the_fastmcp_client_connects(stack: RunningStack) -> None:
    async with somebody(stack) as person:
        auth = _HeadlessOAuth(callback_port=free_port(), callback_timeout=30)
        auth.person = person
        async with FastClient(stack.connection["mcp_url"], auth=auth) as client:
            tools = [tool.name for tool in await client.list_tools()]
            result = await client.call_tool("sponsor.search", ARGUMENTS)
    assert "sponsor_search" in tools
    assert result.structured_content
    assert result.structured_content["sponsors"][0]["name"] == "NordVPN"


async def test_authlab_grades_it_a(stack: RunningStack, tmp_path: Path) -> None:
    lab = [str(Path(sys.executable).parent / "mcp-authlab")]
    connection = stack.connection
    at_home = {
        "HOME": str(tmp_path),
        "BROWSER": f"{sys.executable} -m tests.clients.approve %s",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "SITE_URL": connection["site_url"],
        "EMAIL": connection["email"],
        "PASSWORD": connection["password"],
    }
    url = connection["mcp_url"]
    await run(stack, [*lab, "login", url], by_itself=True, **at_home)
    scan = [*lab, "scan", url, "--fail-under", "A", "--no-color"]
    printed = await run(stack, scan, by_itself=True, **at_home)
    assert "grade A" in printed
    assert " 0 fail " in printed
