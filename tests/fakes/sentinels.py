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


@contextmanager
def three_sentinels(folder: Path) -> Generator[Sentinels]:
    """Start everything and wait until each Sentinel knows the replica and the two others."""
    primary, replica = (
        Valkey(free_port(), PASSWORD, folder / f"{name}.log", folder / name)
        for name in ("primary", "replica")
    )
    found = Sentinels((primary, replica), tuple(free_port() for _ in range(3)))
    with ExitStack() as stack:
        for server in found.servers:
            server.start()
            stack.callback(server.stop)
            with found.client(server) as client:
                client.config_set("masterauth", PASSWORD)
        with found.client(replica) as client:
            client.replicaof(HOST, primary.port)
        with found.client(primary) as client:
            # A primary that lost its replica takes no writes that nobody would have.
            client.config_set("min-replicas-max-lag", "2")
        for port in found.ports:
            process = _start_sentinel(folder, port, primary.port)
            found.processes.append(process)
            stack.callback(process.wait, 30)
            stack.callback(process.kill)
        _wait_until_known(found)
        yield found


def _start_sentinel(folder: Path, port: int, primary: int) -> subprocess.Popen[bytes]:
    home = folder / f"sentinel-{port}"
    home.mkdir()
    configuration = home / "sentinel.conf"
    text = REFERENCE.read_text(encoding="utf-8")
    for word, value in (
        ("port 26379", f"port {port}\nbind {HOST}\ndir {home}\nlogfile {home / 'log'}"),
        ("VALKEY_HOST 6379", f"{HOST} {primary}"),
        ("VALKEY_PASSWORD", PASSWORD),
    ):
        assert word in text
        text = text.replace(word, value)
    configuration.write_text(text, encoding="utf-8")
    return subprocess.Popen([valkey_program(), str(configuration), "--sentinel"])


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
