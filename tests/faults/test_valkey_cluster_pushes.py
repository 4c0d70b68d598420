"""Listeners of revocations while the node of a Valkey cluster at which they subscribed fails in several ways."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from redis.exceptions import RedisError

from gateway.authentication.principal import EntitlementsChange
from gateway.storage.revocation_listener import RevocationListener
from gateway.storage.valkey_client import open_valkey
from servicekit.concurrency.background import in_background
from servicekit.valkey_keys import REVOCATION_CHANNEL
from tests.fakes.valkey_cluster import PRIMARIES, Cluster, Node, running_cluster, wait_until
from tests.integration.gateway.conftest import until

pytestmark = [pytest.mark.timeout(180)]

ARRIVAL_SECONDS: Final = 20.0
"""Six of silence, the time in which a replica is promoted, and what a busy machine adds."""


class Changes:
    """The accounts whose changes were received."""

    def __init__(self) -> None:
        self.accounts: set[str] = set()

    def forget(self, change: EntitlementsChange) -> None:
        self.accounts.add(change.account_id)

    def forget_all(self) -> None: ...

    def lose_pushes(self) -> None: ...


@pytest.fixture
def cluster(tmp_path: Path) -> Generator[Cluster]:
    with running_cluster(tmp_path) as found:
        yield found


def kill(cluster: Cluster) -> None:
    """Kill the node, and start it again once its replica is promoted."""
    node = cluster.primary_of(REVOCATION_CHANNEL)
    node.kill()
    _wait_for_promotion(cluster, node)
    node.start()


def stop(cluster: Cluster) -> None:
    """Stop the node, and let it go on once its replica is promoted: its connections stay open."""
    node = cluster.primary_of(REVOCATION_CHANNEL)
    assert node.process is not None
    node.process.send_signal(signal.SIGSTOP)
    _wait_for_promotion(cluster, node)
    node.process.send_signal(signal.SIGCONT)


def promote(cluster: Cluster) -> None:
    cluster.promote(REVOCATION_CHANNEL)


def lose_majority(cluster: Cluster) -> None:
    """Kill two primaries, so that nothing can be promoted, and start them again."""
    node = cluster.primary_of(REVOCATION_CHANNEL)
    others = [found for found in _primaries(cluster) if found is not node]
    for killed in (node, others[0]):
        killed.kill()
    for killed in (node, others[0]):
        killed.start()


def reset(cluster: Cluster) -> Node:
    """Take the node out of the cluster: it answers pings, and nothing that is published comes to it."""
    node = cluster.promote(REVOCATION_CHANNEL)
    node.command("CLUSTER RESET")
    return node


def _wait_for_promotion(cluster: Cluster, failed: Node) -> None:
    wait_until(
        lambda: cluster.port_of(REVOCATION_CHANNEL, but=failed) != failed.port,
        "nothing is promoted",
    )


def _primaries(cluster: Cluster) -> list[Node]:
    return [node for node in cluster.nodes if node.command("ROLE")[0] == b"master"]


def _is_whole(cluster: Cluster) -> bool:
    """Return whether each primary has a replica that follows it."""
    with suppress(RedisError):
        return len(_primaries(cluster)) == PRIMARIES and all(
            b"connected" in node.command("ROLE")
            for node in cluster.nodes
            if node.command("ROLE")[0] == b"slave"
        )
    return False


async def test_both_listeners_receive_revocations_after_each_fault(
    cluster: Cluster,
) -> None:
    clients = [open_valkey(cluster.url(), timeout=1) for _ in range(2)]
    handlers = [Changes() for _ in clients]
    first, second = [
        RevocationListener(client, handler)
        for client, handler in zip(clients, handlers, strict=True)
    ]
    faults: list[Callable[[Cluster], Node | None]] = [
        kill,
        promote,
        stop,
        lose_majority,
        stop,
        reset,
    ]
    try:
        async with in_background(first.run()), in_background(second.run()):
            for number, fault in enumerate(faults):
                await _received(cluster, None, handlers, f"before-{number}")
                failed = await asyncio.to_thread(fault, cluster)
                await _received(cluster, failed, handlers, f"after-{number}")
                if fault is not reset:
                    whole = "the cluster is not whole"
                    await asyncio.to_thread(wait_until, lambda: _is_whole(cluster), whole)
    finally:
        for client in clients:
            await client.aclose()


async def _received(
    cluster: Cluster, failed: Node | None, handlers: list[Changes], account_id: str
) -> None:
    """Wait until a change is received by all that is published at the node that has the channel's slot now.

    It is published again and again, as pushes without a subscriber are lost.
    """
    push = json.dumps({"account_id": account_id})

    def publish() -> None:
        port = cluster.port_of(REVOCATION_CHANNEL, but=failed)
        for node in cluster.nodes:
            if node.port == port and node is not failed:
                node.command("PUBLISH", REVOCATION_CHANNEL, push)

    async def is_received() -> bool:
        with suppress(RedisError, OSError):
            await asyncio.to_thread(publish)
        return all(account_id in handler.accounts for handler in handlers)

    await until(is_received, ARRIVAL_SECONDS)
