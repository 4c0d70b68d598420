"""A run of the detector over all stored videos: its states, its progress, and the port of its store."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol

from servicekit.errors import Conflict, NotFound
from shapes.imports import BrandChanges

RunState = Literal["queued", "running", "done", "cancelled"]
ChannelState = Literal["pending", "queued", "done", "failed"]
Change = Literal["added", "removed", "changed"]

ENDED: Final[frozenset[RunState]] = frozenset({"done", "cancelled"})


@dataclass(frozen=True, slots=True)
class RedetectionRun:
    """A run.

    Attributes:
        run_id: Its id.
        dry_run: Whether it counts changes and writes nothing.
        only_outdated: Whether it reads only videos that another detector version has read.
        automatic: Whether an upgrade of the detector started it, and no operator.
        state: One of them; at most one run at a time has not ended.
        created_at: When it was asked for.
        detector_version: The version that reads, from the moment at which a worker took it up.
        finished_at: When it ended.
    """

    run_id: str
    dry_run: bool
    only_outdated: bool
    automatic: bool
    state: RunState
    created_at: datetime
    detector_version: str | None = None
    finished_at: datetime | None = None

    @property
    def has_ended(self) -> bool:
        """Return whether the run is in one of its last states."""
        return self.state in ENDED


@dataclass(frozen=True, slots=True)
class ChannelProgress:
    """The point at which a run continues in a channel, and its counts there.

    Attributes:
        channel_id: The channel.
        state: One of them.
        after_video: The last video that was read, in the order of their ids; "" before the first.
        videos_done: Videos that were read.
        videos_incomparable: Those of them whose earlier sponsorships are not stored in detail.
    """

    channel_id: str
    state: ChannelState
    after_video: str
    videos_done: int
    videos_incomparable: int


@dataclass(frozen=True, slots=True)
class SponsorshipChange:
    """A sponsorship that a run added, removed or changed."""

    video_id: str
    slug: str
    name: str
    change: Change


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Counts over the channels of a run."""

    channels: int
    channels_done: int
    channels_failed: int
    videos: int
    videos_done: int
    videos_incomparable: int
    videos_changed: int
    added: int
    removed: int
    changed: int


@dataclass(frozen=True, slots=True)
class RedetectionView:
    """A run with its counts and the brands of most changes."""

    run: RedetectionRun
    totals: RunTotals
    brands: tuple[BrandChanges, ...]


def new_run(
    at: datetime, *, dry_run: bool = False, only_outdated: bool = False, automatic: bool = False
) -> RedetectionRun:
    """Return a run that waits for a worker."""
    run_id = f"det_{secrets.token_hex(8)}"
    return RedetectionRun(run_id, dry_run, only_outdated, automatic, "queued", at)


class RedetectionStore(Protocol):
    """The part of an import store that is about runs, in its transaction."""

    async def add(self, run: RedetectionRun) -> bool:
        """Add a run; return false if there is one that has not ended."""
        ...

    async def get(self, run_id: str | None, *, lock: bool = False) -> RedetectionRun | None:
        """Return a run, or the newest one."""
        ...

    async def unfinished(self) -> RedetectionRun | None: ...

    async def change(self, run: RedetectionRun) -> None:
        """Write state, version and end."""
        ...

    async def prune(self, stored: int) -> None:
        """Delete all runs but the newest."""
        ...

    async def plan(self, run_id: str, outdated: str | None) -> None:
        """Give the run the channels with videos to read; with `outdated`, of other versions than that."""
        ...

    async def next_channel(self, run_id: str) -> str | None:
        """Return a channel that waits, and let it be queued."""
        ...

    async def has_open_channels(self, run_id: str) -> bool: ...

    async def channel(self, run_id: str, channel_id: str) -> ChannelProgress | None: ...

    async def record(
        self, run_id: str, progress: ChannelProgress, changes: Sequence[SponsorshipChange]
    ) -> None:
        """Write the progress and the changes of one batch; the same ones again change nothing."""
        ...

    async def finish_channel(self, run_id: str, channel_id: str, failure: str | None) -> None:
        """Let a channel be done, or failed for a reason."""
        ...

    async def totals(self, run_id: str) -> RunTotals: ...

    async def brands(self, run_id: str, limit: int) -> Sequence[BrandChanges]:
        """Return the brands of a run's changes, those with most of them first."""
        ...


class RedetectionNotFound(NotFound):
    default_reason = "REDETECTION_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such run of the detector over stored videos.")


class RedetectionUnderWay(Conflict):
    default_reason = "REDETECTION_UNDER_WAY"

    def __init__(self) -> None:
        super().__init__(
            "A run with other options is under way. Wait for its end, or cancel it: "
            "`sponsorgraph detect rerun --status`, `--cancel`."
        )
