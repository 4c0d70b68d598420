"""One process of each service on embedded engines, each of which a test may kill, hang or cut off.

The harness is the supervisor: what ends by itself is started again, as `make run` and compose do.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import psycopg
import redis

from devstack.children import Child
from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.engines import EngineError, Postgres, Valkey, program
from devstack.home import Addresses, Secrets
from devstack.ports import HOST, free_port
from devstack.sample import rows
from devstack.services import DATABASES, ServiceSpec, specs
from servicekit.peer_credentials import PeerCredentials
from tests.e2e.channel_imports import StandIn
from tests.e2e.fleet import migrate, ready, stop, until
from tests.faults.slow_proxy import SlowProxy
from tests.import_processes import apart
from tests.poolers import PgBouncer, pgbouncer

SMALL_LIMIT: Final = 60
"""Requests a month of the plan `creator_agent` here, so that a test can use all of them."""

SETTINGS: Final[Mapping[str, str]] = {
    "AUTH_PLANS": json.dumps(
        {
            "creator": {
                "monthly_requests": 100_000,
                "burst_requests": 5_000,
                "burst_refill_per_second": 5_000,
                "concurrent_imports": 50,
            },
            "creator_agent": {"monthly_requests": SMALL_LIMIT},
        }
    ),
    "IMPORT_YOUTUBE_API_KEY": "any",
    "IMPORT_STALLED_SECONDS": "2",
    "IMPORT_RETRY_SECONDS": "0.5",
    # A stopped process says nothing more to callers; tests end sooner.
    "GATEWAY_DRAIN_SECONDS": "0.1",
    "CATALOG_DRAIN_SECONDS": "0.1",
    "AUTH_DRAIN_SECONDS": "0.1",
    "IMPORT_DRAIN_SECONDS": "0.1",
}
"""Limits and waits of tests; everything else is as a deployment has it by default."""

PEERS: Final[tuple[str, ...]] = ("catalog_service", "auth_service", "import_worker")
"""The services that the gateway calls."""

SERVICES: Final = ("gateway", *PEERS, "import_jobs")
_WATCH_SECONDS: Final = 0.05
_redis: Any = redis.Redis  # its stubs are partial


@dataclass(slots=True)
class Running:
    """The stack, as a fault needs it.

    Attributes:
        mcp_url: Where callers call; the gateway itself, nothing before it.
        site_url: The site and the authorization server.
        operations: Operators' calls to the auth service.
        youtube: What imports read.
        addresses: Where each part really listens.
        postgres: The server itself, whatever proxy the services reach it by.
        valkey: The same.
        credentials: With which services call each other.
        children: The services' processes by name.
        proxies: What stands before a part, by the part's name, where the test requested it.
        standby: A second server that follows `postgres`, where the test requested it.
        pooler: PgBouncer before `postgres`, where the test requested it.
        per_second: Calls that constant load makes; fewer where the machine is slow or busy.
        fallen: Services that ended without having been killed, with the end of their logs.
    """

    mcp_url: str
    site_url: str
    operations: OperationsClient
    youtube: StandIn
    addresses: Addresses
    postgres: Postgres
    valkey: Valkey
    credentials: PeerCredentials
    children: dict[str, Child] = field(default_factory=dict[str, Child])
    proxies: dict[str, SlowProxy] = field(default_factory=dict[str, SlowProxy])
    standby: Postgres | None = None
    pooler: PgBouncer | None = None
    per_second: float = 1.0
    fallen: list[str] = field(default_factory=list[str])
    _killed: set[int] = field(default_factory=set[int])
    _held: set[str] = field(default_factory=set[str])
    _starter: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def pid(self, name: str) -> int:
        """The process of a service or engine, now."""
        process = self._process(name)
        return process.pid if process else 0

    def pids(self) -> dict[str, int]:
        return {name: self.pid(name) for name in (*self.children, "postgres", "valkey")}

    async def kill(self, name: str) -> None:
        """Ends a part by SIGKILL and returns when it is gone; the supervisor starts it again."""
        process = self._process(name)
        assert process is not None
        self._killed.add(process.pid)
        process.kill()
        await asyncio.to_thread(process.wait, 30)

    async def come_back(self, name: str, before: int) -> float:
        """Waits until a part that had the process id `before` responds again; when it did."""
        await until(lambda: self.pid(name) != before, f"{name} was not started again")
        await until(lambda: self.is_ready(name), f"{name} does not answer")
        return time.monotonic()

    @asynccontextmanager
    async def away(self, name: str) -> AsyncGenerator[None]:
        """Kills a part and keeps it dead until the block ends; started again by the supervisor."""
        self._held.add(name)
        try:
            await self.kill(name)
            yield
        finally:
            self._held.discard(name)

    @asynccontextmanager
    async def hung(self, name: str) -> AsyncGenerator[None]:
        """Stops a process by SIGSTOP until the block ends: its connections stay, it says nothing."""
        process = self._process(name)
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    async def is_ready(self, name: str) -> bool:
        """Return whether a part's health check succeeds; of the jobs' process whether it lives."""
        if name == "gateway":
            return await asyncio.to_thread(ready, self.addresses.gateway)
        if name in PEERS:
            return await asyncio.to_thread(grpc_is_serving, self.grpc_address(name))
        if name == "import_jobs":
            return await asyncio.to_thread(self._works)
        client = self.postgres if name == "postgres" else self.valkey
        return await asyncio.to_thread(client.accepts_connections)

    def grpc_address(self, name: str) -> str:
        """Return the address of a service, without any proxy."""
        of = self.addresses
        return (of.catalog_grpc, of.auth_grpc, of.imports_grpc)[PEERS.index(name)]

    async def rows(self, database: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in one of the databases, reached without any proxy."""
        return await asyncio.to_thread(self._rows, database, statement, values)

    async def in_valkey(self, *command: str) -> Any:
        """Run a command in Valkey, reached without any proxy."""

        def run() -> Any:
            with _redis.from_url(self.valkey.url(), socket_timeout=10) as client:
                return client.execute_command(*command)

        return await asyncio.to_thread(run)

    async def supervise(self) -> None:
        """Starts again what has ended, until it is cancelled."""
        while True:
            for name, child in self.children.items():
                if name in self._held:
                    continue
                before = child.process
                if child.watch() and before is not None and before.pid not in self._killed:
                    self.fallen.append(f"{name} ended with {before.returncode}:\n{child.tail()}")
            for name, engine in (("postgres", self.postgres), ("valkey", self.valkey)):
                ended = engine.process is not None and engine.process.poll() is not None
                if ended and name not in self._held:
                    # Not in a thread that comes and goes: a child ends with the thread that made it.
                    with suppress(EngineError):  # tried again, as what it needs may come back
                        await asyncio.get_running_loop().run_in_executor(
                            self._starter, engine.start
                        )
            await asyncio.sleep(_WATCH_SECONDS)

    def close(self) -> None:
        stop(list(self.children.values()))
        for engine in (self.postgres, self.standby, self.valkey):
            if engine is not None:
                engine.stop()
        self._starter.shutdown()

    def _process(self, name: str) -> Any:
        parts: dict[str, Any] = {
            **self.children,
            "postgres": self.postgres,
            "valkey": self.valkey,
        }
        return parts[name].process

    def _rows(self, database: str, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.postgres.url(database), autocommit=True) as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    def _works(self) -> bool:
        query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - '2 s'::interval"
        with suppress(psycopg.OperationalError):
            return bool(self._rows("imports", query, ())[0][0])
        return False


