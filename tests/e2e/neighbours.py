"""An installation whose processes are of this version or of the last release, each started and replaced by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import httpx2
import psycopg

from devstack.children import Child
from devstack.clients.health import grpc_is_serving
from devstack.clients.operations import OperationsClient
from devstack.engines import Postgres, Valkey
from devstack.home import Addresses, Secrets
from devstack.ports import HOST, free_port
from devstack.services import DATABASES, ServiceSpec, specs
from tests.clients.person import Person
from tests.e2e.channel_imports import StandIn, made_channel
from tests.e2e.fleet import ready, stop, until
from tests.import_processes import apart
from tests.released import environment_of

REPLACED_IN_ORDER: Final = (
    "catalog_service",
    "import_worker",
    "import_jobs",
    "auth_service",
    "gateway",
)
"""The order of docs/operations.md."""

_SETTINGS: Final[Mapping[str, str]] = {
    "AUTH_PLANS": json.dumps(
        {"creator": {"concurrent_imports": 50, "burst_requests": 5000, "monthly_requests": 100_000}}
    ),
    "IMPORT_YOUTUBE_API_KEY": "any",
    "GATEWAY_RESULT_CACHE_BYTES": "0",
    "GATEWAY_DRAIN_SECONDS": "0.1",
    "CATALOG_DRAIN_SECONDS": "0.1",
    "AUTH_DRAIN_SECONDS": "0.1",
    "IMPORT_DRAIN_SECONDS": "0.1",
}
_RETRIES: Final = 5
_MAX_WAIT_SECONDS: Final = 5.0
_WORKERS: Final = (
    "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - '2 s'::interval"
)


@dataclass(slots=True)
class Installation:
    """The parts, and the calls that callers, people and operators make."""

    home: Path
    addresses: Addresses
    site_url: str
    operations: OperationsClient
    youtube: StandIn
    urls: Mapping[str, str]
    specs: Mapping[str, ServiceSpec]
    children: dict[str, Child] = field(default_factory=dict[str, Child])

    async def migrate(self, code: Path) -> None:
        """Run the migrations of a version by its services' own commands."""
        migrating = [
            self._child(spec, code, [spec.module, "migrate"])
            for spec in self.specs.values()
            if spec.database
        ]
        for child in migrating:
            child.start()
        for child in migrating:
            await asyncio.to_thread(child.run_to_end)

    async def start(self, code: Path | None, *names: str) -> None:
        """Start processes of one version, and return when all are ready."""
        for name in names:
            spec = self.specs[name]
            self.children[name] = self._child(spec, code, [spec.module, *spec.command])
            self.children[name].start()
        for name in names:
            child = self.children[name]
            await until(
                lambda name=name: self._is_ready(name), f"{name} did not start:\n{child.tail()}"
            )

    async def replace(self, code: Path | None, *names: str) -> None:
        """Stop processes and start those of another version in their place."""
        await asyncio.to_thread(stop, [self.children[name] for name in names])
        await self.start(code, *names)

    def schemas(self) -> dict[str, str]:
        query = "SELECT version_num FROM alembic_version"
        return {name: self._rows(name, query)[0][0] for name in self.urls}

    # What people, callers and operators do

    async def account(self, email: str) -> str:
        """Return the API key of a new account."""

        def create() -> str:
            self.operations.create_account(email, "creator", None)
            return self.operations.create_key(email, "of the test", None)[0]

        return await asyncio.to_thread(create)

    async def usage(self, email: str) -> int:
        """Return the requests of an account that are in the ledger."""
        account = await asyncio.to_thread(self.operations.account, email)
        return account.requests_this_month

    async def call(self, key: str, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool; a busy gateway is called again after the time that it names, as clients do."""
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        async with httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key}"}, timeout=15
        ) as http:
            response = await http.post(f"http://{self.addresses.gateway}/mcp", json=body)
            for _ in range(_RETRIES):
                if response.status_code != 503 or "Retry-After" not in response.headers:
                    break
                await asyncio.sleep(min(float(response.headers["Retry-After"]), _MAX_WAIT_SECONDS))
                response = await http.post(f"http://{self.addresses.gateway}/mcp", json=body)
        assert response.status_code == 200, response.text
        result = response.json()["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def imported(self, key: str, name: str) -> dict[str, Any]:
        """Return the status of a finished import of a channel that nobody has imported yet."""
        self.youtube.show(made_channel(name, 4))
        begun = await self.call(key, "channel.import", channel=f"@{name}")
        status: dict[str, Any] = {}

        async def is_done() -> bool:
            nonlocal status
            status = await self.call(key, "channel.importStatus", import_id=begun["import_id"])
            return status["state"] in ("done", "failed")

        await until(is_done, f"the import of {name} does not end")
        return status

    async def sign_up(self, email: str) -> str:
        """Sign somebody up by the site's pages, log them in, and return the page of their account."""
        async with Person(self.site_url) as person:
            await person.sign_up(email, self.home / "mails")
            await person.log_in(email)
            return (await person.visit("/account")).text

    def _child(self, spec: ServiceSpec, code: Path | None, arguments: list[str]) -> Child:
        log = self.home / f"{spec.name}.log"
        return Child(spec.name, arguments, {**spec.environment, **environment_of(code)}, log)

    async def _is_ready(self, name: str) -> bool:
        if name == "gateway":
            return await asyncio.to_thread(ready, self.addresses.gateway)
        if name == "import_jobs":
            return bool(self._rows("imports", _WORKERS)[0][0])
        address = {
            "catalog_service": self.addresses.catalog_grpc,
            "auth_service": self.addresses.auth_grpc,
            "import_worker": self.addresses.imports_grpc,
        }[name]
        return await asyncio.to_thread(grpc_is_serving, address)

    def _rows(self, database: str, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.urls[database]) as connection:
            return connection.execute(statement.encode()).fetchall()


@asynccontextmanager
async def installation(
    home: Path, postgres: Postgres, urls: Mapping[str, str]
) -> AsyncGenerator[Installation]:
    """Engines and settings; no process of ours is started, and no database migrated.

    Args:
        home: An empty folder.
        postgres: The server of the databases.
        urls: An empty database for each name of `DATABASES`.
    """
    async with AsyncExitStack() as stack:
        valkey = Valkey(free_port(), "neighbours", home / "valkey.log", home / "valkey")
        valkey.start()
        stack.callback(valkey.stop)
        youtube = stack.enter_context(StandIn())
        keys = Secrets()
        addresses = Addresses(*(f"{HOST}:{free_port()}" for _ in range(6)), supervisor_pid=0)
        site = f"http://{HOST}:{free_port()}"
        shared = {
            **_SETTINGS,
            "IMPORT_YOUTUBE_URL": youtube.url,
            "IMPORT_YOUTUBE_FEED_URL": youtube.url,
        }
        variables = ("CATALOG_DATABASE_URL", "AUTH_DATABASE_URL", "IMPORT_DATABASE_URL")
        databases = {
            variable: urls[name] for variable, name in zip(variables, DATABASES, strict=True)
        }
        made = Installation(
            home=home,
            addresses=addresses,
            site_url=site,
            operations=OperationsClient(
                addresses.auth_grpc, keys.operator_token, addresses.credentials("cli", keys)
            ),
            youtube=youtube,
            urls=urls,
            specs={
                spec.name: replace(spec, environment={**spec.environment, **shared, **databases})
                for spec in apart(
                    specs(addresses, keys, postgres, valkey, site, str(home / "mails"))
                )
            },
        )
        stack.callback(lambda: stop(list(made.children.values())))
        yield made
