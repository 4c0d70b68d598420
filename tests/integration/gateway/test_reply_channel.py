"""Replies from one gateway to another through Valkey."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from devstack.engines import Valkey
from devstack.ports import free_port
from gateway.storage.reply_channel import ValkeyReplyChannel
from gateway.storage.valkey_client import open_valkey
from servicekit.concurrency.background import in_background
from servicekit.errors import Unavailable

ADDRESS, OTHER = "a" * 64, "b" * 64


@pytest.fixture
async def reply_channels(fresh_valkey: str) -> AsyncGenerator[list[ValkeyReplyChannel]]:
    """Those of two gateways."""
    found: list[ValkeyReplyChannel] = []
    async with AsyncExitStack() as stack:
        for _ in range(2):
            quick, patient = (
                open_valkey(fresh_valkey, timeout=5),
                open_valkey(fresh_valkey, timeout=10),
            )
            stack.push_async_callback(quick.aclose)
            stack.push_async_callback(patient.aclose)
            reply_channel = ValkeyReplyChannel(quick, patient, waits_seconds=30)
            await stack.enter_async_context(in_background(reply_channel.run()))
            found.append(reply_channel)
        yield found


async def test_a_reply_reaches_the_gateway_that_waits(
    reply_channels: list[ValkeyReplyChannel],
) -> None:
    first, second = reply_channels
    async with first.waiting(ADDRESS) as reply_bytes, second.waiting(OTHER) as other:
        assert await second.post(ADDRESS, b"to the first")
        assert await first.post(OTHER, b"to the second")
        assert await asyncio.wait_for(reply_bytes, 10) == b"to the first"
        assert await asyncio.wait_for(other, 10) == b"to the second"


async def test_a_reply_that_nobody_waits_for_leaves_nothing_behind(
    reply_channels: list[ValkeyReplyChannel], valkey: Any
) -> None:
    first, second = reply_channels
    async with first.waiting(ADDRESS):
        assert not await second.post(OTHER, b"to nobody")
        assert await valkey.dbsize() == 1
    assert not await second.post(ADDRESS, b"too late")
    assert await valkey.dbsize() == 0


async def test_only_the_first_reply_to_an_address_is_accepted(
    reply_channels: list[ValkeyReplyChannel],
) -> None:
    first, second = reply_channels
    async with first.waiting(ADDRESS) as reply_bytes:
        assert await second.post(ADDRESS, b"first")
        assert not await second.post(ADDRESS, b"second")
        assert await asyncio.wait_for(reply_bytes, 10) == b"first"


async def test_replies_that_nobody_fetches_and_addresses_that_nobody_leaves_expire(
    fresh_valkey: str, valkey: Any
) -> None:
    async with AsyncExitStack() as stack:
        stopped = ValkeyReplyChannel(valkey, valkey, waits_seconds=30)
        await stack.enter_async_context(stopped.waiting(OTHER))
        await stack.enter_async_context(stopped.waiting(ADDRESS))
        assert await stopped.post(ADDRESS, b"to a gateway that has stopped")
        keys = [key async for key in valkey.scan_iter("*")]
        assert len(keys) == 2
        for key in keys:
            assert 0 < await valkey.ttl(key) <= 60


async def test_a_lost_connection_loses_no_reply(
    reply_channels: list[ValkeyReplyChannel], valkey: Any
) -> None:
    first, second = reply_channels
    async with first.waiting(ADDRESS) as reply_bytes:
        await valkey.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        assert await second.post(ADDRESS, b"all the same")
        assert await asyncio.wait_for(reply_bytes, 10) == b"all the same"


async def test_without_valkey_no_reply_is_posted_or_awaited() -> None:
    nowhere = open_valkey("redis://127.0.0.1:1", timeout=1)
    reply_channel = ValkeyReplyChannel(nowhere, nowhere, waits_seconds=30)
    with pytest.raises(Unavailable):
        await reply_channel.post(ADDRESS, b"x")
    with pytest.raises(Unavailable):
        async with reply_channel.waiting(ADDRESS):
            pytest.fail("nobody can be waited for")
    await nowhere.aclose()


async def test_replies_arrive_again_by_themselves_when_valkey_is_back(tmp_path: Path) -> None:
    server = Valkey(free_port(), "test", tmp_path / "log")
    server.start()
    quick, patient = open_valkey(server.url(), timeout=5), open_valkey(server.url(), timeout=10)
    reply_channel = ValkeyReplyChannel(quick, patient, waits_seconds=30)
    try:
        async with in_background(reply_channel.run()):
            server.stop()
            with pytest.raises(Unavailable):
                await reply_channel.post(ADDRESS, b"to nobody")
            server.start()
            async with reply_channel.waiting(ADDRESS) as reply_bytes:
                assert await reply_channel.post(ADDRESS, b"again")
                assert await asyncio.wait_for(reply_bytes, 5) == b"again"
    finally:
        await quick.aclose()
        await patient.aclose()
        server.stop()
