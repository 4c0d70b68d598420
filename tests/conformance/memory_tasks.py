"""Tasks in memory, for tools that the product does not have."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from gateway.authentication.principal import Principal
from gateway.domain.tasks import Task, UnknownTask

Request = Mapping[str, Any]
"""A request to the client as MCP has it: `method` and `params`."""

Elicit = Callable[[Mapping[str, Request]], Awaitable[Mapping[str, object]]]
"""Asks the caller and waits for every reply; a key is used once in a task's life."""

Work = Callable[[Elicit], Awaitable[object]]

_POLL_MS: Final = 100
_TTL_MS: Final = 600_000


class WorkFailed(Exception):  # noqa: N818 - what a tool tells of, not what broke
    """Ends the work with a result that is a failure."""

    def __init__(self, response: object) -> None:
        super().__init__("The work failed.")
        self.response = response


@dataclass
class _Held:
    account_id: str
    task: Task
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    open: dict[str, asyncio.Future[object]] = field(
        default_factory=dict[str, "asyncio.Future[object]"]
    )
    running: asyncio.Task[None] | None = None

    def change(self, **changes: Any) -> None:
        if not self.task.has_ended:
            self.task = replace(self.task, updated_at=datetime.now(UTC), **changes)
            self.changed.set()
            self.changed = asyncio.Event()


class MemoryTasks:
    """The `Tasks` of one process, kept until it ends."""

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}

    def start(self, principal: Principal, work: Work) -> Task:
        """Begins the work; it goes on by itself."""
        now = datetime.now(UTC)
        task = Task(secrets.token_hex(16), "working", "At work.", now, now, _POLL_MS, _TTL_MS)
        held = self._held[task.task_id] = _Held(principal.entitlements.account_id, task)
        held.running = asyncio.create_task(self._run(held, work))
        return task

    async def stop(self) -> None:
        """Cancels what still runs."""
        running = [held.running for held in self._held.values() if held.running is not None]
        for item in running:
            item.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def get(self, principal: Principal, task_id: str) -> Task:
        return self._find(principal, task_id).task

    async def cancel(self, principal: Principal, task_id: str) -> None:
        held = self._find(principal, task_id)
        held.change(status="cancelled", message="Cancelled.", input_requests=None)
        if held.running is not None:
            held.running.cancel()

    async def update(
        self, principal: Principal, task_id: str, replies: Mapping[str, object]
    ) -> None:
        held = self._find(principal, task_id)
        waiting = held.task.input_requests or {}
        for key in waiting.keys() & replies.keys():
            held.open.pop(key).set_result(replies[key])
        left = {key: request for key, request in waiting.items() if key in held.open}
        if not left and waiting:
            held.change(status="working", message="At work.", input_requests=None)
        elif left != waiting:
            held.change(input_requests=left)

    async def watch(self, principal: Principal, task_id: str) -> AsyncGenerator[Task]:
        held = self._find(principal, task_id)
        while True:
            changed, task = held.changed, held.task
            yield task
            if task.has_ended:
                return
            await changed.wait()

    def _find(self, principal: Principal, task_id: str) -> _Held:
        held = self._held.get(task_id)
        if held is None or held.account_id != principal.entitlements.account_id:
            raise UnknownTask(task_id)
        return held

    async def _run(self, held: _Held, work: Work) -> None:
        async def elicit(requests: Mapping[str, Request]) -> Mapping[str, object]:
            replies = {key: asyncio.get_running_loop().create_future() for key in requests}
            held.open |= replies
            held.change(status="input_required", message="Waits for you.", input_requests=requests)
            return {key: await reply for key, reply in replies.items()}

        try:
            response = await work(elicit)
        except WorkFailed as failed:
            held.change(
                status="completed", message="It failed.", result=failed.response, is_error=True
            )
        except Exception as broken:  # noqa: BLE001 - whatever breaks is what the task tells
            held.change(status="failed", message="It broke.", fault=str(broken))
        else:
            held.change(status="completed", message="Done.", result=response)
