"""Wire the auth service."""

import asyncio
import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import grpc.aio
import redis.asyncio as redis
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service import MIGRATIONS
from auth_service.alerts import AlertPorts, open_alerts
from auth_service.clients.bulk_imports import GrpcBulkImportWorker
from auth_service.clients.client_documents import ClientDocuments, Fetcher
from auth_service.clients.document_fetcher import DocumentFetcher
from auth_service.clients.gateway import HttpGateway
from auth_service.clients.import_operations import GrpcImportOperations
from auth_service.clients.imports import GrpcImportWorker
from auth_service.clients.lists import GrpcLists
from auth_service.clients.mail_server import MailServer, trusted_authorities
from auth_service.clients.mailers import FolderMailer, NoMailer, SmtpDelivery
from auth_service.clients.providers import github, google
from auth_service.clients.reports import GrpcReports
from auth_service.domain import site_credentials
from auth_service.domain.access import Access
from auth_service.domain.account_deletion import AccountDeletion
from auth_service.domain.account_operations import AccountOperations
from auth_service.domain.billing import BillingPolicy
from auth_service.domain.billing_service import BillingService, PriceList
from auth_service.domain.billing_sync import BillingSync
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.deleted_accounts import DeletedAccounts
from auth_service.domain.diagnosis import checks
from auth_service.domain.diagnosis.model import Check, Diagnosis
from auth_service.domain.email_changes.service import EmailChanges
from auth_service.domain.encryption import derived_key, fernet
from auth_service.domain.explore.examples import Examples
from auth_service.domain.explore.ports import SiteTokens
from auth_service.domain.explore.results import ToolResults
from auth_service.domain.ledger_admission import LedgerAdmission
from auth_service.domain.oauth import signing
from auth_service.domain.oauth.client_documents import MAX_BYTES
from auth_service.domain.oauth.scopes import ACCOUNT_READ, CATALOG_READ, CHANNELS_IMPORT
from auth_service.domain.operations import Operations
from auth_service.domain.operator_overview.service import OperatorOverview
from auth_service.domain.organisations.invitations import Invitations
from auth_service.domain.organisations.service import OrganisationService
from auth_service.domain.passkeys.challenges import Challenges
from auth_service.domain.passkeys.ports import WebAuthn
from auth_service.domain.passkeys.service import Passkeys
from auth_service.domain.passwords import Passwords
from auth_service.domain.ports import Clock, RevocationPublisher, Throttle
from auth_service.domain.rate_limits import is_address
from auth_service.domain.reconciliation import Reconciliation
from auth_service.domain.settlement import ActiveMonths, Settlement
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.applications import Applications
from auth_service.domain.site.bulk_imports import BulkImportService, BulkImportWorker
from auth_service.domain.site.deferred_work import DeferredWorkQueue
from auth_service.domain.site.imports import ImportService, ImportWorker
from auth_service.domain.site.limited_mailer import LimitedMailer, Links
from auth_service.domain.site.list_erasure import ListErasure
from auth_service.domain.site.lists import ListService
from auth_service.domain.site.local_mails import LocalMails
from auth_service.domain.site.login_service import LoginService
from auth_service.domain.site.mail_outbox import MailOutbox
from auth_service.domain.site.mails import Mailer
from auth_service.domain.site.ports import SiteTransactions
from auth_service.domain.site.providers import Provider
from auth_service.domain.site.recovery import Recovery
from auth_service.domain.site.reports import ReportService
from auth_service.domain.site.sign_ups import SignUps
from auth_service.domain.two_factor.codes import CodeCheck
from auth_service.domain.two_factor.second_step import SecondStep
from auth_service.domain.two_factor.service import TwoFactor
from auth_service.domain.usage import UsageEntry
from auth_service.oauth import metadata
from auth_service.oauth.issuing import IssuingOperations
from auth_service.oauth.policy import Policy
from auth_service.oauth.server import Environment
from auth_service.rpc import Servicers, add_servicers
from auth_service.rpc.access import UsageReported
from auth_service.settings import AuthSettings
from auth_service.storage.backup_age import measure_backup
from auth_service.storage.billing import PostgresBillingStore
from auth_service.storage.counters import ValkeyCounters
from auth_service.storage.diagnosis import database_time, waiting_mails
from auth_service.storage.oauth.keys import EncryptedKeys, KeyRing
from auth_service.storage.oauth.store import transactions as oauth_transactions
from auth_service.storage.operator_reports import ValkeyReports
from auth_service.storage.reconciliation import PostgresReconciliationStore
from auth_service.storage.reconciliation_job import compared, keep_comparing
from auth_service.storage.results import ValkeyResults
from auth_service.storage.retention import delete_expired_forever
from auth_service.storage.settlement_job import keep_settling, recovered
from auth_service.storage.site.store import PostgresSiteStore
from auth_service.storage.store import transactions
from auth_service.storage.throttle import ValkeyThrottle
from auth_service.storage.top_accounts import PostgresTopAccounts
from auth_service.storage.valkey import ValkeyRevocationPublisher
from auth_service.web.app import http_app
from auth_service.web.legal_routes import Retention, legal_texts
from auth_service.web.oauth_routes import OAuthDependencies
from auth_service.web.pages import pages
from auth_service.web.site import DataPages, Site
from servicekit import database, database_servers, database_wait
from servicekit.grpc import client as grpc_client
from servicekit.grpc import server as grpc_server
from servicekit.http import server as http_server
from servicekit.observability import logs
from servicekit.observability.gauges import polling
from servicekit.observability.process_reports import reporting
from servicekit.process.addresses import is_loopback
from servicekit.process.runtime import serve_until_stopped
from servicekit.valkey import open_client
from servicekit.valkey_cluster import refuse_cluster

