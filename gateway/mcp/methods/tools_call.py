"""`tools/call`: checks that cost nothing, the reservation of quota, the call, and its refund if it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from time import monotonic
from typing import Any

import msgspec

from gateway.authentication.principal import IncludedPrincipal, Principal
from gateway.call_statistics import EndedCall
from gateway.domain.elicitation import NO_ELICITATION, InputRequired
from gateway.domain.errors import PlanRequired
from gateway.domain.idempotency import FirstCall, IdempotentCalls, KeyedCall, keyed_call
from gateway.domain.ports import Elicitor, Progress
from gateway.domain.result_cache import ResultCache, recorded_versions
from gateway.domain.tasks import Task
from gateway.mcp import extensions, metrics, versions
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.errors import ToolFailure, tool_failure
from gateway.mcp.failure_log import record_backend
from gateway.mcp.jsonrpc import INVALID_PARAMS, Message, ProtocolError
from gateway.mcp.methods.call_record import CallRecord
from gateway.mcp.methods.param_headers import check_headers
from gateway.mcp.progress import NO_PROGRESS, progress_of
from gateway.mcp.results import META_QUOTA, PLAIN, Incoming, Needs, Result, created_task
from gateway.mcp.texts.formats import TextFormat, text_of
from gateway.mcp.transport.http import quota_headers
from gateway.quota.errors import QuotaRefusal
from gateway.quota.limiter import Quota
from gateway.quota.models import QuotaState, Reservation
from gateway.tools import (
    ADVICE,
    DOTTED,
    Backends,
    Params,
    Selection,
    Tool,
    ToolCatalogue,
    ToolContext,
    ToolNaming,
    UnknownTool,
    check_permission,
    selection,
)
from servicekit.errors import ServiceError
from servicekit.observability import logs

log = logs.get(__name__)


class ToolSuccess(msgspec.Struct, frozen=True):
    """The result of a tool as JSON, and the quota after it.

    `task` is set if the call became a task, `link` if the result leads to a file, as MCP's content has it.
    """

    content: bytes
    quota: QuotaState
    task: Task | None = None
    link: dict[str, object] | None = None


class _CheckedCall(msgspec.Struct, frozen=True):
    """A call whose arguments and permissions are checked."""

    tool: Tool
    arguments: Params
    principal: Principal
    progress: Progress
    elicitor: Elicitor
    naming: ToolNaming

    def keyed(self) -> KeyedCall:
        account_id = self.principal.entitlements.account_id
        # Services that know the key themselves compare nothing.
        compared = "" if self.tool.runs_again else self.arguments.cache_key()
        return keyed_call(account_id, self.tool.name, self.arguments.key or "", compared)


class ToolCalls:
    """Call tools. A call that fails is refunded; if its tool has a `failure_cost`, the work that it was is counted."""

    def __init__(  # noqa: PLR0913 - all of it is injected
        self,
        tools: ToolCatalogue,
        quota: Quota,
        backends: Backends,
        cache: ResultCache,
        upgrade_url: str,
        idempotent_calls: IdempotentCalls,
        *,
        on_end: Callable[[EndedCall], None],
    ) -> None:
        self._tools = tools
        self._quota = quota
        self._backends = backends
        self._cache = cache
        self._upgrade_url = upgrade_url
        self._idempotent = idempotent_calls
        self._record = CallRecord(on_end)

    def needs(self, message: Message) -> Needs:
        """Return what a `tools/call` needs beside its result.

        A stream if the tool may request input, or if the caller wants progress. What a caller sends
        in response to a request for input is checked even if the tool has requested none.
        """
        params = message.params
        name = params.get("name")
        tool = self._tools.by_name.get(name) if isinstance(name, str) else None
        elicits = tool is not None and tool.elicits
        streams = (
            elicits
            or "progressToken" in message.meta
            or (tool is not None and tool.ends_with_caller)
        )
        if elicits or "inputResponses" in params or "requestState" in params:
            return Needs(stream=streams, elicitation=True)
        return Needs(stream=True) if streams else PLAIN

    async def call(self, incoming: Incoming) -> Result:
        """Return the result of `tools/call`; it is a task if the tool runs as one for this caller.

        Raises:
            ProtocolError: There is no such tool, it runs as a task only, the headers say something
                else than the arguments, or the call failed and the caller is a script.
            InsufficientScope: The credential does not reach the tool.
        """
        message, caller = incoming.message, incoming.caller
        tool = self._find(incoming)
        arguments = message.params.get("arguments")
        if caller.is_stateless:
            check_headers(tool, arguments, incoming.request)
        progress = NO_PROGRESS
        if incoming.notify is not None and caller.is_client:
            progress = progress_of(message, incoming.notify, incoming.slot)
        outcome = await self.perform(
            _as_task_if_supported(tool, supports_tasks=caller.supports_tasks),
            {} if arguments is None else arguments,
            incoming.principal,
            progress,
            incoming.elicitor,
            incoming.naming,
        )
        if isinstance(outcome, ToolFailure):
            return _failed(outcome, caller)
        task = outcome.task
        link = outcome.link if caller.revision >= versions.WITH_RESOURCE_LINKS else None
        value = (
            tool_result(outcome.content, incoming.text_format, link)
            if task is None
            else created_task(task)
        )
        value["_meta"] = {META_QUOTA: outcome.quota}
        return Result(value, quota_headers(outcome.quota))

    def _find(self, incoming: Incoming) -> Tool:
        name = incoming.message.params.get("name")
        if not isinstance(name, str):
            raise ProtocolError(INVALID_PARAMS, "`params.name` must be the name of a tool.")
        tool = self._tools.by_name.get(name)
        if tool is not None and incoming.toolsets is None:
            return tool
        try:
            return self._tools.find(name, incoming.naming, incoming.toolsets)
        except UnknownTool as unknown:
            raise ProtocolError(INVALID_PARAMS, unknown.public_message) from None

    async def perform(
        self,
        tool: Tool,
        arguments: object,
        principal: Principal,
        progress: Progress,
        elicitor: Elicitor,
        naming: ToolNaming,
    ) -> ToolSuccess | ToolFailure:
        """Call a tool with the arguments, which are checked first.

        Texts of the result name tools by `naming`.

        Raises:
            InsufficientScope: The credential does not reach it.
        """

        def attempt() -> Awaitable[ToolSuccess | ToolFailure]:
            return self._perform(tool, arguments, principal, progress, elicitor, naming)

        return await self._record.ended(tool.name, principal, attempt)

    async def perform_with_retries(
        self, tool: Tool, arguments: object, principal: Principal, max_waits: int
    ) -> ToolSuccess | ToolFailure:
        """Call a tool for a file, which waits so many times where too many calls come at once.

        Raises:
            InsufficientScope: The credential does not reach it.
        """

        def attempt() -> Awaitable[ToolSuccess | ToolFailure]:
            return self._perform(tool, arguments, principal, NO_PROGRESS, NO_ELICITATION, DOTTED)

        return await self._record.ended_with_retries(tool.name, principal, attempt, max_waits)

    async def _perform(
        self,
        tool: Tool,
        arguments: object,
        principal: Principal,
        progress: Progress,
        elicitor: Elicitor,
        naming: ToolNaming,
    ) -> ToolSuccess | ToolFailure:
        try:
            check_permission(tool, principal, naming)
        except PlanRequired as lacking:
            return self._refused(tool, lacking, naming)
        try:
            arguments = tool.params.parse(arguments)
            chosen = _chosen(tool, arguments)
        except ServiceError as refusal:
            return self._refused(tool, refusal, naming)
        if tool.cost_of is not None:
            tool = replace(tool, cost=tool.cost_of(arguments))
        call = _CheckedCall(tool, arguments, principal, progress, elicitor, naming)
        outcome = await (self._admit(call) if arguments.key is None else self._once(call))
        if chosen is None or isinstance(outcome, ToolFailure):
            return outcome
        return msgspec.structs.replace(outcome, content=chosen.of(outcome.content))

    async def _once(self, call: _CheckedCall) -> ToolSuccess | ToolFailure:
        """Make a call under an idempotency key."""
        async with AsyncExitStack() as stack:
            try:
                first = await stack.enter_async_context(self._idempotent.of(call.keyed()))
            except ServiceError as refusal:
                return self._refused(call.tool, refusal, call.naming)
            if isinstance(first, FirstCall):
                result = await self._admit(call)
                if isinstance(result, ToolSuccess):
                    await first.store_result(result.content)
                return result
            free = msgspec.structs.replace(call, tool=replace(call.tool, cost=0))
            if call.tool.runs_again:
                return await self._admit(free)
            try:
                admission = await self._quota.admit(call.principal, call.tool.name, 0)
            except ServiceError as refusal:
                return self._refused(call.tool, refusal, call.naming)
            metrics.of(metrics.TOOL_CALLS, call.tool.name, "repeated").inc()
            return ToolSuccess(first, admission.state)

    async def _admit(self, call: _CheckedCall) -> ToolSuccess | ToolFailure:
        tool = call.tool
        cost = 0 if isinstance(call.principal, IncludedPrincipal) else tool.cost
        try:
            admission = await self._quota.admit(call.principal, tool.name, cost)
        except ServiceError as refusal:
            return self._refused(tool, refusal, call.naming)
        context = ToolContext(
            call.principal, admission.state, self._backends, call.progress, call.elicitor
        )
        began = monotonic()
        try:
            return await self._run(call, context, admission)
        finally:
            metrics.of(metrics.TOOL_SECONDS, tool.name).observe(monotonic() - began)

    def _refused(self, tool: Tool, refusal: ServiceError, naming: ToolNaming) -> ToolFailure:
        failure = tool_failure(refusal, self._upgrade_url).named(naming)
        if isinstance(refusal, QuotaRefusal):
            metrics.of(metrics.QUOTA_REFUSALS, failure.code).inc()
        metrics.of(metrics.TOOL_CALLS, tool.name, failure.code).inc()
        return failure

    async def _run(
        self, call: _CheckedCall, context: ToolContext, admission: Reservation
    ) -> ToolSuccess | ToolFailure:
        tool, arguments = call.tool, call.arguments
        day = admission.admitted_at.toordinal()
        cache_key = f"{tool.name} {call.naming.form} {day} {arguments.cache_key()}"
        is_shared = tool.is_cacheable and not arguments.is_of_account
        version = admission.catalog_version if is_shared else ""
        cached = self._cache.get(cache_key, version) if version else None
        if cached is not None:
            metrics.of(metrics.TOOL_CALLS, tool.name, "cached").inc()
            return ToolSuccess(cached, admission.state)
        began = monotonic()
        try:
            with recorded_versions() as seen:
                result = await tool.run(arguments, context)
            content = msgspec.json.encode(_with_names(result, call.naming))
        except ServiceError as error:
            record_backend(tool.name, error)
            state = await self._refund(admission)
            state = await self._charge_failure(call, error, began, state)
            failure = tool_failure(error, self._upgrade_url, state).named(call.naming)
            metrics.of(metrics.TOOL_CALLS, tool.name, failure.code).inc()
            return failure
        except (InputRequired, ProtocolError) as interruption:
            await self._refund(admission)
            needs_input = isinstance(interruption, InputRequired)
            outcome = "input_required" if needs_input else "protocol_error"
            metrics.of(metrics.TOOL_CALLS, tool.name, outcome).inc()
            raise
        except asyncio.CancelledError:
            metrics.of(metrics.TOOL_CALLS, tool.name, "cancelled").inc()
            state = await self._refund(admission)
            await self._charge_failure(call, None, began, state)
            raise
        except Exception:
            metrics.of(metrics.TOOL_CALLS, tool.name, "internal").inc()
            await self._refund(admission)
            raise
        # A lagging standby's result must not be cached under the primary's version.
        self._cache.put(cache_key, version if seen <= {version} else "", content)
        metrics.of(metrics.TOOL_CALLS, tool.name, "ok").inc()
        task = result if isinstance(result, Task) else None
        return ToolSuccess(content, admission.state, task, getattr(result, "resource_link", None))

    async def _charge_failure(
        self, call: _CheckedCall, error: ServiceError | None, began: float, state: QuotaState
    ) -> QuotaState:
        """Count a call that failed or whose caller has gone away, if it was work; return the quota after it."""
        cost_of = call.tool.failure_cost
        cost = 0 if cost_of is None else cost_of(error, monotonic() - began)
        if not cost:
            return state
        try:
            return (await self._quota.admit(call.principal, call.tool.name, cost)).state
        except ServiceError as refusal:
            # The caller must get the error that ended the call.
            log.warning("failure_not_charged", tool=call.tool.name, error=str(refusal))
            return state

    async def _refund(self, admission: Reservation) -> QuotaState:
        """Refund the call and return the quota after it."""
        # A failed refund is only logged: the caller must get the error that ended the call.
        try:
            return await self._quota.refund(admission)
        except ServiceError as error:
            log.warning("refund_failed", entry_id=admission.usage.entry_id, error=str(error))
            return admission.state


def _chosen(tool: Tool, arguments: Params) -> Selection | None:
    """Return the parts of the answer that a call chooses; None for all of it.

    Raises:
        InvalidArguments: The answer has no such part.
    """
    if not arguments.chooses_parts:
        return None
    return selection(arguments, tool.result_type, tool.brief)


def tool_result(
    content: bytes, text_format: TextFormat = "json", link: dict[str, object] | None = None
) -> dict[str, Any]:
    """Return the result of a tool call: as text of a format for models, and as it is, JSON, for programs; and a link to a file, if any."""
    # JSON is what most callers get: for it nothing more has to be done.
    text = content.decode() if text_format == "json" else text_of(content, text_format)
    return {
        "content": [{"type": "text", "text": text}, *([] if link is None else [link])],
        "structuredContent": msgspec.Raw(content),
        "isError": False,
    }


def _with_names(result: object, naming: ToolNaming) -> object:
    """Return a result whose advice names tools by `naming`; most results advise nothing."""
    advises = any(getattr(result, field, None) for field in ADVICE)
    return naming.in_advice(result) if advises else result


def _failed(failure: ToolFailure, caller: ClientInfo) -> Result:
    """Return the result of a failed call.

    Raises:
        ProtocolError: The caller is a script.
    """
    if not caller.is_client:
        raise failure.protocol_error(caller)
    quota = failure.quota
    return Result(
        {
            "content": [{"type": "text", "text": failure.text}],
            "structuredContent": {"error": failure.facts},
            "isError": True,
            "_meta": {} if quota is None else {META_QUOTA: quota},
        },
        () if quota is None else quota_headers(quota),
        failure=failure.facts,
    )


def _as_task_if_supported(tool: Tool, *, supports_tasks: bool) -> Tool:
    """Return the tool as it runs for this caller."""
    if tool.task is None:
        return tool
    if supports_tasks:
        return replace(tool, run=tool.task.start)
    if tool.task.is_needed:
        raise extensions.missing(extensions.TASKS)
    return tool
