"""`tools/call`: what is refused for nothing, what is charged, and what is given back."""

import asyncio
from dataclasses import dataclass
from typing import Any

import msgspec

from gateway.domain.errors import InsufficientScope, PlanRequired, QuotaRefusal
from gateway.domain.ports import Catalog
from gateway.domain.principal import Principal
from gateway.domain.quota import Quota
from gateway.domain.usage import Admission, QuotaState
from gateway.mcp_face import metrics
from gateway.mcp_face.failures import ToolFailure, tool_failure
from gateway.mcp_face.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.tools import Params, Tool, ToolCatalogue, ToolContext, UnknownTool
from servicekit import logs
from servicekit.errors import ServiceError

log = logs.get(__name__)


@dataclass(frozen=True, slots=True)
class ToolSuccess:
    """An answer as JSON, and what is left of the month."""

    answer: bytes
    quota: QuotaState


class ToolCalls:
    """Calls tools. Only a call that is answered is counted."""

    def __init__(
        self, tools: ToolCatalogue, quota: Quota, catalog: Catalog, upgrade_url: str
    ) -> None:
        self._tools = tools
        self._quota = quota
        self._catalog = catalog
        self._upgrade_url = upgrade_url

    async def call(self, params: dict[str, Any], principal: Principal) -> ToolSuccess | ToolFailure:
        """Calls the tool that the parameters of a `tools/call` name.

        Raises:
            ProtocolError: There is no such tool.
            InsufficientScope: The credential does not reach it.
        """
        tool = self._find(params.get("name"))
        if tool.scope not in principal.scopes:
            raise InsufficientScope(
                f"This credential lacks the scope {tool.scope}, which {tool.name} needs.",
                needed=tool.scope,
            )
        try:
            arguments = self._checked(tool, params.get("arguments"), principal)
            admission = await self._quota.admit(principal, tool.name, tool.cost)
        except QuotaRefusal as refusal:
            failure = tool_failure(refusal, self._upgrade_url)
            metrics.QUOTA_REFUSALS.labels(failure.code).inc()
        except ServiceError as refusal:
            failure = tool_failure(refusal, self._upgrade_url)
        else:
            with metrics.TOOL_SECONDS.labels(tool.name).time():
                return await self._run(tool, arguments, principal, admission)
        metrics.TOOL_CALLS.labels(tool.name, failure.code).inc()
        return failure

    def _find(self, name: object) -> Tool:
        if not isinstance(name, str):
            raise ProtocolError(INVALID_PARAMS, "`params.name` must be the name of a tool.")
        try:
            return self._tools.find(name)
        except UnknownTool as unknown:
            raise ProtocolError(INVALID_PARAMS, unknown.public_message) from None

    def _checked(self, tool: Tool, arguments: object, principal: Principal) -> Params:
        standing = principal.standing
        if tool.feature is not None and tool.feature not in standing.features:
            raise PlanRequired(f"The plan {standing.plan_name} does not include {tool.name}.")
        return tool.parse({} if arguments is None else arguments)

    async def _run(
        self, tool: Tool, arguments: Params, principal: Principal, admission: Admission
    ) -> ToolSuccess | ToolFailure:
        context = ToolContext(principal, admission.state, self._catalog)
        try:
            answer = msgspec.json.encode(await tool.run(arguments, context))
        except ServiceError as error:
            state = await self._give_back(admission)
            failure = tool_failure(error, self._upgrade_url, state)
            metrics.TOOL_CALLS.labels(tool.name, failure.code).inc()
            return failure
        except (Exception, asyncio.CancelledError):
            await self._give_back(admission)
            metrics.TOOL_CALLS.labels(tool.name, "internal").inc()
            raise
        metrics.TOOL_CALLS.labels(tool.name, "ok").inc()
        return ToolSuccess(answer, admission.state)

    async def _give_back(self, admission: Admission) -> QuotaState:
        """The quota after giving the call back."""
        # A failure to give back is only logged: the error that ended the call must be told.
        try:
            return await self._quota.give_back(admission)
        except ServiceError as error:
            log.warning("refund_failed", entry_id=admission.charge.entry_id, error=str(error))
            return admission.state
