"""The whole stack on one machine: started, kept running, stopped."""

import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Final

import psycopg

from devstack import certificates, ports, sql_role
from devstack.children import Child, wait_until
from devstack.clients.health import gateway_readiness, grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Connection, Home, Secrets
from devstack.interruption import StopFlag
from devstack.problem_reporter import ProblemReporter, Report
from devstack.sample import rows
from devstack.schemas import is_up_to_date
from devstack.services import DATABASES, ServiceSpec, specs
from devstack.settings import StackSettings
from devstack.supervisor import Pids, Supervisor, pids_of
from servicekit.errors import Conflict

DEMO_EMAIL: Final = "demo@sponsorgraph.local"
_READY_SECONDS: Final = 60.0
_POSTGRES_SETTINGS: Final = {
    "shared_buffers": "128MB",
    "max_connections": "100",
    "log_min_messages": "warning",
    "log_line_prefix": "%m [%p] ",
}


@dataclass(slots=True)
class Stack:
    """One stack on one home. `report` gets each step; `warnings` are about what the start left out."""

    home: Home
    settings: StackSettings
    report: Report
    warnings: list[str] = field(default_factory=list[str])
    children: list[Child] = field(default_factory=list[Child])
    _engines: list[Postgres | Valkey] = field(default_factory=list[Postgres | Valkey])
    _site_url: str = ""

    def start(self) -> Connection:
        """Start everything; return how to use it.

        Raises:
            PortError, HomeError, EngineError, ChildError: What stands in the way, in words.
        """
        keys = self.home.secrets()
        addresses = self._addresses()
        self.report("Starting Postgres and Valkey")
        postgres, valkey = self._start_engines(addresses, keys)
        if addresses.certificates:
            certificates.make(self.home.certificates, addresses=[ports.HOST])
        self.home.write_addresses(addresses)
        services = specs(
            addresses, keys, postgres, valkey, self._site_url, str(self.home.mails.resolve())
        )
        if not all(is_up_to_date(postgres.url(name), name) for name in DATABASES):
            self.report("Bringing the databases up to date")
            self._migrate()
        self.report("Starting the services")
        for spec in services:
            self._child(spec.name, [spec.module, *spec.command], spec).start()
        self._fill_catalogue(postgres)  # while they load their modules
        wait_until(
            lambda: self._is_ready(addresses, keys), self.children, "The start", _READY_SECONDS
        )
        self._load_sample(addresses, keys)
        api_key, password = self._demo_account(addresses, keys)
        connection = Connection(
            mcp_url=f"http://{addresses.gateway}/mcp",
            site_url=self._site_url,
            api_key=api_key,
            email=DEMO_EMAIL,
            password=password,
            pids=pids_of(self.children, self._engines),
        )
        self.home.write_connection(connection)
        return connection

    def keep_running(self, connection: Connection, stopped: StopFlag) -> None:
        """Start again what ends by itself, until `stopped` is set."""

        def write(pids: Pids) -> None:
            self.home.write_connection(replace(connection, pids=pids))

        problems = ProblemReporter(self.report)
        Supervisor(self.children, self._engines, write, connection.pids, problems).run(stopped)

    def stop(self, *, gracefully: bool = True) -> None:
        """Stop the services, those first that depend on others, then the engines.

        Services that nobody calls yet need not end gracefully.
        """
        for child in reversed(self.children):
            child.request_stop(gracefully=gracefully)
        for child in self.children:
            child.wait_stopped()
        for engine in self._engines:
            engine.stop()

    def _addresses(self) -> Addresses:
        state = self.home.state()
        gateway = ports.claim(self.settings.port, "the gateway", "SPONSORGRAPH_PORT")
        site = ports.claim(self.settings.site_port, "the site", "SPONSORGRAPH_SITE_PORT")
        internal = ("catalog", "auth", "imports", "postgres", "valkey")
        chosen = {name: ports.reuse_or_choose(state.get(f"{name}_port")) for name in internal}
        self.home.write_state({**state, **{f"{k}_port": v for k, v in chosen.items()}})
        self._site_url = f"http://{ports.HOST}:{site}"
        return Addresses(
            gateway=f"{ports.HOST}:{gateway}",
            catalog_grpc=f"{ports.HOST}:{chosen['catalog']}",
            auth_grpc=f"{ports.HOST}:{chosen['auth']}",
            imports_grpc=f"{ports.HOST}:{chosen['imports']}",
            postgres=f"{ports.HOST}:{chosen['postgres']}",
            valkey=f"{ports.HOST}:{chosen['valkey']}",
            supervisor_pid=os.getpid(),
            certificates=str(self.home.certificates.resolve()) if self.settings.mutual_tls else "",
        )

    def _start_engines(self, addresses: Addresses, keys: Secrets) -> tuple[Postgres, Valkey]:
        postgres = Postgres(
            self.home.path.resolve() / "postgres",
            int(addresses.postgres.rpartition(":")[2]),
            keys.postgres_password,
            _POSTGRES_SETTINGS,
            self.home.logs / "postgres.log",
        )
        valkey = Valkey(
            int(addresses.valkey.rpartition(":")[2]),
            keys.valkey_password,
            self.home.logs / "valkey.log",
            self.home.path.resolve() / "valkey",
        )
        # Started here, not in threads: on Linux a child ends with the thread that made it.
        self._engines = [postgres, valkey]
        for engine in self._engines:
            engine.start()
        with psycopg.connect(postgres.url(), autocommit=True) as connection:
            found = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
            for name in DATABASES:
                if name not in found:
                    connection.execute(f"CREATE DATABASE {name}".encode())
            sql_role.ensure(connection, "catalog", keys.sql_password)
        return postgres, valkey

    def _migrate(self) -> None:
        arguments = ["devstack.migrate", str(self.home.path.resolve())]
        migration = Child("The migration", arguments, {}, self.home.logs / "migrate.log")
        try:
            migration.start()
            migration.run_to_end()
        finally:
            migration.request_stop()
            migration.wait_stopped()

    def _child(self, name: str, arguments: Sequence[str], spec: ServiceSpec) -> Child:
        child = Child(name, arguments, spec.environment, self.home.logs / f"{name}.log")
        self.children.append(child)
        return child

    def _is_ready(self, addresses: Addresses, keys: Secrets) -> bool:
        readiness = gateway_readiness(addresses.gateway)
        return bool(readiness and readiness["ready"]) and grpc_is_serving(
            addresses.imports_grpc, addresses.credentials("cli", keys)
        )

    def _fill_catalogue(self, postgres: Postgres) -> None:
        """Load the sample's rows where the catalogue never had any; else its service takes the sample in."""
        state = self.home.state()
        if "sample" in state:
            return
        self.report("Loading the sample catalogue")
        with psycopg.connect(postgres.url("catalog")) as connection:
            digest = rows.restore(connection)
        if digest is not None:
            self.home.write_state({**state, "sample": digest})

    def _load_sample(self, addresses: Addresses, keys: Secrets) -> None:
        with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            state = self.home.state()
            if state.get("sample") == digest:
                return
            # What it takes to read files is not needed at a later start.
            from devstack.sample_loader import load, refusal_of_sample  # noqa: PLC0415

            self.report("Loading the sample catalogue")
            loaded = load(
                addresses.catalog_grpc,
                [file],
                lambda sent: self.report(f"Loading the sample catalogue: {sent:,} records"),
                addresses.credentials("cli", keys),
            )
        if loaded.refused:
            self.warnings.append(refusal_of_sample(loaded.refused))
        self.home.write_state({**state, "sample": digest})

    def _demo_account(self, addresses: Addresses, keys: Secrets) -> tuple[str, str]:
        known = self.home.connection()
        if known is not None and known.api_key:
            return known.api_key, known.password
        self.report("Creating the demo account")
        client = OperationsClient(
            addresses.auth_grpc, keys.operator_token, addresses.credentials("cli", keys)
        )
        password = secrets.token_urlsafe(12)
        try:
            client.create_account(DEMO_EMAIL, "creator", password)
        except Conflict:
            password = ""  # made by an earlier start that was cut short
        api_key, _ = client.create_key(DEMO_EMAIL, "demo", None)
        return api_key, password
