"""Serve the auth service: its pages and OAuth by HTTP, the gateway's and operators' calls by gRPC."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from auth_service import MIGRATIONS
from auth_service.clients.client_documents import Fetcher
from auth_service.clients.imports import GrpcImportWorker
from auth_service.domain.ports import Clock
from auth_service.rpc import Servicers, add_servicers
from auth_service.settings import AuthSettings
from auth_service.web.app import http_app
from auth_service.web.site import Site
from auth_service.wiring.accounts import accounts_of
from auth_service.wiring.alerts import alerts_of
from auth_service.wiring.billing import billing_jobs, open_billing
from auth_service.wiring.follows import follow_jobs
from auth_service.wiring.jobs import run_jobs
from auth_service.wiring.ledger import ledger_of
from auth_service.wiring.resources import open_resources
from auth_service.wiring.servicers import servicers_of
from auth_service.wiring.site import site_of
from servicekit import database_wait
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.process.runtime import serve_until_stopped
from servicekit.valkey_cluster import refuse_wrong_mode


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports that gRPC and HTTP listen on."""

    grpc: int
    http: int


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class AuthApp:
    """The use cases of the service, as its pages and its RPCs call them."""

    site: Site
    servicers: Servicers


@asynccontextmanager
async def open_app(
    settings: AuthSettings, clock: Clock = now, fetcher: Fetcher | None = None
) -> AsyncGenerator[AuthApp]:
    """Open the databases, begin the work in the background, and yield the use cases until the block ends.

    Tests pass their own clock, and a fetcher that reaches client sites on this machine.
    """
    async with AsyncExitStack() as stack:
        resources = await open_resources(stack, settings, clock, fetcher)
        worker = GrpcImportWorker(resources.imports) if resources.imports else None
        accounts, ledger = accounts_of(resources), ledger_of(resources)
        billing = await open_billing(stack, resources)
        alerts = alerts_of(resources, worker)
        site = site_of(stack, resources, accounts, billing, alerts, worker)
        servicers = servicers_of(resources, accounts, billing, alerts, ledger)
        jobs = (*billing_jobs(billing), *alerts.jobs(), *follow_jobs(resources))
        await run_jobs(stack, resources, accounts, ledger, *jobs)
        yield AuthApp(site, servicers)


@asynccontextmanager
async def serve(
    settings: AuthSettings, clock: Clock = now, fetcher: Fetcher | None = None
) -> AsyncGenerator[Ports]:
    """Run the service and yield its ports; it serves requests until the block ends."""
    async with (
        open_app(settings, clock, fetcher) as app,
        http_server.serve_http(
            http_app(app.site),
            settings.http_host,
            settings.http_port,
            round(settings.shutdown_grace_seconds),
            request_timeout_seconds=settings.http_request_timeout_seconds,
            write_timeout_seconds=settings.http_write_timeout_seconds,
            trusted_proxies=settings.trusted_proxies,
        ) as http_port,
        grpc_server.serve_grpc(
            settings, lambda server: add_servicers(server, app.servicers)
        ) as grpc_port,
    ):
        yield Ports(grpc_port, http_port)


async def run(settings: AuthSettings) -> None:
    """Serve until a signal to stop, once the database is there and migrated."""
    await serve_until_stopped(
        lambda: serve(settings),
        settings.drain_seconds,
        lambda: _prepare(settings),
    )


async def _prepare(settings: AuthSettings) -> None:
    await refuse_wrong_mode(settings.valkey_url, "AUTH_VALKEY_URL")
    await database_wait.wait_at_start(settings, MIGRATIONS)
