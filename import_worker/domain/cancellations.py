"""The end of an import that nobody wants any more."""

from dataclasses import replace
from datetime import datetime

from import_worker.domain.imports import Import
from import_worker.domain.ports import ImportStore


async def cancelled(store: ImportStore, import_: Import, now: datetime) -> Import:
    """Cancel an import; one at work ends after its batch."""
    if import_.state == "running":
        import_ = replace(import_, cancel_requested_at=now)
    else:
        import_ = import_.cancelled(now)
        await store.jobs.forget_import(import_.import_id)
        await store.clear_seen_videos(import_.import_id)
    await store.change(import_)
    return import_
