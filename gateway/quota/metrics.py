"""Metrics and log events of the authority that counts calls."""

from typing import Final

from prometheus_client import Gauge

from servicekit.observability import logs

FAILOVER_ACTIVE: Final = Gauge(
    "sponsorgraph_quota_failover_active",
    "Whether the ledger counts calls because Valkey is away: 1, else 0.",
)

log = logs.get(__name__)


def record_authority(by_ledger: bool, why: str) -> None:  # noqa: FBT001 - see `Turned`
    """Log the turn and set the gauge."""
    FAILOVER_ACTIVE.set(by_ledger)
    if by_ledger:
        log.warning("counting_by_ledger", why=why)
    else:
        log.info("counting_by_valkey", why=why)
