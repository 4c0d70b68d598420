"""Two of every service behind HAProxy, Postgres with a standby, Valkey with a replica and three Sentinels.

All of it are processes of this machine. The harness is what Kubernetes and Patroni are elsewhere: it starts
again what has ended, promotes the standby, and makes a standby of a primary that has come back.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

import psycopg

from devstack.children import Child
from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.engines import Postgres
from devstack.home import Addresses, Secrets
from devstack.ports import HOST, free_port
from devstack.sample_loader import load
from devstack.services import DATABASES, ServiceSpec, specs
from servicekit.valkey import open_sync_client
from tests.chaos.plan import CALLED, COPIES, SERVICES
from tests.e2e.channel_imports import StandIn
from tests.e2e.fleet import migrate, ready, several, stop, until
from tests.fakes.balancer import Balancer
from tests.fakes.haproxy import haproxy
from tests.fakes.sentinels import Sentinels, three_sentinels
from tests.faults.services import SETTINGS, promote, standby_of, wait_for_standby
from tests.faults.slow_proxy import SlowProxy
from tests.import_processes import apart

PASSWORD: Final = "chaos"
_ENGINE_SETTINGS: Final = {"max_connections": "300"}
_WATCH_SECONDS: Final = 0.05
_WHOLE_SECONDS: Final = 120.0
_STREAMING: Final = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
_WORKERS: Final = (
    "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - '2 s'::interval"
)


@dataclass(slots=True)
class Layout:
    """The whole layout; a `ReachedStack` of the tests of faults.

    Attributes:
        mcp_url: Of HAProxy, before both gateways.
        site_url: Of a balancer, before both auth services.
        operations: Operators' calls to the first auth service.
        youtube: What imports read.
        addresses: Where each copy of the services really listens.
        children: The services' processes, such as "gateway 0".
        proxies: What stands before a copy of a service, by its name, and before Postgres, by its port.
        primary: The server of Postgres that takes writes.
        standby: The one that confirms each commit.
        sentinels: Valkey.
        held: Processes that the supervisor leaves alone.
    """

    mcp_url: str
    site_url: str
    operations: OperationsClient
    youtube: StandIn
    addresses: list[Addresses]
    primary: Postgres
    standby: Postgres
    sentinels: Sentinels
    children: dict[str, Child] = field(default_factory=dict[str, Child])
    proxies: dict[str, SlowProxy] = field(default_factory=dict[str, SlowProxy])
    held: set[str] = field(default_factory=set[str])
    fallen: list[str] = field(default_factory=list[str])
    killed: set[int] = field(default_factory=set[int])
    # Of the stack's whole life: a child ends with the thread that made it.
    starter: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    async def rows(self, database: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement in a database of the primary."""

        def run() -> list[tuple[Any, ...]]:
            with psycopg.connect(self.primary.url(database), autocommit=True) as connection:
                found = connection.execute(statement.encode(), values or None)
                return found.fetchall() if found.description else []

        return await asyncio.to_thread(run)

    async def in_valkey(self, *command: str) -> Any:
        """Run a command in the primary of Valkey."""

        def run() -> Any:
            with open_sync_client(self.sentinels.url(), socket_timeout=10) as client:
                return client.execute_command(*command)

        return await asyncio.to_thread(run)

    async def supervise(self) -> None:
        """Start again what has ended, until it is cancelled."""
        while True:
            for name, child in self.children.items():
                if name in self.held:
                    continue
                before = child.process
                if child.watch() and before is not None and before.pid not in self.killed:
                    self.fallen.append(f"{name} ended with {before.returncode}:\n{child.tail()}")
            await asyncio.sleep(_WATCH_SECONDS)

    async def start_postgres(self, server: Postgres) -> None:
        await asyncio.get_running_loop().run_in_executor(self.starter, server.start)

    def postgres_proxy(self, server: Postgres) -> SlowProxy:
        """Return the way of the services to a server of Postgres."""
        return self.proxies[f"postgres {server.port}"]

    async def promote_standby(self) -> None:
        """Make the standby the primary; the old one stays as it is."""
        await asyncio.to_thread(promote, self.standby)
        self.primary, self.standby = self.standby, self.primary

    async def standby_is(self, *, awaited: bool) -> None:
        """Have the standby confirm each commit, or not any more."""
        await asyncio.to_thread(wait_for_standby, self.primary, "standby" if awaited else "")

    async def rebuild_standby(self) -> None:
        """Make the server that is gone a standby of the primary, from a copy."""
        gone = self.standby

        def build() -> Postgres:
            shutil.rmtree(gone.data)
            return standby_of(self.primary, gone.data, gone.port)

        self.standby = await asyncio.get_running_loop().run_in_executor(self.starter, build)

    async def is_whole(self) -> None:
        """Wait until every part works and every engine has its second server.

        Raises:
            AssertionError: Something did not come back.
        """
        for name in self.children:
            await until(
                lambda name=name: self._is_ready(name), f"{name} is not back", _WHOLE_SECONDS
            )
        await until(self._streams, "the standby does not follow", _WHOLE_SECONDS)
        await until(
            lambda: asyncio.to_thread(self.sentinels.is_whole),
            "Valkey has no replica, or a Sentinel does not know the others",
            _WHOLE_SECONDS,
        )

    async def _streams(self) -> bool:
        return (await self.rows("postgres", _STREAMING))[0][0] == 1

    async def _is_ready(self, name: str) -> bool:
        service, index = name.split(" ")
        address = self.addresses[int(index)]
        if service == "gateway":
            return await asyncio.to_thread(ready, address.gateway)
        if service == "import_jobs":
            return (await self.rows("imports", _WORKERS))[0][0] >= COPIES
        return await asyncio.to_thread(grpc_is_serving, _grpc_address(address, service))


