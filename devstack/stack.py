"""The whole stack on one machine: started, kept running, stopped."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Final

from devstack import ports, sample
from devstack.children import Child, inherited_environment, wait_until
from devstack.clients.api_keys import KEY_UNKNOWN, REPLACEABLE, refusal_of
from devstack.clients.readiness import gateway_readiness
from devstack.database_preparation import preparing
from devstack.engines import Postgres, Valkey
from devstack.forked_processes import ForkServer
from devstack.home import DEMO_EMAIL, Addresses, Connection, Home, HomeError, Secrets
from devstack.interruption import StopFlag
from devstack.local_services import engines_of, services_of
from devstack.log_files import last_lines
from devstack.problem_reporter import ProblemReporter, Report
from devstack.settings import StackSettings
from devstack.supervisor import Pids, Supervisor, pids_of

_READY_SECONDS: Final = 60.0
COMMON_MODULES: Final = (
    "grpc.aio",
    "grpc_health.v1.health",
    "grpc_reflection.v1alpha.reflection",
    "grpc_status.rpc_status",
    "httpx2",
    "msgspec",
    "psycopg_pool",
    "redis.asyncio.cluster",
    "redis.asyncio.sentinel",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.ext.asyncio",
    "starlette.applications",
    "starlette.staticfiles",
    "uvicorn.protocols.http.httptools_impl",
    "protos.auth.v1.auth_pb2_grpc",
    "protos.catalog.v1.catalog_pb2_grpc",
    "protos.imports.v1.imports_pb2_grpc",
    "servicekit.database_wait",
    "servicekit.grpc.client",
    "servicekit.http.dpop",
    "servicekit.http.server",
    "servicekit.process.runtime",
    "servicekit.valkey_cluster",
    "shapes.auth.auth",
    "shapes.catalog.comparisons",
    "shapes.catalog.corrections",
    "shapes.catalog.dataset",
    "shapes.catalog.ingest",
    "shapes.catalog.lists",
    "shapes.catalog.outlook",
    "shapes.catalog.resolution",
    "shapes.catalog.sponsors",
    "shapes.catalog.topics",
    "shapes.catalog.videos",
    "shapes.catalog.youtubers",
    "shapes.imports",
)
"""With what they import, most of what several services load."""


@dataclass(slots=True)
class Stack:
    """One stack on one home. `report` gets each step; `warnings` are about what the start left out."""

    home: Home
    settings: StackSettings
    report: Report
    warnings: list[str] = field(default_factory=list[str])
    children: list[Child] = field(default_factory=list[Child])
    _engines: list[Postgres | Valkey] = field(default_factory=list[Postgres | Valkey])
    _fork_server: ForkServer | None = None
    _site_url: str = ""

    def start(self) -> Connection:
        """Start everything; return how to use it.

        Raises:
            PortError, HomeError, EngineError, ChildError: What stands in the way, in words.
        """
        keys = self.home.secrets()
        addresses = self._addresses()
        self.report("Starting Postgres and Valkey")
        self._launch_fork_server()
        log = self.home.logs / "databases.log"
        with preparing(self.home.path.resolve(), log) as databases:
            self._start_engines(addresses, keys)
            self._make_certificates(addresses)
            self.home.write_addresses(addresses)
            self.report("Preparing the databases and starting the services")
            databases.begin()
            # Before, services would wait for their tables with a warning.
            databases.wait_until_up_to_date()
            for spec in services_of(self.home, addresses, self._site_url):
                child = self._child(spec.name, [spec.module, *spec.command], spec.environment)
                self.children.append(child)
                child.start()
            wait_until(lambda: _is_ready(addresses), self.children, "The start", _READY_SECONDS)
            api_key, password = self._demo_account(addresses)
            databases.wait()
        self._load_sample(addresses, keys)
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
            self.home.write_connection(replace(self._recorded(connection), pids=pids))

        problems = ProblemReporter(self.report)
        Supervisor(self.children, self._engines, write, connection.pids, problems).run(stopped)

    def _recorded(self, connection: Connection) -> Connection:
        """Return what is written down, in which `sponsorgraph demo` may have put another key since the start."""
        try:
            return self.home.connection() or connection
        except HomeError:
            return connection

    def stop(self, *, gracefully: bool = True) -> None:
        """Stop the services, those first that depend on others, then the engines.

        Services that nobody calls yet need not end gracefully.
        """
        for child in reversed(self.children):
            child.request_stop(gracefully=gracefully)
        for child in self.children:
            child.wait_stopped()
        if self._fork_server is not None:
            self._fork_server.stop()
        for engine in self._engines:
            engine.stop()

    def _addresses(self) -> Addresses:
        state = self.home.state()
        gateway = ports.claim(self.settings.port, "the gateway", "SPONSORGRAPH_PORT")
        site = ports.claim(self.settings.site_port, "the site", "SPONSORGRAPH_SITE_PORT")
        if gateway == site:
            raise ports.PortError(
                f"SPONSORGRAPH_PORT and SPONSORGRAPH_SITE_PORT are both {site}: give them different ports (0 for any free one)."
            )
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

    def _launch_fork_server(self) -> None:
        """Begin to load what services have in common, beside what comes before them."""
        # Elsewhere a process may not be forked once libraries of the system are loaded.
        if sys.platform != "linux":
            return
        log = self.home.logs / "fork_server.log"
        self._fork_server = ForkServer(COMMON_MODULES, inherited_environment(), log)
        self._fork_server.launch()

    def _start_engines(self, addresses: Addresses, keys: Secrets) -> None:
        # Started here, not in threads: on Linux a child ends with the thread that made it.
        self._engines = list(engines_of(self.home, addresses, keys))
        for engine in self._engines:
            engine.start()

    def _make_certificates(self, addresses: Addresses) -> None:
        if addresses.certificates:
            # What it takes to make certificates is of use to few.
            from devstack import certificates  # noqa: PLC0415

            certificates.make(self.home.certificates, addresses=[ports.HOST])

    def _child(self, name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Child:
        log = self.home.logs / f"{name}.log"
        return Child(name, arguments, environment, log, self._fork_server)

    def _load_sample(self, addresses: Addresses, keys: Secrets) -> None:
        with resources.as_file(resources.files("devstack.sample") / "catalog.jsonl.gz") as file:
            digest, state = sample.digest(), self.home.state()
            if state.get("sample") in (digest, sample.RESTORED):
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

    def _demo_account(self, addresses: Addresses) -> tuple[str, str]:
        """Return the demo account's key and password; made if there are none, or if the databases do not have the key."""
        known = self.home.connection()
        api_key, password = (
            (known.api_key, known.password)
            if known is not None and known.api_key
            else self.home.demo_account()  # by a start that was cut short
        )
        refusal = refusal_of(addresses.gateway, api_key) if api_key else KEY_UNKNOWN
        if refusal not in REPLACEABLE:
            return api_key, password
        made_key, made_password = self._make_demo_account()
        if not made_key:
            log = self.home.logs / "demo_account.log"
            self.warnings.append(f"The demo account gets no API key: {last_lines(log, 1)}")
        # A key that is not known was of other databases, and so was its account.
        return made_key, made_password or ("" if refusal == KEY_UNKNOWN else password)

    def _make_demo_account(self) -> tuple[str, str]:
        """Return a new key of the demo account, and its password if the account is new, too."""
        self.report("Creating the demo account")
        # A process that ends, as what it loads is of no use later.
        maker = self._child(
            "demo_account", ["devstack.demo_account", str(self.home.path.resolve())], {}
        )
        try:
            maker.start()
            maker.run_to_end()
        except BaseException:
            maker.request_stop(gracefully=False)
            maker.wait_stopped()
            raise
        return self.home.demo_account()


def _is_ready(addresses: Addresses) -> bool:
    """Return whether everything serves: the gateway says so of all but imports, whose process listens when it does."""
    readiness = gateway_readiness(addresses.gateway)
    imports_port = int(addresses.imports_grpc.rpartition(":")[2])
    return bool(readiness and readiness["ready"]) and ports.listens(imports_port)
