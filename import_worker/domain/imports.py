"""An import of one channel: its states, its checkpoint, and its attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal

from import_worker.domain import messages
from servicekit.errors import Conflict, NotFound, ResourceExhausted

State = Literal["queued", "running", "waiting", "done", "failed", "cancelled"]

MAX_RESTARTS: Final = 10
"""Times that an import begins again at the first page because the page of its checkpoint has expired."""

ENDED: Final[frozenset[State]] = frozenset({"done", "failed", "cancelled"})
TRANSITIONS: Final[Mapping[State, frozenset[State]]] = MappingProxyType(
    {
        "queued": frozenset({"running", "failed", "cancelled"}),
        # From running to running: the worker was killed and another took over.
        # To queued: the worker was asked to stop.
        "running": frozenset({"running", "queued", "waiting", "done", "failed", "cancelled"}),
        "waiting": frozenset({"running", "failed", "cancelled"}),
        "done": frozenset(),
        # An operator or an account retries it.
        "failed": frozenset({"queued"}),
        "cancelled": frozenset({"queued"}),
    }
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The wanted videos of a channel: all, those published since a moment, or a number of the newest."""

    since: datetime | None = None
    max_videos: int | None = None

    def widened(self, other: "Bounds") -> "Bounds":
        """Return bounds that include the videos of both."""
        since = None if self.since is None or other.since is None else min(self.since, other.since)
        max_videos = (
            None
            if self.max_videos is None or other.max_videos is None
            else max(self.max_videos, other.max_videos)
        )
        return Bounds(since, max_videos)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The point at which an import continues, and its counts, which are those of the database.

    Attributes:
        page: The page of uploads to read next; None for the first.
        uploads_read: Uploads on the pages before it.
        is_fully_read: Whether all pages have been read.
        videos_seen: Videos that were looked at, each once.
        videos_total: How many the channel has, when the source says so; of an import that is done, how many were read.
        sponsorships: Sponsorships that these videos have.
        videos_removed: Stored videos that the source no longer shows, and that were removed.
    """

    page: str | None = None
    uploads_read: int = 0
    is_fully_read: bool = False
    videos_seen: int = 0
    videos_total: int | None = None
    sponsorships: int = 0
    videos_removed: int = 0


@dataclass(frozen=True, slots=True)
class Import:
    """One import. `run` counts its starts; only the newest start may write.

    `attempts` counts failures in a row without progress; `restarts` counts the returns to the first
    page because pages expired, and no progress makes it less.
    """

    import_id: str
    channel_id: str
    reference: str
    title: str
    source: str
    bounds: Bounds
    state: State
    message: str
    checkpoint: Checkpoint
    created_at: datetime
    run: int = 0
    attempts: int = 0
    restarts: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    retry_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    dead_reason: str | None = None

    @property
    def has_ended(self) -> bool:
        """Return whether the import is in one of its last states."""
        return self.state in ENDED

    def begun(self, at: datetime) -> "Import":
        """Return the import as started by a worker, for the first time or again.

        A worker that was killed counts as a failure, as the import may be the cause.
        """
        return self._to(
            "running",
            messages.running(self.title),
            run=self.run + 1,
            attempts=self.attempts + (self.state == "running"),
            started_at=self.started_at or at,
            retry_at=None,
        )

    def waiting(self, until: datetime, why: str, *, counts: bool) -> "Import":
        """Return the import as postponed; with `counts` this was one of the attempts that are allowed."""
        return self._to(
            "waiting",
            messages.waiting(why, until),
            retry_at=until,
            attempts=self.attempts + counts,
        )

    def requeued(self) -> "Import":
        """Return the import as released by a worker that stops."""
        if self.has_ended:
            raise WrongTransition(f"An import that is {self.state} is released by no worker.")
        return self._to("queued", messages.QUEUED)

    def done(
        self,
        at: datetime,
        refusals: Sequence[tuple[str, int]] = (),
        *,
        read_before: int = 0,
        is_partial: bool,
    ) -> "Import":
        """Return the import as finished: every wanted video has been read. Further arguments are those of `messages.done`."""
        point = self.checkpoint
        message = messages.done(
            point.videos_seen,
            point.sponsorships,
            refusals,
            read_before=read_before,
            removed=point.videos_removed,
            is_partial=is_partial,
        )
        point = replace(point, videos_total=point.videos_seen)
        return self._to("done", message, finished_at=at, checkpoint=point)

    def failed(self, at: datetime, why: str, reason: str) -> "Import":
        """Return the import as failed, for `reason`."""
        message = messages.failed(why, self.checkpoint.videos_seen, self.checkpoint.videos_removed)
        return self._to("failed", message, finished_at=at, retry_at=None, dead_reason=reason)

    def cancelled(self, at: datetime) -> "Import":
        """Return the import as cancelled by its accounts."""
        message = messages.cancelled(self.checkpoint.videos_seen, self.checkpoint.videos_removed)
        return self._to("cancelled", message, finished_at=at, retry_at=None)

    def retried(self) -> "Import":
        """Return an ended import as queued again, from its first page, with all attempts before it."""
        return self._to(
            "queued",
            messages.QUEUED,
            checkpoint=Checkpoint(),
            attempts=0,
            restarts=0,
            started_at=None,
            finished_at=None,
            cancel_requested_at=None,
            dead_reason=None,
        )

    def with_removed(self, videos: int) -> "Import":
        """Return the import with that many more removed videos."""
        point = self.checkpoint
        return replace(
            self, checkpoint=replace(point, videos_removed=point.videos_removed + videos)
        )

    def restarted(self) -> "Import":
        """Return the import at the first page again; the counts stay."""
        point = replace(self.checkpoint, page=None, uploads_read=0, is_fully_read=False)
        return replace(self, checkpoint=point)

    def page_expired(self) -> "Import":
        """Return the import at the first page again, because the page of its checkpoint has expired."""
        return replace(self.restarted(), restarts=self.restarts + 1)

    def _to(self, state: State, message: str, **changes: object) -> "Import":
        if state not in TRANSITIONS[self.state]:
            raise WrongTransition(f"An import that is {self.state} cannot become {state}.")
        return replace(self, state=state, message=message, **changes)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class Backoff:
    """The wait before the next attempt: doubling, bounded, and partly random.

    Attributes:
        first: Longest wait after the first failure, in seconds.
        max_seconds: Longest wait after any failure, in seconds.
    """

    first: float = 5.0
    max_seconds: float = 900.0

    def seconds(self, attempt: int, chance: float) -> float:
        """Return the wait after failure number `attempt` (from 1); `chance` is random, from 0 to 1.

        Half of the wait is fixed, the other half depends on `chance`.
        """
        longest = min(self.max_seconds, self.first * 2.0 ** min(max(attempt - 1, 0), 40))
        return longest * (1.0 + chance) / 2.0


class WrongTransition(Conflict):
    default_reason = "WRONG_TRANSITION"


class ImportNotFound(NotFound):
    default_reason = "IMPORT_NOT_FOUND"

    def __init__(self, import_id: str) -> None:
        super().__init__(
            f"You have no import {import_id[:64]!r}. List your imports to see them.",
            details={"field": "import_id"},
        )


class ImportDone(Conflict):
    default_reason = "IMPORT_DONE"

    def __init__(self, import_id: str) -> None:
        super().__init__(
            f"The import {import_id[:64]!r} is done: there is nothing to retry. To read newer videos, "
            "import the channel again."
        )


class ImportStopping(Conflict):
    default_reason = "IMPORT_STOPPING"

    def __init__(self, import_id: str) -> None:
        super().__init__(
            f"The import {import_id[:64]!r} is being cancelled. Retry it when it has stopped.",
            retry_after=5,
        )


class ChannelUnderWay(Conflict):
    default_reason = "CHANNEL_UNDER_WAY"

    def __init__(self, other_id: str) -> None:
        super().__init__(
            f"Another import of the same channel is under way: {other_id}. Nothing was started.",
            details={"import_id": other_id},
        )


class TooManyImports(ResourceExhausted):
    default_reason = "TOO_MANY_IMPORTS"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"Your plan allows {limit} import{'' if limit == 1 else 's'} at a time. "
            "Wait until one has ended, or cancel one."
        )
