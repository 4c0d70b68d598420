"""Wire the gateway; the only module that knows every part."""

import functools
import secrets
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from importlib.metadata import version
from typing import Final

from redis.asyncio import Redis

from gateway.authentication.access_tokens import AccessTokens, TokenPolicy
from gateway.authentication.credentials import ApiKeys, CachePolicy, Credentials
from gateway.authentication.dpop_proofs import Proofs
from gateway.authentication.ports import TokenVerifier
from gateway.authentication.step_ups import StepUps
from gateway.call_statistics import CallStatistics, EndedCall, RecordCalls
from gateway.clients import access, alerts, catalog, imports
from gateway.domain.follower_limit import FollowerLimit
from gateway.domain.idempotency import IdempotentCalls
from gateway.domain.import_tasks import ImportTasks
from gateway.domain.ports import Tasks
from gateway.domain.result_cache import ResultCache
from gateway.exports.downloads import downloads
from gateway.exports.links import EndedLinks, ExportLinks
from gateway.exports.planning import ExportPlanner
from gateway.fair_bulkhead import FairBulkhead
from gateway.mcp import failure_counts, metrics
from gateway.mcp.connection_options import Presentation
from gateway.mcp.dispatcher import Dispatcher, Methods
from gateway.mcp.elicitation.factory import ElicitorFactory
from gateway.mcp.elicitation.request_state import RequestStates
from gateway.mcp.elicitation.session import ElicitationPolicy
from gateway.mcp.icons import FamilyIcons
from gateway.mcp.methods.alert_notifications import AlertNotifications
from gateway.mcp.methods.completion import CompletionMethods
from gateway.mcp.methods.registry import Content, methods
from gateway.mcp.methods.subscriptions import SubscriptionPolicy, Subscriptions
from gateway.mcp.methods.task_notifications import TaskNotifications
from gateway.mcp.methods.tasks import TaskMethods
from gateway.mcp.methods.tools_call import ToolCalls
from gateway.mcp.methods.tools_list import ToolList
from gateway.mcp.server_info import ServerInfo
from gateway.mcp.session import Sessions
from gateway.mcp.transport.authenticator import Authenticator, ProofCheck
from gateway.mcp.transport.cors import Origins
from gateway.mcp.transport.endpoint import ConcurrencyLimits, Limits, McpEndpoint
from gateway.prompts import ALL_PROMPTS, PromptCatalogue
from gateway.quota.failover import FailoverLimiter
from gateway.quota.lease import FailoverPolicy
from gateway.quota.limiter import Quota
from gateway.quota.metrics import record_authority
from gateway.quota.ports import UsageLedger
from gateway.quota.steadiness import Steadiness, SteadyGenerations
from gateway.quota.valkey_counting import Counting, open_counting
from gateway.quota.valkey_ledger_writer import entry_refused
from gateway.resources import ResourceCatalogue, all_resources
from gateway.settings import GatewaySettings
from gateway.storage.dpop_proofs import ValkeyProofs
from gateway.storage.idempotency import ValkeyIdempotencyStore, log_lost_result
from gateway.storage.reply_channel import ValkeyReplyChannel
from gateway.storage.revocation_listener import RevocationHandler, RevocationListener
from gateway.storage.valkey_client import open_valkey, refused_credentials
from gateway.tools import SQL_TOOLS, Backends, Tool, ToolCatalogue, all_tools
from gateway.web.app import open_pages
from gateway.web.browser_pages import BrowserPages
from gateway.web.resource_metadata import ResourceMetadata
from gateway.web.server_card import ServerCard
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.grpc.client import is_serving, open_channel
from servicekit.http.server import serve_http
from servicekit.observability import failure_reports
from servicekit.observability.failure_reports import FailureReporter
from servicekit.observability.gauges import polling
from servicekit.observability.process_reports import reporting
from servicekit.process import shutdown
from servicekit.process.loops import begin_loop
from servicekit.process.runtime import serve_until_stopped
from servicekit.valkey_cluster import refuse_wrong_mode
from servicekit.valkey_keys import layout_of

_METADATA_PATH: Final = "/.well-known/oauth-protected-resource/mcp"
_LOGIN_SCOPE: Final = "catalog:read"
_LISTEN_SECONDS: Final = 10.0
"""Longest silence on the connections that wait for ledger entries and pushes."""