_KEY_REFRESH_SECONDS: Final = 30.0
_BILLING_SECONDS: Final = 10.0
_BACKUP_SECONDS: Final = 60.0
_PRICES_SECONDS: Final = 600.0

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
        engine, sync_engine = await _engines(stack, settings)
        valkey = open_client(settings.valkey_url, socket_timeout=2)
        stack.push_async_callback(valkey.aclose)

        loop = asyncio.get_running_loop()
        feed, throttle = ValkeyRevocationPublisher(valkey), ValkeyThrottle(valkey)
        policy, plans, passwords = policy_of(settings), settings.effective_plans(), Passwords()
        ring = KeyRing(sync_engine, EncryptedKeys(policy.token_secret), clock)
        await asyncio.to_thread(ring.refresh)
        documents = ClientDocuments(fetcher or _fetcher(settings), throttle)
        stack.push_async_callback(documents.aclose)

        def environment() -> Environment:
            return Environment(policy, ring.keys, clock)

        def announce(account_id: str, grant_id: str) -> None:
            announcement = feed.announce(account_id, "grant_revoked", credential_id=grant_id)
            asyncio.run_coroutine_threadsafe(announcement, loop)

        open_oauth = oauth_transactions(sync_engine, announce)
        open_site = transactions(engine, PostgresSiteStore)
        access = Access(open_site, plans, clock, settings.site_url)
        operations = Operations(
            open_site, feed, passwords, plans, clock, settings.max_keys_per_account
        )
        mailer = mailer_of(settings, open_site)
        deleted_accounts = DeletedAccounts(policy.token_secret)
        deferred = DeferredWorkQueue(open_site, _report_deferred)
        limited_mailer = LimitedMailer(mailer, throttle, Links(settings.site_url))
        sign_ups = SignUps(
            open_site, passwords, limited_mailer, deferred, deleted_accounts, throttle, clock
        )
        recovery = Recovery(open_site, passwords, limited_mailer, deferred, feed, throttle, clock)
        deletion = AccountDeletion(deleted_accounts, mailer)
        account_service = AccountService(
            open_site, passwords, mailer, feed, operations, clock, throttle, deletion
        )
        second_step = SecondStep(
            open_site,
            CodeCheck(
                open_site,
                limited_mailer,
                fernet("totp-secrets", policy.token_secret),
                throttle,
                clock,
            ),
            clock,
        )
        two_factor = TwoFactor(
            account_service, second_step.codes, fernet("totp-setups", policy.token_secret)
        )
        billing = await _billing(stack, settings, engine, BillingPorts(feed, throttle, clock))
        catalog = _channel(stack, settings, settings.catalog_target)
        worker = _import_worker(stack, settings)
        alerts = open_alerts(
            settings,
            AlertPorts(engine, catalog, worker, mailer, throttle, clock),
        )
        site = Site(
            oauth=OAuthDependencies(environment, open_oauth, documents, throttle),
            login_service=LoginService(
                open_site,
                passwords,
                limited_mailer,
                deferred,
                deleted_accounts,
                throttle,
                clock,
                second_step,
            ),
            sign_ups=sign_ups,
            recovery=recovery,
            account_service=account_service,
            imports=ImportService(worker, account_service),
            bulk_imports=BulkImportService(_bulk_import_worker(stack, settings), account_service),
            lists=ListService(GrpcLists(catalog) if catalog else None, account_service),
            reports=ReportService(GrpcReports(catalog) if catalog else None),
            applications=Applications(open_site, clock),
            organisations=OrganisationService(
                open_site, mailer, feed, deleted_accounts, throttle, clock
            ),
            invitations=Invitations(open_site, limited_mailer, throttle, clock),
            operations=operations,
            overview=_overview(stack, settings, engine, valkey, clock),
            providers=_providers(settings),
            pages=pages(settings.site_url, settings.resource_url),
            site_url=settings.site_url,
            mail_folder="" if settings.smtp_host else settings.mail_folder,
            local_mails=local_mails_of(settings, open_site, mailer, clock),
            cookies=fernet("login-cookies", policy.token_secret),
            contact=settings.contact,
            legal=legal_texts(
                settings.terms,
                settings.privacy,
                Retention(settings.usage_entry_days, settings.audit_log_days),
                sells=settings.sells_plans,
            ),
            billing=billing,
            second_step=second_step,
            two_factor=two_factor,
            passkeys=Passkeys(
                open_site,
                two_factor,
                _webauthn(settings.site_url),
                Challenges(derived_key("passkey-challenges", policy.token_secret), clock),
                clock,
            ),
            email_changes=EmailChanges(
                open_site, two_factor, limited_mailer, billing and billing.follow_address
            ),
            data=_data_pages(stack, settings, valkey, environment, clock),
            alerts=alerts.site,
        )
        reconciliation = Reconciliation(
            PostgresReconciliationStore(engine),
            ValkeyCounters(valkey),
            clock,
            settings.usage_entry_days,
        )
        active = ActiveMonths(clock)
        servicers = Servicers(
            access=access,
            ledger_admission=LedgerAdmission(open_site),
            authority=CountingAuthority(open_site),
            issuer=lambda: (metadata.authorization_server(policy), ring.keys.jwks()),
            reported=_usage_reported(active),
            operations=operations,
            account_operations=AccountOperations(
                open_site, operations, deletion, limited_mailer, feed, clock
            ),
            issuing=IssuingOperations(
                open_oauth, functools.partial(ring.rotate, policy.access_lifetime), clock
            ),
            compare=lambda: compared(reconciliation),
            diagnosis=_diagnosis(settings, engine, valkey, clock, billing),
            operator_token=settings.operator_token.get_secret_value(),
            watches=alerts.site.watches,
        )
        retention = delete_expired_forever(
            engine, settings.usage_entry_days, settings.audit_log_days
        )
        background = [
            retention,
            _refresh_keys_forever(ring),
            deferred.run(
                {
                    **sign_ups.handlers(),
                    **recovery.handlers(),
                    **ListErasure(site.lists.store).handlers(),
                }
            ),
            keep_settling(Settlement(reconciliation, active)),
            *_billing_jobs(billing),
            *alerts.jobs(),
            *([mailer.run()] if isinstance(mailer, MailOutbox) else ()),
        ]
        if settings.reconcile_hours:
            background.append(keep_comparing(reconciliation, settings.reconcile_hours * 3600))
        _run_in_background(stack, background)
        await _report_state(stack, valkey)
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
    await refuse_cluster(settings.valkey_url, "AUTH_VALKEY_URL")
    await database_wait.wait_at_start(settings, MIGRATIONS)


