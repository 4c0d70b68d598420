"""Go on with a bulk import: begin imports of its channels while its account may have more under way."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from import_worker.domain.bulk_imports import BulkChannel, BulkImport
from import_worker.domain.bulk_requests import cancel_under_way
from import_worker.domain.channel_names import resolved, unread
from import_worker.domain.imports import TooManyImports
from import_worker.domain.joining import Wanted, join_or_add
from import_worker.domain.ports import Clock, ImportStore, ImportTransactions, StoreUnavailable
from import_worker.domain.sources import (
    Channel,
    Reference,
    Source,
    SourceQuotaUsedUp,
    SourceUnavailable,
    parse_reference,
)
from import_worker.jobs.policy import LONGEST_WAIT_SECONDS, Policy
from servicekit.errors import ServiceError
from servicekit.observability import logs

_UNKNOWN_CAUSE: Final = "Something went wrong on our side."
_QUOTA_WAIT: Final = 3_600.0

log = logs.get(__name__)


class BulkImportRunner:
    """The work of the job `advance_bulk_import`.

    It is enqueued when an import of the account ends, unless one waits already, such as for `retry_at`.
    """

    def __init__(
        self, open_store: ImportTransactions, source: Source, policy: Policy, clock: Clock
    ) -> None:
        self._open = open_store
        self._source = source
        self._policy = policy
        self._clock = clock

    async def advance(self, bulk_import_id: str) -> None:
        """Begin imports until the account has as many as it may have, the list ends, or the source fails or has no units left.

        Raises:
            StoreUnavailable: Our own database is away; the same job may be run again.
        """
        while True:
            async with self._open() as store:
                bulk = await store.bulk.get(bulk_import_id, lock=True)
                channel = await self._next(store, bulk) if bulk is not None else None
            if bulk is None or (channel is None and bulk.cancelled_at is None):
                return
            if channel is None:
                await cancel_under_way(self._open, bulk, self._clock)
                return
            if not await self._begin(bulk, channel):
                return

    async def _next(self, store: ImportStore, bulk: BulkImport) -> BulkChannel | None:
        """Return the channel whose import may begin now; end a bulk import that has no more of them."""
        if bulk.finished_at is not None:
            return None
        channel = await store.bulk.next_channel(bulk.bulk_import_id)
        if channel is None and not await store.bulk.under_way(bulk.bulk_import_id):
            now = self._clock()
            await store.bulk.change(replace(bulk, finished_at=now, retry_at=None))
            log.info("bulk_import_done", bulk_import_id=bulk.bulk_import_id)
        elif bulk.retry_at is not None:
            await store.bulk.change(replace(bulk, retry_at=None))
        has_slot = await store.under_way(bulk.account_id) < bulk.max_under_way
        return channel if has_slot else None

    async def _begin(self, bulk: BulkImport, item: BulkChannel) -> bool:
        """Begin the import of a channel, or record why there is none; return whether to go on with the next."""
        try:
            # Earlier versions took references that are refused now.
            reference = parse_reference(item.reference)
            channel = await self._resolved(reference)
            return await self._join_or_add(bulk, item, reference, channel)
        except StoreUnavailable:
            raise
        except (SourceQuotaUsedUp, SourceUnavailable) as error:
            return await self._put_off(bulk, item, error)
        except ServiceError as error:
            await self._fail(bulk, item, error.public_message)
        except Exception:  # one channel must not keep the others waiting for ever
            log.exception("bulk_import_channel_failed", bulk_import_id=bulk.bulk_import_id)
            await self._fail(bulk, item, _UNKNOWN_CAUSE)
        return True

    async def _resolved(self, reference: Reference) -> Channel:
        """Return the channel; an id needs no request, as its import finds out whether there is one."""
        if reference.kind == "channel_id":
            async with self._open() as store:
                known = await store.known_channel(reference.value)
            return unread(reference.value, known.title if known else reference.value)
        return await resolved(self._open, self._source, reference)

    async def _join_or_add(
        self, bulk: BulkImport, item: BulkChannel, reference: Reference, channel: Channel
    ) -> bool:
        wanted = Wanted(
            bulk.account_id,
            item.reference,
            bulk.bounds,
            None,
            bulk.max_under_way,
            bulk.max_followed,
        )
        try:
            async with self._open() as store:
                await store.lock(f"account:{bulk.account_id}")
                import_id = await store.bulk.import_of(bulk.bulk_import_id, channel.channel_id)
                if import_id is None:
                    import_, _ = await join_or_add(
                        store, wanted, reference, channel, self._source.name, self._clock()
                    )
                    import_id = import_.import_id
                await _record(store, bulk, item, channel, import_id)
        except (TooManyImports, _Ended):
            return False
        return True

    async def _put_off(self, bulk: BulkImport, item: BulkChannel, error: ServiceError) -> bool:
        """Go on later; a channel whose look-up failed `max_attempts` times is recorded as failed."""
        is_quota = isinstance(error, SourceQuotaUsedUp)
        if not is_quota and item.attempts + 1 >= self._policy.max_attempts:
            await self._fail(bulk, item, error.public_message)
            return True
        backoff = self._policy.backoff.seconds(item.attempts + 1, self._policy.chance())
        stated = error.retry_after or 0.0
        seconds = (stated or _QUOTA_WAIT) if is_quota else max(backoff, stated)
        retry_at = self._clock() + timedelta(seconds=min(seconds, LONGEST_WAIT_SECONDS))
        async with self._open() as store:
            current = await store.bulk.get(bulk.bulk_import_id, lock=True)
            if current is None or current.finished_at is not None:
                return False
            if not is_quota:
                await store.bulk.put_off(bulk.bulk_import_id, item.position)
            await store.bulk.change(replace(current, retry_at=retry_at))
            await store.jobs.advance_bulk_import(bulk.bulk_import_id, retry_at)
        return False

    async def _fail(self, bulk: BulkImport, item: BulkChannel, why: str) -> None:
        async with self._open() as store:
            current = await store.bulk.get(bulk.bulk_import_id, lock=True)
            if current is not None and current.finished_at is None:
                await store.bulk.record_failure(bulk.bulk_import_id, item.position, why)


async def _record(
    store: ImportStore, bulk: BulkImport, item: BulkChannel, channel: Channel, import_id: str
) -> None:
    """Record the import of a channel, unless the bulk import was cancelled meanwhile."""
    # Locked after the import, as everywhere; see `BulkImportStore.get`.
    current = await store.bulk.get(bulk.bulk_import_id, lock=True)
    if current is None or current.finished_at is not None:
        raise _Ended
    await store.bulk.record_import(
        bulk.bulk_import_id, item.position, channel.channel_id, channel.title, import_id
    )


class _Ended(Exception):  # noqa: N818 - no error: its account cancelled it meanwhile
    """The bulk import has ended; what the transaction began is undone."""
