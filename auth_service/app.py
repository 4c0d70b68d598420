"""Wire the auth service."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc.aio
import redis.asyncio as redis

from auth_service.clients.client_documents import ClientDocuments, Fetcher
from auth_service.clients.document_fetcher import DocumentFetcher
from auth_service.clients.imports import GrpcImportWorker
from auth_service.clients.mail_server import MailServer, trusted_authorities
from auth_service.clients.mailers import FolderMailer, NoMailer, SmtpMailer
from auth_service.clients.providers import github, google
from auth_service.domain.access import Access
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.encryption import fernet
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.oauth.client_documents import MAX_BYTES
from auth_service.domain.operations import Operations
from auth_service.domain.passwords import Passwords
from auth_service.domain.ports import Clock
from auth_service.domain.reconciliation import Reconciliation
from auth_service.domain.settlement import ActiveMonths, Settlement
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.deferred_work import DeferredWorkQueue
from auth_service.domain.site.imports import ImportService, ImportWorker
from auth_service.domain.site.limited_mailer import LimitedMailer, Links
from auth_service.domain.site.login_service import LoginService
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.sign_ups import SignUps
from auth_service.domain.usage import UsageEntry
from auth_service.oauth import metadata
from auth_service.oauth.issuing import IssuingOperations
from auth_service.oauth.policy import Policy
from auth_service.oauth.server import Environment
from auth_service.rpc import Servicers, add_servicers
from auth_service.rpc.access import UsageReported
from auth_service.settings import AuthSettings
from auth_service.storage.counters import ValkeyCounters
from auth_service.storage.oauth.keys import EncryptedKeys, KeyRing
from auth_service.storage.oauth.store import transactions as oauth_transactions
from auth_service.storage.reconciliation import PostgresBooks
from auth_service.storage.reconciliation_job import compared, keep_comparing
from auth_service.storage.retention import delete_expired_forever
from auth_service.storage.settlement_job import keep_settling, recovered
from auth_service.storage.site.store import PostgresSiteStore
from auth_service.storage.store import transactions
from auth_service.storage.throttle import ValkeyThrottle
from auth_service.storage.valkey import ValkeyRevocationPublisher
from auth_service.web.app import http_app
from auth_service.web.oauth_routes import OAuthDependencies
from auth_service.web.pages import pages
from auth_service.web.site import Site
from servicekit import database
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.observability import logs

_KEY_REFRESH_SECONDS: Final = 30.0
_redis: Any = redis.Redis  # its stubs are partial

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports that gRPC and HTTP listen on."""

    grpc: int
    http: int


def now() -> datetime:
    return datetime.now(UTC)


def policy_of(settings: AuthSettings) -> Policy:
    """Return the policy of the authorization server from the settings."""
    return Policy(
        issuer=settings.site_url,
        resource=settings.resource_url,
        token_secret=settings.token_secret.get_secret_value(),
        known_publishers=frozenset(settings.known_publishers),
    )


