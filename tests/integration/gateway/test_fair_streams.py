"""Streams are shared by accounts: who has most gives one up for who has none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any, Final

import httpx
import pytest

from gateway.mcp_face.revisions import MODERN
from tests.fakes.backends import Backends
from tests.fakes.gateway_ports import KEY, principal
from tests.integration.gateway.conftest import request, until
from tests.integration.gateway.test_eras import META
from tests.integration.gateway.test_progress import BOTH
from tests.integration.gateway.test_requirements import LISTEN, gateway_on_socket

OTHER: Final = "mcp_" + "o" * 36


class Streams:
    """Streams of two accounts at one gateway."""

    def __init__(self, url: str, http: httpx.AsyncClient, stack: AsyncExitStack) -> None:
        self.url = url
        self.http = http
        self.stack = stack

    async def listen(self, key: str) -> tuple[httpx.Response, Any]:
        """An answer to `subscriptions/listen`, and its lines."""
        message = request(LISTEN, notifications={}, _meta=META)
        headers = {
            "authorization": f"Bearer {key}",
            "accept": BOTH,
            "mcp-protocol-version": MODERN,
            "mcp-method": LISTEN,
        }
        asked = self.http.stream("POST", self.url, json=message, headers=headers)
        reply = await self.stack.enter_async_context(asked)
        return reply, reply.aiter_lines()


async def heard(lines: Any, text: str) -> bool:
    """Whether a stream says so before it ends."""
    async for line in lines:
        if text in line:
            return True
    return False


@pytest.fixture
async def streams(backends: Backends, fresh_valkey: str) -> AsyncGenerator[Streams]:
    """Places for three streams."""
    backends.access.give(OTHER, principal(account_id="account-2", credential_id="key-2"))
    async with (
        gateway_on_socket(backends, fresh_valkey, most_streams=3) as (_, url),
        httpx.AsyncClient(timeout=20) as http,
        AsyncExitStack() as stack,
    ):
        yield Streams(url, http, stack)


async def test_who_holds_all_streams_gives_the_newest_up(streams: Streams) -> None:
    held = [await streams.listen(KEY) for _ in range(3)]
    for _, lines in held:
        assert await heard(lines, "acknowledged")
    _, lines = await streams.listen(OTHER)
    assert await heard(lines, "acknowledged")
    assert await heard(held[2][1], '"code":"unavailable"')
    reply, _ = await streams.listen(KEY)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    # The other two, and the one of the other account, go on: each has the place that it had.
    reply, _ = await streams.listen(OTHER)
    assert reply.status_code == 503


async def test_an_answer_that_was_paid_for_is_not_given_up(
    streams: Streams, backends: Backends
) -> None:
    gate = asyncio.Event()

    async def wait() -> None:
        await gate.wait()

    backends.before_answer = wait
    body = request("tools/call", name="sponsor.top", arguments={}, _meta={"progressToken": 1})
    headers = {"authorization": f"Bearer {KEY}", "accept": BOTH}
    async with asyncio.TaskGroup() as group:
        calls = [
            group.create_task(streams.http.post(streams.url, json=body, headers=headers))
            for _ in range(3)
        ]

        async def all_wait() -> bool:
            return len(backends.questions) == 3

        await until(all_wait)
        reply, _ = await streams.listen(OTHER)
        assert reply.status_code == 503
        gate.set()
    assert {call.result().status_code for call in calls} == {200}


async def test_without_a_credential_no_place_is_taken(streams: Streams) -> None:
    for _ in range(5):
        reply, _ = await streams.listen("mcp_" + "n" * 36)
        assert reply.status_code == 401
    _, lines = await streams.listen(KEY)
    assert await heard(lines, "acknowledged")
