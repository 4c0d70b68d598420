"""Admission of calls by the ledger, in epochs in which no gateway reaches Valkey.

The ledger is the truth and counters begin at what it holds. A call that reaches it on another way
than through the counters' own stream bypasses them. Once that has happened, only a new epoch, whose
counters begin anew, has all calls in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final

from auth_service.domain import usage as ledger
from auth_service.domain.ports import Clock, Store, Transactions
from auth_service.domain.usage import LEDGER, REFUND, UsageEntry, month_bounds, month_of
from servicekit.errors import Conflict, InvalidInput

_ELSEWHERE: Final = "COUNTED_ELSEWHERE"


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A call that asks to be admitted under its account's `limit` of requests a month."""

    entry_id: str
    account_id: str
    credential_id: str
    tool: str
    cost: int
    limit: int

    def __post_init__(self) -> None:
        if not 0 <= self.cost <= ledger.MAX_COST or self.entry_id.endswith(REFUND):
            raise InvalidInput(
                f"Request {self.entry_id!r} asks for {self.cost} requests: it is 1 to {ledger.MAX_COST}, or 0 for a call "
                "that is not counted.",
                details={"field": "requests.cost"},
            )


@dataclass(frozen=True, slots=True)
class Decision:
    """The admission or refusal of a call, and the requests that its account has used after it."""

    admitted: bool
    used: int


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions on requests, in their order, and the moment they were made at."""

    at: datetime
    month_end: date
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class LedgerAdmission:
    """Counts by the ledger. `clock` stands in for Postgres's in tests."""

    transactions: Transactions
    clock: Clock | None = None

    async def record(self, entries: Sequence[UsageEntry], epoch: str) -> int:
        """Add entries that bypass the counters, unless those of `epoch` have them.

        Raises:
            InvalidInput: More than 1,000 entries.
        """
        _bound(len(entries))
        async with self.transactions() as store:
            await store.counting.enter()
            recorded = await store.ledger.record(await _dated(store, entries))
            state = await store.counting.state()
            if recorded and epoch != state.epoch and state.counted_by != LEDGER:
                await store.counting.mark_bypassed()
            return recorded

    async def admit(self, requests: Sequence[AdmissionRequest]) -> Decisions:
        """Admit calls as long as their months have room; one that it has admitted stays so.

        Raises:
            InvalidInput: More than 1,000 requests.
            Conflict: Valkey counts now; nothing was admitted.
        """
        _bound(len(requests))
        async with self.transactions() as store:
            await store.counting.enter()
            state = await store.counting.state()
            if state.counted_by not in ("", LEDGER) or (state.bypassed and state.counted_by):
                raise Conflict("The ledger does not count now.", _ELSEWHERE)
            at = await store.counting.now() if self.clock is None else self.clock()
            at = at.astimezone(UTC)
            first, following = month_bounds(month_of(at))
            decisions, admitted = await _decide(store, requests, first, following)
            entries = [
                UsageEntry(
                    item.entry_id, item.account_id, item.credential_id, item.tool, at, item.cost
                )
                for item in admitted
            ]
            await store.ledger.record(entries)
        return Decisions(at, following, decisions)


async def _dated(store: Store, entries: Sequence[UsageEntry]) -> Sequence[UsageEntry]:
    """Return the entries, with those that take a call back at the moment that the ledger has of it.

    A gateway that refunds a call without knowing whether it was admitted has the moment by its own
    clock alone, which may be in another month.
    """
    taken_back = [entry.entry_id.removesuffix(REFUND) for entry in entries if entry.cost < 0]
    known = await store.counting.known(taken_back)
    return [
        replace(
            entry, admitted_at=known.get(entry.entry_id.removesuffix(REFUND), entry.admitted_at)
        )
        if entry.cost < 0
        else entry
        for entry in entries
    ]


async def _decide(
    store: Store, requests: Sequence[AdmissionRequest], first: date, following: date
) -> tuple[tuple[Decision, ...], Sequence[AdmissionRequest]]:
    used = dict(
        await store.counting.locked_usage(
            sorted({request.account_id for request in requests}), first, following
        )
    )
    known = set(await store.counting.known([request.entry_id for request in requests]))
    decisions: list[Decision] = []
    admitted: list[AdmissionRequest] = []
    for request in requests:
        before = used.get(request.account_id, 0)
        is_known = request.entry_id in known
        fits = is_known or request.cost == 0 or before + request.cost <= request.limit
        if fits and request.cost and not is_known:
            used[request.account_id] = before + request.cost
            known.add(request.entry_id)
            admitted.append(request)
        decisions.append(Decision(fits, used.get(request.account_id, 0)))
    return tuple(decisions), admitted


def _bound(number: int) -> None:
    if number > ledger.MAX_ENTRIES:
        raise InvalidInput(f"At most {ledger.MAX_ENTRIES} entries go into one call.")
