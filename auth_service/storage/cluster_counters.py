"""The side of the reconciliation that is in a Valkey cluster: the monthly counters of all shards of accounts."""

from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from redis.exceptions import RedisError

from auth_service.domain.reconciliation import CountersNotComparable, Month, PendingEntry
from auth_service.domain.usage import CounterState
from auth_service.storage.counters import (
    LOWER,
    MAX_PENDING,
    check_pending,
    known,
    month_of,
    pending_entry,
)
from servicekit.valkey_cluster_client import all_of
from servicekit.valkey_cluster_state import ClusterStateReader
from servicekit.valkey_keys import KeyLayout, Shard

_PAGE: Final = 500
T = TypeVar("T")

# KEYS 1 ledger stream, then counters   ARGV 1 entries at the utmost
# Gives the counters and the entries, as of one moment.
_SNAPSHOT: Final = """
local counts = #KEYS > 1 and redis.call('MGET', unpack(KEYS, 2)) or {}
return { counts, redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[1]) }
"""


class ClusterCounters:
    """`Counters` on a client of a cluster.

    An account's counter and its pending calls are in one shard, so a moment of each shard is a
    moment of each account.
    """

    def __init__(self, client: Any, layout: KeyLayout) -> None:
        self.client = client
        self._layout = layout
        self._state = ClusterStateReader(client, layout)
        self._snapshot: Any = client.register_script(_SNAPSHOT)
        self._lower: Any = client.register_script(LOWER)

    async def check(self, state: CounterState) -> None:
        if state.bypassed:
            raise CountersNotComparable(
                "The ledger holds calls that the counters lack until they begin anew."
            )
        found = await _responding(self._state.read())
        if found.generation != f"{state.epoch}.{found.run_id}":
            raise CountersNotComparable("No counters of the ledger's epoch are in use.")

    async def pages(self, epoch: str) -> AsyncIterator[Mapping[Month, int]]:
        for shard in self._layout.shards:
            prefix, cursor = shard.counters(epoch), 0
            while True:
                cursor, keys = await self._scan(shard, cursor, f"{prefix}*")
                months = [month for key in keys if (month := month_of(key.decode(), prefix))]
                if months:
                    yield await self.counts(epoch, list(dict.fromkeys(months)))
                if not cursor:
                    break

    async def snapshot(
        self, epoch: str, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[PendingEntry]]:
        by_shard = self._by_shard(months)
        replies = await _responding(
            all_of(
                self._snapshot(
                    (shard.usage_stream, *_counters(shard, epoch, of_shard)), (MAX_PENDING + 1,)
                )
                for shard, of_shard in by_shard.items()
            )
        )
        counts: dict[Month, int] = {}
        pending: list[PendingEntry] = []
        for of_shard, (values, entries) in zip(by_shard.values(), replies, strict=True):
            counts |= known(of_shard, values)
            pending += [pending_entry(_fields(flat)) for _, flat in entries]
        check_pending(len(pending))
        return counts, pending

    async def counts(self, epoch: str, months: Sequence[Month]) -> Mapping[Month, int]:
        by_shard = {
            shard: of_shard for shard, of_shard in self._by_shard(months).items() if of_shard
        }
        values = await _responding(
            all_of(
                self.client.mget(_counters(shard, epoch, of_shard))
                for shard, of_shard in by_shard.items()
            )
        )
        counts: dict[Month, int] = {}
        for of_shard, found in zip(by_shard.values(), values, strict=True):
            counts |= known(of_shard, found)
        return counts

    async def lower(self, epoch: str, month: Month, calls: int) -> bool:
        shard = self._layout.shard_of(month.account_id)
        keys = shard.generation, shard.counter(month.account_id, month.month, epoch)
        return await _responding(self._lower(keys, (f"{epoch}.", calls))) == 1

    def _by_shard(self, months: Iterable[Month]) -> Mapping[Shard, list[Month]]:
        """Return the months of each shard, of those without any too: calls may be pending in all."""
        by_shard: dict[Shard, list[Month]] = {shard: [] for shard in self._layout.shards}
        for month in months:
            by_shard[self._layout.shard_of(month.account_id)].append(month)
        return by_shard

    async def _scan(self, shard: Shard, cursor: int, pattern: str) -> tuple[int, Sequence[bytes]]:
        """Scan the server that has the shard; it skips other slots, as the pattern has the tag."""
        await _responding(self.client.initialize())
        node = self.client.get_node_from_key(shard.usage_stream)
        if node is None:
            raise CountersNotComparable("A shard of the Valkey cluster has no server.")
        reply: Any = await _responding(
            node.execute_command("SCAN", cursor, "MATCH", pattern, "COUNT", _PAGE)
        )
        return reply


def _counters(shard: Shard, epoch: str, months: Sequence[Month]) -> Sequence[str]:
    return [shard.counter(month.account_id, month.month, epoch) for month in months]


def _fields(flat: Sequence[bytes]) -> Mapping[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


async def _responding(command: Awaitable[T]) -> T:
    try:
        return await command
    except (RedisError, OSError) as error:
        raise CountersNotComparable(f"Valkey does not answer: {error}") from error
