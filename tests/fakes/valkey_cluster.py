"""A Valkey cluster of three primaries and their replicas, each a process of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis
from redis.crc import key_slot

from devstack.engines import valkey_program
from devstack.ports import HOST, free_port
from servicekit.valkey_keys import cluster_layout

PASSWORD: Final = "sharded"
PRIMARIES: Final = 3
REFERENCE: Final = Path(__file__).parents[2] / "deploy" / "engines" / "valkey-cluster.conf"
"""What operators begin with."""

_SLOTS: Final = 16_384
_SECONDS: Final = 60.0
_BUS_OFFSET: Final = 10_000
_MAX_PORT: Final = 55_535
"""The bus of a node has its port and ten thousand."""

_redis: Any = redis.Redis  # its stubs are partial


@dataclass
class Node:
    """A server of the cluster."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server; it knows its cluster from its folder where it ran before."""
        self.folder.mkdir(exist_ok=True)
        text = REFERENCE.read_text(encoding="utf-8")
        own = f"port {self.port}\nbind {HOST}\ndir {self.folder}\nlogfile {self.folder / 'log'}"
        for word, value in (("port 6379", own), ("VALKEY_PASSWORD", PASSWORD)):
            assert word in text
            text = text.replace(word, value)
        # Else a replica begins five seconds later to follow.
        text += 'save ""\nrepl-diskless-sync-delay 0\n'
        path = self.folder / "valkey.conf"
        path.write_text(text, encoding="utf-8")
        self.process = subprocess.Popen([valkey_program(), str(path)])

    def client(self) -> Any:
        return _redis(host=HOST, port=self.port, password=PASSWORD, socket_timeout=10)

    def wipe(self) -> None:
        """Kill the server, and start it again at its address without anything that it knew."""
        self.kill()
        shutil.rmtree(self.folder)
        self.start()

    def command(self, *words: Any) -> Any:
        """Send a command to this node alone."""
        with self.client() as client:
            return client.execute_command(*words)

    def url(self) -> str:
        """Return the URL of a cluster that names this node alone."""
        return f"redis+cluster://:{PASSWORD}@{HOST}:{self.port}"

    def form(self) -> None:
        """Make it a cluster of its own."""
        self.command("CLUSTER ADDSLOTSRANGE", 0, _SLOTS - 1)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()


@dataclass
class Cluster:
    """The nodes; the first three were the primaries at the start, each with the replica three further on."""

    nodes: Sequence[Node]
    ids: list[str] = field(default_factory=list[str])

    def url(self) -> str:
        """Return the URL that names the first three nodes."""
        hosts = ",".join(f"{HOST}:{node.port}" for node in self.nodes[:PRIMARIES])
        return f"redis+cluster://:{PASSWORD}@{hosts}"

    def form(self) -> None:
        """Make a cluster of nodes that know nothing, and wait until each knows the others."""
        for node in self.nodes:
            wait_until(lambda node=node: _responds(node), f"{node.port} does not respond")
        self.ids = [node.command("CLUSTER MYID").decode() for node in self.nodes]
        for index, node in enumerate(self.nodes):
            if index < PRIMARIES:
                node.command("CLUSTER ADDSLOTSRANGE", *_slots(index))
            node.command("CLUSTER SET-CONFIG-EPOCH", index + 1)
            if index:
                node.command("CLUSTER MEET", HOST, self.nodes[0].port)
        for index, node in enumerate(self.nodes[PRIMARIES:]):
            primary = self.ids[index]
            wait_until(
                lambda node=node, primary=primary: _knows(node, primary),
                f"{node.port} does not know its primary",
            )
            node.command("CLUSTER REPLICATE", primary)
        wait_until(self.is_whole, "the cluster is not whole")

    def is_promoted(self, index: int) -> bool:
        """Return whether the replica has the slots that the primary of that number began with."""
        node = self.nodes[index + PRIMARIES]
        info: Any = node.command("CLUSTER INFO")
        return node.command("ROLE")[0] == b"master" and info["cluster_state"] == "ok"

    def primary_of(self, key: str) -> Node:
        """Return the node that has the slot of a key, by the first node that responds."""
        port = self.port_of(key)
        return {node.port: node for node in self.nodes}[port]

    def port_of(self, key: str, but: Node | None = None) -> int:
        """Return the port of the node that has the slot of a key, by the first node that responds but one."""
        slot = _slot_of(key)
        for node in self.nodes:
            if node is not but and _responds(node):
                found: Any = node.command("CLUSTER SLOTS")
                for first, last, primary, *_ in found:
                    if first <= slot <= last:
                        return primary[1]
        raise AssertionError(f"no node has the slot of {key}")

    def promote(self, key: str) -> Node:
        """Have the replica of the node that has a key's slot take its slots; return that node once it knows."""
        wait_until(lambda: bool(self._replicas_of(self.primary_of(key))), "it has no replica")
        primary = self.primary_of(key)
        self._replicas_of(primary)[0].command("CLUSTER FAILOVER", "TAKEOVER")
        wait_until(lambda: primary.command("ROLE")[0] == b"slave", "the primary has not given way")
        return primary

    def _replicas_of(self, primary: Node) -> list[Node]:
        return [
            node for node in self.nodes if node.command("ROLE")[:3:2] == [b"slave", primary.port]
        ]

    def require_full_coverage(self) -> None:
        """Have all nodes refuse commands while one primary is away, as they do by default."""
        for node in self.nodes:
            node.command("CONFIG SET", "cluster-require-full-coverage", "yes")

    def move_slot(self, account_id: str, index: int) -> None:
        """Move the slot of an account's shard to the primary of that number; returns when it has it."""
        slot = _slot_of(cluster_layout().shard_of(account_id).usage_stream)
        source = next(
            number for number in range(PRIMARIES) if _slots(number)[0] <= slot <= _slots(number)[1]
        )
        target = self.ids[index]
        self.nodes[source].command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target)

        def has_slot() -> bool:
            found: Any = self.nodes[source].command("CLUSTER SLOTS")
            return any(
                first <= slot <= last and primary[1] == self.nodes[index].port
                for first, last, primary, *_ in found
            )

        wait_until(has_slot, "the slot has not moved")

    @contextmanager
    def moving_slot(self, account_id: str, index: int) -> Generator[None]:
        """Be about to move the slot of an account's shard to that primary key by key, and leave it where it is."""
        slot = _slot_of(cluster_layout().shard_of(account_id).usage_stream)
        source = self.primary_of(cluster_layout().shard_of(account_id).usage_stream)
        target = self.nodes[index]
        ids = [node.command("CLUSTER MYID") for node in (source, target)]
        target.command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
        source.command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
        try:
            yield
        finally:
            for node in (source, target):
                node.command("CLUSTER SETSLOT", slot, "STABLE")

    def end_replication(self, index: int) -> None:
        """Have the replica of a primary get nothing more, which may be promoted all the same."""
        primary, replica = self.nodes[index], self.nodes[index + PRIMARIES]
        replica.command("CONFIG SET", "primaryauth", "another")
        primary.command("CLIENT KILL", "TYPE", "replica")

        def is_cut() -> bool:
            with replica.client() as client:
                return client.info("replication")["master_link_status"] == "down"

        wait_until(is_cut, "the replica follows its primary")

    def is_whole(self) -> bool:
        """Return whether all nodes know all slots' primaries, and each replica follows its primary."""
        try:
            return all(_is_ok(node) and self._has_slots(node) for node in self.nodes)
        except redis.RedisError:
            return False

    def _has_slots(self, node: Node) -> bool:
        """Return whether a node names the first three as the primaries of all slots."""
        found: Any = node.command("CLUSTER SLOTS")
        named = {(first, last): primary[1] for first, last, primary, *_ in found}
        return named == {
            _slots(index): primary.port for index, primary in enumerate(self.nodes[:PRIMARIES])
        }


