"""Lists of channels on the site, each imported as one job."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.plans import CHANNEL_IMPORT, Plan
from auth_service.domain.site import form_values
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.login_service import Visitor
from servicekit.errors import InvalidInput, NotFound, PermissionDenied
from shapes.imports import BulkImportStatus

_PAGE: Final = 50
_MAX_VIDEOS: Final = 1_000_000
_HEADINGS: Final = frozenset({"channel", "channels", "channel id", "channel_id", "handle", "url"})
"""What the first line of a file may have in the place of a channel."""


@dataclass(frozen=True, slots=True)
class BulkImportForm:
    """The form of a list of channels, as entered."""

    channels: str
    since: str
    max_videos: str


class BulkImportWorker(Protocol):
    """The port of the import worker; errors are those of its service."""

    async def start(
        self,
        account_id: str,
        channels: Sequence[str],
        since: str | None,
        max_videos: int | None,
        plan: Plan,
    ) -> BulkImportStatus: ...

    async def get(
        self,
        account_id: str,
        bulk_import_id: str,
        limit: int,
        cursor: str | None,
        state: str | None,
    ) -> BulkImportStatus: ...

    async def list(self, account_id: str, limit: int) -> Sequence[BulkImportStatus]: ...

    async def cancel(self, account_id: str, bulk_import_id: str) -> BulkImportStatus: ...


@dataclass(frozen=True, slots=True)
class BulkImportService:
    """Start, read and cancel the bulk imports of the visitor's account. Without a worker, there are none."""

    worker: BulkImportWorker | None
    account_service: AccountService

    def can_start(self, visitor: Visitor) -> bool:
        """Return whether the visitor's plan has imports."""
        plan = self.account_service.plan(visitor)
        return plan.has(CHANNEL_IMPORT) and plan.concurrent_imports > 0

    async def start(self, visitor: Visitor, form: BulkImportForm) -> BulkImportStatus:
        """Start the import of a list of channels.

        Raises:
            PermissionDenied: The plan has no imports, or this installation has none.
            InvalidInput, Conflict, Unavailable: The import worker refuses it.
        """
        plan = self.account_service.plan(visitor)
        if self.worker is None or not self.can_start(visitor):
            raise PermissionDenied(f"The plan {plan.name} has no channel imports.")
        max_videos = form_values.number(form.max_videos) if form.max_videos else None
        if form.max_videos and (max_videos is None or max_videos > _MAX_VIDEOS):
            raise InvalidInput(f"Give the number of videos in digits, {_MAX_VIDEOS:,} at most.")
        return await self.worker.start(
            visitor.subject.account_id,
            channels_of(form.channels),
            form.since or None,
            max_videos,
            plan,
        )

    async def page(
        self, visitor: Visitor, bulk_import_id: str, cursor: str, state: str
    ) -> BulkImportStatus:
        """Return a bulk import with a page of its channels.

        Raises:
            NotFound: The account has no such bulk import.
        """
        if self.worker is None:
            raise NotFound("This installation has no channel imports.")
        account_id = visitor.subject.account_id
        return await self.worker.get(
            account_id, bulk_import_id, _PAGE, cursor or None, state or None
        )

    async def list(self, visitor: Visitor) -> Sequence[BulkImportStatus]:
        """Return the newest bulk imports, without their channels."""
        if self.worker is None:
            return ()
        return await self.worker.list(visitor.subject.account_id, 10)

    async def cancel(self, visitor: Visitor, bulk_import_id: str) -> None:
        """Cancel one of the visitor's bulk imports."""
        if self.worker is not None:
            await self.worker.cancel(visitor.subject.account_id, bulk_import_id)


def channels_of(text: str) -> list[str]:
    """Return the channels of a pasted list or a file: the first column of each line, without a heading."""
    cells = [_first_cell(line) for line in text.lstrip("\ufeff").splitlines()]
    lines = [cell for cell in cells if cell]
    return lines[1:] if lines and lines[0].lower() in _HEADINGS else lines


def _first_cell(line: str) -> str:
    for separator in (",", ";", "\t"):
        line = line.partition(separator)[0]
    return line.strip().strip("\"'").strip()
