"""The rows of leases and epochs, in memory, under the auth service's own rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.usage import CounterState, Lease
from shapes.auth.auth import Authority, LeaseReport


class FakeLeases:
    """Transactions run one after the other."""

    def __init__(self) -> None:
        self.current = CounterState("", bypassed=False)
        self.rows: dict[str, Lease] = {}
        self.timeline_name = "1"
        self.clock = lambda: datetime.now(UTC)
        transactions: Any = self.transaction
        self._authority = CountingAuthority(transactions)

    async def renew(self, report: LeaseReport) -> Authority:
        return await self._authority.renew(report)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Any]:
        yield SimpleNamespace(counting=self)

    async def enter_alone(self) -> None:
        pass

    async def now(self) -> datetime:
        return self.clock()

    async def timeline(self) -> str:
        return self.timeline_name

    async def state(self) -> CounterState:
        return self.current

    async def change(self, state: CounterState) -> None:
        self.current = state

    async def leases(self) -> Sequence[Lease]:
        return list(self.rows.values())

    async def save_leases(self, leases: Sequence[Lease]) -> None:
        self.rows |= {lease.gateway_id: lease for lease in leases}

    async def replace_leases(self, leases: Sequence[Lease]) -> None:
        self.rows = {lease.gateway_id: lease for lease in leases}
