"""Ports of the import worker."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from import_worker.domain.bulk_imports import BulkImportStore
from import_worker.domain.follows import FollowStore
from import_worker.domain.imports import Import
from import_worker.domain.redetection import RedetectionStore
from import_worker.domain.second_reader import Mention
from import_worker.domain.sources import SourceVideo
from servicekit.errors import Unavailable
from shapes.catalog.ingest import SponsorshipFact
from shapes.imports import FoundBrand

RUN_IMPORT: Final = "run_import"
PLAN_REDETECTION: Final = "plan_redetection"
REDETECT: Final = "redetect"
REFRESH: Final = "refresh_channels"
CHECK_FEEDS: Final = "check_feeds"
ADVANCE_BULK_IMPORT: Final = "advance_bulk_import"
REFUSED: Final = "refused: "
"""What `StoredVideo.found` begins with if the catalogue refused the video; the reason follows."""


@dataclass(frozen=True, slots=True)
class Request:
    """An account's request for an import. `max_followed` is how many channels it may follow, with that of the import."""

    account_id: str
    import_id: str
    idempotency_key: str | None
    joined: bool
    created_at: datetime
    cancelled_at: datetime | None = None
    max_followed: int = 0


@dataclass(frozen=True, slots=True)
class StoredVideo:
    """A video as it was read, and the detector's findings.

    `brands` are slugs and names; `found` is a digest of what was written to the catalog (of what it refused, `refused:` and why), and
    `sponsorships` are those of it, None of videos that were stored before they were.
    """

    video: SourceVideo
    text_sha256: str
    detector_version: str
    found: str
    brands: tuple[tuple[str, str], ...]
    read_at: datetime
    sponsorships: tuple[SponsorshipFact, ...] | None = None


@dataclass(frozen=True, slots=True)
class KnownChannel:
    """A channel that was imported once."""

    channel_id: str
    reference: str
    title: str
    next_refresh_at: datetime | None
    last_import_at: datetime


@dataclass(frozen=True, slots=True)
class FeedCheck:
    """A check of a channel's feed: `problem` is why it gave nothing."""

    at: datetime
    next_check_at: datetime
    problem: str | None = None


class JobQueue(Protocol):
    """Jobs, put into the queue in the same transaction as everything else of a store."""

    async def run_import(self, import_: Import, at: datetime | None = None) -> None:
        """Enqueue an import, for now or a later moment; at most one such job waits."""
        ...

    async def forget_import(self, import_id: str) -> None:
        """Remove a job that has not begun."""
        ...

    async def advance_bulk_import(self, bulk_import_id: str, at: datetime | None = None) -> None:
        """Enqueue the job that goes on with a bulk import; at most one such job waits."""
        ...

    async def plan_redetection(self, run_id: str) -> None:
        """Enqueue a run of the detector over stored videos."""
        ...

    async def redetect(self, channel_id: str, run_id: str) -> None:
        """Enqueue a channel's stored videos for a run; at most one such job waits."""
        ...


class VideoStore(Protocol):
    """The stored videos, by channel."""

    async def stored(self, video_ids: Sequence[str]) -> Sequence[StoredVideo]: ...

    async def descriptions(self, channel_id: str, limit: int) -> Sequence[tuple[str, str]]:
        """Video ids and descriptions of a channel, the newest first."""
        ...

    async def page(
        self, channel_id: str, after: str, limit: int, outdated: str | None
    ) -> Sequence[StoredVideo]:
        """Return a channel's videos by id from the one after `after`.

        With `outdated`, those alone that another detector version has read.
        """
        ...

    async def main_category(self, channel_id: str) -> int | None:
        """Return the most frequent category of its videos, as YouTube's number."""
        ...

    async def outdated_channels(self, version: str, limit: int) -> Sequence[str]:
        """Return channels with a video that another detector version has read."""
        ...

    async def save(self, videos: Sequence[StoredVideo]) -> None: ...

    async def remove(self, video_ids: Sequence[str]) -> None: ...


class ReaderStore(Protocol):
    """What a second reader has said of texts, and the requests that it was sent."""

    async def responses(self, keys: Sequence[str]) -> Mapping[str, tuple[Mention, ...]]:
        """Return the stored mentions of texts, by `ReaderText.cache_key`."""
        ...

    async def save_response(
        self, key: str, model: str, mentions: Sequence[Mention], at: datetime
    ) -> None:
        """Store the mentions of a text; delete those of half a year ago."""
        ...

    async def reserve_request(self, channel_id: str, day: date, limit: int) -> bool:
        """Count a request for a channel; return false if it has had `limit` of them that day."""
        ...