@asynccontextmanager
async def running(
    home: Path,
    proxied: Sequence[str] = (),
    more: Mapping[str, str] = MappingProxyType({}),
    data: Path | None = None,
    *,
    with_standby: bool = False,
    pooler: Mapping[str, str] | None = None,
) -> AsyncGenerator[Running]:
    """Everything started, with the sample catalogue in it.

    Args:
        home: Empty folder.
        proxied: Parts that are reached by a proxy: "postgres", "valkey" and `PEERS`, of which
            only the gateway's way is.
        more: Further settings of all services.
        data: Where Postgres keeps its data; in `home` if None.
        with_standby: A standby confirms each commit, and the services' URLs name both servers.
        pooler: What is other than in PgBouncer's reference file; None for no PgBouncer before the databases.
    """
    async with AsyncExitStack() as stack:
        keys = Secrets(postgres_password="faults", valkey_password="faults")
        postgres = Postgres(
            data or home / "postgres",
            free_port(),
            "faults",
            {"max_connections": "100"},
            home / "pg.log",
        )
        valkey = Valkey(free_port(), "faults", home / "valkey.log", home / "valkey")
        addresses = Addresses(
            f"{HOST}:{free_port()}",
            f"{HOST}:{free_port()}",
            f"{HOST}:{free_port()}",
            f"{HOST}:{free_port()}",
            f"{HOST}:{postgres.port}",
            f"{HOST}:{valkey.port}",
            supervisor_pid=0,
        )
        site = f"http://{HOST}:{free_port()}"
        youtube = stack.enter_context(StandIn())
        made = Running(
            mcp_url=f"http://{addresses.gateway}/mcp",
            site_url=site,
            operations=OperationsClient(
                addresses.auth_grpc, keys.operator_token, addresses.credentials("cli", keys)
            ),
            youtube=youtube,
            addresses=addresses,
            postgres=postgres,
            valkey=valkey,
            credentials=addresses.credentials("cli", keys),
        )
        for name in proxied:
            proxy = SlowProxy(free_port(), _address(made, name))
            made.proxies[name] = await stack.enter_async_context(proxy.listening())
        if pooler is not None:
            made.pooler = stack.enter_context(pgbouncer(postgres, **pooler))
        # In a thread: what ends may still have something to send through our proxies.
        stack.push_async_callback(asyncio.to_thread, made.close)
        loop = asyncio.get_running_loop()
        for engine in (postgres, valkey):
            await loop.run_in_executor(made._starter, engine.start)
        if with_standby:
            made.standby = await asyncio.to_thread(standby_of, postgres, home / "standby")
        for database in DATABASES:
            await made.rows("postgres", f"CREATE DATABASE {database}")
        specs = _specs(made, keys, site, home, more)
        migrating = (asyncio.to_thread(migrate, spec, home) for spec in specs if spec.database)
        await asyncio.gather(*migrating)
        with psycopg.connect(postgres.url("catalog")) as connection:
            rows.restore(connection)
        for spec in specs:
            child = Child(
                spec.name, [spec.module, *spec.command], spec.environment, home / f"{spec.name}.log"
            )
            made.children[spec.name] = child
            child.start()
        for name in SERVICES:
            await until(lambda name=name: made.is_ready(name), f"{name} did not start")
        supervisor = asyncio.create_task(made.supervise())
        stack.callback(supervisor.cancel)
        yield made
        assert not supervisor.done(), supervisor.exception()


