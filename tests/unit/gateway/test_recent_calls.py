"""The memory of recent calls is bounded, however long the ledger is away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from gateway.quota import recent_calls
from gateway.quota.models import UsageEntry, UsageRequest
from gateway.quota.recent_calls import Counted, RecentCalls
from servicekit.errors import ServiceError, Unavailable
from tests.fakes.gateway_ports import FakeAccess

NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def five_calls_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_calls, "_MAX_CALLS", 5)
    monkeypatch.setattr(recent_calls, "_MAX_UNDONE", 3)


class Refusals:
    """Entries that were refused."""

    def __init__(self) -> None:
        self.entry_ids: list[str] = []

    def add(self, entry: UsageEntry, refusal: ServiceError) -> None:
        assert "away for too long" in refusal.public_message
        self.entry_ids.append(entry.entry_id)


def usage(number: int) -> UsageRequest:
    return UsageRequest(f"e{number}", "account-1", "key-1", "sponsor.search", 1)


def counted(number: int) -> Counted:
    return Counted("0.run-1", usage(number), NOW + timedelta(seconds=number))


async def test_of_calls_while_the_ledger_is_away_the_last_are_reported() -> None:
    access, refusals = FakeAccess(), Refusals()
    recent = RecentCalls(access, refusals.add)
    for number in range(8):
        recent.add(counted(number))
    await recent.report()
    assert list(access.ledger) == ["e3", "e4", "e5", "e6", "e7"]
    assert not refusals.entry_ids


async def test_calls_that_could_not_be_reported_do_not_take_the_place_of_newer_ones() -> None:
    access = AwayOnce()
    recent = RecentCalls(access, Refusals().add)
    for number in range(5):
        recent.add(counted(number))
    report = asyncio.create_task(recent.report())
    await access.has_begun.wait()
    for number in range(5, 8):
        recent.add(counted(number))
    access.goes_on.set()
    with pytest.raises(Unavailable):
        await report
    await recent.report()
    assert list(access.ledger) == ["e3", "e4", "e5", "e6", "e7"]


class AwayOnce(FakeAccess):
    """Fails the first report once the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun, self.goes_on = asyncio.Event(), asyncio.Event()

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        if not self.goes_on.is_set():
            self.has_begun.set()
            await self.goes_on.wait()
            raise Unavailable("away")
        await super().record_usage(entries, generation)


async def test_undone_calls_beyond_the_bound_are_dropped_with_their_opposites_and_named() -> None:
    access, refusals = FakeAccess(), Refusals()
    recent = RecentCalls(access, refusals.add)
    for number in range(5):
        recent.undo(usage(number), NOW)
    await recent.report_owed()
    assert list(access.ledger) == [f"e{n}{sign}" for n in (2, 3, 4) for sign in ("", ":refund")]
    assert refusals.entry_ids == ["e0", "e0:refund", "e1", "e1:refund"]
