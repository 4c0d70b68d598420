"""The parts that count in Valkey, of a single server or of a cluster."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from redis.asyncio import Redis

from gateway.quota.ports import GenerationStore, UsageLedger
from gateway.quota.valkey_cluster_generation import ClusterGenerationStore
from gateway.quota.valkey_cluster_ledger_writer import ClusterLedgerWriter
from gateway.quota.valkey_counters import ValkeyQuota
from gateway.quota.valkey_generation import ValkeyGenerationStore
from gateway.quota.valkey_ledger_writer import LedgerWriter
from gateway.quota.valkey_metrics import measure_ledger, measure_shards
from servicekit.observability.gauges import Poll
from servicekit.valkey_keys import KeyLayout


@dataclass(frozen=True, slots=True)
class Counting:
    """Counters, the generation in use, the way to the ledger, and the poll of its lag."""

    counters: ValkeyQuota
    generations: GenerationStore
    ledger_writer: LedgerWriter | ClusterLedgerWriter
    measure: Poll


def open_counting(
    valkey: Redis,
    waiting: Redis,
    ledger: UsageLedger,
    clock: Callable[[], datetime] | None,
    layout: KeyLayout,
) -> Counting:
    """Return the parts for a layout.

    Args:
        valkey: An open client.
        waiting: Another one, whose connections may be silent for longer.
        ledger: Where admitted calls are reported.
        clock: Stands in for Valkey's clock in tests.
        layout: The shards of accounts.
    """
    if layout.is_sharded:
        cluster: Any = valkey
        counters = ValkeyQuota(
            valkey, clock, layout, lambda shard: cluster.node_of(shard.usage_stream)
        )
        return Counting(
            counters,
            ClusterGenerationStore(valkey, layout),
            ClusterLedgerWriter(waiting, layout, ledger),
            functools.partial(measure_shards, valkey, layout),
        )
    return Counting(
        ValkeyQuota(valkey, clock),
        ValkeyGenerationStore(valkey),
        LedgerWriter(waiting, ledger),
        functools.partial(measure_ledger, valkey),
    )
