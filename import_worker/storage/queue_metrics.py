"""Metrics of the queue and of the imports."""

from typing import Final

from prometheus_client import Gauge
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

JOBS_WAITING: Final = Gauge(
    "sponsorgraph_import_jobs_waiting",
    "Jobs that are due and that no worker has taken up.",
    ["task"],
)
JOBS_OLDEST: Final = Gauge(
    "sponsorgraph_import_jobs_oldest_seconds",
    "How long the longest waiting of them has been due, in seconds; 0 without any.",
    ["task"],
)
JOBS_AT_WORK: Final = Gauge(
    "sponsorgraph_import_jobs_running", "Jobs that a worker has taken up.", ["task"]
)
IMPORTS: Final = Gauge("sponsorgraph_imports", "Imports there are, by state.", ["state"])

TASKS: Final = (
    "run_import",
    "advance_bulk_import",
    "plan_redetection",
    "redetect",
    "refresh_channels",
    "check_feeds",
)
STATES: Final = ("queued", "running", "waiting", "done", "failed", "cancelled")

# The moment a job became due: that of its schedule, else that of its last change of state.
_JOBS: Final = text(
    """
    SELECT jobs.task_name,
        count(*) FILTER (WHERE jobs.status = 'doing') AS at_work,
        count(*) FILTER (WHERE jobs.status = 'todo') AS waiting,
        coalesce(max(extract(epoch FROM now() - coalesce(jobs.scheduled_at, events.at)))
            FILTER (WHERE jobs.status = 'todo'), 0) AS oldest
    FROM procrastinate_jobs AS jobs
    LEFT JOIN LATERAL (
        SELECT max(at) AS at FROM procrastinate_events WHERE job_id = jobs.id
    ) AS events ON true
    WHERE jobs.status = 'doing'
        OR jobs.status = 'todo' AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
    GROUP BY jobs.task_name
    """
)
_IMPORTS: Final = text("SELECT state, count(*) AS number FROM imports GROUP BY state")


async def measure(engine: AsyncEngine) -> None:
    """Set all of them; what there is none of is 0."""
    async with engine.connect() as connection:
        jobs = {row.task_name: row for row in await connection.execute(_JOBS)}
        imports = {row.state: row.number for row in await connection.execute(_IMPORTS)}
    for task in TASKS:
        row = jobs.get(task)
        JOBS_WAITING.labels(task).set(row.waiting if row else 0)
        JOBS_OLDEST.labels(task).set(float(row.oldest) if row else 0)
        JOBS_AT_WORK.labels(task).set(row.at_work if row else 0)
    for state in STATES:
        IMPORTS.labels(state).set(imports.get(state, 0))
