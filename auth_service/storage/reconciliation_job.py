"""The daily comparison of ledger, sums of days and counters, as a job with metrics."""

import asyncio
from collections import Counter
from typing import Final

from prometheus_client import Gauge
from sqlalchemy.exc import SQLAlchemyError

from auth_service.domain.reconciliation import KINDS, Comparison, Reconciliation
from servicekit.errors import ServiceError
from servicekit.observability import logs

LEDGER_DIFFERENCES: Final = Gauge(
    "sponsorgraph_ledger_differences",
    "Accounts' days and months whose numbers differ, as the last comparison found: days (sums of days), "
    "counters (of the month, in Valkey), refunds (of calls that there were none of).",
    ["kind"],
)
LEDGER_COMPARED: Final = Gauge(
    "sponsorgraph_ledger_compared_timestamp_seconds",
    "When the last comparison of that kind ended, in seconds since 1970; the process' start before it.",
    ["kind"],
)
_BEGIN_SECONDS: Final = 60.0
_RETRY_SECONDS: Final = 600.0
_LOGGED: Final = 100

log = logs.get(__name__)


async def compared(reconciliation: Reconciliation) -> Comparison:
    """Compare, and report differences in metrics and log."""
    found = await reconciliation.compare()
    counts = Counter(difference.kind for difference in found.differences)
    for kind in KINDS:
        if kind == "counters" and found.counters_skipped:
            continue
        LEDGER_DIFFERENCES.labels(kind).set(counts[kind])
        LEDGER_COMPARED.labels(kind).set(found.at.timestamp())
    for difference in found.differences[:_LOGGED]:
        log.error(
            "ledger_differs",
            kind=difference.kind,
            account_id=difference.account_id,
            period=difference.period,
            by_ledger=difference.ledger,
            by_other=difference.other,
        )
    log.info(
        "ledger_compared",
        differences=len(found.differences),
        counters_skipped=found.counters_skipped,
    )
    return found


async def keep_comparing(
    reconciliation: Reconciliation, every_seconds: float, begin_seconds: float = _BEGIN_SECONDS
) -> None:
    """Compare soon after the start and then at intervals, until cancelled."""
    for kind in KINDS:
        LEDGER_COMPARED.labels(kind).set(reconciliation.clock().timestamp())
        LEDGER_DIFFERENCES.labels(kind)  # begins at 0: none is known
    pause = begin_seconds
    while True:
        await asyncio.sleep(pause)
        try:
            found = await compared(reconciliation)
        except (ServiceError, SQLAlchemyError, OSError) as error:
            log.warning("ledger_not_compared", error=str(error))
            pause = min(_RETRY_SECONDS, every_seconds)
        else:
            pause = min(_RETRY_SECONDS, every_seconds) if found.counters_skipped else every_seconds