@asynccontextmanager
async def layout(home: Path) -> AsyncGenerator[Layout]:
    """Start everything, with the sample catalogue in it.

    Raises:
        AssertionError: A part did not start.
    """
    async with AsyncExitStack() as stack:
        keys = Secrets(postgres_password=PASSWORD)
        postgres = Postgres(
            home / "postgres-0", free_port(), PASSWORD, _ENGINE_SETTINGS, home / "postgres-0.log"
        )
        addresses = [
            Addresses(*(f"{HOST}:{free_port()}" for _ in range(6)), supervisor_pid=0)
            for _ in range(COPIES)
        ]
        sites = tuple(f"{HOST}:{free_port()}" for _ in addresses)
        (home / "valkey").mkdir()
        (home / "edge").mkdir()
        sentinels = stack.enter_context(three_sentinels(home / "valkey"))
        gateways = {
            f"gateway_{name}": item.gateway for name, item in zip("ab", addresses, strict=True)
        }
        callers, _ = stack.enter_context(haproxy(home / "edge", **gateways))
        site = free_port()
        await stack.enter_async_context(Balancer(sites, None).listening(site))
        starter = ThreadPoolExecutor(1)
        await asyncio.get_running_loop().run_in_executor(starter, postgres.start)
        stack.callback(postgres.stop)
        standby = await asyncio.get_running_loop().run_in_executor(
            starter, standby_of, postgres, home / "postgres-1"
        )
        made = Layout(
            mcp_url=f"http://{HOST}:{callers}/mcp",
            site_url=f"http://{HOST}:{site}",
            operations=OperationsClient(
                addresses[0].auth_grpc, keys.operator_token, addresses[0].credentials("cli", keys)
            ),
            youtube=stack.enter_context(StandIn()),
            addresses=addresses,
            primary=postgres,
            standby=standby,
            sentinels=sentinels,
            starter=starter,
        )
        stack.callback(lambda: (made.primary.stop(), made.standby.stop()))
        ways = {
            f"postgres {server.port}": f"{HOST}:{server.port}" for server in (postgres, standby)
        }
        for index, service in itertools.product(range(COPIES), CALLED):
            ways[f"{service} {index}"] = _grpc_address(addresses[index], service)
        for name, target in ways.items():
            proxy = SlowProxy(free_port(), target)
            made.proxies[name] = await stack.enter_async_context(proxy.listening())
        for database in DATABASES:
            await made.rows("postgres", f"CREATE DATABASE {database}")
        for index in range(COPIES):
            for spec in _specs(made, keys, index, sites[index], home):
                if index == 0 and spec.database:
                    await asyncio.to_thread(migrate, spec, home)
                name = f"{spec.name} {index}"
                made.children[name] = Child(
                    name,
                    [spec.module, *spec.command],
                    spec.environment,
                    home / f"{spec.name}-{index}.log",
                    gives_up=False,
                )
        assert len(made.children) == len(SERVICES) * COPIES
        # In a thread: what ends may still have something to send through our proxies.
        stack.push_async_callback(asyncio.to_thread, stop, list(made.children.values()))
        for child in made.children.values():
            child.start()
        await made.is_whole()
        with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
            credentials = addresses[0].credentials("cli", keys)
            await asyncio.to_thread(
                load, addresses[0].catalog_grpc, [file], lambda _: None, credentials
            )
        supervisor = asyncio.create_task(made.supervise())
        stack.callback(supervisor.cancel)
        yield made
        assert not supervisor.done(), supervisor.exception()


