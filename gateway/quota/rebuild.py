"""Coming back to counters that have every call in them.

They do as long as nothing bypassed them and Valkey remembers all. Otherwise they begin anew: nothing
is counted for a moment, what waits in Valkey is told to the ledger, and the counters of a new epoch
are seeded from there, one by one as they are asked for. Whoever dies on the way leaves nothing
half done: the next one begins again.
"""

import asyncio
import secrets
from typing import Final

from gateway.quota.counters import GenerationSnapshot, lineage
from gateway.quota.ports import GenerationStore, UsageLedger
from gateway.quota.recent_calls import RecentCalls
from gateway.quota.reporting import Refused, tell_ledger

_FIRST: Final = "0"
_BUSY_SECONDS: Final = 0.02


class Renewal:
    """Finds counters that have every call, and begins them anew if there are none."""

    def __init__(
        self, memory: GenerationStore, access: UsageLedger, recent: RecentCalls, refused: Refused
    ) -> None:
        self._memory = memory
        self._access = access
        self._recent = recent
        self._refused = refused

    async def lineage(self) -> str:
        """The lineage to count under.

        Raises:
            Unavailable: Valkey or the ledger does not answer.
        """
        while True:
            await self._recent.tell()
            counting = await self._access.counting()
            seen = await self._memory.look()
            if seen.lineage is not None and seen.is_of(counting):
                return seen.lineage
            await self._drain()
            if not await self._begin(seen, _following(counting.epoch, seen)):
                await asyncio.sleep(_BUSY_SECONDS)

    async def _begin(self, seen: GenerationSnapshot, epoch: str) -> bool:
        token = secrets.token_hex(8)
        if not await self._memory.close(token):
            return False
        await self._drain()
        await self._access.begin_epoch(epoch)
        return await self._memory.open(token, lineage(epoch, seen.run_id))

    async def _drain(self) -> None:
        async for entries in self._memory.waiting():
            await tell_ledger(self._access, entries, self._refused)


def _following(epoch: str, seen: GenerationSnapshot) -> str:
    """A new epoch's name; the first one takes over the counters from before there were epochs."""
    return _FIRST if not epoch and seen.lineage is None else secrets.token_hex(8)
