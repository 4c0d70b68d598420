"""Channel imports on the site."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from auth_service.domain.plans import Plan
from auth_service.domain.site import form_values
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.login_service import Visitor
from servicekit.errors import InvalidInput, PermissionDenied

_MAX_LISTED = 50


@dataclass(frozen=True, slots=True)
class DetectedBrand:
    """A brand detected by an import, with its number of videos."""

    slug: str
    name: str
    videos: int


@dataclass(frozen=True, slots=True)
class ChannelImport:
    """A channel import: `state` is queued, running, waiting, done, failed or cancelled."""

    import_id: str
    channel_id: str
    channel_title: str
    state: str
    message: str
    videos_seen: int
    videos_total: int | None
    sponsorships: int
    brands: tuple[DetectedBrand, ...]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def is_running(self) -> bool:
        return self.state in ("queued", "running", "waiting")

    @property
    def percent(self) -> int | None:
        """Progress in percent, None while the number of videos is unknown."""
        if self.state == "done":
            return 100
        if not self.videos_total:
            return None
        # Videos that became unlisted are read, too, and are in no total.
        return min(100, self.videos_seen * 100 // self.videos_total)


@dataclass(frozen=True, slots=True)
class ImportPage:
    """A page of an account's imports, the newest first; `next_cursor` is None on the last."""

    imports: tuple[ChannelImport, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ImportForm:
    """The form of a new import, as entered."""

    channel: str
    since: str
    max_videos: str


class ImportWorker(Protocol):
    """The port of the import worker; errors are those of its service."""

    async def start(
        self, account_id: str, import_form: ImportForm, plan: Plan
    ) -> ChannelImport: ...

    async def list(self, account_id: str, limit: int, cursor: str | None = None) -> ImportPage: ...

    async def cancel(self, account_id: str, import_id: str) -> ChannelImport: ...


@dataclass(frozen=True, slots=True)
class ImportService:
    """Start, list and cancel the imports of the visitor's account. Without a worker, there are no imports."""

    worker: ImportWorker | None
    account_service: AccountService

    async def start(self, visitor: Visitor, import_form: ImportForm) -> ChannelImport:
        """Start an import, or join the running one of the same channel.

        Raises:
            PermissionDenied: The plan has no imports, or this installation has none.
            InvalidInput, NotFound, ResourceExhausted, Unavailable: The import worker refuses it.
        """
        plan = self.account_service.plan(visitor)
        if self.worker is None or not plan.concurrent_imports:
            raise PermissionDenied(f"The plan {plan.name} has no channel imports.")
        if import_form.max_videos and form_values.number(import_form.max_videos) is None:
            raise InvalidInput("Give the number of videos in digits.")
        account_id = visitor.subject.account_id
        return await self.worker.start(account_id, import_form, plan)

    async def list(self, visitor: Visitor) -> Sequence[ChannelImport]:
        """Return the visitor's newest imports."""
        return (await self.page(visitor)).imports

    async def page(self, visitor: Visitor, cursor: str = "") -> ImportPage:
        """Return a page of the visitor's imports, the newest first."""
        if self.worker is None:
            return ImportPage((), None)
        return await self.worker.list(visitor.subject.account_id, _MAX_LISTED, cursor or None)

    async def cancel(self, visitor: Visitor, import_id: str) -> None:
        """Cancel one of the visitor's imports."""
        if self.worker is not None:
            await self.worker.cancel(visitor.subject.account_id, import_id)
