"""The lag of the usage ledger: entries that wait in Valkey's stream."""

from typing import Any, Final

from prometheus_client import Gauge
from redis.asyncio import Redis

from gateway.storage.valkey import USAGE_STREAM

LEDGER_ENTRIES: Final = Gauge(
    "sponsorgraph_ledger_entries_pending",
    "Admitted calls in Valkey's stream that the ledger in Postgres does not have yet.",
)
LEDGER_SECONDS: Final = Gauge(
    "sponsorgraph_ledger_oldest_seconds", "Age of the oldest of them, in seconds; 0 without any."
)


async def measure_ledger(valkey: Redis) -> None:
    """Set both, by Valkey's clock."""
    client: Any = valkey
    async with client.pipeline(transaction=True) as together:
        together.xlen(USAGE_STREAM)
        together.xrange(USAGE_STREAM, count=1)
        together.time()
        waiting, oldest, (seconds, _) = await together.execute()
    LEDGER_ENTRIES.set(waiting)
    LEDGER_SECONDS.set(max(seconds - _seconds(oldest[0][0]), 0) if oldest else 0)


def _seconds(entry_id: bytes) -> float:
    return int(entry_id.partition(b"-")[0]) / 1000
