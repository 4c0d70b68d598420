"""The operator's view of the installation: its parts, and its imports."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from auth_service.domain import usage
from auth_service.domain.operator_overview.model import (
    EXPECTED,
    Backup,
    FailureCount,
    Part,
    Processes,
    TopAccount,
)
from auth_service.domain.operator_overview.ports import ImportsAdministration, Reports, TopAccounts
from auth_service.domain.ports import Clock
from servicekit.errors import ServiceError, Unavailable
from shapes.imports import ImportOverview

T = TypeVar("T")

DEADLINE_SECONDS: Final = 3.0
_LISTED: Final = 20
_TOP: Final = 10
_BACKUP_AGE: Final = timedelta(hours=26)

Report = Callable[[str, str], None]
"""Is told the part that could not be shown, and why."""


@dataclass(frozen=True, slots=True)
class Overview:
    """All parts of the view; each is there or says why it is not."""

    processes: Part[Processes]
    imports: Part[ImportOverview]
    backup: Part[Backup]
    top_accounts: Part[Sequence[TopAccount]]
    failures: Part[Sequence[FailureCount]]


@dataclass(frozen=True, slots=True)
class OperatorOverview:
    """Read the parts of the view; cancel and retry imports. `administration` is None where this installation has no imports."""

    reports: Reports
    administration: ImportsAdministration | None
    accounts: TopAccounts
    clock: Clock
    report: Report
    deadline_seconds: float = DEADLINE_SECONDS

    async def overview(self) -> Overview:
        """Return all parts, which are read at the same time."""
        processes, imports, backup, top, failures = await asyncio.gather(
            self.part("processes", self._processes()),
            self.part("imports", self._imports()),
            self.part("backup", self._backup()),
            self.part("top accounts", self._top()),
            self.part("failures", self.reports.failures()),
        )
        return Overview(processes, imports, backup, top, failures)

    async def part(self, name: str, reading: Awaitable[T]) -> Part[T]:
        """Return a part that is read within its deadline, else why it cannot be shown."""
        try:
            async with asyncio.timeout(self.deadline_seconds):
                return Part(await reading)
        except TimeoutError:
            self.report(name, "deadline")
            return Part(None, f"There was no response within {self.deadline_seconds:g} seconds.")
        except ServiceError as error:
            self.report(name, error.reason)
            return Part(None, error.public_message)
        except Exception as error:  # noqa: BLE001 - the other parts are shown all the same
            self.report(name, type(error).__name__)
            return Part(None, "It cannot be read now; the log of the auth service says why.")

    async def cancel_import(self, import_id: str) -> None:
        """Stop an import for all its accounts."""
        await self._required().cancel(import_id)

    async def retry_import(self, import_id: str) -> None:
        """Put an import that failed or was cancelled into the queue again."""
        await self._required().retry(import_id)

    def _required(self) -> ImportsAdministration:
        if self.administration is None:
            raise Unavailable("This installation names no import worker (AUTH_IMPORTS_TARGET).")
        return self.administration

    async def _processes(self) -> Processes:
        found = await self.reports.processes(self.clock())
        alive = {process.service for process in found if process.is_alive}
        return Processes(
            found,
            [service for service in EXPECTED if service not in alive],
            sorted({process.version for process in found if process.is_alive}),
        )

    async def _imports(self) -> ImportOverview:
        return await self._required().overview(_LISTED)

    async def _backup(self) -> Backup:
        made_at = await self.reports.last_backup()
        return Backup(made_at, made_at is None or self.clock() - made_at > _BACKUP_AGE)

    async def _top(self) -> Sequence[TopAccount]:
        first, _ = usage.month_bounds(usage.month_of(self.clock()))
        return await self.accounts.top(first, _TOP)
