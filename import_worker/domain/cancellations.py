"""Cancellation of imports, and what follows from the end of an import."""

from dataclasses import replace
from datetime import datetime

from import_worker.domain import messages
from import_worker.domain.imports import Import
from import_worker.domain.ports import ImportStore


async def cancel_import(store: ImportStore, import_: Import, now: datetime) -> Import:
    """Cancel an import; one at work ends after its batch."""
    if import_.state == "running":
        message = messages.CANCEL_REQUESTED
        import_ = replace(import_, cancel_requested_at=now, message=message)
    else:
        import_ = import_.cancelled(now)
        await store.jobs.forget_import(import_.import_id)
        await store.clear_seen_videos(import_.import_id)
    await store.change(import_)
    await slot_released(store, import_.import_id)
    return import_


async def withdraw_request(
    store: ImportStore, import_: Import, account_id: str, now: datetime
) -> Import:
    """Record that an account no longer wants an import; cancel one that nobody wants. An ended one stays as it is."""
    if import_.has_ended:
        return import_
    await store.leave(account_id, import_.import_id, now)
    requests = await store.requests(import_.import_id)
    if all(request.cancelled_at is not None for request in requests):
        return await cancel_import(store, import_, now)
    await slot_released(store, import_.import_id)
    return import_


async def slot_released(store: ImportStore, import_id: str) -> None:
    """Enqueue the bulk imports of the accounts that asked for this import: each may have a free slot now."""
    for bulk_import_id in await store.bulk.followers(import_id):
        await store.jobs.advance_bulk_import(bulk_import_id)