_MAX_ATTEMPT_RPCS: Final = 3
_MAX_ATTEMPT_WAITS: Final = 2
"""Timeouts of the ledger and of Valkey that one attempt to follow the authority may last."""


@asynccontextmanager
async def open_app(
    settings: GatewaySettings,
    *,
    tools: tuple[Tool, ...] | None = None,
    tasks: Tasks | None = None,
    clock: Callable[[], datetime] | None = None,
    extend: Callable[[Methods], Methods] | None = None,
) -> AsyncGenerator[McpEndpoint]:
    """Open the gateway's ASGI application and all that it needs.

    Args:
        settings: From the environment.
        tools: Other tools than the published ones, for tests.
        tasks: Other tasks than imports, for tests.
        clock: Stands in for Valkey's clock, for tests.
        extend: Gives the protocol's methods with others among them, for tests.
    """
    async with AsyncExitStack() as stack:
        valkey = open_valkey(settings.valkey_url, timeout=settings.valkey_timeout_seconds)
        stack.push_async_callback(valkey.aclose)
        waiting = open_valkey(settings.valkey_url, timeout=_LISTEN_SECONDS)
        stack.push_async_callback(waiting.aclose)
        opened_to = functools.partial(open_channel, credentials=settings.peer_credentials())
        catalog_channel = opened_to(settings.catalog_target, catalog.IDEMPOTENT)
        stack.push_async_callback(catalog_channel.close)
        auth_channel = opened_to(settings.auth_target, access.IDEMPOTENT + alerts.IDEMPOTENT)
        stack.push_async_callback(auth_channel.close)

        accounts = access.GrpcAccess(
            auth_channel,
            timeout=settings.auth_timeout_seconds,
            counting_timeout=settings.counting_timeout_seconds,
        )
        imports_channel = opened_to(settings.imports_target, imports.IDEMPOTENT)
        stack.push_async_callback(imports_channel.close)
        catalogue = catalog.GrpcCatalog(
            catalog_channel,
            timeout=settings.catalog_timeout_seconds,
            max_calls=settings.max_catalog_calls,
        )
        stack.callback(catalogue.close)
        offered = ToolCatalogue(_tools(settings) if tools is None else tools)
        links = ExportLinks(
            settings.session_secret.get_secret_value(), settings.base_url, EndedLinks()
        )
        backends = Backends(
            catalogue,
            imports.GrpcImports(
                imports_channel,
                timeout=settings.imports_timeout_seconds,
                max_calls=settings.max_imports_calls,
            ),
            alerts.GrpcAlerts(auth_channel, timeout=settings.imports_timeout_seconds),
            settings.progress_seconds,
            FollowerLimit(settings.follow_per_account),
            ExportPlanner(offered, links),
        )
        # Bound to their labels here, so that a lookup passes no code beside the counter's own.
        lookups = metrics.CREDENTIAL_LOOKUPS.labels
        credentials = Credentials(
            _cache_policy(settings),
            on_hit=lookups("hit").inc,
            on_miss=lookups("miss").inc,
            on_stale=lookups("stale").inc,
        )
        resource = f"{settings.base_url}/mcp"
        authenticator = _authenticator(
            settings,
            ApiKeys(accounts, credentials),
            AccessTokens(accounts, credentials, _token_policy(settings, resource)),
            check_proof=Proofs(ValkeyProofs(valkey), resource).check,
            step_ups=StepUps(accounts),
        )
        reply_channel = ValkeyReplyChannel(valkey, waiting, settings.elicitation_timeout_seconds)
        await _begin_listening(stack, settings, credentials, links.ended)
        await begin_loop(stack, "reply channel", reply_channel.run)
        layout = layout_of(settings.valkey_url)
        counting = open_counting(valkey, waiting, accounts, clock, layout)
        store = await _begin_counting(stack, counting, accounts, settings)
        quota = Quota(store, accounts)
        await _begin_reports(stack, valkey, offered)
        upgrade_url = f"{settings.site_url}/plans"
        calls = ToolCalls(
            offered,
            quota,
            backends,
            ResultCache(settings.result_cache_bytes),
            upgrade_url,
            IdempotentCalls(ValkeyIdempotencyStore(valkey), log_lost_result),
            on_end=await _begin_statistics(stack, accounts.record_calls),
        )
        followed = tasks or ImportTasks(backends.imports)
        graceful_shutdown = shutdown.current()

        async def stays() -> bool:
            return not graceful_shutdown.begun

        async def serves() -> bool:
            # Cut off while the ledger responds: other gateways count, and get the calls.
            is_alone = store.is_cut_off and await is_serving(auth_channel)
            return not graceful_shutdown.begun and not is_alone

        resources, prompts = ResourceCatalogue(all_resources()), PromptCatalogue(ALL_PROMPTS)
        families = FamilyIcons(settings.base_url)
        content = Content(
            calls,
            ToolList(offered, families),
            resources,
            prompts,
            CompletionMethods(prompts, resources, quota, backends.catalog),
            Subscriptions(
                authenticator.principal_still,
                _listening_policy(settings),
                TaskNotifications(followed, quota, settings.subscription_poll_seconds),
                AlertNotifications(backends.alerts, quota, settings.subscription_poll_seconds),
            ),
            TaskMethods(followed, quota, upgrade_url),
            families,
        )
        server_info = ServerInfo(version("sponsorgraph"), settings.site_url)
        offered_methods = methods(content) if extend is None else extend(methods(content))
        pages = open_pages(
            {
                "valkey": store.is_by_valkey,
                "catalog": lambda: is_serving(catalog_channel),
                "auth": lambda: is_serving(auth_channel),
                "gateway": stays,
            },
            (
                ResourceMetadata(resource, settings.issuer, accounts.issuer_metadata),
                ServerCard(server_info, settings.base_url),
                downloads(offered, links, calls),
            ),
            BrowserPages(settings.base_url, settings.site_url, version("sponsorgraph")),
            functools.partial(_tolerated_outages, store, credentials),
            serves,
            {"valkey": lambda: refused_credentials(valkey)},
        )
        sessions = Sessions(settings.session_secret.get_secret_value())
        elicitors = _elicitors(settings, reply_channel)
        # Texts name tools that an operator left out, too.
        named = {tool.name: tool for tool in (*all_tools(), *offered)}.values()
        presentation = Presentation(named, settings.tool_names, settings.text_format)
        yield McpEndpoint(
            Dispatcher(
                offered_methods, server_info, sessions, authenticator, elicitors, presentation
            ),
            authenticator,
            Origins(settings.base_url, filter(None, settings.allowed_origins.split(","))),
            _limits(settings),
            _concurrency_limits(settings),
            pages=pages,
            end_streams=content.subscriptions.stop,
        )


