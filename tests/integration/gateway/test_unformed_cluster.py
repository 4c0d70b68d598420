"""A node of a Valkey cluster that is formed later, or that loses all that it knew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import redis

from gateway.storage.valkey_client import open_valkey
from servicekit.valkey import open_client, open_sync_client
from tests.fakes.cluster_fleet import is_ready
from tests.fakes.valkey_cluster import Node, running_node, wait_until
from tests.integration.gateway.conftest import OpenGateway, until

pytestmark = [pytest.mark.timeout(120)]


@pytest.fixture
def node(tmp_path: Path) -> Generator[Node]:
    with running_node(tmp_path / "node") as found:
        yield found


def of_gateway(url: str) -> Any:
    return open_valkey(url, timeout=2)


def of_others(url: str) -> Any:
    return open_client(url, socket_timeout=2)


@pytest.mark.parametrize("opening", [of_gateway, of_others])
async def test_a_client_finds_the_slots_of_a_cluster_that_is_formed_later(
    node: Node, opening: Callable[[str], Any]
) -> None:
    client = opening(node.url())
    try:
        for _ in range(3):
            with pytest.raises(redis.ConnectionError, match="has no slots yet"):
                await client.get("key")
        node.form()
        await _works(client)
        await asyncio.to_thread(node.wipe)

        async def has_no_slots() -> bool:
            try:
                await client.get("key")
            except redis.RedisError as error:
                return "has no slots yet" in str(error)
            return False

        await until(has_no_slots)
        node.form()
        await _works(client)
    finally:
        await client.aclose()


@pytest.mark.parametrize("opening", [of_gateway, of_others])
async def test_commands_for_slots_that_no_node_has_fail_as_those_of_a_lost_connection(
    node: Node, opening: Callable[[str], Any]
) -> None:
    node.command("CLUSTER ADDSLOTSRANGE", 0, 100)
    client = opening(node.url())
    try:
        for _ in range(2):
            with pytest.raises(redis.RedisError):
                await client.get("key")
            with pytest.raises(redis.RedisError):
                await client.register_script("return 1")(["key"])
            with pytest.raises(redis.RedisError):
                async with client.pubsub() as channel:
                    await channel.subscribe("key")
        node.command("CLUSTER ADDSLOTSRANGE", 101, 16_383)
        await _works(client)
    finally:
        await client.aclose()


async def _works(client: Any) -> None:
    async def is_written() -> bool:
        try:
            return await client.set("key", 1)
        except redis.RedisError:
            return False

    await until(is_written)


def test_a_client_that_cannot_await_finds_the_slots_again(node: Node) -> None:
    with pytest.raises(redis.ConnectionError, match="has no slots yet"):
        open_sync_client(node.url(), socket_timeout=2)
    node.form()
    wait_until(lambda: b"ok" in _state(node), "the cluster is not formed")
    with open_sync_client(node.url(), socket_timeout=2) as client:

        def is_written() -> bool:
            try:
                return client.set("key", 1)
            except redis.RedisError:
                return False

        wait_until(is_written, "no slots were found")
        node.wipe()
        wait_until(lambda: not is_written(), "it has slots")
        assert not is_written()
        node.form()
        wait_until(is_written, "no slots were found", 10)


def _state(node: Node) -> bytes:
    return str(node.command("CLUSTER INFO")).encode()


async def test_a_gateway_uses_a_cluster_that_is_formed_after_its_start(
    open_gateway: OpenGateway, node: Node
) -> None:
    async with open_gateway(
        instance="early", valkey_url=node.url(), valkey_timeout_seconds=2
    ) as service:

        async def is_counted_by_the_ledger() -> bool:
            reply = await service.http.get("/readyz")
            return (reply.status_code, reply.json()["parts"]["valkey"]) == (200, "down")

        await until(is_counted_by_the_ledger)
        assert (await service.call("category.list")).status_code == 200
        node.form()
        await until(lambda: is_ready(service), 15)
        await service.wait_for_pushes()
        assert (await service.call("category.list")).status_code == 200
