"""An import as one account sees it."""

from dataclasses import dataclass, replace
from typing import Final

from import_worker.domain import messages
from import_worker.domain.imports import Import, ImportNotFound
from import_worker.domain.ports import ImportStore, Request
from shapes.imports import FoundBrand

MAX_BRANDS: Final = 20


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import, its most frequent brands, and whether the account joined it."""

    import_: Import
    brands: tuple[FoundBrand, ...]
    joined: bool


async def view_of(
    store: ImportStore, import_: Import, account_id: str, idempotency_key: str | None = None
) -> ImportView:
    """Return the import for an account; for one that has cancelled its request, it is cancelled.

    With an idempotency key, `joined` is what it was for the request that had the key.

    Raises:
        ImportNotFound: The account never requested it.
    """
    mine = await requests_of(store, import_.import_id, account_id)
    if not mine:
        raise ImportNotFound(import_.import_id)
    keyed = [r for r in mine if idempotency_key and r.idempotency_key == idempotency_key]
    brands = await store.brands(import_.import_id, MAX_BRANDS)
    return ImportView(_as_seen(import_, mine), tuple(brands), (keyed or mine)[0].joined)


async def requests_of(store: ImportStore, import_id: str, account_id: str) -> list[Request]:
    """Return the account's requests for an import, the first one first."""
    return [
        request for request in await store.requests(import_id) if request.account_id == account_id
    ]


async def wants(store: ImportStore, import_id: str, account_id: str) -> bool:
    """Return whether the account requested the import and has not cancelled its request."""
    mine = await requests_of(store, import_id, account_id)
    return any(request.cancelled_at is None for request in mine)


def _as_seen(import_: Import, mine: list[Request]) -> Import:
    left = [request.cancelled_at for request in mine]
    if import_.state == "cancelled" or import_.cancel_requested_at is not None or None in left:
        return import_
    return replace(
        import_, state="cancelled", message=messages.LEFT, finished_at=left[-1], retry_at=None
    )
