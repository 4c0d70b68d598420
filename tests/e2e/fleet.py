"""Two processes of each service on embedded engines, behind a balancer as an edge is one."""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import psycopg

from devstack.children import Child
from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.clients.readiness import gateway_readiness
from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Secrets
from devstack.ports import HOST, free_port
from devstack.sample import rows
from devstack.services import DATABASES, ServiceSpec, specs
from tests.fakes.balancer import Balancer
from tests.import_processes import apart

CALLED = ("catalog_service", "auth_service", "import_worker", "gateway")
"""The services that have callers."""

SETTINGS: Mapping[str, str] = {
    "AUTH_PLANS": '{"creator": {"monthly_requests": 1000000, "burst_requests": 100000,'
    ' "burst_refill_per_second": 100000}}',
    # Every call asks the services: what gateways keep would hide that one is away.
    "GATEWAY_RESULT_CACHE_BYTES": "0",
    "GATEWAY_CREDENTIAL_TTL_SECONDS": "0.1",
    "GATEWAY_DRAIN_SECONDS": "2",
}


@dataclass(slots=True)
class Fleet:
    """The processes, by service; two of each."""

    site_url: str
    mcp_url: str
    gateways: Balancer
    operations: OperationsClient
    children: dict[str, list[Child]] = field(default_factory=dict[str, list[Child]])
    addresses: list[Addresses] = field(default_factory=list[Addresses])

    def grpc_address(self, service: str, index: int) -> str:
        of = self.addresses[index]
        by_service = {
            "catalog_service": of.catalog_grpc,
            "auth_service": of.auth_grpc,
            "import_worker": of.imports_grpc,
        }
        return by_service[service]

    async def is_ready(self, service: str, index: int) -> bool:
        if service == "gateway":
            return await asyncio.to_thread(ready, self.addresses[index].gateway)
        return await asyncio.to_thread(grpc_is_serving, self.grpc_address(service, index))

    async def replace(self, service: str, index: int) -> None:
        """Stops a process by SIGTERM, starts its successor, and returns when callers have found it."""
        child = self.children[service][index]
        assert child.process is not None
        child.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(child.process.wait, 30)
        assert code == 0, child.tail()
        child.start()
        await until(lambda: self.is_ready(service, index), f"{service} did not come back")
        if service != "gateway":
            port = int(self.grpc_address(service, index).rpartition(":")[2])
            await until(lambda: self._all_connected(port), f"nobody found {service} again")

    async def _all_connected(self, port: int) -> bool:
        """Return whether each gateway has a connection to `port`."""
        return all(
            any(
                connection.status == psutil.CONN_ESTABLISHED
                and connection.raddr
                and connection.raddr.port == port
                for connection in psutil.Process(child.pid).net_connections("tcp")
            )
            for child in self.children["gateway"]
        )

    async def ledger(self, email: str) -> int:
        """Requests of this month that are in Postgres."""
        account = await asyncio.to_thread(self.operations.account, email)
        return account.requests_this_month


def ready(gateway: str) -> bool:
    readiness = gateway_readiness(gateway)
    return bool(readiness and readiness["ready"])


async def until(condition: Callable[[], object], subject: str, seconds: float = 60.0) -> None:
    """Waits until the condition, which may be asynchronous, holds."""
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        held = condition()
        if asyncio.iscoroutine(held):
            held = await held
        if held:
            return
        assert asyncio.get_running_loop().time() < deadline, subject
        await asyncio.sleep(0.1)


@asynccontextmanager
async def fleet(home: Path) -> AsyncGenerator[Fleet]:
    """Everything started, with the sample catalogue in it."""
    postgres = Postgres(
        home / "postgres", free_port(), "fleet", {"max_connections": "200"}, home / "pg.log"
    )
    valkey = Valkey(free_port(), "fleet", home / "valkey.log", home / "valkey")
    async with AsyncExitStack() as stack:
        for engine in (postgres, valkey):
            engine.start()
            stack.callback(engine.stop)
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            for database in DATABASES:
                connection.execute(f"CREATE DATABASE {database}".encode())
        keys, outside, site = Secrets(), free_port(), free_port()
        addresses = [
            Addresses(*(f"{HOST}:{free_port()}" for _ in range(6)), supervisor_pid=0)
            for _ in range(2)
        ]
        sites = tuple(f"{HOST}:{free_port()}" for _ in addresses)
        made = Fleet(
            site_url=f"http://{HOST}:{site}",
            mcp_url=f"http://{HOST}:{outside}/mcp",
            gateways=Balancer(tuple(address.gateway for address in addresses), ready),
            operations=OperationsClient(
                addresses[0].auth_grpc, keys.operator_token, addresses[0].credentials("cli", keys)
            ),
            addresses=addresses,
        )
        shared = {
            **SETTINGS,
            "GATEWAY_BASE_URL": f"http://{HOST}:{outside}",
            "GATEWAY_CATALOG_TARGET": several(address.catalog_grpc for address in addresses),
            "GATEWAY_AUTH_TARGET": several(address.auth_grpc for address in addresses),
            "GATEWAY_IMPORTS_TARGET": several(address.imports_grpc for address in addresses),
            "AUTH_IMPORTS_TARGET": several(address.imports_grpc for address in addresses),
            "AUTH_CATALOG_TARGET": several(address.catalog_grpc for address in addresses),
            "AUTH_RESOURCE_URL": made.mcp_url,
            "IMPORT_CATALOG_TARGET": several(address.catalog_grpc for address in addresses),
        }
        for index, address in enumerate(addresses):
            mails = str(home / "mails")
            for spec in apart(specs(address, keys, postgres, valkey, made.site_url, mails)):
                own = {"AUTH_HTTP_PORT": sites[index].rpartition(":")[2]}
                changed = replace(spec, environment={**spec.environment, **shared, **own})
                if index == 0 and spec.database:
                    migrate(changed, home)
                child = Child(
                    f"{spec.name} {index}",
                    [spec.module, *spec.command],
                    changed.environment,
                    home / f"{spec.name}-{index}.log",
                )
                made.children.setdefault(spec.name, []).append(child)
        with psycopg.connect(postgres.url("catalog")) as connection:
            rows.restore(connection)
        everyone = [child for both in made.children.values() for child in both]
        stack.callback(stop, everyone)
        for child in everyone:
            child.start()
        for index, service in itertools.product(range(2), CALLED):
            await until(
                lambda index=index, service=service: made.is_ready(service, index),
                f"{service} {index} did not start",
            )
        await stack.enter_async_context(made.gateways.listening(outside))
        await stack.enter_async_context(Balancer(sites, None).listening(site))
        yield made


def several(addresses: Iterable[str]) -> str:
    """A gRPC target of all of them."""
    return f"ipv4:{','.join(addresses)}"


def migrate(spec: ServiceSpec, home: Path) -> None:
    child = Child(spec.name, [spec.module, "migrate"], spec.environment, home / "migrate.log")
    child.start()
    child.run_to_end()


def stop(children: list[Child]) -> None:
    for child in reversed(children):
        child.request_stop()
    for child in children:
        child.wait_stopped()
