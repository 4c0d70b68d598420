"""What accounts do with bulk imports: start, read, list, cancel and watch them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from import_worker.domain.bulk_imports import (
    BulkImport,
    BulkImportNotFound,
    BulkImportUnderWay,
    BulkView,
    checked_references,
    new_bulk_import,
)
from import_worker.domain.cancellations import withdraw_request
from import_worker.domain.imports import Bounds, TooManyImports
from import_worker.domain.ports import Clock, ImportStore, ImportTransactions
from import_worker.domain.requests import check_options
from servicekit.errors import InvalidInput

MAX_LISTED: Final = 100


@dataclass(frozen=True, slots=True)
class WantedList:
    """The arguments of a start."""

    account_id: str
    channels: Sequence[str]
    bounds: Bounds
    idempotency_key: str | None
    max_concurrent: int
    max_followed: int = 0


@dataclass(frozen=True, slots=True)
class ChannelPage:
    """The channels of a bulk import that are asked for: `limit` behind a position, of one state or of all."""

    limit: int = 0
    after: int = 0
    state: str | None = None


class BulkImports:
    """Start, read, list, cancel and watch the bulk imports of an account."""

    def __init__(self, open_store: ImportTransactions, clock: Clock) -> None:
        self._open = open_store
        self._clock = clock

    async def start(self, wanted: WantedList) -> BulkView:
        """Start a bulk import, or return the earlier one of the key.

        Raises:
            InvalidInput: An argument is invalid.
            TooManyImports: The account may have no import at all.
            BulkImportUnderWay: The account has another one that has not ended.
        """
        check_options(wanted.bounds, wanted.idempotency_key, self._clock())
        references = checked_references(wanted.channels)
        if wanted.max_concurrent < 1:
            raise TooManyImports(wanted.max_concurrent)
        async with self._open() as store:
            await store.lock(f"account:{wanted.account_id}")
            key = wanted.idempotency_key
            earlier = await store.bulk.by_key(wanted.account_id, key) if key else None
            if earlier is not None:
                return await _view(store, earlier)
            other = await store.bulk.unfinished(wanted.account_id)
            if other is not None:
                raise BulkImportUnderWay(other.bulk_import_id)
            bulk = new_bulk_import(
                wanted.account_id,
                wanted.bounds,
                key,
                wanted.max_concurrent,
                wanted.max_followed,
                self._clock(),
            )
            await store.bulk.add(bulk, references)
            await store.jobs.advance_bulk_import(bulk.bulk_import_id)
            return await _view(store, bulk)

    async def get(
        self, account_id: str, bulk_import_id: str, page: ChannelPage | None = None
    ) -> BulkView:
        """Return one of the account's bulk imports, the newest for an empty id, with a page of its channels.

        Raises:
            BulkImportNotFound: The account has no such bulk import.
            InvalidInput: The page is larger than it may be.
        """
        page = page or ChannelPage()
        if not 0 <= page.limit <= MAX_LISTED:
            raise InvalidInput(f"limit is 0 to {MAX_LISTED}.", details={"field": "limit"})
        async with self._open() as store:
            if not bulk_import_id:
                newest = await store.bulk.newest(account_id, 1)
                bulk_import_id = newest[0].bulk_import_id if newest else ""
            bulk = await _own(store, account_id, bulk_import_id)
            return await _view(store, bulk, page)

    async def listed(self, account_id: str, limit: int) -> Sequence[BulkView]:
        """Return the account's newest bulk imports, without their channels."""
        if not 1 <= limit <= MAX_LISTED:
            raise InvalidInput(f"limit is 1 to {MAX_LISTED}.", details={"field": "limit"})
        async with self._open() as store:
            return [await _view(store, bulk) for bulk in await store.bulk.newest(account_id, limit)]

    async def cancel(self, account_id: str, bulk_import_id: str) -> BulkView:
        """Start no further channel and cancel the imports that are under way, which end within one batch.

        Raises:
            BulkImportNotFound: The account has no such bulk import.
        """
        async with self._open() as store:
            bulk = await _own(store, account_id, bulk_import_id, lock=True)
            if bulk.finished_at is None:
                now = self._clock()
                bulk = replace(bulk, cancelled_at=now, finished_at=now, retry_at=None)
                await store.bulk.change(bulk)
                # The job cancels the imports under way, in case this process ends before it has done so.
                await store.jobs.advance_bulk_import(bulk_import_id)
        if bulk.cancelled_at is not None:
            await cancel_under_way(self._open, bulk, self._clock)
        return await self.get(account_id, bulk_import_id)

    async def watch(
        self, account_id: str, bulk_import_id: str, pause: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[BulkView]:
        """Yield the bulk import now and at each change until it has ended; `pause` waits between polls."""
        last: BulkView | None = None
        while last is None or last.bulk.finished_at is None:
            if last is not None:
                await pause()
            view = await self.get(account_id, bulk_import_id)
            if view != last:
                yield view
            last = view


async def cancel_under_way(open_store: ImportTransactions, bulk: BulkImport, clock: Clock) -> None:
    """Cancel the imports of a bulk import that have not ended, each in a transaction of its own."""
    async with open_store() as store:
        import_ids = await store.bulk.under_way(bulk.bulk_import_id)
    for import_id in import_ids:
        async with open_store() as store:
            import_ = await store.get(import_id, lock=True)
            if import_ is not None:
                await withdraw_request(store, import_, bulk.account_id, clock())


async def _own(
    store: ImportStore, account_id: str, bulk_import_id: str, *, lock: bool = False
) -> BulkImport:
    bulk = await store.bulk.get(bulk_import_id, lock=lock)
    if bulk is None or bulk.account_id != account_id:
        raise BulkImportNotFound(bulk_import_id)
    return bulk


async def _view(store: ImportStore, bulk: BulkImport, page: ChannelPage | None = None) -> BulkView:
    totals = await store.bulk.totals(bulk.bulk_import_id)
    if page is None or not page.limit:
        return BulkView(bulk, totals)
    found = await store.bulk.channels(bulk.bulk_import_id, page.after, page.limit + 1, page.state)
    following = found[page.limit - 1].position if len(found) > page.limit else None
    return BulkView(bulk, totals, tuple(found[: page.limit]), following)
