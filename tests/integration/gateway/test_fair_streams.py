"""Streams are shared by accounts: who has most gives one up for who has none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import httpx2
import pytest

from gateway.mcp.versions import STATELESS
from protos.imports.v1 import imports_pb2
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import request, until
from tests.integration.gateway.test_progress import BOTH, events, steps
from tests.integration.gateway.test_protocol_versions import META
from tests.integration.gateway.test_requirements import LISTEN, gateway_on_socket

OTHER: Final = "mcp_" + "o" * 36
THIRD: Final = "mcp_" + "t" * 36
FOLLOWED: Final = 2
SESSION_BASED: Final = "2025-06-18"


class Streams:
    """Streams of two accounts at one gateway."""

    def __init__(self, url: str, http: httpx2.AsyncClient, stack: AsyncExitStack) -> None:
        self.url = url
        self.http = http
        self.stack = stack

    async def call(self, key: str, tool: str, **arguments: object) -> httpx2.Response:
        """The whole response to a call that wants progress."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}
        headers = {
            "authorization": f"Bearer {key}",
            "accept": BOTH,
            "mcp-protocol-version": SESSION_BASED,
        }
        return await self.http.post(self.url, json=request("tools/call", **params), headers=headers)

    @asynccontextmanager
    async def following(
        self, key: str, count: int
    ) -> AsyncGenerator[list[asyncio.Task[httpx2.Response]]]:
        """So many calls that follow the account's import until the end of the block."""
        name = {KEY: "imp_1", OTHER: "imp_2"}[key]
        calls = [
            asyncio.create_task(self.call(key, "channel.importStatus", import_id=name))
            for _ in range(count)
        ]
        try:
            yield calls
        finally:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    async def listen(self, key: str) -> tuple[httpx2.Response, Any]:
        """A response to `subscriptions/listen`, and its lines."""
        message = request(LISTEN, notifications={}, _meta=META)
        headers = {
            "authorization": f"Bearer {key}",
            "accept": BOTH,
            "mcp-protocol-version": STATELESS,
            "mcp-method": LISTEN,
        }
        stream = self.http.stream("POST", self.url, json=message, headers=headers)
        reply = await self.stack.enter_async_context(stream)
        return reply, reply.aiter_lines()


async def comes(lines: Any, text: str) -> bool:
    """Return whether the text comes on a stream before it ends."""
    async for line in lines:
        if text in line:
            return True
    return False


@pytest.fixture
async def streams(backends: Backends, fresh_valkey: str) -> AsyncGenerator[Streams]:
    """Slots for three streams, two of which an account may have to follow imports."""
    backends.access.give(OTHER, principal(account_id="account-2", credential_id="key-2"))
    backends.access.give(THIRD, principal(account_id="account-3", credential_id="key-3"))
    bounds = {"max_streams": 3, "follow_per_account": FOLLOWED}
    async with (
        gateway_on_socket(backends, fresh_valkey, **bounds) as (_, url),
        httpx2.AsyncClient(timeout=20) as http,
        AsyncExitStack() as stack,
    ):
        yield Streams(url, http, stack)


async def test_an_account_that_holds_all_streams_gives_the_newest_up(streams: Streams) -> None:
    held = [await streams.listen(KEY) for _ in range(3)]
    for _, lines in held:
        assert await comes(lines, "acknowledged")
    _, lines = await streams.listen(OTHER)
    assert await comes(lines, "acknowledged")
    assert await comes(held[2][1], '"code":"unavailable"')
    reply, _ = await streams.listen(KEY)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    # The other two, and the one of the other account, go on: each has the slot that it had.
    reply, _ = await streams.listen(OTHER)
    assert reply.status_code == 503


async def test_a_result_that_was_paid_for_is_not_given_up(
    streams: Streams, backends: Backends
) -> None:
    gate = asyncio.Event()

    async def wait() -> None:
        await gate.wait()

    backends.before_response = wait
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(streams.call(KEY, "sponsor.top", limit=at)) for at in (1, 2)]
        await until(lambda: _are(len(backends.requests), 2))
        # A third slot would be the last one.
        assert (await streams.call(KEY, "sponsor.top", limit=3)).status_code == 503
        _, lines = await streams.listen(OTHER)
        assert await comes(lines, "acknowledged")
        reply, _ = await streams.listen(THIRD)
        assert reply.status_code == 503
        gate.set()
    assert {call.result().status_code for call in calls} == {200}


@pytest.fixture
def running_imports(backends: Backends) -> list[None]:
    """An import of each account that goes on without news; has an entry for each that follows one."""
    for number in (1, 2):
        name = f"imp_{number}"
        backends.imports[f"account-{number}", name] = imports_pb2.ImportStatus(
            import_id=name, state="running", created_at="2026-11-21T12:00:00Z"
        )
    backends.import_steps = steps(10, 100)
    follower_limit: list[None] = []
    known = 0

    async def wait() -> None:
        nonlocal known
        if len(backends.requests) > known:
            known = len(backends.requests)
            return
        follower_limit.append(None)
        await asyncio.Event().wait()

    backends.before_response = wait
    return follower_limit


async def test_a_follower_of_an_import_gets_its_progress_when_another_needs_the_slot(
    streams: Streams, running_imports: list[None]
) -> None:
    async with streams.following(KEY, FOLLOWED) as following:
        await until(lambda: _are(len(running_imports), FOLLOWED))
        for key in (OTHER, THIRD):
            _, lines = await streams.listen(key)
            assert await comes(lines, "acknowledged")
        done, _ = await asyncio.wait(following, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        (cut,) = done
        result = events(cut.result().text)[-1]["result"]
    assert (result["isError"], result["structuredContent"]["state"]) == (False, "running")
    assert result["structuredContent"]["videos_seen"] == 10


async def test_an_account_follows_only_so_many_imports_at_once(
    streams: Streams, running_imports: list[None]
) -> None:
    async with streams.following(KEY, FOLLOWED):
        await until(lambda: _are(len(running_imports), FOLLOWED))
        for _ in range(3):
            async with asyncio.timeout(10):
                reply = await streams.call(KEY, "channel.importStatus", import_id="imp_1")
            assert reply.json()["result"]["structuredContent"]["state"] == "running"
        assert len(running_imports) == FOLLOWED
        async with streams.following(OTHER, 1):
            await until(lambda: _are(len(running_imports), FOLLOWED + 1))


async def _are(count: int, wanted: int) -> bool:
    return count == wanted


async def test_without_a_credential_no_slot_is_taken(streams: Streams) -> None:
    for _ in range(5):
        reply, _ = await streams.listen("mcp_" + "n" * 36)
        assert reply.status_code == 401
    _, lines = await streams.listen(KEY)
    assert await comes(lines, "acknowledged")
