"""Write admitted calls from Valkey's stream to the ledger in Postgres.

Every gateway runs this loop in one consumer group. An entry leaves the stream only after the auth
service has it; what a gateway had read when it died is taken over by another one. The ledger
ignores entries that it has, so a batch that is sent twice counts once.
"""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from gateway.quota.models import UsageEntry
from gateway.quota.ports import UsageLedger
from gateway.quota.reporting import report_usage
from gateway.quota.valkey_counters import from_micros
from gateway.storage.valkey import USAGE_STREAM
from servicekit.errors import ServiceError
from servicekit.observability import logs

log = logs.get(__name__)

GROUP: Final = "ledger"
_Read = tuple[bytes, Mapping[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class LedgerPace:
    """The pace of the loop.

    Attributes:
        batch: Entries sent at once, at most 1,000.
        wait_seconds: How long a read waits for entries.
        retry_seconds: Pause after a failure.
        gather_seconds: Pause after a batch that was not full, in which the next one gathers.
        forget_seconds: Gateways that have not read for so long and owe nothing leave the group.
        takeover_seconds: Entries that a gateway read so long ago without finishing are taken over.
    """

    batch: int = 1_000
    wait_seconds: float = 1.0
    retry_seconds: float = 1.0
    gather_seconds: float = 0.25
    takeover_seconds: float = 30.0
    forget_seconds: float = 86_400.0


class LedgerWriter:
    """One consumer of the stream."""

    def __init__(self, valkey: Redis, ledger: UsageLedger, pace: LedgerPace | None = None) -> None:
        self._valkey = valkey
        self._ledger = ledger
        self._pace = pace or LedgerPace()
        self._consumer = secrets.token_hex(8)
        self._owes = False

    async def run(self) -> None:
        """Carry entries until cancelled; failures are logged and tried again."""
        while True:
            try:
                await self.open()
                while True:
                    carried = await self.carry()
                    if 0 < carried < self._pace.batch:
                        # Under load a batch a call would cost as much as the calls themselves.
                        await asyncio.sleep(self._pace.gather_seconds)
            except (RedisError, OSError, ServiceError) as error:
                log.warning("usage_ledger_waits", error=str(error))
                self._owes = True  # a read may have been made whose reply was lost
                await asyncio.sleep(self._pace.retry_seconds)

    async def open(self) -> None:
        """See that the group exists, and remove from it who is long gone."""
        try:
            await self._valkey.xgroup_create(USAGE_STREAM, GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        members: Any = await self._valkey.xinfo_consumers(USAGE_STREAM, GROUP)
        for member in members:
            if member["pending"] == 0 and member["idle"] >= self._pace.forget_seconds * 1000:
                await self._valkey.xgroup_delconsumer(USAGE_STREAM, GROUP, member["name"])

    async def carry(self) -> int:
        """Carry one batch; return how many entries it had.

        First what it read before and could not finish, then what others have abandoned.
        """
        batch = await self._owed() or await self._abandoned() or await self._fresh()
        if not batch:
            return 0
        self._owes = True
        await report_usage(self._ledger, [entry_of(fields) for _, fields in batch], entry_refused)
        ids = [entry_id for entry_id, _ in batch]
        async with self._valkey.pipeline(transaction=True) as both:
            both.xack(USAGE_STREAM, GROUP, *ids)
            both.xdel(USAGE_STREAM, *ids)
            await both.execute()
        self._owes = False
        return len(batch)

    async def _owed(self) -> Sequence[_Read]:
        if not self._owes:
            return ()
        reply: Any = await self._valkey.xreadgroup(
            GROUP, self._consumer, {USAGE_STREAM: "0"}, count=self._pace.batch
        )
        # Of entries that the stream no longer has Valkey still returns the ids, without fields.
        owed = [(entry_id, fields) for entry_id, fields in reply[0][1] if fields] if reply else []
        self._owes = bool(owed)
        return owed

    async def _abandoned(self) -> Sequence[_Read]:
        idle_ms = round(self._pace.takeover_seconds * 1000)
        reply: Any = await self._valkey.xautoclaim(
            USAGE_STREAM, GROUP, self._consumer, idle_ms, count=self._pace.batch
        )
        return reply[1]

    async def _fresh(self) -> Sequence[_Read]:
        reply: Any = await self._valkey.xreadgroup(
            GROUP,
            self._consumer,
            {USAGE_STREAM: ">"},
            count=self._pace.batch,
            block=round(self._pace.wait_seconds * 1000),
        )
        return reply[0][1] if reply else ()


def entry_refused(entry: UsageEntry, refusal: ServiceError) -> None:
    """Log an entry that is not in the ledger."""
    log.warning("usage_entry_refused", entry_id=entry.entry_id, error=str(refusal))


def entry_of(fields: Mapping[bytes, bytes]) -> UsageEntry:
    """Return the usage entry in an entry of the stream."""
    return UsageEntry(
        entry_id=fields[b"entry_id"].decode(),
        account_id=fields[b"account_id"].decode(),
        credential_id=fields[b"credential_id"].decode(),
        tool=fields[b"tool"].decode(),
        admitted_at=from_micros(int(fields[b"admitted_at"])),
        cost=int(fields[b"cost"]),
    )
