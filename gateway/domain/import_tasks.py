"""Imports as tasks. The import is all the state that there is, so its id is the task's.

Every import of the account can be followed this way, also one that was not started as a task.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Final

from gateway.authentication.principal import Principal
from gateway.domain.errors import InsufficientScope, PlanRequired
from gateway.domain.ports import ImportMethod, Imports
from gateway.domain.tasks import Task, TaskStatus, UnknownTask
from servicekit.errors import NotFound
from shapes.imports import ImportStatus

SCOPE: Final = "channels:import"
FEATURE: Final = "channel_import"

_LONGEST_ID: Final = 100
_POLL_MS: Final = 2_000
_WAITING_POLL_MS: Final = 15_000
"""A waiting import goes on in seconds at best, and on the next day at worst."""
_ENDED: Final[Mapping[str, TaskStatus]] = {
    "done": "completed",
    # The call has a result, which describes the failure; nothing of the protocol has failed.
    "failed": "completed",
    "cancelled": "cancelled",
}


def has_ended(found: ImportStatus) -> bool:
    return found.state in _ENDED


def import_task(found: ImportStatus) -> Task:
    """Return the import as a task."""
    status: TaskStatus = _ENDED.get(found.state, "working")
    return Task(
        task_id=found.import_id,
        status=status,
        message=import_progress(found) if found.state == "running" else found.message,
        created_at=found.created_at,
        updated_at=found.finished_at or found.started_at or found.created_at,
        poll_ms=_WAITING_POLL_MS if found.state == "waiting" else _POLL_MS,
        result=found if status == "completed" else None,
        is_error=found.state == "failed",
    )


def import_progress(current: ImportStatus) -> str:
    """Return the progress of an import as one line."""
    total = f" of {current.videos_total:,}" if current.videos_total else ""
    return (
        f"{current.channel_title}: {current.videos_seen:,}{total} videos read, "
        f"{current.sponsorships:,} sponsorships found"
    )


class ImportTasks:
    """The `Tasks` of the service."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    async def get(self, principal: Principal, task_id: str) -> Task:
        return import_task(await self._call("GetImport", principal, task_id))

    async def cancel(self, principal: Principal, task_id: str) -> None:
        await self._call("CancelImport", principal, task_id)

    async def update(
        self, principal: Principal, task_id: str, replies: Mapping[str, object]
    ) -> None:
        """Ignore the replies: an import requests no input."""
        del replies
        await self._call("GetImport", principal, task_id)

    async def watch(self, principal: Principal, task_id: str) -> AsyncGenerator[Task]:
        account_id = _account(principal, task_id)
        try:
            async with aclosing(self._imports.watch(account_id, task_id)) as changes:
                async for change in changes:
                    yield import_task(change)
        except NotFound:
            raise UnknownTask(task_id) from None

    async def _call(self, method: ImportMethod, principal: Principal, task_id: str) -> ImportStatus:
        arguments = {"account_id": _account(principal, task_id), "import_id": task_id}
        try:
            return await self._imports.call(method, arguments, ImportStatus)
        except NotFound:
            raise UnknownTask(task_id) from None


def _account(principal: Principal, task_id: str) -> str:
    """Return the account that may follow imports by this credential."""
    entitlements = principal.entitlements
    if FEATURE not in entitlements.features:
        raise PlanRequired(
            f"The plan {entitlements.plan_name} does not include imports of channels."
        )
    if SCOPE not in principal.scopes:
        raise InsufficientScope(
            f"This credential lacks the scope {SCOPE}, which tasks of imports need.",
            needed=SCOPE,
        )
    if len(task_id) > _LONGEST_ID or not task_id.isascii() or not task_id.isprintable():
        raise UnknownTask(task_id)
    return entitlements.account_id
