"""The tasks of Procrastinate."""

from typing import Final

from procrastinate import App, BaseRetryStrategy, RetryDecision
from procrastinate.jobs import Job

from import_worker.domain.ports import REDETECT, REFRESH, RUN_IMPORT
from import_worker.jobs.maintenance import Maintenance
from import_worker.jobs.run import ImportRunner
from servicekit.observability import telemetry

_LONGEST_WAIT: Final = 60
_REFRESH_CRON: Final = "*/5 * * * *"


class Again(BaseRetryStrategy):
    """Jobs end by themselves; one that breaks off was stopped, or our database was away.

    Args:
        most: Attempts, for a job that does not count them itself.
    """

    def __init__(self, max_attempts: int | None = None) -> None:
        self._max_attempts = max_attempts

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if self._max_attempts is not None and job.attempts + 1 >= self._max_attempts:
            return None
        if not isinstance(exception, Exception):  # cancelled: another worker may have it at once
            return RetryDecision(retry_in={"seconds": 0})
        return RetryDecision(retry_in={"seconds": min(2 ** min(job.attempts, 6), _LONGEST_WAIT)})


def register(app: App, runner: ImportRunner, maintenance: Maintenance, max_attempts: int) -> None:
    """Add the tasks to an app that has none."""

    @app.task(name=RUN_IMPORT, retry=Again())
    async def run_import(import_id: str, traceparent: str | None = None) -> None:
        with telemetry.request(f"job {RUN_IMPORT}", traceparent, "consumer"):
            await runner.run(import_id)

    # One that is given up is found outdated again by the next refresh.
    @app.task(name=REDETECT, retry=Again(max_attempts))
    async def redetect(channel_id: str, traceparent: str | None = None) -> None:
        with telemetry.request(f"job {REDETECT}", traceparent, "consumer"):
            await maintenance.redetect(channel_id)

    @app.periodic(cron=_REFRESH_CRON)
    @app.task(name=REFRESH, lock=REFRESH, queueing_lock=REFRESH)
    async def refresh_channels(timestamp: int) -> None:
        del timestamp
        with telemetry.request(f"job {REFRESH}", kind="consumer"):
            await maintenance.refresh()

    del run_import, redetect, refresh_channels
