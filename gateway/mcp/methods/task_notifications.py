"""Notifications of each change of the tasks that a `subscriptions/listen` names."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import aclosing
from typing import Any, Final, cast

from gateway.authentication.principal import Principal
from gateway.domain.ports import Tasks
from gateway.domain.tasks import Task
from gateway.mcp.errors import tool_failure
from gateway.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from gateway.mcp.methods.tasks import CHARGED_AS, check_declared, detailed
from gateway.mcp.results import Incoming
from gateway.quota.limiter import Quota
from servicekit.errors import ServiceError, Unavailable

SendTask = Callable[[dict[str, Any]], None]

_MAX_TASKS: Final = 20
"""Tasks that one stream follows: more than the imports that a plan lets run at a time."""


class TaskNotifications:
    """Send notifications of tasks.

    Args:
        tasks: The source of the tasks.
        quota: Limits the bursts in which tasks are read.
        pause_seconds: Time until one that could not be followed is tried again.
    """

    def __init__(self, tasks: Tasks, quota: Quota, pause_seconds: float) -> None:
        self._tasks = tasks
        self._quota = quota
        self._pause_seconds = pause_seconds

    async def agreed(self, incoming: Incoming, requested: object) -> tuple[str, ...]:
        """Return the requested ids that are the caller's own tasks.

        Raises:
            ProtocolError: It is no list of ids, the caller has not declared the extension, or
                requests too often.
        """
        if requested is None:
            return ()
        check_declared(incoming.caller)
        items = cast("list[object]", requested) if isinstance(requested, list) else [None]
        wanted = dict.fromkeys(item for item in items if isinstance(item, str))
        if not all(isinstance(item, str) for item in items):
            raise ProtocolError(
                INVALID_PARAMS, "`params.notifications.taskIds` must be a list of ids of tasks."
            )
        if len(wanted) > _MAX_TASKS:
            raise ProtocolError(INVALID_PARAMS, f"A stream follows at most {_MAX_TASKS} tasks.")
        try:
            known = [await self._is_known(incoming.principal, item) for item in wanted]
        except ServiceError as error:
            failure = tool_failure(error, "")
            raise failure.protocol_error(incoming.caller, incoming.naming) from None
        return tuple(task_id for task_id, is_known in zip(wanted, known, strict=True) if is_known)

    async def send(self, principal: Principal, task_ids: Iterable[str], send: SendTask) -> None:
        """Send each task as it is now and at each change, until all have ended."""
        async with asyncio.TaskGroup() as group:
            for task_id in task_ids:
                group.create_task(self._follow(principal, task_id, send))

    async def _is_known(self, principal: Principal, task_id: str) -> bool:
        await self._quota.admit(principal, CHARGED_AS, 0)
        try:
            await self._tasks.get(principal, task_id)
        except Unavailable:
            return True  # Whose it is shows before anything is told of it.
        except ServiceError:
            return False
        return True

    async def _follow(self, principal: Principal, task_id: str, send: SendTask) -> None:
        last: Task | None = None
        while True:
            try:
                async with aclosing(self._tasks.watch(principal, task_id)) as changes:
                    async for task in changes:
                        if task != last:
                            send(detailed(task))
                        last = task
            except Unavailable:
                pass
            except ServiceError:
                return
            if last is not None and last.has_ended:
                return
            await asyncio.sleep(self._pause_seconds)
