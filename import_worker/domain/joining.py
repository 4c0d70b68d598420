"""The start of an import, in the transaction of its caller."""

from dataclasses import dataclass, replace
from datetime import datetime

from import_worker.domain import messages
from import_worker.domain.channel_names import new_import
from import_worker.domain.imports import Bounds, Import, TooManyImports
from import_worker.domain.ports import ImportStore, Request
from import_worker.domain.sources import Channel, Reference
from import_worker.domain.views import wants


@dataclass(frozen=True, slots=True)
class Wanted:
    """The arguments of a start. With `max_followed` the account follows the channel, if it follows fewer than so many."""

    account_id: str
    channel: str
    bounds: Bounds
    idempotency_key: str | None
    max_concurrent: int
    max_followed: int = 0


async def join_or_add(
    store: ImportStore,
    wanted: Wanted,
    reference: Reference,
    channel: Channel,
    source_name: str,
    at: datetime,
) -> tuple[Import, bool]:
    """Join the unfinished import of a channel or add one; return it, and whether it was joined.

    The caller holds the lock of the account.

    Raises:
        TooManyImports: The account has as many under way as it may have.
    """
    account_id = wanted.account_id
    await store.lock(f"channel:{channel.channel_id}")
    import_ = await store.unfinished(channel.channel_id)
    joined = import_ is not None
    has_it = import_ is not None and await wants(store, import_.import_id, account_id)
    if not has_it and await store.under_way(account_id) >= wanted.max_concurrent:
        raise TooManyImports(wanted.max_concurrent)
    if import_ is None:
        by_name = reference.kind in ("handle", "username")
        name = reference.value if by_name else channel.channel_id
        import_ = new_import(channel, name, source_name, wanted.bounds, at)
        await store.add(import_)
        await store.jobs.run_import(import_)
    else:
        bounds = import_.bounds.widened(wanted.bounds)
        import_ = replace(import_, bounds=bounds)
        if import_.cancel_requested_at is not None:
            message = messages.running(import_.title)
            import_ = replace(import_, cancel_requested_at=None, message=message)
        await store.change(import_)
    request = Request(
        account_id,
        import_.import_id,
        wanted.idempotency_key,
        joined,
        at,
        max_followed=wanted.max_followed,
    )
    await store.add_request(request)
    return import_, joined