_SILENT_TTL_SECONDS: Final = 5.0
"""For which a credential is used without the auth service while no push of its end would be heard."""


async def _begin_listening(
    stack: AsyncExitStack, settings: GatewaySettings, *handlers: RevocationHandler
) -> None:
    """Begin to receive revocations, over its own connections, with the timeout of ordinary commands."""
    valkey = open_valkey(settings.valkey_url, timeout=settings.valkey_timeout_seconds)
    stack.push_async_callback(valkey.aclose)
    listener = RevocationListener(valkey, *handlers)
    metrics.REVOCATION_LISTENER_CONNECTED.set_function(listener.listening.is_set)
    await begin_loop(stack, "revocation listener", listener.run)


async def _begin_reports(stack: AsyncExitStack, valkey: Redis, tools: ToolCatalogue) -> None:
    """Begin the metrics of the tools, and report this process and its failed calls for the operator's page."""
    metrics.begin_series(tool.name for tool in tools)
    failure_counts.begin(tools)
    reporter = FailureReporter(valkey, failure_counts.failures)
    reports = polling("failures", reporter.report, failure_reports.EVERY_SECONDS)
    await stack.enter_async_context(reports)
    await stack.enter_async_context(reporting(valkey, "gateway"))


async def _begin_statistics(
    stack: AsyncExitStack, record: RecordCalls
) -> Callable[[EndedCall], None]:
    """Begin the sums of calls; return what adds a call to them."""
    statistics = CallStatistics(record)
    stack.push_async_callback(statistics.end)
    await begin_loop(stack, "call statistics", statistics.run)
    return statistics.add


def _tolerated_outages(store: FailoverLimiter, credentials: Credentials) -> set[str]:
    """Return the parts without which known callers are served now."""
    outages = {"valkey": store.is_failed_over, "auth": credentials.serves_stale}
    return {name for name, is_tolerated in outages.items() if is_tolerated}


