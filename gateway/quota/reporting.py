"""Reports of calls to the ledger; one that it refuses does not hold up the others."""

from collections.abc import Callable, Sequence

from gateway.quota.models import UsageEntry
from gateway.quota.ports import UsageLedger
from servicekit.errors import InvalidInput, NotFound, ServiceError

Refused = Callable[[UsageEntry, ServiceError], None]
"""Called with an entry that the ledger refuses, or that is dropped because the ledger is away for too long."""


async def report_usage(
    ledger: UsageLedger,
    entries: Sequence[UsageEntry],
    refused: Refused,
    generation: str | None = None,
) -> None:
    """Have the ledger record the entries.

    Raises:
        Unavailable: It does not answer; reporting the same again does no harm.
    """
    try:
        await ledger.record_usage(entries, generation)
    except (InvalidInput, NotFound) as refusal:
        if len(entries) == 1:
            refused(entries[0], refusal)
            return
        middle = len(entries) // 2
        await report_usage(ledger, entries[:middle], refused, generation)
        await report_usage(ledger, entries[middle:], refused, generation)
