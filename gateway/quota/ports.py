"""What quota needs from outside; `clients` and `storage` have it, tests have fakes."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import CounterState, GenerationSnapshot, LedgerDecision
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest


class UsageLedger(Protocol):
    """The ledger of usage, and the epoch of the counters beside it."""

    async def used_in(self, account_id: str, month: str) -> int:
        """Requests that the ledger holds for a month, given as "2026-11" (UTC)."""
        ...

    async def record_usage(self, entries: Sequence[UsageEntry], lineage: str | None = None) -> None:
        """Adds at most 1,000 entries to the ledger; an entry that it has is ignored.

        Args:
            entries: Admitted and taken back calls.
            lineage: Of the counters that have them, "" if none has; None for entries from the
                counters' own stream.
        """
        ...

    async def admit(self, charge: UsageRequest, limit: int) -> LedgerDecision:
        """Admits a call by the ledger, once for each entry id, however often it is asked.

        Raises:
            Unavailable: The ledger does not answer; the call may have been admitted.
        """
        ...

    async def counting(self) -> CounterState:
        """The epoch whose counters are in use."""
        ...

    async def begin_epoch(self, epoch: str) -> None:
        """Begins an epoch: its counters are seeded from what the ledger holds now or later."""
        ...


class QuotaStore(Protocol):
    """Counts requests by account and month, exactly, however many gateways ask at once."""

    async def take(
        self, charge: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        """Admits or refuses one call, and puts an admitted one on the way to the ledger.

        Args:
            charge: The call and what it costs.
            entitlements: The account's limits.
            seed: Requests already used this month, for a counter that does not exist.

        Raises:
            Unavailable: The store does not answer; nothing was admitted.
        """
        ...

    async def refund(self, admission: Reservation) -> None:
        """Undoes an admission in counter and ledger."""
        ...


class Counters(Protocol):
    """The counters in Valkey. Unlike a `QuotaStore` they may be gone, or not in use any more."""

    async def take(
        self,
        charge: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        lineage: str = "",
    ) -> Decision:
        """As `QuotaStore.take`, under a lineage.

        Raises:
            Unavailable: No answer; the call may have been admitted all the same.
        """
        ...

    async def refund(self, admission: Reservation) -> bool:
        """Undoes an admission; false when the counters of its lineage are not in use any more.

        Raises:
            Unavailable: No answer; it may have been undone all the same.
        """
        ...

    def abandon(self) -> None:
        """Calls that have not left yet fail at once, as those that have will."""
        ...


class GenerationStore(Protocol):
    """What Valkey remembers of the lineage of its counters. Each method may raise `Unavailable`."""

    async def look(self) -> GenerationSnapshot:
        """What it remembers now."""
        ...

    async def close(self, token: str) -> bool:
        """From now on nothing is counted until `open` with this token.

        False while somebody else has it closed for their own token.
        """
        ...

    def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        """What waits for the ledger, in parts that fit into one call."""
        ...

    async def open(self, token: str, lineage: str) -> bool:
        """Counts under `lineage` from now on; false when it is not closed by this token."""
        ...
