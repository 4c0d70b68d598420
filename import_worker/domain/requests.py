"""What accounts do: start, read, list, cancel and watch imports."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from import_worker.domain import retries
from import_worker.domain.cancellations import withdraw_request
from import_worker.domain.channel_names import resolved
from import_worker.domain.imports import Bounds, ImportNotFound
from import_worker.domain.joining import Wanted, join_or_add
from import_worker.domain.ports import Clock, ImportStore, ImportTransactions
from import_worker.domain.sources import Source, parse_reference
from import_worker.domain.views import ImportView, requests_of, view_of
from servicekit.errors import InvalidInput

MAX_LISTED: Final = 100
_KEY_LENGTH: Final = 100
_MAX_VIDEOS: Final = 1_000_000
_CALLERS_DAY: Final = timedelta(hours=14)
"""A day that is today where the caller is may begin later in UTC."""


class Imports:
    """Start, read, list, cancel and watch the imports of an account."""

    def __init__(self, open_store: ImportTransactions, source: Source, clock: Clock) -> None:
        self._open = open_store
        self._source = source
        self._clock = clock

    async def start(self, wanted: Wanted) -> ImportView:
        """Start an import, or join the unfinished one of the channel, or return the earlier one of the key.

        Raises:
            InvalidInput: An argument is invalid.
            ChannelNotFound: There is no such channel, and no video of it is stored.
            TooManyImports: The account has as many under way as it may have.
        """
        check_options(wanted.bounds, wanted.idempotency_key, self._clock())
        # What is named needs no understanding where the key says it.
        async with self._open() as store:
            earlier = await self._earlier(store, wanted)
        if earlier is not None:
            return earlier
        reference = parse_reference(wanted.channel)
        channel = await resolved(self._open, self._source, reference)
        async with self._open() as store:
            await store.lock(f"account:{wanted.account_id}")
            earlier = await self._earlier(store, wanted)
            if earlier is not None:
                return earlier
            import_, joined = await join_or_add(
                store, wanted, reference, channel, self._source.name, self._clock()
            )
            view = await view_of(store, import_, wanted.account_id)
            return replace(view, joined=joined)

    async def get(self, account_id: str, import_id: str) -> ImportView:
        """One of the account's imports.

        Raises:
            ImportNotFound: The account has no such import.
        """
        async with self._open() as store:
            import_ = await store.get(import_id)
            if import_ is None:
                raise ImportNotFound(import_id)
            return await view_of(store, import_, account_id)

    async def listed(
        self, account_id: str, cursor: str | None, limit: int
    ) -> tuple[Sequence[ImportView], str | None]:
        """Return a page of the account's imports, newest first, and the cursor of the next."""
        if not 1 <= limit <= MAX_LISTED:
            raise InvalidInput(f"limit is 1 to {MAX_LISTED}.", details={"field": "limit"})
        async with self._open() as store:
            if cursor is not None and not await requests_of(store, cursor, account_id):
                raise InvalidInput(
                    "cursor is not one that this list returned: leave it out for the first page.",
                    details={"field": "cursor"},
                )
            found = await store.listed(account_id, cursor, limit + 1)
            imports = [await store.get(import_id) for import_id in found[:limit]]
            views = [await view_of(store, item, account_id) for item in imports if item]
        return views, found[limit - 1] if len(found) > limit else None

    async def cancel(self, account_id: str, import_id: str) -> ImportView:
        """Stop an import within one batch, unless others want it too.

        Raises:
            ImportNotFound: The account has no such import.
        """
        async with self._open() as store:
            import_ = await store.get(import_id, lock=True)
            if import_ is None or not await requests_of(store, import_id, account_id):
                raise ImportNotFound(import_id)
            import_ = await withdraw_request(store, import_, account_id, self._clock())
            return await view_of(store, import_, account_id)

    async def retry(self, account_id: str, import_id: str) -> ImportView:
        """Put one of the account's imports that failed or was cancelled into the queue again.

        Raises:
            ImportNotFound: The account has no such import.
            ImportDone, ImportStopping, ChannelUnderWay: See `retries.retried`.
        """
        async with self._open() as store:
            import_ = await retries.retried(store, import_id, retries.own(account_id))
            return await view_of(store, import_, account_id)

    async def watch(
        self, account_id: str, import_id: str, pause: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[ImportView]:
        """Yield the import now and at each change until it has ended; `pause` waits between polls."""
        last: ImportView | None = None
        while last is None or not last.import_.has_ended:
            if last is not None:
                await pause()
            view = await self.get(account_id, import_id)
            if view != last:
                yield view
            last = view

    async def _earlier(self, store: ImportStore, wanted: Wanted) -> ImportView | None:
        key = wanted.idempotency_key
        import_id = await store.by_key(wanted.account_id, key) if key else None
        import_ = await store.get(import_id) if import_id else None
        return await view_of(store, import_, wanted.account_id, key) if import_ else None


def check_options(bounds: Bounds, idempotency_key: str | None, now: datetime) -> None:
    """Check the options of a start.

    Raises:
        InvalidInput: One is invalid.
    """
    if len(idempotency_key or "") > _KEY_LENGTH:
        raise InvalidInput(
            f"`idempotency_key` has at most {_KEY_LENGTH} characters.",
            details={"field": "idempotency_key"},
        )
    max_videos = bounds.max_videos
    if max_videos is not None and not 1 <= max_videos <= _MAX_VIDEOS:
        raise InvalidInput(
            f"`max_videos` is 1 to {_MAX_VIDEOS:,}.", details={"field": "max_videos"}
        )
    if bounds.since is not None and bounds.since > now + _CALLERS_DAY:
        raise InvalidInput(
            f"`since` is {bounds.since.date()}, which is to come: no video was published on such a day. Give a day until "
            "today, or leave it out for all videos.",
            details={"field": "since"},
        )