def _grpc_address(address: Addresses, service: str) -> str:
    return (address.catalog_grpc, address.auth_grpc, address.imports_grpc)[CALLED.index(service)]


def _specs(made: Layout, keys: Secrets, index: int, site: str, home: Path) -> list[ServiceSpec]:
    """Return the processes of one copy, which reach everything by the proxies."""
    first, second = made.primary, made.standby
    ports = [made.postgres_proxy(server).port for server in (first, second)]
    hosts = f"host={HOST},{HOST}&port={ports[0]},{ports[1]}"
    targets = {
        service: several(made.proxies[f"{service} {copy}"].address for copy in range(COPIES))
        for service in CALLED
    }
    shared = {
        **SETTINGS,
        "GATEWAY_BASE_URL": made.mcp_url.removesuffix("/mcp"),
        "GATEWAY_INSTANCE": f"gateway-{index}",
        "GATEWAY_CATALOG_TARGET": targets["catalog_service"],
        "GATEWAY_AUTH_TARGET": targets["auth_service"],
        "GATEWAY_IMPORTS_TARGET": targets["import_worker"],
        "AUTH_IMPORTS_TARGET": targets["import_worker"],
        "AUTH_CATALOG_TARGET": targets["catalog_service"],
        "AUTH_RESOURCE_URL": made.mcp_url,
        "AUTH_HTTP_PORT": site.rpartition(":")[2],
        "IMPORT_CATALOG_TARGET": targets["catalog_service"],
        "IMPORT_YOUTUBE_URL": made.youtube.url,
        "IMPORT_YOUTUBE_FEED_URL": made.youtube.url,
        "CATALOG_READ_URL": f"postgresql://postgres:{PASSWORD}@/catalog?{hosts}",
    }
    valkey = made.sentinels.servers[0]
    mails = str(home / "mails")
    found = apart(specs(made.addresses[index], keys, first, valkey, made.site_url, mails))
    return [
        replace(
            spec,
            environment={
                **{
                    name: _reached(made, setting, f"{hosts}&target_session_attrs=read-write")
                    for name, setting in spec.environment.items()
                },
                **shared,
            },
        )
        for spec in found
    ]


def _reached(made: Layout, setting: str, query: str) -> str:
    """Return a URL of an engine's first server as one that finds the primary; all else as it is."""
    if setting == made.sentinels.servers[0].url():
        return made.sentinels.url()
    address = f"@{HOST}:{made.primary.port}/"
    return f"{setting.replace(address, '@/')}?{query}" if address in setting else setting
