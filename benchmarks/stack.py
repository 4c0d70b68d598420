"""The services as users run them, on throw-away engines."""

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from benchmarks.load import Target
from devstack.children import Child, wait_until
from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.clients.readiness import gateway_readiness
from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Secrets
from devstack.ports import HOST, free_port
from devstack.services import DATABASES, ServiceSpec, specs
from servicekit.peer_credentials import PeerCredentials

_EMAIL = "bench@example.com"
_UNLIMITED = (
    '{"creator_agent": {"monthly_requests": 1000000000, "burst_requests": 1000000000, '
    '"burst_refill_per_second": 1000000000}}'
)
_POSTGRES = {"shared_buffers": "512MB", "max_wal_size": "4GB", "checkpoint_timeout": "30min"}


@dataclass(frozen=True, slots=True)
class BenchStack:
    """A running stack.

    Attributes:
        addresses: Where its parts listen.
        api_key: A key on a plan whose limits no run reaches.
        services: The processes of ours.
        engines: Those of Postgres and Valkey.
        catalog_url: The catalogue's database.
        forgetful: Where a further gateway listens, which caches no results.
        environments: What each service was started with.
        folder: Its logs; others may put theirs there.
    """

    addresses: Addresses
    credentials: PeerCredentials
    api_key: str
    services: Mapping[str, psutil.Process]
    engines: Mapping[str, psutil.Process]
    catalog_url: str
    forgetful: str
    environments: Mapping[str, Mapping[str, str]]
    folder: Path

    @property
    def target(self) -> Target:
        return self._at(self.addresses.gateway)

    @property
    def target_without_memory(self) -> Target:
        return self._at(self.forgetful)

    def _at(self, address: str) -> Target:
        return Target(int(address.rpartition(":")[2]), self.api_key)


@contextmanager
def running(runner: Sequence[str] = ()) -> Generator[BenchStack]:
    """Start all services and engines, with limits that no run reaches.

    Args:
        runner: Module and arguments that run each service in the place of its own module, whose name
            follows.
    """
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-bench-") as folder:
        home = Path(folder)
        postgres = Postgres(home / "postgres", free_port(), "bench", _POSTGRES, home / "pg.log")
        valkey = Valkey(free_port(), "bench", home / "valkey.log", home / "valkey")
        children: list[Child] = []
        try:
            postgres.start()
            valkey.start()
            yield _start(home, postgres, valkey, children, runner)
        finally:
            for child in children:
                child.request_stop()
            for child in children:
                child.wait_stopped()
            postgres.stop()
            valkey.stop()


def _start(
    home: Path,
    postgres: Postgres,
    valkey: Valkey,
    children: list[Child],
    runner: Sequence[str],
) -> BenchStack:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        for database in DATABASES:
            connection.execute(f"CREATE DATABASE {database}".encode())
    addresses = Addresses(*(f"{HOST}:{free_port()}" for _ in range(6)), supervisor_pid=0)
    secrets = Secrets()
    site = f"http://{HOST}:{free_port()}"
    services = specs(addresses, secrets, postgres, valkey, site, str(home / "mails"))
    for spec in services:
        if spec.database:
            _migrate(spec, home)
        environment = {**spec.environment, "AUTH_PLANS": _UNLIMITED}
        arguments = [*runner, spec.module, *spec.command]
        children.append(Child(spec.name, arguments, environment, home / f"{spec.name}.log"))
        children[-1].start()
    named = list(children)
    gateway = next(spec for spec in services if spec.name == "gateway")
    forgetful = f"{HOST}:{free_port()}"
    environment = {
        **gateway.environment,
        "GATEWAY_RESULT_CACHE_BYTES": "0",
        "GATEWAY_PORT": forgetful.rpartition(":")[2],
    }
    children.append(
        Child("forgetful", [gateway.module, *gateway.command], environment, home / "forgetful.log")
    )
    children[-1].start()
    wait_until(lambda: _ready(addresses) and _ready_at(forgetful), children, "The start", 60)
    credentials = addresses.credentials("cli", secrets)
    client = OperationsClient(addresses.auth_grpc, secrets.operator_token, credentials)
    client.create_account(_EMAIL, "creator_agent", None)
    api_key, _ = client.create_key(_EMAIL, "bench", None)
    engines = {"postgres": postgres.process, "valkey": valkey.process}
    return BenchStack(
        addresses=addresses,
        credentials=credentials,
        api_key=api_key,
        services={child.name: psutil.Process(child.pid) for child in named},
        engines={name: psutil.Process(process.pid) for name, process in engines.items() if process},
        catalog_url=postgres.url("catalog"),
        forgetful=forgetful,
        environments={spec.name: spec.environment for spec in services},
        folder=home,
    )


def _migrate(spec: ServiceSpec, home: Path) -> None:
    migration = Child(
        spec.name, [spec.module, "migrate"], spec.environment, home / f"{spec.name}.log"
    )
    migration.start()
    migration.run_to_end()


def _ready(addresses: Addresses) -> bool:
    return _ready_at(addresses.gateway) and grpc_is_serving(addresses.catalog_grpc)


def _ready_at(gateway: str) -> bool:
    readiness = gateway_readiness(gateway)
    return bool(readiness and readiness["ready"])
