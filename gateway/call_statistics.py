"""Sums of calls by day, tool and credential, which the account's page of usage shows.

A call costs one append to a queue. Every second the queue is summed up, a few calls at a time, and
every ten seconds the sums are reported to the auth service. A gateway that is killed loses what it
has not reported: requests are the ledger's, these sums are not.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

import msgspec

from servicekit.errors import ServiceError
from servicekit.latencies import BUCKETS, bucket_of
from servicekit.observability import logs
from shapes.auth.auth import CallSum

_SUM_SECONDS: Final = 1.0
_SUMS_PER_REPORT: Final = 10
_AT_ONCE: Final = 500
"""Calls that are summed up before others get the event loop."""

_MAX_QUEUED: Final = 50_000
_MAX_BATCH: Final = 1_000
_MAX_BATCHES: Final = 20
"""Unreported batches: while the auth service is away longer, the oldest sums are lost."""

log = logs.get(__name__)

RecordCalls = Callable[[str, Sequence[CallSum]], Awaitable[None]]
"""Reports a batch under its id; the same batch may be reported again."""


class EndedCall(msgspec.Struct, frozen=True, gc=False):
    """A call that ended, with or without an error, after so many seconds."""

    account_id: str
    credential_id: str
    tool: str
    seconds: float
    failed: bool


class _Sum(msgspec.Struct):
    errors: int
    latencies: list[int]


class CallStatistics:
    """Sums up the calls of this process. `run` has to be running."""

    def __init__(self, record: RecordCalls) -> None:
        self._record = record
        self._ended = deque[EndedCall](maxlen=_MAX_QUEUED)
        self._sums: dict[tuple[str, str, str, str], _Sum] = {}
        self._batches = deque[tuple[str, Sequence[CallSum]]](maxlen=_MAX_BATCHES)
        self.add = self._ended.append
        """Adds a call; all that this costs the call itself."""

    async def run(self) -> None:
        """Sum up and report until cancelled."""
        while True:
            for _ in range(_SUMS_PER_REPORT):
                await asyncio.sleep(_SUM_SECONDS)
                await self._sum_up()
            try:
                await self.report()
            except ServiceError as error:
                log.warning("call_statistics_wait", error=str(error))

    async def end(self) -> None:
        """Report the rest, once."""
        with suppress(ServiceError):
            await self.report()

    async def report(self) -> None:
        """Report all calls that ended.

        Raises:
            ServiceError: They could not be reported; they stay for the next time.
        """
        await self._sum_up()
        sums = [
            CallSum(
                account_id, credential_id, tool, day, sum(s.latencies), s.errors, tuple(s.latencies)
            )
            for (account_id, credential_id, tool, day), s in self._sums.items()
        ]
        self._sums = {}
        for start in range(0, len(sums), _MAX_BATCH):
            self._batches.append((secrets.token_hex(16), sums[start : start + _MAX_BATCH]))
        while self._batches:
            # Reported first and removed then: a batch whose reply is lost is sent again and counts once.
            await self._record(*self._batches[0])
            self._batches.popleft()

    async def _sum_up(self) -> None:
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        while self._ended:
            for _ in range(min(_AT_ONCE, len(self._ended))):
                self._add(self._ended.popleft(), day)
            await asyncio.sleep(0)

    def _add(self, call: EndedCall, day: str) -> None:
        key = (call.account_id, call.credential_id, call.tool, day)
        found = self._sums.get(key)
        if found is None:
            found = self._sums[key] = _Sum(0, [0] * BUCKETS)
        found.errors += call.failed
        found.latencies[bucket_of(call.seconds)] += 1
