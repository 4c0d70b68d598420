"""Gauges whose values are polled from Postgres or Valkey, not read at a scrape."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from prometheus_client import Counter

from servicekit.concurrency.background import in_background
from servicekit.observability import logs

_EVERY_SECONDS: Final = 5.0

GAUGE_FAILURES: Final = Counter(
    "sponsorgraph_gauge_failures",
    "Failed polls of a queue or counter; its gauges keep their last values.",
    ["gauge"],
)

log = logs.get(__name__)

Poll = Callable[[], Awaitable[None]]
"""Reads values and sets gauges."""


@asynccontextmanager
async def polling(
    name: str, poll: Poll, every_seconds: float = _EVERY_SECONDS
) -> AsyncGenerator[None]:
    """Poll every few seconds until the block ends."""
    async with in_background(_poll_forever(name, poll, every_seconds)):
        yield


async def _poll_forever(name: str, poll: Poll, every_seconds: float) -> None:
    failing = False
    GAUGE_FAILURES.labels(name)  # begins at 0, so that its first failure has a rate
    while True:
        try:
            await poll()
            failing = False
        except Exception as error:  # noqa: BLE001 - what serves must not end with what counts
            GAUGE_FAILURES.labels(name).inc()
            if not failing:
                log.warning("gauges_stand_still", poll=name, error=type(error).__name__)
            failing = True
        await asyncio.sleep(every_seconds)