def _fetcher(settings: AuthSettings) -> Fetcher | None:
    return DocumentFetcher(MAX_BYTES) if settings.client_documents == "fetch" else None


async def _report_state(stack: AsyncExitStack, valkey: redis.Redis) -> None:
    """Measure the age of the last backup, and report this process, until the stack is closed."""
    poll = functools.partial(measure_backup, valkey)
    await stack.enter_async_context(polling("backup", poll, _BACKUP_SECONDS))
    await stack.enter_async_context(reporting(valkey, "auth_service"))


def _run_in_background(
    stack: AsyncExitStack, coroutines: Iterable[Coroutine[Any, Any, object]]
) -> None:
    """Run each as a task until the stack is closed."""
    for coroutine in coroutines:
        task = asyncio.create_task(coroutine)
        stack.push_async_callback(asyncio.gather, task, return_exceptions=True)
        stack.callback(task.cancel)


@dataclass(frozen=True, slots=True)
class BillingPorts:
    """Ports of billing that the rest of the service has, too."""

    feed: RevocationPublisher
    throttle: Throttle
    clock: Clock


async def _engines(stack: AsyncExitStack, settings: AuthSettings) -> tuple[AsyncEngine, Engine]:
    engine = database.open_engine(settings, "auth_service")
    stack.push_async_callback(engine.dispose)
    sync_engine = database.open_sync_engine(settings, "auth_service")
    stack.callback(sync_engine.dispose)
    await stack.enter_async_context(database_servers.follow(settings, engine, sync_engine))
    return engine, sync_engine


