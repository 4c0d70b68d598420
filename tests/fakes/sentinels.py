"""A primary of Valkey, its replica and three Sentinels, each a process of its own."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import redis

from devstack.engines import Valkey, valkey_program
from devstack.ports import HOST, free_port

PASSWORD: Final = "replicated"
NAME: Final = "counters"
REFERENCE: Final = Path(__file__).parents[2] / "deploy" / "engines" / "sentinel.conf"
"""What operators begin with."""

_START_SECONDS: Final = 60.0
_redis: Any = redis.Redis  # its stubs are partial


@dataclass
class Sentinels:
    """The servers, of which Sentinels promote one; the first was the primary at the start."""

    servers: tuple[Valkey, Valkey]
    ports: tuple[int, ...]
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    def url(self) -> str:
        hosts = ",".join(f"{HOST}:{port}" for port in self.ports)
        return f"redis+sentinel://:{PASSWORD}@{hosts}/{NAME}"

    def primary_port(self) -> int:
        """The port of the primary that most Sentinels name."""
        named: list[int] = []
        for port in self.ports:
            with (
                suppress(redis.RedisError),
                _redis(host=HOST, port=port, socket_timeout=2) as sentinel,
            ):
                named.append(int(sentinel.sentinel_get_master_addr_by_name(NAME)[1]))
        return max(set(named), key=named.count) if named else 0

    def client(self, server: Valkey) -> Any:
        return _redis.from_url(server.url(), socket_timeout=60)

    def start_server(self, server: Valkey) -> None:
        """Start a server that may follow the other one."""
        server.start()
        with self.client(server) as client:
            client.config_set("masterauth", PASSWORD)
            # A primary that lost its replica takes no writes that nobody would have.
            client.config_set("min-replicas-max-lag", "2")

    def start_sentinel(self, index: int) -> None:
        """Start a Sentinel, again with what it knew where it ran before."""
        configuration = _configuration(self.folder, self.ports[index])
        command = [valkey_program(), str(configuration), "--sentinel"]
        process = subprocess.Popen(command)
        self.processes[index : index + 1] = [process]

    def fail_over(self) -> None:
        """Have the Sentinels promote the replica of a primary that works."""
        with _redis(host=HOST, port=self.ports[0], socket_timeout=10) as sentinel:
            sentinel.execute_command("SENTINEL", "FAILOVER", NAME)

    def stop(self) -> None:
        """End all Sentinels."""
        for process in self.processes:
            process.kill()
            process.wait(30)

    def is_whole(self) -> bool:
        """Return whether each Sentinel knows all others, and the primary has its replica."""
        if not all(_knows_all(port) for port in self.ports):
            return False
        primary = self.primary_port()
        try:
            with self.client(next(item for item in self.servers if item.port == primary)) as client:
                state = client.info("replication")
        except (redis.RedisError, StopIteration):
            return False
        return state["role"] == "master" and state.get("slave0", {}).get("state") == "online"


@contextmanager
def three_sentinels(folder: Path) -> Generator[Sentinels]:
    """Start everything and wait until each Sentinel knows the replica and the two others."""
    primary, replica = (
        Valkey(free_port(), PASSWORD, folder / f"{name}.log", folder / name)
        for name in ("primary", "replica")
    )
    found = Sentinels((primary, replica), tuple(free_port() for _ in range(3)), folder)
    with ExitStack() as stack:
        for server in found.servers:
            stack.callback(server.stop)
            found.start_server(server)
        with found.client(replica) as client:
            client.replicaof(HOST, primary.port)
        stack.callback(found.stop)
        for index, port in enumerate(found.ports):
            _write_configuration(folder, port, primary.port)
            found.start_sentinel(index)
        _wait_until_known(found)
        yield found


def _configuration(folder: Path, port: int) -> Path:
    return folder / f"sentinel-{port}" / "sentinel.conf"


def _write_configuration(folder: Path, port: int, primary: int) -> None:
    path = _configuration(folder, port)
    home = path.parent
    home.mkdir()
    text = REFERENCE.read_text(encoding="utf-8")
    for word, value in (
        ("port 26379", f"port {port}\nbind {HOST}\ndir {home}\nlogfile {home / 'log'}"),
        ("VALKEY_HOST 6379", f"{HOST} {primary}"),
        ("VALKEY_PASSWORD", PASSWORD),
    ):
        assert word in text
        text = text.replace(word, value)
    path.write_text(text, encoding="utf-8")


def _wait_until_known(found: Sentinels) -> None:
    deadline = time.monotonic() + _START_SECONDS
    for port in found.ports:
        while not _knows_all(port):
            assert time.monotonic() < deadline, f"the Sentinel at {port} does not know the others"
            time.sleep(0.1)


def _knows_all(port: int) -> bool:
    try:
        with _redis(host=HOST, port=port, socket_timeout=2) as sentinel:
            state = sentinel.sentinel_masters()[NAME]
    except (redis.RedisError, KeyError):
        return False
    return (state["num-slaves"], state["num-other-sentinels"]) == (1, 2)