@asynccontextmanager
async def serve(
    settings: AuthSettings, clock: Clock = now, fetcher: Fetcher | None = None
) -> AsyncGenerator[Ports]:
    """Run the service and yield its ports; it serves requests until the block ends.

    Tests pass their own clock, and a fetcher that reaches client sites on this machine.
    """
    async with AsyncExitStack() as stack:
        engine = database.open_engine(settings, "auth_service")
        stack.push_async_callback(engine.dispose)
        sync_engine = database.open_sync_engine(settings, "auth_service")
        stack.callback(sync_engine.dispose)
        valkey: redis.Redis = _redis.from_url(settings.valkey_url, socket_timeout=2)
        stack.push_async_callback(valkey.aclose)

        loop = asyncio.get_running_loop()
        feed, throttle = ValkeyRevocationPublisher(valkey), ValkeyThrottle(valkey)
        policy, plans, passwords = policy_of(settings), settings.effective_plans(), Passwords()
        ring = KeyRing(sync_engine, EncryptedKeys(policy.token_secret), clock)
        await asyncio.to_thread(ring.refresh)
        if fetcher is None and settings.client_documents == "fetch":
            fetcher = DocumentFetcher(MAX_BYTES)
        documents = ClientDocuments(fetcher, throttle)
        stack.push_async_callback(documents.aclose)

        def environment() -> Environment:
            return Environment(policy, ring.keys, clock)

        def announce(account_id: str, grant_id: str) -> None:
            announcement = feed.announce(account_id, "grant_revoked", credential_id=grant_id)
            asyncio.run_coroutine_threadsafe(announcement, loop)

        open_oauth = oauth_transactions(sync_engine, announce)
        open_site = transactions(engine, PostgresSiteStore)
        access = Access(open_site, plans, clock, f"{settings.site_url}/account")
        operations = Operations(
            open_site, feed, passwords, plans, clock, settings.max_keys_per_account
        )
        mailer = _mailer(settings)
        deleted_accounts = DeletedAccounts(policy.token_secret)
        deferred = DeferredWorkQueue(open_site, _report_deferred)
        limited_mailer = LimitedMailer(mailer, throttle, Links(settings.site_url))
        sign_ups = SignUps(
            open_site, passwords, limited_mailer, deferred, deleted_accounts, throttle, clock
        )
        recovery = Recovery(open_site, passwords, limited_mailer, deferred, feed, throttle, clock)
        account_service = AccountService(
            open_site, passwords, mailer, feed, operations, clock, throttle, deleted_accounts
        )
        site = Site(
            oauth=OAuthDependencies(environment, open_oauth, documents, throttle),
            login_service=LoginService(
                open_site, passwords, limited_mailer, deferred, deleted_accounts, throttle, clock
            ),
            sign_ups=sign_ups,
            recovery=recovery,
            account_service=account_service,
            imports=ImportService(_import_worker(stack, settings), account_service),
            applications=Applications(open_site, clock),
            operations=operations,
            providers=_providers(settings),
            pages=pages(settings.site_url, settings.resource_url),
            site_url=settings.site_url,
            mail_folder="" if settings.smtp_host else settings.mail_folder,
            cookies=fernet("login-cookies", policy.token_secret),
        )
        reconciliation = Reconciliation(
            PostgresBooks(engine), ValkeyCounters(valkey), clock, settings.usage_entry_days
        )
        active = ActiveMonths(clock)
        servicers = Servicers(
            access=access,
            ledger_admission=LedgerAdmission(open_site),
            authority=CountingAuthority(open_site),
            issuer=lambda: (metadata.authorization_server(policy), ring.keys.jwks()),
            reported=_usage_reported(active),
            operations=operations,
            issuing=IssuingOperations(
                open_oauth, lambda: ring.rotate(policy.access_lifetime), clock
            ),
            compare=lambda: compared(reconciliation),
            operator_token=settings.operator_token.get_secret_value(),
        )

        def register(server: grpc.aio.Server) -> str:
            return add_servicers(server, servicers)

        retention = delete_expired_forever(
            engine, settings.usage_entry_days, settings.audit_log_days
        )
        deferred_runner = deferred.run({**sign_ups.handlers(), **recovery.handlers()})
        background = [
            retention,
            _refresh_keys_forever(ring),
            deferred_runner,
            keep_settling(Settlement(reconciliation, active)),
        ]
        if settings.reconcile_hours:
            background.append(keep_comparing(reconciliation, settings.reconcile_hours * 3600))
        for coroutine in background:
            task = asyncio.create_task(coroutine)
            stack.push_async_callback(asyncio.gather, task, return_exceptions=True)
            stack.callback(task.cancel)
        http_port = await stack.enter_async_context(
            http_server.serve_http(
                http_app(site),
                settings.http_host,
                settings.http_port,
                round(settings.shutdown_grace_seconds),
                request_timeout_seconds=settings.http_request_timeout_seconds,
                trusted_proxies=settings.trusted_proxies,
            )
        )
        grpc_port = await stack.enter_async_context(grpc_server.serve_grpc(settings, register))
        yield Ports(grpc_port, http_port)


def _report_deferred(event: str, kind: str, error: str) -> None:
    log.warning(event, kind=kind, error=error)


def _import_worker(stack: AsyncExitStack, settings: AuthSettings) -> ImportWorker | None:
    if not settings.imports_target:
        return None
    channel = grpc_client.open_channel(
        settings.imports_target, credentials=settings.peer_credentials()
    )
    stack.push_async_callback(channel.close)
    return GrpcImportWorker(channel)


def _usage_reported(active: ActiveMonths) -> UsageReported:
    def reported(entries: Sequence[UsageEntry], lacking: int, epoch: str) -> None:
        active.add(entries)
        if lacking:
            recovered(lacking, epoch)

    return reported


def _mailer(settings: AuthSettings) -> Mailer:
    """Return the SMTP mailer when a mail server is configured, else the folder's, else none."""
    if settings.smtp_host:
        server = MailServer(
            settings.smtp_host,
            settings.smtp_port,
            settings.smtp_security,
            settings.smtp_username,
            settings.smtp_password.get_secret_value(),
            trusted_authorities(settings.smtp_ca),
        )
        return SmtpMailer(settings.mail_from, server.send)
    if settings.mail_folder:
        return FolderMailer(Path(settings.mail_folder), settings.mail_from)
    return NoMailer()


def _providers(settings: AuthSettings) -> Mapping[str, Provider]:
    """Return the login providers that have a client id, by provider id."""
    known = (
        google(settings.google_client_id, settings.google_client_secret.get_secret_value()),
        github(settings.github_client_id, settings.github_client_secret.get_secret_value()),
    )
    return {provider.provider_id: provider for provider in known if provider.client_id}


async def _refresh_keys_forever(ring: KeyRing) -> None:
    """Reload signing keys periodically, sooner than a newly published key starts to sign."""
    while True:
        await asyncio.sleep(_KEY_REFRESH_SECONDS)
        try:
            await asyncio.to_thread(ring.refresh)
        except Exception as error:  # noqa: BLE001 - the loaded keys stay in use
            log.warning("signing_keys_not_read", error=str(error))
