"""Another try of an import that failed or was cancelled."""

from collections.abc import Callable, Sequence

from import_worker.domain.imports import (
    ChannelUnderWay,
    Import,
    ImportDone,
    ImportNotFound,
    ImportStopping,
)
from import_worker.domain.ports import ImportStore, Request

Requesters = Callable[[Sequence[Request]], Sequence[str] | None]
"""Names the accounts that want the import again; None if it may not be retried by the caller."""


async def retried(store: ImportStore, import_id: str, requesters: Requesters) -> Import:
    """Put an ended import into the queue again, and return it; one that is under way is returned as it is.

    It stays the import of the accounts that asked for it, and counts for no limit of theirs.

    Raises:
        ImportNotFound: There is none, or not for the caller.
        ImportDone: There is nothing to retry.
        ImportStopping: It is still being cancelled.
        ChannelUnderWay: Another import of the channel has not ended.
    """
    known = await store.get(import_id)
    accounts = requesters(await store.requests(import_id)) if known else None
    if known is None or accounts is None:
        raise ImportNotFound(import_id)
    # As a start does: the two must not both find the channel idle.
    await store.lock(f"channel:{known.channel_id}")
    import_ = await store.get(import_id, lock=True)
    if import_ is None:
        raise ImportNotFound(import_id)
    if import_.state == "done":
        raise ImportDone(import_id)
    if import_.cancel_requested_at is not None and not import_.has_ended:
        raise ImportStopping(import_id)
    if import_.has_ended:
        other = await store.unfinished(import_.channel_id)
        if other is not None:
            raise ChannelUnderWay(other.import_id)
        import_ = import_.retried()
        await store.change(import_)
        # What it had seen was deleted at its end: its counts begin anew.
        await store.recount(import_id)
        await store.jobs.run_import(import_)
    for account_id in accounts:
        await store.rejoin(account_id, import_id)
    return import_


def own(account_id: str) -> Requesters:
    """Let an account retry the imports that it asked for."""

    def requesters(requests: Sequence[Request]) -> Sequence[str] | None:
        is_own = any(request.account_id == account_id for request in requests)
        return (account_id,) if is_own else None

    return requesters


def original(requests: Sequence[Request]) -> Sequence[str]:
    """Keep the accounts that still want the import; the first one if all have cancelled it."""
    if not requests or any(request.cancelled_at is None for request in requests):
        return ()
    return (requests[0].account_id,)