async def _begin_counting(
    stack: AsyncExitStack, counting: Counting, accounts: UsageLedger, settings: GatewaySettings
) -> FailoverLimiter:
    """Begin to carry calls to the ledger and to renew the lease; return what counts by it."""
    await begin_loop(stack, "usage ledger", counting.ledger_writer.run)
    await stack.enter_async_context(polling("ledger", counting.measure))
    store = _failover_limiter(counting, accounts, settings)
    stack.push_async_callback(store.end)
    await begin_loop(stack, "lease", store.run)
    return store


def _failover_limiter(
    counting: Counting, accounts: UsageLedger, settings: GatewaySettings
) -> FailoverLimiter:
    counters, steadiness = counting.counters, Steadiness()
    store = FailoverLimiter(
        _gateway_id(settings),
        counters,
        SteadyGenerations(counting.generations, steadiness),
        accounts,
        FailoverPolicy(
            settings.quota_failover_seconds,
            max_attempt=_MAX_ATTEMPT_RPCS * settings.counting_timeout_seconds
            + _MAX_ATTEMPT_WAITS * settings.valkey_timeout_seconds,
        ),
        on_failover=record_authority,
        on_failure=steadiness.failed,
        refused=entry_refused,
    )
    counters.refunder, counters.on_unclaimed = store.refund, store.undo
    return store


def _gateway_id(settings: GatewaySettings) -> str:
    """Return a name that stays the same over restarts, so that a gateway need not wait for its own lease."""
    name = settings.instance or (settings.port and f"{socket.gethostname()}:{settings.port}")
    if name and not settings.shares_port:
        return name
    return f"{settings.instance or 'gateway'}:{secrets.token_hex(8)}"


def _authenticator(
    settings: GatewaySettings,
    *verifiers: TokenVerifier,
    check_proof: ProofCheck,
    step_ups: StepUps,
) -> Authenticator:
    metadata_url = f"{settings.base_url}{_METADATA_PATH}"
    return Authenticator(verifiers, check_proof, metadata_url, _LOGIN_SCOPE, step_ups)


def _limits(settings: GatewaySettings) -> Limits:
    return Limits(
        settings.max_body_bytes, settings.max_nesting, settings.max_batch, settings.log_every
    )


def _concurrency_limits(settings: GatewaySettings) -> ConcurrencyLimits:
    return ConcurrencyLimits(
        Bulkhead("calls", settings.max_calls), FairBulkhead("streams", settings.max_streams)
    )


@asynccontextmanager
async def serve(settings: GatewaySettings) -> AsyncGenerator[int]:
    """Serve the gateway over HTTP; yields its port."""
    async with (
        open_app(settings) as web,
        serve_http(
            web,
            settings.host,
            settings.port,
            settings.shutdown_grace_seconds,
            request_timeout_seconds=settings.http_request_timeout_seconds,
            write_timeout_seconds=settings.http_write_timeout_seconds,
            shares_port=settings.shares_port,
        ) as port,
    ):
        try:
            yield port
        finally:
            web.end_streams()


async def run(settings: GatewaySettings) -> None:
    await serve_until_stopped(
        lambda: serve(settings),
        settings.drain_seconds,
        lambda: refuse_wrong_mode(settings.valkey_url, "GATEWAY_VALKEY_URL"),
    )


def _cache_policy(settings: GatewaySettings) -> CachePolicy:
    return CachePolicy(
        settings.credential_ttl_seconds,
        settings.credential_refusal_ttl_seconds,
        settings.credential_cache_size,
        settings.credential_stale_seconds,
        settings.credential_stale_share,
        silent_ttl_seconds=_SILENT_TTL_SECONDS,
    )


def _token_policy(settings: GatewaySettings, resource: str) -> TokenPolicy:
    return TokenPolicy(settings.issuer, resource, settings.credential_stale_seconds)


def _elicitors(settings: GatewaySettings, reply_channel: ValkeyReplyChannel) -> ElicitorFactory:
    states = RequestStates(settings.session_secret.get_secret_value())
    return ElicitorFactory(
        states,
        reply_channel,
        ElicitationPolicy(
            settings.elicitation_timeout_seconds, settings.max_elicitations_per_account
        ),
    )


def _listening_policy(settings: GatewaySettings) -> SubscriptionPolicy:
    return SubscriptionPolicy(
        settings.subscription_poll_seconds, settings.max_subscriptions_per_account
    )


def _tools(settings: GatewaySettings) -> tuple[Tool, ...]:
    return tuple(tool for tool in all_tools() if settings.sql_tools or tool not in SQL_TOOLS)
