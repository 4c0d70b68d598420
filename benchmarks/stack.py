"""The services as users run them, on throw-away engines and a generated catalogue."""

import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg

from local_stack.children import Child, wait_until
from local_stack.clients.health import gateway_readiness, grpc_is_serving
from local_stack.clients.operations import OperationsClient
from local_stack.engines import Postgres, Valkey
from local_stack.home import Addresses, Secrets
from local_stack.ports import HOST, free_port
from local_stack.services import DATABASES, specs

_EMAIL = "bench@example.com"


@dataclass(frozen=True, slots=True)
class BenchStack:
    """A running stack. `processes` are those whose CPU time is counted."""

    addresses: Addresses
    api_key: str
    processes: Mapping[str, psutil.Process]

    @property
    def port(self) -> int:
        return int(self.addresses.gateway.rpartition(":")[2])

    def cpu_seconds(self) -> dict[str, float]:
        """CPU time used so far by each part, children included."""
        return {name: _cpu(process) for name, process in self.processes.items()}


@contextmanager
def running() -> Generator[BenchStack]:
    """Everything but the import worker, with limits that no run reaches."""
    with tempfile.TemporaryDirectory(prefix="sponsorgraph-bench-") as folder:
        home = Path(folder)
        postgres = Postgres(
            home / "postgres", free_port(), "bench", {"shared_buffers": "512MB"}, home / "pg.log"
        )
        valkey = Valkey(free_port(), "bench", home / "valkey.log")
        children: list[Child] = []
        try:
            postgres.start()
            valkey.start()
            yield _start(home, postgres, valkey, children)
        finally:
            for child in children:
                child.ask_to_stop()
            for child in children:
                child.wait_stopped()
            postgres.stop()
            valkey.stop()


def _start(home: Path, postgres: Postgres, valkey: Valkey, children: list[Child]) -> BenchStack:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        for database in DATABASES:
            connection.execute(f"CREATE DATABASE {database}".encode())
    addresses = Addresses(*(f"{HOST}:{free_port()}" for _ in range(6)), supervisor_pid=0)
    secrets = Secrets()
    for spec in specs(
        addresses, secrets, postgres, valkey, f"http://{HOST}:{free_port()}", str(home / "mails")
    ):
        if spec.module == "import_worker":
            continue
        environment = {**spec.environment, "AUTH_PLANS": _UNLIMITED}
        if spec.has_database:
            migration = Child(
                spec.name, [spec.module, "migrate"], environment, home / f"{spec.name}.log"
            )
            migration.start()
            migration.run_to_end()
        children.append(Child(spec.name, [spec.module], environment, home / f"{spec.name}.log"))
        children[-1].start()
    wait_until(lambda: _ready(addresses), children, "The start", 60)
    client = OperationsClient(addresses.auth_grpc, secrets.operator_token)
    client.create_account(_EMAIL, "creator_agent", None)
    api_key, _ = client.create_key(_EMAIL, "bench", None)
    processes = {child.name: psutil.Process(child.pid) for child in children}
    for name, engine in (("postgres", postgres), ("valkey", valkey)):
        if engine.process is not None:
            processes[name] = psutil.Process(engine.process.pid)
    return BenchStack(addresses, api_key, processes)


_UNLIMITED = (
    '{"creator_agent": {"monthly_requests": 1000000000, "burst_requests": 1000000000, '
    '"burst_refill_per_second": 1000000000}}'
)


def _ready(addresses: Addresses) -> bool:
    answer = gateway_readiness(addresses.gateway)
    return bool(answer and answer["ready"]) and grpc_is_serving(addresses.catalog_grpc)


def _cpu(process: psutil.Process) -> float:
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total
