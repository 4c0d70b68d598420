"""The lag of the usage ledger: entries that wait in Valkey's stream."""

from typing import Any, Final

from prometheus_client import Gauge
from redis.asyncio import Redis

from gateway.storage.valkey import USAGE_STREAM
from servicekit.valkey_cluster_client import all_of
from servicekit.valkey_keys import KeyLayout

LEDGER_ENTRIES: Final = Gauge(
    "sponsorgraph_ledger_entries_pending",
    "Admitted calls in Valkey's stream that the ledger in Postgres does not have yet.",
)
LEDGER_SECONDS: Final = Gauge(
    "sponsorgraph_ledger_oldest_seconds", "Age of the oldest of them, in seconds; 0 without any."
)

# KEYS 1 ledger stream
# Gives the number of its entries, and the age of the first in milliseconds, 0 without any.
_MEASURE: Final = """
local time = redis.call('TIME')
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local since = first and tonumber(string.match(first[1], '^%d+')) or now
return { redis.call('XLEN', KEYS[1]), math.max(0, now - since) }
"""


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


async def measure_shards(valkey: Redis, layout: KeyLayout) -> None:
    """Set both from the streams of a cluster's shards, by the clocks of their servers."""
    client: Any = valkey
    measure = client.register_script(_MEASURE)
    found: list[tuple[int, int]] = await all_of(
        measure((shard.usage_stream,)) for shard in layout.shards
    )
    LEDGER_ENTRIES.set(sum(entries for entries, _ in found))
    LEDGER_SECONDS.set(max(milliseconds for _, milliseconds in found) / 1000)


def _seconds(entry_id: bytes) -> float:
    return int(entry_id.partition(b"-")[0]) / 1000