async def _billing(
    stack: AsyncExitStack, settings: AuthSettings, engine: AsyncEngine, ports: BillingPorts
) -> BillingService | None:
    """Return the use cases of billing, None where plans are not sold."""
    if not settings.sells_plans:
        return None
    from auth_service.clients.stripe_gateway import open_gateway  # noqa: PLC0415 - see that module

    gateway = await stack.enter_async_context(
        open_gateway(
            settings.stripe_secret_key.get_secret_value(),
            settings.stripe_webhook_secret.get_secret_value(),
            settings.stripe_api_base,
        )
    )
    plans = settings.effective_plans()
    grace = timedelta(days=settings.stripe_grace_days)
    policy = BillingPolicy(settings.stripe_prices, tuple(plans), grace)
    opened = transactions(engine, PostgresBillingStore)
    sync = BillingSync(opened, gateway, policy, plans, ports.feed, ports.clock, _report_billing)
    return BillingService(
        opened,
        gateway,
        policy,
        plans,
        sync,
        PriceList(gateway, policy, {}),
        ports.throttle,
        ports.clock,
        settings.site_url,
    )


def _billing_jobs(billing: BillingService | None) -> Sequence[Coroutine[Any, Any, None]]:
    if billing is None:
        return ()
    return billing.sync.run(_BILLING_SECONDS), _refresh_prices_forever(billing.prices)


def _report_billing(event: str, **details: str) -> None:
    log.warning(event, **details)


async def _refresh_prices_forever(prices: PriceList) -> None:
    """Fetch the amounts that the page of plans shows, so that no request waits for Stripe."""
    while True:
        try:
            await prices.refresh()
            seconds = _PRICES_SECONDS
        except Exception as error:  # noqa: BLE001 - the last amounts stay, and checkout shows them
            log.warning("prices_not_fetched", error=repr(error))
            seconds = _BILLING_SECONDS
        await asyncio.sleep(seconds)


def _webauthn(site_url: str) -> WebAuthn | None:
    """Return the verifier of passkeys, None where the site has no domain name to bind them to."""
    url = urlsplit(site_url)
    domain = url.hostname or ""
    if domain != "localhost" and (url.scheme != "https" or is_address(domain)):
        return None
    from auth_service.clients.webauthn import PyWebAuthn  # noqa: PLC0415 - see that module

    return PyWebAuthn(domain, f"{url.scheme}://{url.netloc}")


def _report_deferred(event: str, kind: str, error: str) -> None:
    log.warning(event, kind=kind, error=error)


def _report_mail(event: str, subject: str, error: str) -> None:
    log.warning(event, subject=subject, error=error)


def _import_worker(stack: AsyncExitStack, settings: AuthSettings) -> ImportWorker | None:
    channel = _imports_channel(stack, settings)
    return GrpcImportWorker(channel) if channel else None


def _bulk_import_worker(stack: AsyncExitStack, settings: AuthSettings) -> BulkImportWorker | None:
    channel = _imports_channel(stack, settings)
    return GrpcBulkImportWorker(channel) if channel else None


def _imports_channel(stack: AsyncExitStack, settings: AuthSettings) -> grpc.aio.Channel | None:
    return _channel(stack, settings, settings.imports_target)


def _channel(stack: AsyncExitStack, settings: AuthSettings, target: str) -> grpc.aio.Channel | None:
    """Open a channel to another service; None if the installation names no target."""
    if not target:
        return None
    channel = grpc_client.open_channel(target, credentials=settings.peer_credentials())
    stack.push_async_callback(channel.close)
    return channel


