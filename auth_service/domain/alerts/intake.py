"""Reads events of a service in their order, and stores the deliveries that they make due.

The position is stored by the transaction that stores the deliveries, and only if it is still the one at which
the events were read. So of several replicas only one succeeds, and every event makes its deliveries once.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from auth_service.domain.account_limits import plan_of
from auth_service.domain.alerts.matching import deliveries_of
from auth_service.domain.alerts.model import Channel, Watch
from auth_service.domain.alerts.ports import AlertStore, AlertTransactions, EventBatch, EventSource
from auth_service.domain.plans import Plan
from auth_service.domain.ports import Clock
from servicekit.errors import Unavailable

Report = Callable[[str, str], None]
"""Called with the source and the error when events could not be read."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Makes deliveries of the events of one source."""

    name: str
    source: EventSource
    transactions: AlertTransactions
    plans: Mapping[str, Plan]
    clock: Clock
    report: Report

    async def run(self, seconds: float) -> None:
        """Read until cancelled; wait so many seconds when there is nothing to read."""
        while True:
            has_read = False
            try:
                # The monitoring of services reports a source that does not respond.
                with suppress(Unavailable):
                    has_read = await self.step()
            except Exception as error:  # noqa: BLE001 - the events are read again
                self.report(self.name, repr(error))
            if not has_read:
                await asyncio.sleep(seconds)

    async def step(self) -> bool:
        """Read once; return whether there was anything."""
        async with self.transactions() as store:
            before = await store.position(self.name)
        batch = await self.source.read(before)
        if batch.position == before:
            return False
        async with self.transactions() as store:
            if await store.advance(self.name, before, batch.position):
                await self._deliver(store, batch)
        return bool(batch.events)

    async def _deliver(self, store: AlertStore, batch: EventBatch) -> None:
        subjects = {subject for event in batch.events for subject in event.subjects}
        if not subjects:
            return
        watches = [
            watch for watch in await store.watches_of(subjects) if await self._may(store, watch)
        ]
        channels: dict[str, Channel] = {
            channel.channel_id: channel
            for channel in await store.channels_by_id({watch.channel_id for watch in watches})
        }
        await store.add_deliveries(deliveries_of(batch.events, watches, channels, self.clock()))

    async def _may(self, store: AlertStore, watch: Watch) -> bool:
        """Return whether the account of a watch is active, on a plan with alerts."""
        account = await store.account(watch.account_id)
        if account is None or account.disabled_at is not None:
            return False
        return plan_of(account, self.plans, self.clock()).watches > 0
