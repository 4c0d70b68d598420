"""The settlement of differences between counters and ledger, as a job with metrics."""

import asyncio
from collections.abc import Sequence
from typing import Final

from prometheus_client import Counter
from sqlalchemy.exc import SQLAlchemyError

from auth_service.domain.settlement import SettledDifference, Settlement
from servicekit.errors import ServiceError
from servicekit.observability import logs

SETTLED_CALLS: Final = Counter(
    "sponsorgraph_ledger_settled_calls",
    "Calls by which a month's counter and the ledger differed, taken from the higher one of both "
    "(counter, ledger) in the caller's favour.",
    ["higher"],
)
RECOVERED_CALLS: Final = Counter(
    "sponsorgraph_ledger_recovered_calls",
    "Calls that the ledger got from gateways' reports at an epoch's end or after the promotion of "
    "a standby, and not from Valkey's stream.",
)
_SECONDS: Final = 15.0
"""A difference is settled after the second comparison that finds it: within a minute."""

log = logs.get(__name__)


async def settled(settlement: Settlement) -> Sequence[SettledDifference]:
    """Settle differences, and report them in metric and log."""
    found = await settlement.settle()
    for item in found:
        difference = item.difference
        higher = "counter" if item.is_counter_higher else "ledger"
        SETTLED_CALLS.labels(higher).inc(item.calls)
        log.warning(
            "ledger_settled",
            account_id=difference.account_id,
            period=difference.period,
            by_ledger=difference.ledger,
            by_counter=difference.other,
            higher=higher,
            calls=item.calls,
        )
    return found


def recovered(calls: int, epoch: str) -> None:
    """Report calls that the ledger lacked until a gateway reported them again."""
    RECOVERED_CALLS.inc(calls)
    log.info("ledger_calls_recovered", calls=calls, epoch=epoch)


async def keep_settling(settlement: Settlement, every_seconds: float = _SECONDS) -> None:
    """Settle every few seconds until cancelled."""
    for higher in ("counter", "ledger"):
        SETTLED_CALLS.labels(higher)
    while True:
        await asyncio.sleep(every_seconds)
        try:
            await settled(settlement)
        except (ServiceError, SQLAlchemyError, OSError) as error:
            log.warning("ledger_not_settled", error=str(error))