def _overview(
    stack: AsyncExitStack,
    settings: AuthSettings,
    engine: AsyncEngine,
    valkey: redis.Redis,
    clock: Clock,
) -> OperatorOverview:
    """Return the use cases of the operator's page."""
    channel, token = _imports_channel(stack, settings), settings.operator_token.get_secret_value()
    return OperatorOverview(
        ValkeyReports(valkey),
        GrpcImportOperations(channel, token) if channel else None,
        PostgresTopAccounts(engine),
        clock,
        _report_part,
    )


def _data_pages(
    stack: AsyncExitStack,
    settings: AuthSettings,
    valkey: redis.Redis,
    environment: Callable[[], Environment],
    clock: Clock,
) -> DataPages:
    """Return the use cases of pages with data."""
    gateway = HttpGateway(settings.gateway_url or settings.resource_url)
    stack.push_async_callback(gateway.aclose)
    tokens = _site_tokens(environment)
    return DataPages(
        ToolResults(gateway, ValkeyResults(valkey), tokens, clock),
        Examples(gateway, tokens, clock),
    )


def _site_tokens(environment: Callable[[], Environment]) -> SiteTokens:
    """Return the signer of the site's own tokens, which reach whatever the account's plan allows."""
    scopes = (CATALOG_READ, ACCOUNT_READ, CHANNELS_IMPORT)

    def signed(account_id: str, member_id: str | None, *, included: bool) -> str:
        current = environment()
        subject = signing.Subject(
            account_id,
            site_credentials.CLIENT_ID,
            site_credentials.credential_id(account_id, member_id),
            scopes,
            current.policy.resource,
            included=included,
        )
        lifetime = site_credentials.LIFETIME
        return signing.sign(current.keys, current.policy.issuer, subject, current.now(), lifetime)

    return signed


def _diagnosis(
    settings: AuthSettings,
    engine: AsyncEngine,
    valkey: redis.Redis,
    clock: Clock,
    billing: BillingService | None,
) -> Diagnosis:
    """Return the checks of what this installation depends on."""
    pinging: Any = valkey
    is_local = is_loopback(urlsplit(settings.site_url).hostname or "")
    last_backup = ValkeyReports(valkey).last_backup
    found: dict[str, Check] = {
        "Clock": lambda: checks.check_clock(database_time(engine), clock),
        "Valkey of the auth service": lambda: checks.check_valkey(pinging.ping),
        "Last backup": lambda: checks.check_backup(last_backup, clock, is_local=is_local),
    }
    if settings.smtp_host:
        problem = functools.partial(asyncio.to_thread, _mail_server(settings).problem)
        found["Mail server"] = lambda: checks.check_mail(problem, waiting_mails(engine))
    else:
        folder = settings.mail_folder
        found["Mails"] = lambda: checks.check_mail_folder(folder, is_local=is_local)
    if billing is not None:
        prices = billing.policy.prices
        found["Stripe prices"] = lambda: checks.check_prices(billing.gateway, prices)
    return Diagnosis(found)


def _report_part(part: str, error: str) -> None:
    log.warning("operator_part_not_shown", part=part, error=error)


def _usage_reported(active: ActiveMonths) -> UsageReported:
    def reported(entries: Sequence[UsageEntry], lacking: int, epoch: str) -> None:
        active.add(entries)
        if lacking:
            recovered(lacking, epoch)

    return reported


def _mail_server(settings: AuthSettings) -> MailServer:
    return MailServer(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_username,
        settings.smtp_password.get_secret_value(),
        trusted_authorities(settings.smtp_ca),
    )


def mailer_of(settings: AuthSettings, open_site: SiteTransactions) -> Mailer:
    """Return the outbox of the mail server when one is configured, else the folder's mailer, else none."""
    if settings.smtp_host:
        return MailOutbox(
            open_site,
            SmtpDelivery(settings.mail_from, _mail_server(settings).send),
            fernet("mail-outbox", settings.token_secret.get_secret_value()),
            _report_mail,
        )
    if settings.mail_folder:
        return FolderMailer(Path(settings.mail_folder), settings.mail_from)
    return NoMailer()


def local_mails_of(
    settings: AuthSettings, open_site: SiteTransactions, mailer: Mailer, clock: Clock
) -> LocalMails | None:
    """Return the view of this machine's mails; None where mails are sent, or the site is for others."""
    if not isinstance(mailer, FolderMailer):
        return None
    if not is_loopback(urlsplit(settings.site_url).hostname or ""):
        return None
    return LocalMails(open_site, mailer, clock)


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
