"""The end of saved lists with the account that owns them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

from auth_service.domain.site.deferred_work import Handler, Payload
from auth_service.domain.site.ports import SiteStore
from servicekit.errors import ServiceError

KIND: Final = "erase_lists"
_NEXT_TRY: Final = timedelta(minutes=5)


class ListEraser(Protocol):
    """Deletes all lists of an account; errors are those of the catalog."""

    async def erase(self, account_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class ListErasure:
    """Delete the lists of deleted accounts. Without a catalog there is nothing to delete them from."""

    lists: ListEraser | None

    def handlers(self) -> Mapping[str, Handler]:
        return {KIND: self._erase}

    async def _erase(self, store: SiteStore, payload: Payload) -> None:
        if self.lists is None:
            return
        try:
            await self.lists.erase(payload["account_id"])
        except ServiceError:
            # As other work, it would be given up after some minutes; but people were told that their lists go.
            await store.defer(KIND, payload, _NEXT_TRY)


async def defer_erasure(store: SiteStore, account_id: str) -> None:
    """Have the lists of an account deleted after the caller's transaction, which deletes the account."""
    await store.defer(KIND, {"account_id": account_id}, timedelta(0))
