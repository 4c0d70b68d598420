"""The gauge by which more workers are started."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from prometheus_client import REGISTRY

from import_worker import app
from import_worker.domain.ports import REDETECT, RUN_IMPORT
from import_worker.settings import ImportSettings
from import_worker.storage.queue_metrics import TASKS, measure
from tests.integration.import_worker.conftest import Bench


def waiting() -> float:
    name = "sponsorgraph_import_jobs_waiting"
    return sum(REGISTRY.get_sample_value(name, {"task": task}) or 0 for task in TASKS)


async def test_due_jobs_wait_and_later_ones_do_not(bench: Bench) -> None:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    await bench.defer(RUN_IMPORT, import_id="one")
    await bench.defer(REDETECT, channel_id="two")
    later = bench.jobs.configure_task(RUN_IMPORT, schedule_at=tomorrow)
    await later.defer_async(import_id="three")
    await measure(bench.engine)
    assert waiting() == 2


async def test_jobs_that_run_or_have_ended_do_not_wait(bench: Bench) -> None:
    for channel in ("one", "two", "three"):
        await bench.defer(REDETECT, channel_id=channel)
    await bench.execute(
        "UPDATE procrastinate_jobs SET status = 'doing' WHERE args->>'channel_id' = 'one'"
    )
    await bench.execute(
        "UPDATE procrastinate_jobs SET status = 'failed' WHERE args->>'channel_id' = 'two'"
    )
    await measure(bench.engine)
    assert waiting() == 1


async def test_the_rpc_server_counts_by_itself(
    bench: Bench, import_settings: ImportSettings
) -> None:
    for number in range(3):
        await bench.defer(REDETECT, channel_id=str(number))
    async with app.serve(import_settings), asyncio.timeout(5):
        while waiting() != 3:  # noqa: ASYNC110 - a gauge tells nobody when it changes
            await asyncio.sleep(0.01)
