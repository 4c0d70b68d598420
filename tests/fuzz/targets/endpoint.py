"""Any header lines and any body to `/mcp`, with stand-ins at the gateway's ports.

A case is written as HTTP writes it: lines of `name: value`, an empty line, the body.
"""

from __future__ import annotations

import asyncio
import atexit
import re
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Any, Final

from structlog.testing import capture_logs

from gateway.authentication.credentials import ApiKeys, CachePolicy, Credentials
from gateway.authentication.dpop_proofs import Proofs
from gateway.authentication.step_ups import StepUps
from gateway.domain.idempotency import IdempotentCalls
from gateway.domain.import_tasks import ImportTasks
from gateway.domain.result_cache import ResultCache
from gateway.fair_bulkhead import FairBulkhead
from gateway.mcp.connection_options import Presentation
from gateway.mcp.dispatcher import Dispatcher
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
from gateway.mcp.transport.authenticator import Authenticator
from gateway.mcp.transport.cors import Origins
from gateway.mcp.transport.endpoint import ConcurrencyLimits, Limits, McpEndpoint
from gateway.prompts import ALL_PROMPTS, PromptCatalogue
from gateway.quota.limiter import Quota
from gateway.resources import ResourceCatalogue, all_resources
from gateway.tools import Backends, ToolCatalogue, all_tools
from servicekit.concurrency.bulkhead import Bulkhead
from servicekit.errors import Unavailable
from tests.fakes.gateway_ports import (
    KEY,
    FakeAccess,
    FakeAlerts,
    FakeCatalog,
    FakeFirstResults,
    FakeImports,
    FakeProofMemory,
    FakeQuotaStore,
    import_status,
    principal,
)
from tests.fakes.wire import Wire
from tests.integration.gateway.fuzz_messages import SESSION, Header, Sent, fields
from tests.integration.gateway.fuzz_results import (
    NESTING,
    check_response,
    deliver,
    messages,
    understood,
)

WORDS: Final = (
    *("mcp-protocol-version: 2026-07-28", "mcp-method: ", "mcp-name: ", "mcp-session-id: "),
    *(
        "accept: application/json, text/event-stream",
        "\n\n",
        "=?base64?",
        "tools/call",
        "initialize",
    ),
    *('"jsonrpc":"2.0"', '"id":1', '"method":"', '"params":{', '"_meta":{', '"arguments":{'),
    *("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"),
    *("sponsor.search", "youtuber.search", "channel.import", "progressToken", "requestState"),
    *("prompts/get", "resources/read", "completion/complete", "subscriptions/listen", "tasks/get"),
)
_URL: Final = "https://api.example"
_SECONDS: Final = 30
_MAX_HEADERS: Final = 20
_FIELD: Final = re.compile(rb"[a-z0-9-]{1,40}")
_AUTHORIZATION: Final = f"Bearer {KEY}".encode()


async def _no_pages(_scope: object, _receive: object, _send: object) -> None:
    """Nothing is served beside `/mcp`."""


class _NobodyWaits:
    """A mailbox that holds no letters."""

    def waiting(self, address: str) -> AbstractAsyncContextManager[Awaitable[bytes]]:
        raise Unavailable(f"No letters come to {address}.")

    async def post(self, address: str, reply_bytes: bytes) -> bool:
        del address, reply_bytes
        return False


def check(case: bytes) -> None:
    """Sends one request; its response must be one that it may get."""
    runner, wire = _gateway()
    sent = _sent(case)
    wire.exchanges.clear()

    async def exchange() -> None:
        async def drop(_message: Any) -> None:
            pass

        async with asyncio.timeout(_SECONDS):
            await deliver(wire, sent, SESSION, drop)

    with capture_logs():
        runner.run(exchange())
    if _ids_differ(sent.body):
        wire.check()
    check_response(sent, wire.exchanges[0])


def _ids_differ(body: bytes) -> bool:
    """Return whether each response can be matched to one request of the body."""
    ids = [str(fields(message).get("id")) for message in messages(understood(body))]
    return len(set(ids)) == len(ids)


def _sent(case: bytes) -> Sent:
    head, _, body = case.partition(b"\n\n")
    headers: list[Header] = []
    for line in head.split(b"\n")[:_MAX_HEADERS]:
        name, _, value = line.partition(b":")
        if _FIELD.fullmatch(name):
            headers.append((name, value.strip(b" \t\r\0")))
    names = {name for name, _ in headers}
    if b"authorization" not in names:
        headers.append((b"authorization", _AUTHORIZATION))
    if b"content-type" not in names:
        headers.append((b"content-type", b"application/json"))
    return Sent(body, tuple(headers))


@cache
def _gateway() -> tuple[asyncio.Runner, Wire]:
    """The endpoint with all of its methods, and the loop that it runs in."""
    access = FakeAccess()
    access.give(KEY, principal())
    credentials = Credentials(CachePolicy(3_600, 5, 1_000))
    keys = ApiKeys(access, credentials)
    authenticator = Authenticator(
        [keys], Proofs(FakeProofMemory(), _URL).check, f"{_URL}/metadata", "x", StepUps(access)
    )
    steps = [import_status(), import_status(state="succeeded", message="Done.")]
    backends = Backends(FakeCatalog(), FakeImports(steps=steps), FakeAlerts())
    quota = Quota(FakeQuotaStore(), access)
    tools, resources = ToolCatalogue(all_tools()), ResourceCatalogue(all_resources())
    prompts, tasks = PromptCatalogue(ALL_PROMPTS), ImportTasks(backends.imports)
    about = ServerInfo("1", _URL)
    content = Content(
        ToolCalls(
            tools,
            quota,
            backends,
            ResultCache(0),
            _URL,
            IdempotentCalls(FakeFirstResults(), lambda _: None),
            on_end=lambda _: None,
        ),
        ToolList(tools, FamilyIcons(_URL)),
        resources,
        prompts,
        CompletionMethods(prompts, resources, quota, backends.catalog),
        Subscriptions(
            authenticator.principal_still,
            SubscriptionPolicy(1, 4),
            TaskNotifications(tasks, quota, 0.01),
            AlertNotifications(backends.alerts, quota, 0.01),
        ),
        TaskMethods(tasks, quota, _URL),
        FamilyIcons(_URL),
    )
    elicitors = ElicitorFactory(RequestStates("secret"), _NobodyWaits(), ElicitationPolicy(1, 1))
    dispatcher = Dispatcher(
        methods(content),
        about,
        Sessions("secret"),
        authenticator,
        elicitors,
        Presentation(tools),
    )
    limits = Limits(body_bytes=100_000, nesting=NESTING, batch=20, log_every=1_000_000)
    concurrency = ConcurrencyLimits(Bulkhead("fuzzed", 10), FairBulkhead("fuzzed_streams", 10))
    runner = asyncio.Runner()
    atexit.register(runner.close)
    return runner, Wire(
        McpEndpoint(
            dispatcher,
            authenticator,
            Origins(_URL, ()),
            limits,
            concurrency,
            pages=_no_pages,
            end_streams=lambda: None,
        )
    )
