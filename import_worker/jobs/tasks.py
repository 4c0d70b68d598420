"""The tasks of Procrastinate."""

from typing import Final

from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.jobs import Job

from import_worker.domain.ports import (
    ADVANCE_BULK_IMPORT,
    CHECK_FEEDS,
    PLAN_REDETECTION,
    REDETECT,
    REFRESH,
    RUN_IMPORT,
)
from import_worker.jobs.bulk_imports import BulkImportRunner
from import_worker.jobs.feed_checks import FeedChecks
from import_worker.jobs.maintenance import Maintenance
from import_worker.jobs.redetection import RedetectionRunner
from import_worker.jobs.run import ImportRunner
from servicekit.observability import telemetry

_LONGEST_WAIT: Final = 60
_REFRESH_CRON: Final = "*/5 * * * *"
_CHECK_CRON: Final = "2-59/5 * * * *"


class RetryPolicy(BaseRetryStrategy):
    """Jobs end by themselves; one that breaks off was stopped, or our database was away."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if not isinstance(exception, Exception):  # cancelled: another worker may have it at once
            return RetryDecision(retry_in={"seconds": 0})
        return RetryDecision(retry_in={"seconds": min(2 ** min(job.attempts, 6), _LONGEST_WAIT)})


def register(
    app: App,
    runner: ImportRunner,
    bulk_runner: BulkImportRunner,
    maintenance: Maintenance,
    feed_checks: FeedChecks,
    redetection: RedetectionRunner,
) -> None:
    """Add the tasks to an app that has none."""

    @app.task(name=RUN_IMPORT, retry=RetryPolicy())
    async def run_import(import_id: str, traceparent: str | None = None) -> None:
        with telemetry.request(f"job {RUN_IMPORT}", traceparent, "consumer"):
            await runner.run(import_id)

    @app.task(name=ADVANCE_BULK_IMPORT, retry=RetryPolicy())
    async def advance_bulk_import(bulk_import_id: str, traceparent: str | None = None) -> None:
        with telemetry.request(f"job {ADVANCE_BULK_IMPORT}", traceparent, "consumer"):
            await bulk_runner.advance(bulk_import_id)

    @app.task(name=PLAN_REDETECTION, retry=RetryPolicy())
    async def plan_redetection(run_id: str, traceparent: str | None = None) -> None:
        with telemetry.request(f"job {PLAN_REDETECTION}", traceparent, "consumer"):
            await redetection.plan(run_id)

    # Jobs of releases without runs name none: the next refresh finds their videos outdated again.
    @app.task(name=REDETECT, retry=RetryPolicy(), pass_context=True)
    async def redetect(
        context: JobContext,
        channel_id: str,
        run_id: str | None = None,
        traceparent: str | None = None,
    ) -> None:
        if run_id is None:
            return
        with telemetry.request(f"job {REDETECT}", traceparent, "consumer"):
            await redetection.channel(run_id, channel_id, context.job.attempts)

    @app.periodic(cron=_REFRESH_CRON)
    @app.task(name=REFRESH, lock=REFRESH, queueing_lock=REFRESH)
    async def refresh_channels(timestamp: int) -> None:
        del timestamp
        with telemetry.request(f"job {REFRESH}", kind="consumer"):
            await maintenance.refresh()

    @app.periodic(cron=_CHECK_CRON)
    @app.task(name=CHECK_FEEDS, lock=CHECK_FEEDS, queueing_lock=CHECK_FEEDS)
    async def check_feeds(timestamp: int) -> None:
        del timestamp
        with telemetry.request(f"job {CHECK_FEEDS}", kind="consumer"):
            await feed_checks.check()

    del run_import, advance_bulk_import, plan_redetection, redetect, refresh_channels, check_feeds
