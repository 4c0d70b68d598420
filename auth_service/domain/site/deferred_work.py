"""Work deferred until after the response, so that response times reveal nothing about it.

The work is stored in Postgres before the response is sent, so that another process does it if this
one is killed. It starts after a random delay, so that it does not measurably slow the caller's next
request.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol

from auth_service.domain.site.ports import DeferredWork, SiteStore, SiteTransactions
from servicekit.errors import ServiceError

_POLL_SECONDS: Final = 5.0
_MAX_ATTEMPTS: Final = 8
_MIN_DELAY: Final = 0.02
_MAX_DELAY: Final = 0.3

Payload = Mapping[str, str]
Handler = Callable[[SiteStore, Payload], Awaitable[None]]
"""Does one kind of work, in the transaction that deletes it from the queue."""

_random: Final = random.SystemRandom()


class Report(Protocol):
    """Report failed work to operators."""

    def __call__(self, event: str, kind: str, error: str) -> None: ...


@dataclass(frozen=True, slots=True)
class DeferredWorkQueue:
    """The queue of deferred work, shared by all replicas."""

    transactions: SiteTransactions
    report: Report
    _added: asyncio.Event = field(default_factory=asyncio.Event)

    async def put(self, kind: str, payload: Payload) -> None:
        """Add work; takes the same time whatever the work turns out to do."""
        delay = timedelta(seconds=_random.uniform(_MIN_DELAY, _MAX_DELAY))
        async with self.transactions() as store:
            await store.defer(kind, payload, delay)
        self._added.set()

    async def run(self, handlers: Mapping[str, Handler]) -> None:
        """Run due work until cancelled."""
        while True:
            try:
                seconds = await self._run_due(handlers)
            except ServiceError as error:
                self.report("deferred_work_not_read", "", str(error))
                seconds = _POLL_SECONDS
            try:
                async with asyncio.timeout(min(seconds, _POLL_SECONDS)):
                    await self._added.wait()
            except TimeoutError:
                continue
            self._added.clear()

    async def _run_due(self, handlers: Mapping[str, Handler]) -> float:
        """Run all due work; return the seconds until more is due."""
        while await self._run_next(handlers):
            pass
        async with self.transactions() as store:
            seconds = await store.seconds_to_deferred()
        return _POLL_SECONDS if seconds is None else max(seconds, _MIN_DELAY)

    async def _run_next(self, handlers: Mapping[str, Handler]) -> bool:
        work: DeferredWork | None = None
        try:
            async with self.transactions() as store:
                work = await store.claim_deferred()
                if work is None:
                    return False
                await handlers[work.kind](store, work.payload)
        except Exception as error:
            if work is None:
                raise
            self.report("deferred_work_failed", work.kind, repr(error))
            await self._postpone(work)
        return True

    async def _postpone(self, work: DeferredWork) -> None:
        async with self.transactions() as store:
            if work.attempts + 1 >= _MAX_ATTEMPTS:
                self.report("deferred_work_given_up", work.kind, "")
                await store.drop_deferred(work.work_id)
            else:
                pause = timedelta(seconds=2.0**work.attempts)
                await store.postpone_deferred(work.work_id, pause)