def standby_of(primary: Postgres, data: Path, port: int | None = None) -> Postgres:
    """Copy a running server, start the copy as its standby, and have it confirm each commit."""
    log = data.with_suffix(".log")
    standby = Postgres(data, port or free_port(), primary.password, primary.settings, log)
    source = f"{primary.url()}?application_name=standby"
    command = [program("pg_basebackup"), "-D", str(data), "-d", source, "-R", "-c", "fast"]
    subprocess.run(command, check=True, capture_output=True)
    owner = primary.data.stat()
    for path in (data, *data.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    standby.start()
    wait_for_standby(primary, "standby")
    return standby


def wait_for_standby(primary: Postgres, names: str) -> None:
    """Set who has to confirm each commit; "" for nobody."""
    with psycopg.connect(primary.url(), autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'".encode())
        connection.execute("SELECT pg_reload_conf()")


def promote(standby: Postgres) -> None:
    """Make a standby the primary, which waits for nobody."""
    with psycopg.connect(standby.url(), autocommit=True) as connection:
        connection.execute("SELECT pg_promote()")
    wait_for_standby(standby, "")


def processes_of(server: Postgres) -> list[int]:
    """Return the process ids of a server: its first process and that one's children."""
    assert server.process is not None
    first = server.process.pid
    children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii")
    return [first, *map(int, children.split())]


def _both_servers(made: Running, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment with the standby as the second server of each database's URL."""
    if made.standby is None:
        return environment
    proxy = made.proxies.get("postgres")
    first = proxy.port if proxy else made.postgres.port
    address = f"@{HOST}:{first}/"
    query = f"host={HOST},{HOST}&port={first},{made.standby.port}&target_session_attrs=read-write"
    return {
        name: f"{setting.replace(address, '@/')}?{query}" if address in setting else setting
        for name, setting in environment.items()
    }


def _by_the_pooler(made: Running, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the pooler before each database, whose own URL is the direct one."""
    if made.pooler is None:
        return {**environment}
    own = {name: url for name, url in environment.items() if name.endswith("_DATABASE_URL")}
    direct = {name.replace("_URL", "_DIRECT_URL"): url for name, url in own.items()}
    pooled = {name: made.pooler.url(url) for name, url in own.items()}
    return {**environment, **direct, **pooled}


def _address(made: Running, name: str) -> str:
    if name in PEERS:
        return made.grpc_address(name)
    return made.addresses.postgres if name == "postgres" else made.addresses.valkey


def _specs(
    made: Running, keys: Secrets, site: str, home: Path, more: Mapping[str, str]
) -> list[ServiceSpec]:
    """Return how each process is started: engines and peers by their proxies, where they have one."""
    proxies = made.proxies
    reached_postgres, reached_valkey = made.postgres, made.valkey
    if "postgres" in proxies:
        reached_postgres = replace(made.postgres, port=proxies["postgres"].port)
    if "valkey" in proxies:
        reached_valkey = replace(made.valkey, port=proxies["valkey"].port)
    targets = ("GATEWAY_CATALOG_TARGET", "GATEWAY_AUTH_TARGET", "GATEWAY_IMPORTS_TARGET")
    shared = {
        **SETTINGS,
        "IMPORT_YOUTUBE_URL": made.youtube.url,
        "IMPORT_YOUTUBE_FEED_URL": made.youtube.url,
        **{
            variable: proxies[peer].address
            for variable, peer in zip(targets, PEERS, strict=True)
            if peer in proxies
        },
        **more,
    }
    return [
        replace(
            spec,
            environment={**_by_the_pooler(made, _both_servers(made, spec.environment)), **shared},
        )
        for spec in apart(
            specs(made.addresses, keys, reached_postgres, reached_valkey, site, str(home / "mails"))
        )
    ]
