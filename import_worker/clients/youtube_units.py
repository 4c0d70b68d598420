"""Metrics of the daily units of YouTube's API."""

from typing import Final

from prometheus_client import Gauge

from import_worker.clients.youtube_quota import Quota

UNITS_USED: Final = Gauge(
    "sponsorgraph_youtube_units_used",
    "Units of YouTube's API that all workers together have used since midnight in California.",
)
UNITS_ALLOWED: Final = Gauge(
    "sponsorgraph_youtube_units_allowed",
    "Units that they may use a day; 0 without a key of the API.",
)


async def measure_units(quota: Quota, allowed: int) -> None:
    """Set both gauges."""
    used = await quota.used()
    if used is not None:
        UNITS_USED.set(used)
    UNITS_ALLOWED.set(allowed)