def account_on(index: int, number: int = 0) -> str:
    """Return the id of an account whose shard the primary of that number begins with."""
    layout = cluster_layout()
    first, last = _slots(index)
    found = 0
    for candidate in range(10_000):
        account_id = f"account-{candidate}"
        slot = _slot_of(layout.shard_of(account_id).usage_stream)
        if first <= slot <= last:
            if found == number:
                return account_id
            found += 1
    raise AssertionError("no such account")


@contextmanager
def running_node(folder: Path) -> Generator[Node]:
    """Start a node that is in no cluster yet, and has no slots."""
    node = Node(_port(), folder)
    node.start()
    try:
        wait_until(lambda: _responds(node), f"{node.port} does not respond")
        yield node
    finally:
        node.kill()


@contextmanager
def running_cluster(folder: Path) -> Generator[Cluster]:
    """Start the nodes, and wait until each knows the others."""
    nodes = [Node(_port(), folder / f"node-{number}") for number in range(2 * PRIMARIES)]
    found = Cluster(nodes)
    with ExitStack() as stack:
        for node in nodes:
            node.start()
            stack.callback(node.kill)
        found.form()
        yield found


def wait_until(condition: Callable[[], bool], otherwise: str, seconds: float = _SECONDS) -> None:
    """Wait for what another process does in its own time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


def _slots(index: int) -> tuple[int, int]:
    """Return the first and the last slot that a primary begins with."""
    return _SLOTS * index // PRIMARIES, _SLOTS * (index + 1) // PRIMARIES - 1


def _slot_of(key: str) -> int:
    return key_slot(key.encode())


def _port() -> int:
    """Return a free port whose bus has a free port too."""
    while True:
        port = free_port()
        if port > _MAX_PORT:
            continue
        with socket.socket() as bus, suppress(OSError):
            bus.bind((HOST, port + _BUS_OFFSET))
            return port


def _responds(node: Node) -> bool:
    try:
        return bool(node.command("PING"))
    except redis.RedisError:
        return False


def _knows(node: Node, primary: str) -> bool:
    return primary in str(node.command("CLUSTER NODES"))


def _is_ok(node: Node) -> bool:
    info: Any = node.command("CLUSTER INFO")
    with node.client() as client:
        replication = client.info("replication")
    is_linked = (
        replication.get("master_link_status") == "up"
        if replication["role"] == "slave"
        else replication["connected_slaves"] == 1
    )
    return (
        is_linked
        and info["cluster_state"] == "ok"
        and int(info["cluster_known_nodes"]) == 2 * PRIMARIES
        and int(info["cluster_size"]) == PRIMARIES
    )
