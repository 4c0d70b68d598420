"""Ports of the operator's view."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol

from auth_service.domain.operator_overview.model import FailureCount, Process, TopAccount
from shapes.imports import ImportOverview


class Reports(Protocol):
    """Reports of the other processes."""

    async def processes(self, now: datetime) -> Sequence[Process]: ...

    async def failures(self) -> Sequence[FailureCount]:
        """Return the failed calls of the last day, the most frequent first."""
        ...

    async def last_backup(self) -> datetime | None: ...


class ImportsAdministration(Protocol):
    """The imports of all accounts; errors are those of the import worker."""

    async def overview(self, limit: int) -> ImportOverview: ...

    async def cancel(self, import_id: str) -> None: ...

    async def retry(self, import_id: str) -> None: ...


class TopAccounts(Protocol):
    """The accounts that use most."""

    async def top(self, first: date, limit: int) -> Sequence[TopAccount]:
        """Return the accounts with most requests since a day."""
        ...
