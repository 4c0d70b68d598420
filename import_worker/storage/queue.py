"""Procrastinate's queue: jobs deferred in a transaction of ours, and jobs of dead workers."""

from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import procrastinate
from procrastinate.exceptions import AlreadyEnqueued
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from import_worker.domain.imports import Import
from import_worker.domain.ports import (
    ADVANCE_BULK_IMPORT,
    PLAN_REDETECTION,
    REDETECT,
    RUN_IMPORT,
)
from servicekit.observability import telemetry

_AFTER_IMPORTS: Final = -1
"""Priority of what nobody waits for."""

_BEFORE_IMPORTS: Final = 1
"""Priority of what is over in a moment and lets imports begin."""

_FORGET: Final = text(
    """
    SELECT procrastinate_cancel_job_v1(id, false, true)
    FROM procrastinate_jobs WHERE queueing_lock = :lock AND status = 'todo'
    """
)
_ONE_RESCUER: Final = text("SELECT pg_try_advisory_xact_lock(hashtext('rescue of jobs'))")
# A job that has put its successor into the queue had done its work: the successor goes on. Any other
# gets a successor here, with an id of its own: a worker that was not dead but slow may still end the
# job that it had, and would take the rescued one out of the queue with it.
_RESCUE: Final = text(
    """
    WITH stalled AS (
        SELECT id, EXISTS (
            SELECT FROM procrastinate_jobs AS next
            WHERE next.queueing_lock = jobs.queueing_lock AND next.status = 'todo'
        ) AS has_successor
        FROM procrastinate_jobs AS jobs
        WHERE status = 'doing' AND NOT EXISTS (
            SELECT FROM procrastinate_workers AS workers
            WHERE workers.id = jobs.worker_id
              AND workers.last_heartbeat >= now() - make_interval(secs => :seconds)
        )
        FOR UPDATE SKIP LOCKED
    ), ended AS (
        UPDATE procrastinate_jobs AS jobs SET status = 'aborted', abort_requested = false
        FROM stalled WHERE jobs.id = stalled.id
        RETURNING jobs.*, stalled.has_successor
    )
    INSERT INTO procrastinate_jobs
        (queue_name, task_name, priority, lock, queueing_lock, args, attempts)
    SELECT queue_name, task_name, priority, lock, queueing_lock, args, attempts + 1
    FROM ended WHERE NOT has_successor
    RETURNING id
    """
)


class ProcrastinateQueue:
    """`JobQueue` on one connection."""

    def __init__(self, connection: AsyncConnection, app: procrastinate.App) -> None:
        self._connection = connection
        self._app = app

    async def run_import(self, import_: Import, at: datetime | None = None) -> None:
        with suppress(AlreadyEnqueued):
            await self._defer(
                RUN_IMPORT,
                {"import_id": import_.import_id},
                lock=_lock(import_.channel_id),
                queueing_lock=_queueing_lock(import_.import_id),
                schedule_at=at,
            )

    async def forget_import(self, import_id: str) -> None:
        await self._connection.execute(_FORGET, {"lock": _queueing_lock(import_id)})

    async def plan_redetection(self, run_id: str) -> None:
        with suppress(AlreadyEnqueued):
            await self._defer(
                PLAN_REDETECTION, {"run_id": run_id}, queueing_lock=f"redetection:{run_id}"
            )

    async def redetect(self, channel_id: str, run_id: str) -> None:
        with suppress(AlreadyEnqueued):
            await self._defer(
                REDETECT,
                {"channel_id": channel_id, "run_id": run_id},
                lock=_lock(channel_id),
                queueing_lock=f"redetect:{run_id}:{channel_id}",
                priority=_AFTER_IMPORTS,
            )

    async def advance_bulk_import(self, bulk_import_id: str, at: datetime | None = None) -> None:
        lock = f"bulk:{bulk_import_id}"
        with suppress(AlreadyEnqueued):
            await self._defer(
                ADVANCE_BULK_IMPORT,
                {"bulk_import_id": bulk_import_id},
                lock=lock,
                queueing_lock=lock,
                schedule_at=at,
                priority=_BEFORE_IMPORTS,
            )

    async def _defer(self, task: str, arguments: dict[str, Any], **options: Any) -> None:
        traceparent = telemetry.traceparent_to_keep()
        if traceparent is not None:
            arguments = {**arguments, "traceparent": traceparent}
        raw = await self._connection.get_raw_connection()
        # In a savepoint: a job that waits already must not undo what else is in the transaction.
        async with self._connection.begin_nested():
            deferrer = self._app.configure_task(
                task, connection=raw.driver_connection, task_kwargs=arguments, **options
            )
            await deferrer.defer_async()


async def rescue(engine: AsyncEngine, seconds: float) -> int:
    """Put jobs back whose worker has shown no life for so many seconds; return how many."""
    async with engine.begin() as connection:
        if not (await connection.execute(_ONE_RESCUER)).scalar_one():
            return 0
        found = await connection.execute(_RESCUE, {"seconds": seconds})
        return len(found.all())


def _lock(channel_id: str) -> str:
    return f"channel:{channel_id}"


def _queueing_lock(import_id: str) -> str:
    return f"import:{import_id}"
