"""Pushes of the auth service reach the gateway's cached credentials."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from devstack.engines import Valkey as Server
from devstack.ports import free_port
from gateway.authentication.principal import EntitlementsChange
from gateway.storage import revocation_listener
from gateway.storage.revocation_listener import RevocationListener
from gateway.storage.valkey_client import open_valkey
from servicekit.concurrency.background import in_background
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.integration.gateway.conftest import Valkey


class Listener:
    """Records the changes pushed to it; None stands for everything."""

    def __init__(self) -> None:
        self.changes: asyncio.Queue[EntitlementsChange | None] = asyncio.Queue()
        self.lost = asyncio.Event()

    def forget(self, change: EntitlementsChange) -> None:
        self.changes.put_nowait(change)

    def forget_all(self) -> None:
        self.changes.put_nowait(None)

    def lose_pushes(self) -> None:
        self.lost.set()

    async def next(self) -> EntitlementsChange | None:
        return await asyncio.wait_for(self.changes.get(), 5)


@pytest.fixture
async def listener(valkey: Valkey) -> AsyncGenerator[Listener]:
    made = Listener()
    async with in_background(RevocationListener(valkey, made).run()):
        assert await made.next() is None
        yield made


async def _push(valkey: Valkey, **push: str) -> None:
    await valkey.publish(REVOCATION_CHANNEL, json.dumps(push))


async def test_a_push_names_the_account_and_the_key(valkey: Valkey, listener: Listener) -> None:
    await _push(valkey, account_id="a", credential_id="k", reason="revoked")
    assert await listener.next() == EntitlementsChange("a", "k")


async def test_a_push_of_a_whole_account_names_no_key(valkey: Valkey, listener: Listener) -> None:
    await _push(valkey, account_id="a", reason="plan")
    assert await listener.next() == EntitlementsChange("a")


@pytest.mark.parametrize(
    "push", ["not json", '{"reason":"x"}', '{"account_id":"a","credential_id":5}']
)
async def test_a_push_that_cannot_be_read_drops_everything(
    valkey: Valkey, listener: Listener, push: str
) -> None:
    await valkey.publish(REVOCATION_CHANNEL, push)
    assert await listener.next() is None


async def test_a_channel_without_pushes_stays_while_its_own_messages_come_back(
    valkey: Valkey, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocation_listener, "_PROBE_SECONDS", 0.01)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(listener.lost.wait(), 0.3)
    await _push(valkey, account_id="a")
    assert await listener.next() == EntitlementsChange("a")


async def test_a_server_that_hangs_is_found_though_its_connection_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocation_listener, "_PROBE_SECONDS", 0.05)
    monkeypatch.setattr(revocation_listener, "_SILENCE_SECONDS", 0.2)
    server = Server(free_port(), "test", tmp_path / "log")
    server.start()
    client: Valkey = open_valkey(server.url(), timeout=0.2)
    listener = Listener()
    channel = RevocationListener(client, listener)
    try:
        async with in_background(channel.run()):
            assert await listener.next() is None
            assert server.process is not None
            server.process.send_signal(signal.SIGSTOP)
            await asyncio.wait_for(listener.lost.wait(), 5)
            assert not channel.listening.is_set()
            server.process.send_signal(signal.SIGCONT)
            assert await listener.next() is None
            assert channel.listening.is_set()
    finally:
        await client.aclose()
        server.stop()


async def test_a_connection_that_lives_without_its_subscription_is_found(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocation_listener, "_PROBE_SECONDS", 0.05)
    monkeypatch.setattr(revocation_listener, "_SILENCE_SECONDS", 0.5)
    opened: list[Any] = []
    open_channel = valkey.pubsub

    def pubsub() -> Any:
        opened.append(open_channel())
        return opened[-1]

    monkeypatch.setattr(valkey, "pubsub", pubsub)
    listener = Listener()
    async with in_background(RevocationListener(valkey, listener).run()):
        assert await listener.next() is None
        await opened[-1].unsubscribe(REVOCATION_CHANNEL)
        await asyncio.wait_for(listener.lost.wait(), 5)
        assert await listener.next() is None
        await _push(valkey, account_id="a")
        assert await listener.next() == EntitlementsChange("a")


async def test_messages_of_other_listeners_change_nothing(
    valkey: Valkey, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocation_listener, "_PROBE_SECONDS", 0.01)
    other = Listener()
    async with in_background(RevocationListener(valkey, other).run()):
        assert await other.next() is None
        await _push(valkey, account_id="a")
        assert await listener.next() == EntitlementsChange("a")
        assert await other.next() == EntitlementsChange("a")


async def test_after_a_lost_connection_everything_is_dropped_and_pushes_arrive_again(
    valkey: Valkey, listener: Listener
) -> None:
    await valkey.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
    await asyncio.wait_for(listener.lost.wait(), 5)
    assert await listener.next() is None
    await _push(valkey, account_id="a")
    assert await listener.next() == EntitlementsChange("a")
