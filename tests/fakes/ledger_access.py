"""The ledger of the auth service as the gateway's `UsageLedger`, on real Postgres and without gRPC."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec
from sqlalchemy.ext.asyncio import AsyncEngine

from auth_service.domain.access import Access
from auth_service.domain.counting_authority import CountingAuthority
from auth_service.domain.ledger_admission import AdmissionRequest, LedgerAdmission
from auth_service.domain.usage import UsageEntry as LedgerEntry
from auth_service.storage.store import PostgresStore, transactions
from gateway.quota.counters import LedgerDecision, epoch_of
from gateway.quota.models import UsageEntry, UsageRequest
from servicekit.errors import Unavailable
from shapes.auth.auth import Authority, LeaseReport
from tests.fakes.gateway_ports import FakeAccess


class LedgerAccess(FakeAccess):
    """Counts and records in Postgres; away while `is_away`.

    `lost_responses` lets the next admissions be made and not be reported.
    """

    def __init__(self, engine: AsyncEngine, clock: Callable[[], datetime]) -> None:
        super().__init__()
        opening = transactions(engine, PostgresStore)
        self._access = Access(opening, {}, clock, "")
        self._counting = LedgerAdmission(opening, clock)
        self._authority = CountingAuthority(opening)
        self.is_away = False
        self.lost_responses = 0

    async def used_in(self, account_id: str, month: str) -> int:
        self._check()
        return (await self._access.usage(account_id, month)).requests

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        self._check()
        records = [LedgerEntry(**dataclasses.asdict(entry)) for entry in entries]
        if generation is None:
            await self._access.record_usage(records)
        else:
            await self._counting.record(records, epoch_of(generation))

    async def admit(self, usage: UsageRequest, limit: int) -> LedgerDecision:
        self._check()
        request = AdmissionRequest(**msgspec.structs.asdict(usage), limit=limit)
        found = await self._counting.admit([request])
        if self.lost_responses:
            self.lost_responses -= 1
            raise Unavailable("The answer was lost.")
        (decision,) = found.decisions
        return LedgerDecision(decision.admitted, decision.used, found.at, found.month_end)

    async def renew(self, report: LeaseReport) -> Authority:
        self._check()
        return await self._authority.renew(report)

    def _check(self) -> None:
        if self.is_away:
            raise Unavailable("The ledger is away.")
