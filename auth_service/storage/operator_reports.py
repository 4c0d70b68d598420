"""Reports of the other processes, read from Valkey."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import redis.asyncio as redis

from auth_service.domain.operator_overview.model import FailureCount, Process
from auth_service.storage.backup_age import KEY
from servicekit.observability.failure_reports import recent_failures
from servicekit.observability.process_reports import EVERY_SECONDS, process_reports

_SILENT_SECONDS: Final = 3.5 * EVERY_SECONDS


class ValkeyReports:
    """Implement `Reports`."""

    def __init__(self, valkey: redis.Redis) -> None:
        self._valkey = valkey

    async def processes(self, now: datetime) -> Sequence[Process]:
        return [
            Process(
                report.service,
                report.instance,
                report.version,
                datetime.fromtimestamp(report.started_at, UTC),
                datetime.fromtimestamp(report.seen_at, UTC),
                report.facts.get("detector", ""),
                now.timestamp() - report.seen_at < _SILENT_SECONDS,
            )
            for report in await process_reports(self._valkey)
        ]

    async def failures(self) -> Sequence[FailureCount]:
        return [FailureCount(*failure) for failure in await recent_failures(self._valkey)]

    async def last_backup(self) -> datetime | None:
        client: Any = self._valkey
        at = float(await client.get(KEY) or 0)
        return datetime.fromtimestamp(at, UTC) if at else None
