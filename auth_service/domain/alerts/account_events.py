"""Events of single accounts: imports that ended, reports that were decided, shares of the requests used.

They are found by polling, and have ids by which each is delivered once.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from auth_service.domain import usage
from auth_service.domain.account_limits import plan_of
from auth_service.domain.alerts.intake import Report
from auth_service.domain.alerts.matching import deliveries_of
from auth_service.domain.alerts.model import (
    IMPORT_FINISHED,
    QUOTA_REACHED,
    REPORT_DECIDED,
    Event,
)
from auth_service.domain.alerts.ports import AlertStore, AlertTransactions
from auth_service.domain.plans import Plan
from auth_service.domain.ports import Clock
from auth_service.domain.site.imports import ChannelImport, ImportWorker
from auth_service.domain.site.reports import ReportCatalog
from servicekit.errors import Unavailable
from shapes.catalog.corrections import OwnReport

PERCENTS: Final = (80, 100)
"""Shares of a month's requests that are events."""

_LISTED: Final = 50
_NEWS: Final = timedelta(days=7)
"""How long ago an import may have ended, or a report been decided; shorter than deliveries are stored."""


@dataclass(frozen=True, slots=True)
class AccountEvents:
    """Finds events of accounts that watch for them, and stores their deliveries."""

    transactions: AlertTransactions
    worker: ImportWorker | None
    reports: ReportCatalog | None
    plans: Mapping[str, Plan]
    clock: Clock
    report: Report

    async def run(self, seconds: float) -> None:
        """Poll until cancelled, every so many seconds."""
        while True:
            try:
                with suppress(Unavailable):
                    await self.step()
            except Exception as error:  # noqa: BLE001 - looked for again
                self.report("accounts", repr(error))
            await asyncio.sleep(seconds)

    async def step(self) -> None:
        """Poll once, for every account that has such a watch."""
        async with self.transactions() as store:
            importing = set(await store.accounts_watching("import"))
            counting = set(await store.accounts_watching("quota"))
            reporting = set(await store.accounts_watching("report"))
        for account_id in sorted(importing | counting | reporting):
            found: list[Event] = []
            if account_id in reporting and self.reports is not None:
                found += await self._of_reports(self.reports, account_id)
            if account_id in importing and self.worker is not None:
                page = await self.worker.list(account_id, _LISTED)
                found += self._of_imports(account_id, page.imports)
            async with self.transactions() as store:
                await store.lock_account(account_id)
                await self._deliver(store, account_id, found)

    def _of_imports(self, account_id: str, imports: Sequence[ChannelImport]) -> list[Event]:
        since = self.clock() - _NEWS
        ended = [item for item in imports if item.finished_at and item.finished_at > since]
        ended.sort(key=lambda item: (item.finished_at or since, item.import_id))
        return [_import_event(account_id, item) for item in ended]

    async def _of_reports(self, catalog: ReportCatalog, account_id: str) -> list[Event]:
        """Return the decisions on the account's newest reports."""
        since = self.clock() - _NEWS
        page = await catalog.own_reports(account_id, _LISTED, None)
        decided = [item for item in page.reports if item.decided_at and item.decided_at > since]
        decided.sort(key=lambda item: (item.decided_at or since, item.report.id))
        return [_report_event(account_id, item) for item in decided]

    async def _deliver(self, store: AlertStore, account_id: str, found: list[Event]) -> None:
        account = await store.account(account_id)
        if account is None or account.disabled_at is not None:
            return
        plan = plan_of(account, self.plans, self.clock())
        if not plan.watches:
            return
        events = [*found, *await self._of_quota(store, account_id, plan)]
        watches = await store.watches(account_id)
        channels = {found.channel_id: found for found in await store.channels(account_id)}
        await store.add_deliveries(deliveries_of(events, watches, channels, self.clock()))

    async def _of_quota(self, store: AlertStore, account_id: str, plan: Plan) -> list[Event]:
        now = self.clock()
        month = f"{now:%Y-%m}"
        used = (await store.ledger.usage(account_id, *usage.month_bounds(month))).requests
        limit = plan.monthly_requests
        return [
            Event(
                _id_of(QUOTA_REACHED, account_id, month, str(percent)),
                QUOTA_REACHED,
                now,
                frozenset({("quota", "")}),
                {"percent": percent, "month": month, "used": used, "limit": limit},
                account_id,
            )
            for percent in PERCENTS
            if used * 100 >= limit * percent
        ]


def _import_event(account_id: str, ended: ChannelImport) -> Event:
    at = ended.finished_at or ended.created_at
    data: dict[str, object] = {
        "import_id": ended.import_id,
        "channel_id": ended.channel_id,
        "channel_title": ended.channel_title,
        "state": ended.state,
        "message": ended.message,
        "videos_seen": ended.videos_seen,
        "sponsorships": ended.sponsorships,
    }
    subjects = frozenset({("import", ""), ("import", ended.import_id)})
    event_id = _id_of(IMPORT_FINISHED, account_id, ended.import_id, at.isoformat())
    return Event(event_id, IMPORT_FINISHED, at, subjects, data, account_id)


def _report_event(account_id: str, decided: OwnReport) -> Event:
    report, at = decided.report, decided.decided_at or decided.report.created_at
    data: dict[str, object] = {
        "report_id": report.id,
        "state": report.state,
        "kind": report.kind,
        "sponsor_name": None if report.sponsor is None else report.sponsor.name,
        "brand": report.brand,
        "video_id": report.video.video_id or report.video.id,
        "video_title": report.video.title,
        "note": decided.decision_note,
    }
    # The id does not say whether an acceptance changed the catalogue, as that is recorded later and the id must not change.
    outcome = "rejected" if report.state == "rejected" else "accepted"
    event_id = _id_of(REPORT_DECIDED, account_id, report.id, outcome, at.isoformat())
    return Event(event_id, REPORT_DECIDED, at, frozenset({("report", "")}), data, account_id)


def _id_of(*parts: str) -> str:
    return f"evt_{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:32]}"
