"""A bulk import: a list of channels that an account has imported as one job."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, Protocol

from import_worker.domain.imports import Bounds, State
from import_worker.domain.sources import Reference, parse_reference
from servicekit.errors import Conflict, InvalidInput, NotFound

BulkState = Literal["running", "waiting", "done", "cancelled"]

MAX_CHANNELS: Final = 1_000
_MAX_NAMED: Final = 5
"""Entries without a channel that a refusal names."""


@dataclass(frozen=True, slots=True)
class BulkImport:
    """A list of channels and how it is imported.

    Attributes:
        bulk_import_id: Its id.
        account_id: The account that asked for it.
        idempotency_key: The key that the account gave it.
        bounds: The wanted videos of each channel.
        max_concurrent: Imports of the account that may be under way at once, others included.
        max_followed: Channels that the account may follow, those of the list with them.
        created_at: When it was asked for.
        cancelled_at: When its account cancelled it; what is under way then ends within one batch.
        finished_at: When it was cancelled, or the last of its channels had ended.
        retry_at: When it goes on, while the source rests.
    """

    bulk_import_id: str
    account_id: str
    idempotency_key: str | None
    bounds: Bounds
    max_concurrent: int
    max_followed: int
    created_at: datetime
    cancelled_at: datetime | None = None
    finished_at: datetime | None = None
    retry_at: datetime | None = None

    @property
    def state(self) -> BulkState:
        """Return the state as its account sees it."""
        if self.cancelled_at is not None:
            return "cancelled"
        if self.finished_at is not None:
            return "done"
        return "running" if self.retry_at is None else "waiting"

    @property
    def max_under_way(self) -> int:
        """Return how many imports the account may have under way for this list to go on; one place is left for a single import."""
        return max(1, self.max_concurrent - 1)


@dataclass(frozen=True, slots=True)
class BulkChannel:
    """A channel of a bulk import; its state is that of its import once there is one.

    Attributes:
        position: Its place in the list, from 1.
        reference: The channel as it was named.
        attempts: How often its name could not be looked up because the source did not respond.
    """

    position: int
    reference: str
    state: State
    channel_id: str | None = None
    title: str | None = None
    import_id: str | None = None
    videos_seen: int = 0
    sponsorships: int = 0
    message: str = ""
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class BulkTotals:
    """Numbers of channels by state, and the counts of their imports.

    A channel counts as often as the list names it; `repeated` are the entries whose channel another one named before. The
    counts of imports are of each once.
    """

    channels: int
    done: int
    failed: int
    cancelled: int
    under_way: int
    videos_seen: int
    sponsorships: int
    repeated: int = 0

    @property
    def ended(self) -> int:
        """Return the number of channels that are over."""
        return self.done + self.failed + self.cancelled


@dataclass(frozen=True, slots=True)
class BulkView:
    """A bulk import with its totals, a page of its channels, and the position after which the next page begins."""

    bulk: BulkImport
    totals: BulkTotals
    channels: tuple[BulkChannel, ...] = ()
    following: int | None = None

    @property
    def message(self) -> str:
        """Return a sentence about the state, for people."""
        return _message(self.bulk, self.totals)


class BulkImportStore(Protocol):
    """Bulk imports and their channels, in the transaction of an `ImportStore`."""

    async def add(self, bulk: BulkImport, references: Sequence[str]) -> None:
        """Add a bulk import with its channels in this order."""
        ...

    async def get(self, bulk_import_id: str, *, lock: bool = False) -> BulkImport | None:
        """Return a bulk import; with `lock`, other transactions that lock it wait.

        A transaction that also locks an import locks the import first.
        """
        ...

    async def change(self, bulk: BulkImport) -> None:
        """Write the moments of a bulk import."""
        ...

    async def by_key(self, account_id: str, idempotency_key: str) -> BulkImport | None: ...

    async def unfinished(self, account_id: str) -> BulkImport | None:
        """Return the bulk import of the account that has not ended."""
        ...

    async def newest(self, account_id: str, limit: int) -> Sequence[BulkImport]: ...

    async def totals(self, bulk_import_id: str) -> BulkTotals: ...

    async def channels(
        self, bulk_import_id: str, after: int, limit: int, state: str | None
    ) -> Sequence[BulkChannel]:
        """Return its channels behind a position, those in `state` alone where one is given."""
        ...

    async def next_channel(self, bulk_import_id: str) -> BulkChannel | None:
        """Return the first channel that has neither an import nor a failure."""
        ...

    async def under_way(self, bulk_import_id: str) -> Sequence[str]:
        """Return the imports of its channels that have not ended for its account."""
        ...

    async def import_of(self, bulk_import_id: str, channel_id: str) -> str | None:
        """Return the import that another entry of the list has for the channel."""
        ...

    async def record_import(
        self, bulk_import_id: str, position: int, channel_id: str, title: str, import_id: str
    ) -> None:
        """Record the import of a channel."""
        ...

    async def record_failure(self, bulk_import_id: str, position: int, why: str) -> None:
        """Record why a channel cannot be imported."""
        ...

    async def put_off(self, bulk_import_id: str, position: int) -> None:
        """Count an attempt on a channel that failed."""
        ...

    async def followers(self, import_id: str) -> Sequence[str]:
        """Return the unfinished ones whose account asked for an import, locked.

        Whoever decides on their next channel meanwhile waits, and sees the import as it is then.
        """
        ...

    async def all_unfinished(self) -> Sequence[str]: ...


class BulkImportNotFound(NotFound):
    default_reason = "BULK_IMPORT_NOT_FOUND"

    def __init__(self, bulk_import_id: str) -> None:
        named = f"bulk import {bulk_import_id[:64]!r}" if bulk_import_id else "bulk import yet"
        super().__init__(f"You have no {named}.", details={"field": "bulk_import_id"})


class BulkImportUnderWay(Conflict):
    default_reason = "BULK_IMPORT_UNDER_WAY"

    def __init__(self, other_id: str) -> None:
        super().__init__(
            f"Your bulk import {other_id} is under way. Wait until it has ended, or cancel it.",
            details={"bulk_import_id": other_id},
        )


def new_bulk_import(
    account_id: str,
    bounds: Bounds,
    idempotency_key: str | None,
    max_concurrent: int,
    max_followed: int,
    at: datetime,
) -> BulkImport:
    """Return a bulk import that has not begun."""
    return BulkImport(
        bulk_import_id=f"bulk_{secrets.token_hex(12)}",
        account_id=account_id,
        idempotency_key=idempotency_key,
        bounds=bounds,
        max_concurrent=max_concurrent,
        max_followed=max_followed,
        created_at=at,
    )


def checked_references(channels: Sequence[str]) -> list[str]:
    """Return the entries of a list of channels without blank ones and repetitions.

    Raises:
        InvalidInput: There are none or too many, or some name no channel; the first of these are named by their number.
    """
    entries = [
        (number, text.strip()) for number, text in enumerate(channels, start=1) if text.strip()
    ]
    unknown = [number for number, text in entries if not _is_reference(text)]
    if unknown:
        raise InvalidInput(_refusal(entries, unknown), details={"field": "channels"})
    references: dict[Reference, str] = {}
    for _, text in entries:
        references.setdefault(parse_reference(text), text)
    wanted = list(references.values())
    if not 1 <= len(wanted) <= MAX_CHANNELS:
        raise InvalidInput(
            f"`channels` has {len(wanted):,} different channels; 1 to {MAX_CHANNELS:,} are possible.",
            details={"field": "channels"},
        )
    return wanted


def _is_reference(text: str) -> bool:
    try:
        parse_reference(text)
    except InvalidInput:
        return False
    return True


def _refusal(entries: Sequence[tuple[int, str]], unknown: Sequence[int]) -> str:
    texts = dict(entries)
    named = "; ".join(f"{number}: {texts[number][:40]!r}" for number in unknown[:_MAX_NAMED])
    further = len(unknown) - _MAX_NAMED
    more = f" ({further:,} more)" if further > 0 else ""
    return (
        f"These entries of `channels` name no YouTube channel: {named}{more}. "
        "Give channel ids (UC…), @handles, or URLs of channels or of their videos."
    )


def _message(bulk: BulkImport, totals: BulkTotals) -> str:
    noun = "entries" if totals.repeated else "channel" if totals.channels == 1 else "channels"
    ended = f"{totals.done:,} of {totals.channels:,} {noun} imported"
    if totals.repeated:
        ended += f" ({totals.repeated:,} of a channel that another entry names)"
    if totals.failed:
        ended += f", {totals.failed:,} failed"
    if totals.cancelled:
        ended += f", {totals.cancelled:,} cancelled"
    if bulk.state == "waiting" and bulk.retry_at is not None:
        return f"{ended}. The next ones begin by themselves at {bulk.retry_at.astimezone(UTC):%H:%M} UTC."
    if bulk.state == "running":
        return f"{ended}, {totals.under_way:,} under way."
    return f"{'Cancelled' if bulk.state == 'cancelled' else 'Finished'}: {ended}."
