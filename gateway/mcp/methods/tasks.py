"""The Tasks extension: calls with a task as result, and the methods that follow it.

A gateway stores no task: it reads each one from the service that does the work, for the caller's
account. https://modelcontextprotocol.io/seps/2663-tasks-extension
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar, cast

import msgspec

from gateway.authentication.principal import Principal
from gateway.domain.errors import InsufficientScope
from gateway.domain.ports import Tasks
from gateway.domain.tasks import Task
from gateway.mcp import extensions
from gateway.mcp.client_info import ClientInfo
from gateway.mcp.errors import tool_failure
from gateway.mcp.extensions import TASKS
from gateway.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from gateway.mcp.methods.tools_call import tool_result
from gateway.mcp.results import Incoming, Result, task_fields
from gateway.quota.limiter import Quota
from servicekit.errors import ServiceError

R = TypeVar("R")

CHARGED_AS: Final = "task"
"""The name of these requests in the quota; they cost nothing."""


class TaskMethods:
    """The methods under `tasks/`. They are free, but burst-limited."""

    def __init__(self, tasks: Tasks, quota: Quota, upgrade_url: str) -> None:
        self._tasks = tasks
        self._quota = quota
        self._upgrade_url = upgrade_url
        self.by_name: Final = {
            "tasks/get": self._get,
            "tasks/update": self._update,
            "tasks/cancel": self._cancel,
        }

    async def _get(self, incoming: Incoming) -> Result:
        return Result(detailed(await self._call(incoming, self._tasks.get)))

    async def _update(self, incoming: Incoming) -> Result:
        async def update(principal: Principal, task_id: str) -> None:
            replies = _replies(incoming.message.params.get("inputResponses"))
            await self._tasks.update(principal, task_id, replies)

        await self._call(incoming, update)
        return Result({})

    async def _cancel(self, incoming: Incoming) -> Result:
        await self._call(incoming, self._tasks.cancel)
        return Result({})

    async def _call(
        self, incoming: Incoming, operation: Callable[[Principal, str], Awaitable[R]]
    ) -> R:
        """Return the result of `operation` for the caller's task.

        Raises:
            ProtocolError: The caller follows no tasks, has no such task, requests too often, or
                it cannot be read now.
            InsufficientScope: The credential does not reach it.
        """
        check_declared(incoming.caller)
        task_id = incoming.message.params.get("taskId")
        if not isinstance(task_id, str):
            raise ProtocolError(INVALID_PARAMS, "`params.taskId` must be the id of a task.")
        try:
            await self._quota.admit(incoming.principal, CHARGED_AS, 0)
            return await operation(incoming.principal, task_id)
        except InsufficientScope:
            raise
        except ServiceError as error:
            failure = tool_failure(error, self._upgrade_url)
            raise failure.protocol_error(incoming.caller, incoming.naming) from None


def check_declared(caller: ClientInfo) -> None:
    """Refuse a caller whose client has not declared the Tasks extension.

    Raises:
        ProtocolError: -32021.
    """
    if not caller.supports_tasks:
        raise extensions.missing(TASKS)


def detailed(task: Task) -> dict[str, Any]:
    """Return a task with its result, its error or its requests for input, as its status is."""
    fields = task_fields(task)
    if task.status == "completed":
        result = tool_result(msgspec.json.encode(task.result))
        fields["result"] = {"resultType": "complete", **result, "isError": task.is_error}
    elif task.status == "failed":
        fields["error"] = {"code": INTERNAL_ERROR, "message": task.fault or task.message}
    elif task.status == "input_required":
        fields["inputRequests"] = dict(task.input_requests or {})
    return fields


def _replies(responses: object) -> Mapping[str, object]:
    replies = cast("dict[str, object]", responses) if isinstance(responses, dict) else None
    if replies is None or not all(isinstance(reply, dict) for reply in replies.values()):
        raise ProtocolError(
            INVALID_PARAMS, "`params.inputResponses` must be an object of objects by question."
        )
    return replies
