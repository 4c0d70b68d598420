"""Ports of quota: `clients` and `storage` implement them, tests have fakes."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from gateway.authentication.principal import Entitlements
from gateway.quota.counters import GenerationSnapshot, LedgerDecision
from gateway.quota.models import Decision, Reservation, Seed, UsageEntry, UsageRequest
from shapes.auth.auth import Authority, LeaseReport


class UsageLedger(Protocol):
    """The ledger of usage, and the epoch of the counters beside it."""

    async def used_in(self, account_id: str, month: str) -> int:
        """Return requests that the ledger holds for a month, given as "2026-11" (UTC)."""
        ...

    async def record_usage(
        self, entries: Sequence[UsageEntry], generation: str | None = None
    ) -> None:
        """Add at most 1,000 entries to the ledger; an entry that it has is ignored.

        Args:
            entries: Admitted and refunded calls.
            generation: Of the counters that have them, "" if none has; None for entries from the
                counters' own stream.
        """
        ...

    async def admit(self, usage: UsageRequest, limit: int) -> LedgerDecision:
        """Admit a call by the ledger, once for each entry id, however often it is sent.

        Raises:
            Conflict: Valkey counts now; nothing was admitted.
            Unavailable: The ledger does not answer; the call may have been admitted.
        """
        ...

    async def renew(self, report: LeaseReport) -> Authority:
        """Renew this gateway's lease and return the authority that it counts by."""
        ...


class QuotaStore(Protocol):
    """Counts requests by account and month, exactly, however many gateways ask at once."""

    async def reserve(
        self, usage: UsageRequest, entitlements: Entitlements, seed: Seed | None = None
    ) -> Decision:
        """Admit or refuse one call, and put an admitted one on the way to the ledger.

        Args:
            usage: The call and what it costs.
            entitlements: The account's limits.
            seed: Requests already used this month, for a counter that does not exist.

        Raises:
            AdmissionUnknown: The answer was lost; the call counts for nothing, and may be made again
                under another id.
            Unavailable: The store does not answer; nothing was admitted.
        """
        ...

    async def refund(self, admission: Reservation) -> None:
        """Undo an admission in counter and ledger."""
        ...


class Counters(Protocol):
    """The counters in Valkey. Unlike a `QuotaStore` they may be gone, or not in use any more."""

    async def reserve(
        self,
        usage: UsageRequest,
        entitlements: Entitlements,
        seed: Seed | None = None,
        generation: str = "",
    ) -> Decision:
        """As `QuotaStore.reserve`, under a generation.

        Raises:
            NotSent: It was abandoned before it left.
            Unavailable: No answer; the call may have been admitted all the same.
        """
        ...

    async def refund(self, admission: Reservation) -> bool:
        """Undo an admission; false when the counters of its generation are not in use any more.

        Raises:
            Unavailable: No answer; it may have been undone all the same.
        """
        ...

    def abandon(self) -> None:
        """Fail calls that have not left yet at once with `NotSent`."""
        ...


class GenerationStore(Protocol):
    """The generation of counters in use in Valkey. Each method may raise `Unavailable`."""

    async def read(self) -> GenerationSnapshot:
        """Return the state of the counters, of a server that takes writes."""
        ...

    async def close(self, next_generation: str) -> None:
        """Stop all counting until `open(next_generation)`; a part that is open under it already may stay open."""
        ...

    def waiting(self) -> AsyncGenerator[Sequence[UsageEntry]]:
        """Yield what waits for the ledger, in parts that fit into one call."""
        ...

    async def open(self, generation: str) -> None:
        """Count under `generation` from now on."""
        ...