class ImportStore(Protocol):
    """One transaction on imports, their requests, and the videos that they read."""

    @property
    def jobs(self) -> JobQueue: ...

    @property
    def videos(self) -> VideoStore: ...

    @property
    def redetections(self) -> RedetectionStore: ...

    @property
    def reader(self) -> ReaderStore: ...

    @property
    def bulk(self) -> BulkImportStore: ...

    @property
    def follows(self) -> FollowStore: ...

    async def lock(self, name: str) -> None:
        """Wait for other transactions that hold the lock of this name."""
        ...

    async def add(self, import_: Import) -> bool:
        """Add an import; return false if the channel has an unfinished one."""
        ...

    async def change(self, import_: Import) -> None:
        """Write everything that may change, except the counts of videos seen and their sponsorships."""
        ...

    async def get(self, import_id: str, *, lock: bool = False) -> Import | None: ...

    async def unfinished(self, channel_id: str) -> Import | None:
        """Return the channel's unfinished import, locked."""
        ...

    async def add_request(self, request: Request) -> None: ...

    async def requests(self, import_id: str) -> Sequence[Request]:
        """Return the requests for an import, the first one first."""
        ...

    async def by_key(self, account_id: str, idempotency_key: str) -> str | None:
        """Return the import that an account asked for with this key."""
        ...

    async def under_way(self, account_id: str) -> int:
        """Unfinished imports that the account asked for and has not cancelled."""
        ...

    async def listed(self, account_id: str, before: str | None, limit: int) -> Sequence[str]:
        """Return ids of the account's imports, newest first, older than the one called `before`."""
        ...

    async def leave(self, account_id: str, import_id: str, at: datetime) -> None:
        """Record that an account no longer wants an import."""
        ...

    async def rejoin(self, account_id: str, import_id: str) -> None:
        """Record that an account wants an import again."""
        ...

    async def brands(self, import_id: str, limit: int) -> Sequence[FoundBrand]: ...

    async def see(self, import_id: str, video_ids: Sequence[str]) -> None:
        """Count videos for an import, each once."""
        ...

    async def unseen_videos(self, import_: Import, after: str, limit: int) -> Sequence[str]:
        """Return stored videos of a channel that an import has not seen, by id from the one after `after`.

        With bounds those alone that are since the import's, or as new as the oldest one of the number that it has seen.
        """
        ...

    async def recount(self, import_id: str) -> None:
        """Derive an import's counts and brands from the videos that it has seen."""
        ...

    async def refusals(self, import_id: str) -> Sequence[tuple[str, int]]:
        """Return why the catalogue refused videos that an import has seen, and how many of them."""
        ...

    async def read_before(self, import_id: str, moment: datetime) -> int:
        """Return how many videos that an import has seen were last read from the source before a moment."""
        ...

    async def clear_seen_videos(self, import_id: str) -> None:
        """Delete the list of videos that an ended import has seen."""
        ...

    async def known_channel(self, reference: str) -> KnownChannel | None:
        """Return the channel of an id, or of a reference that was used before."""
        ...

    async def imported(self, import_: Import, next_refresh_at: datetime | None) -> None:
        """Record that a channel has been imported."""
        ...

    async def due(self, now: datetime, limit: int) -> Sequence[KnownChannel]:
        """Return followed channels whose refresh is due, each once and in the order of `unchecked`."""
        ...

    async def unchecked(self, now: datetime, limit: int) -> Sequence[KnownChannel]:
        """Return followed channels whose feed is due, each once: one of each account in turn, each account's longest due first."""
        ...

    async def checked(self, channel_id: str, check: FeedCheck) -> None:
        """Record what came of a check of a channel's feed, and when the next one is due."""
        ...

    async def stop_refreshes(self, channel_id: str) -> None:
        """Let a channel be refreshed no more until it is imported again."""
        ...

    async def put_off(self, channel: KnownChannel, next_refresh_at: datetime | None) -> bool:
        """Change the time of a channel's refresh; return false if it has been changed since the channel was read."""
        ...


class ImportTransactions(Protocol):
    """Opens stores; leaving the block commits, an exception rolls back."""

    def __call__(self) -> AbstractAsyncContextManager[ImportStore]: ...


class Clock(Protocol):
    """The present moment in UTC."""

    def __call__(self) -> datetime: ...


class StoreUnavailable(Unavailable):
    """The database of the imports does not respond."""
