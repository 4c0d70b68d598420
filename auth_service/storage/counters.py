"""Valkey's side of the reconciliation: the monthly counters, which the gateways write."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import RedisError

from auth_service.domain.reconciliation import CountersNotComparable, Month, PendingEntry
from auth_service.domain.usage import CounterState
from servicekit.valkey_keys import SINGLE

_SHARD: Final = SINGLE.shards[0]
_PAGE: Final = 500
MAX_PENDING: Final = 50_000
"""Entries that are read at once; a ledger that is further behind than this has an alert of its own."""

LOWER: Final = """
local in_use = redis.call('GET', KEYS[1]) or ''
if string.sub(in_use, 1, #ARGV[1]) ~= ARGV[1] or redis.call('EXISTS', KEYS[2]) == 0 then
  return 0
end
redis.call('DECRBY', KEYS[2], ARGV[2])
return 1
"""


def counter_key(epoch: str, month: Month) -> str:
    """Return the key of the counter of an account's month on a single server."""
    return _SHARD.counter(month.account_id, month.month, epoch)


class ValkeyCounters:
    """`Counters` on a client of a single server."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    async def check(self, state: CounterState) -> None:
        if state.bypassed:
            raise CountersNotComparable(
                "The ledger holds calls that the counters lack until they begin anew."
            )
        try:
            generation = await self._client.get(_SHARD.generation)
            run_id = (await self._client.info("server"))["run_id"]
        except (RedisError, OSError) as error:
            raise CountersNotComparable(f"Valkey does not answer: {error}") from error
        if generation is None or generation.decode() != f"{state.epoch}.{run_id}":
            raise CountersNotComparable("No counters of the ledger's epoch are in use.")

    async def pages(self, epoch: str) -> AsyncIterator[Mapping[Month, int]]:
        prefix, cursor = _SHARD.counters(epoch), 0
        while True:
            cursor, keys = await self._execute("scan", cursor, match=f"{prefix}*", count=_PAGE)
            months = [month for key in keys if (month := month_of(key.decode(), prefix))]
            if months:
                yield await self.counts(epoch, list(dict.fromkeys(months)))
            if not cursor:
                return

    async def snapshot(
        self, epoch: str, months: Sequence[Month]
    ) -> tuple[Mapping[Month, int], Sequence[PendingEntry]]:
        try:
            async with self._client.pipeline(transaction=True) as together:
                together.mget([counter_key(epoch, month) for month in months])
                together.xrange(_SHARD.usage_stream, count=MAX_PENDING + 1)
                counts, entries = await together.execute()
        except (RedisError, OSError) as error:
            raise CountersNotComparable(f"Valkey does not answer: {error}") from error
        check_pending(len(entries))
        return known(months, counts), [pending_entry(fields) for _, fields in entries]

    async def counts(self, epoch: str, months: Sequence[Month]) -> Mapping[Month, int]:
        if not months:
            return {}
        return known(months, await self._execute("mget", [counter_key(epoch, m) for m in months]))

    async def lower(self, epoch: str, month: Month, calls: int) -> bool:
        keys = _SHARD.generation, counter_key(epoch, month)
        return await self._execute("eval", LOWER, len(keys), *keys, f"{epoch}.", calls) == 1

    async def _execute(self, command: str, *arguments: Any, **options: Any) -> Any:
        try:
            return await getattr(self._client, command)(*arguments, **options)
        except (RedisError, OSError) as error:
            raise CountersNotComparable(f"Valkey does not answer: {error}") from error


def check_pending(entries: int) -> None:
    """Raise `CountersNotComparable` where more entries wait than are read at once."""
    if entries > MAX_PENDING:
        raise CountersNotComparable("Too many calls wait for the ledger.")


def known(months: Sequence[Month], counts: Sequence[bytes | None]) -> Mapping[Month, int]:
    """Pair months with their counters, without those that have expired meanwhile."""
    pairs = zip(months, counts, strict=True)
    return {month: int(count) for month, count in pairs if count is not None}


def month_of(key: str, prefix: str) -> Month | None:
    """Return the account and month of a counter; None for one of another epoch, whose name has a part more."""
    account_id, colon, month = key.removeprefix(prefix).partition(":")
    return Month(account_id, month) if colon and ":" not in month else None


def pending_entry(fields: Mapping[bytes, bytes]) -> PendingEntry:
    """Return the pending call in an entry of the stream."""
    admitted = int(fields[b"admitted_at"])
    month = f"{datetime.fromtimestamp(admitted / 1_000_000, UTC):%Y-%m}"
    account_month = Month(fields[b"account_id"].decode(), month)
    return PendingEntry(fields[b"entry_id"].decode(), account_month, int(fields[b"cost"]))
