"""Telling the ledger of calls, so that one that it refuses does not hold up the others."""

from collections.abc import Callable, Sequence

from gateway.quota.models import UsageEntry
from gateway.quota.ports import UsageLedger
from servicekit.errors import InvalidInput, NotFound, ServiceError

Refused = Callable[[UsageEntry, ServiceError], None]
"""Hears of an entry that the ledger does not take."""


async def tell_ledger(
    access: UsageLedger, entries: Sequence[UsageEntry], refused: Refused, lineage: str | None = None
) -> None:
    """Has the ledger record the entries.

    Raises:
        Unavailable: It does not answer; telling the same again does no harm.
    """
    try:
        await access.record_usage(entries, lineage)
    except (InvalidInput, NotFound) as refusal:
        if len(entries) == 1:
            refused(entries[0], refusal)
            return
        middle = len(entries) // 2
        await tell_ledger(access, entries[:middle], refused, lineage)
        await tell_ledger(access, entries[middle:], refused, lineage)
