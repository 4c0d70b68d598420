"""Pushes of the auth service reach what the gateway believes."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from gateway.domain.credentials import StandingChange
from gateway.storage.background import in_background
from gateway.storage.standing_channel import StandingChannel
from gateway.storage.valkey import STANDING_CHANNEL
from tests.integration.gateway.conftest import Valkey


class Listener:
    """Notes what it is told; None stands for everything."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[StandingChange | None] = asyncio.Queue()

    def forget(self, change: StandingChange) -> None:
        self.told.put_nowait(change)

    def forget_all(self) -> None:
        self.told.put_nowait(None)

    async def next(self) -> StandingChange | None:
        return await asyncio.wait_for(self.told.get(), 5)


@pytest.fixture
async def listener(valkey: Valkey) -> AsyncGenerator[Listener]:
    heard = Listener()
    async with in_background(StandingChannel(valkey, heard).run()):
        assert await heard.next() is None
        yield heard


async def _push(valkey: Valkey, **push: str) -> None:
    await valkey.publish(STANDING_CHANNEL, json.dumps(push))


async def test_a_push_names_the_account_and_the_key(valkey: Valkey, listener: Listener) -> None:
    await _push(valkey, account_id="a", credential_id="k", reason="revoked")
    assert await listener.next() == StandingChange("a", "k")


async def test_a_push_of_a_whole_account_names_no_key(valkey: Valkey, listener: Listener) -> None:
    await _push(valkey, account_id="a", reason="plan")
    assert await listener.next() == StandingChange("a")


@pytest.mark.parametrize(
    "push", ["not json", '{"reason":"x"}', '{"account_id":"a","credential_id":5}']
)
async def test_a_push_that_cannot_be_read_drops_everything(
    valkey: Valkey, listener: Listener, push: str
) -> None:
    await valkey.publish(STANDING_CHANNEL, push)
    assert await listener.next() is None


async def test_after_a_lost_connection_everything_is_dropped_and_pushes_arrive_again(
    valkey: Valkey, listener: Listener
) -> None:
    await valkey.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    assert await listener.next() is None
    await _push(valkey, account_id="a")
    assert await listener.next() == StandingChange("a")
