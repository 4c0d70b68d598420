"""What operators do with the imports of all accounts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from import_worker.domain import retries
from import_worker.domain.cancellations import cancel_import
from import_worker.domain.imports import Import, ImportNotFound
from import_worker.domain.ports import Clock, ImportTransactions
from servicekit.errors import InvalidInput

MAX_LISTED: Final = 100
FAILURES_FOR: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class OperatedView:
    """An import, the account that asked for it first, and how many asked; "" and 0 for a refresh."""

    import_: Import
    account_id: str
    accounts: int


@dataclass(frozen=True, slots=True)
class Units:
    """Units of YouTube's API of today; `used` is None where they cannot be counted now."""

    used: int | None
    allowed: int


@dataclass(frozen=True, slots=True)
class FollowedState:
    """Channels that accounts follow and have not paused, and the checks of their feeds.

    Attributes:
        channels: How many there are.
        due: Those whose feed is due to be checked, also those that never were.
        unchecked: Those whose feed was never checked.
        due_since: When the check that is due longest was due; None without one.
        refreshes_due: Those that are due to be imported anew.
        begun: Recent imports that no account asked for.
    """

    channels: int
    due: int
    unchecked: int
    due_since: datetime | None
    refreshes_due: int
    begun: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """The queue of imports as it is now."""

    states: dict[str, int]
    under_way: Sequence[OperatedView]
    failures: Sequence[OperatedView]
    coverage: Sequence[tuple[str, int]]
    lists: int
    """Bulk imports that have not ended."""
    listed_channels_left: int
    """Channels of them whose import has not begun."""
    followed: FollowedState


@dataclass(frozen=True, slots=True)
class Overview:
    """All that operators see of imports; `units` is None without a key of YouTube's API."""

    queue: QueueState
    units: Units | None


class OverviewStore(Protocol):
    """Read the state of the queue."""

    async def queue_state(self, now: datetime, since: datetime, limit: int) -> QueueState:
        """Return the queue at `now`; failures, and imports that no account asked for, count since `since`."""
        ...

    async def view(self, import_: Import) -> OperatedView:
        """Return an import with its accounts."""
        ...


UnitsInUse = Callable[[], Awaitable[Units | None]]


@dataclass(frozen=True, slots=True)
class ImportOperations:
    """Give an overview of all imports; cancel and retry one of any account."""

    open: ImportTransactions
    overview_store: OverviewStore
    units: UnitsInUse
    clock: Clock

    async def overview(self, limit: int) -> Overview:
        """Return the state of all imports, with at most `limit` of each kind."""
        if not 1 <= limit <= MAX_LISTED:
            raise InvalidInput(f"limit is 1 to {MAX_LISTED}.", details={"field": "limit"})
        now = self.clock()
        queue = await self.overview_store.queue_state(now, now - FAILURES_FOR, limit)
        return Overview(queue, await self.units())

    async def cancel(self, import_id: str) -> OperatedView:
        """Stop an import within one batch, for all accounts; an ended one stays as it is.

        Raises:
            ImportNotFound: There is no such import.
        """
        async with self.open() as store:
            import_ = await store.get(import_id, lock=True)
            if import_ is None:
                raise ImportNotFound(import_id)
            if not import_.has_ended:
                now = self.clock()
                for account_id in {
                    request.account_id for request in await store.requests(import_id)
                }:
                    await store.leave(account_id, import_id, now)
                import_ = await cancel_import(store, import_, now)
        return await self.overview_store.view(import_)

    async def retry(self, import_id: str) -> OperatedView:
        """Put an import that failed or was cancelled into the queue again, for its accounts.

        Raises:
            ImportNotFound, ImportDone, ImportStopping, ChannelUnderWay: See `retries.retried`.
        """
        async with self.open() as store:
            import_ = await retries.retried(store, import_id, retries.original)
        return await self.overview_store.view(import_)
