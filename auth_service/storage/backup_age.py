"""The times of the last good backup and of its checks, which `sponsorgraph backup` leaves in Valkey, and of the archive's.

The archive is that of deploy/compose/point-in-time, which not every installation has.
"""

from typing import Final

import redis.asyncio as redis
from prometheus_client import Gauge

from servicekit.valkey import get_each

KEY: Final = "sponsorgraph:last_backup"
CHECK_KEY: Final = "sponsorgraph:last_backup_check"
FAILED_CHECK_KEY: Final = "sponsorgraph:last_failed_backup_check"
ARCHIVE_KEY: Final = "sponsorgraph:last_archive_check"
LAST_BACKUP: Final = Gauge(
    "sponsorgraph_last_backup_timestamp_seconds",
    "When the last good backup was made; 0 if none is known.",
)
LAST_CHECK: Final = Gauge(
    "sponsorgraph_last_backup_check_timestamp_seconds",
    "When a backup was last restored for a check and found good; 0 if that is not known.",
)
LAST_FAILED_CHECK: Final = Gauge(
    "sponsorgraph_last_failed_backup_check_timestamp_seconds",
    "When a check of a backup last failed; 0 if none has.",
)
LAST_ARCHIVE_CHECK: Final = Gauge(
    "sponsorgraph_last_archive_check_timestamp_seconds",
    "When the archive of Postgres for a restore to a moment was last found good; 0 if there is none.",
)
_GAUGES: Final = {
    KEY: LAST_BACKUP,
    CHECK_KEY: LAST_CHECK,
    FAILED_CHECK_KEY: LAST_FAILED_CHECK,
    ARCHIVE_KEY: LAST_ARCHIVE_CHECK,
}


async def measure_backup(valkey: redis.Redis) -> None:
    """Set the gauges."""
    for gauge, value in zip(_GAUGES.values(), await get_each(valkey, list(_GAUGES)), strict=True):
        gauge.set(float(value or 0))
