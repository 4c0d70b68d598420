"""Write admitted calls from the streams of a cluster's shards to the ledger in Postgres.

As `gateway.quota.valkey_ledger_writer` does with the stream of a single server. A command reads one
shard alone, so nothing waits in Valkey for entries: each gateway polls all shards, and reports what it
found in all of them together. A shard that is away does not hold up the others.
"""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from redis.exceptions import RedisError

from gateway.quota.ports import UsageLedger
from gateway.quota.reporting import report_usage
from gateway.quota.valkey_ledger_writer import GROUP, LedgerPace, entry_of, entry_refused
from servicekit.errors import ServiceError
from servicekit.observability import logs
from servicekit.valkey_cluster_client import all_of
from servicekit.valkey_keys import KeyLayout, Shard

log = logs.get(__name__)

_SHARD_BATCH: Final = 250
"""Entries of a shard that are read at once."""

# KEYS 1 ledger stream   ARGV 1 group, then ids of entries
_FINISH: Final = """
redis.call('XACK', KEYS[1], unpack(ARGV))
return redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
"""

_Read = tuple[bytes, Mapping[bytes, bytes]]


class ClusterLedgerWriter:
    """One consumer of the streams of all shards.

    Args:
        valkey: A client of the cluster.
        layout: Its shards.
        ledger: Where calls are reported.
        pace: Of the loop.
    """

    def __init__(
        self, valkey: Any, layout: KeyLayout, ledger: UsageLedger, pace: LedgerPace | None = None
    ) -> None:
        self._read: Any = valkey.register_script(
            files("gateway.quota").joinpath("ledger_read.lua").read_text()
        )
        self._finish: Any = valkey.register_script(_FINISH)
        self._layout = layout
        self._ledger = ledger
        self._pace = pace or LedgerPace()
        self._consumer = secrets.token_hex(8)

    async def run(self) -> None:
        """Carry entries until cancelled; failures are logged and tried again."""
        while True:
            try:
                carried = await self.carry()
            except (RedisError, OSError, ServiceError) as error:
                log.warning("usage_ledger_waits", error=str(error))
                await asyncio.sleep(self._pace.retry_seconds)
                continue
            if not carried:
                await asyncio.sleep(self._pace.wait_seconds)
            elif carried < _SHARD_BATCH:
                # Under load a batch a call would cost as much as the calls themselves.
                await asyncio.sleep(self._pace.gather_seconds)

    async def carry(self) -> int:
        """Carry what there is in all shards, up to some hundred entries of each; return their number.

        Raises:
            RedisError: A shard did not respond; what others had was carried.
            ServiceError: The ledger did not respond.
        """
        shards = self._layout.shards
        found = await asyncio.gather(
            *(self._entries(shard) for shard in shards), return_exceptions=True
        )
        batches = [
            (shard, batch)
            for shard, batch in zip(shards, found, strict=True)
            if not isinstance(batch, BaseException) and batch
        ]
        entries = [entry_of(fields) for _, batch in batches for _, fields in batch]
        for first in range(0, len(entries), self._pace.batch):
            part = entries[first : first + self._pace.batch]
            await report_usage(self._ledger, part, entry_refused)
        await all_of(
            self._finish((shard.usage_stream,), (GROUP, *(entry_id for entry_id, _ in batch)))
            for shard, batch in batches
        )
        for failure in found:
            if isinstance(failure, BaseException):
                raise failure
        return len(entries)

    async def _entries(self, shard: Shard) -> Sequence[_Read]:
        reply: Any = await self._read(
            (shard.usage_stream,),
            (
                GROUP,
                self._consumer,
                _SHARD_BATCH,
                round(self._pace.takeover_seconds * 1000),
                round(self._pace.forget_seconds * 1000),
            ),
        )
        return [
            (entry_id, dict(zip(fields[::2], fields[1::2], strict=True)))
            for entry_id, fields in reply
        ]
