"""Saved lists on the site."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from auth_service.domain.plans import CHANNEL_IMPORT
from auth_service.domain.site.account_service import AccountService
from auth_service.domain.site.login_service import Visitor
from servicekit.errors import NotFound, PermissionDenied
from shapes.catalog.lists import ListChange, SavedList, SavedListPage

_PAGE: Final = 50
_MAX_NAMES: Final = 100


class ListStore(Protocol):
    """The port of the catalog's lists; errors are those of its service."""

    async def lists(self, account_id: str) -> Sequence[SavedList]: ...

    async def page(
        self, account_id: str, list_id: str, limit: int, cursor: str | None
    ) -> SavedListPage: ...

    async def create(
        self, account_id: str, name: str, list_type: str, names: Sequence[str]
    ) -> ListChange: ...

    async def add(self, account_id: str, list_id: str, names: Sequence[str]) -> ListChange: ...

    async def remove(self, account_id: str, list_id: str, names: Sequence[str]) -> ListChange: ...

    async def rename(self, account_id: str, list_id: str, name: str) -> None: ...

    async def delete(self, account_id: str, list_id: str) -> None: ...

    async def erase(self, account_id: str) -> None: ...


@dataclass(frozen=True, slots=True)
class ListService:
    """The use cases of lists. Without a store, there are no lists."""

    store: ListStore | None
    account_service: AccountService

    def can_write(self, visitor: Visitor) -> bool:
        return self.store is not None and self.account_service.plan(visitor).has(CHANNEL_IMPORT)

    async def lists(self, visitor: Visitor) -> Sequence[SavedList]:
        """Return the lists of the account that the visitor acts for, by name."""
        if self.store is None:
            return ()
        return await self.store.lists(visitor.subject.account_id)

    async def page(self, visitor: Visitor, list_id: str, cursor: str) -> SavedListPage:
        """Return a page of a list.

        Raises:
            NotFound: The account has no such list.
        """
        if self.store is None:
            raise NotFound("This installation has no lists.")
        return await self.store.page(visitor.subject.account_id, list_id, _PAGE, cursor or None)

    async def create(self, visitor: Visitor, name: str, list_type: str, names: str) -> ListChange:
        """Make a list of what is named, one a line.

        Raises:
            PermissionDenied: The plan does not write lists. So do all methods below.
        """
        account_id = visitor.subject.account_id
        return await self._writable(visitor).create(account_id, name, list_type, _lines(names))

    async def add(self, visitor: Visitor, list_id: str, names: str) -> ListChange:
        account_id = visitor.subject.account_id
        return await self._writable(visitor).add(account_id, list_id, _lines(names))

    async def remove(self, visitor: Visitor, list_id: str, entry_id: str) -> None:
        account_id = visitor.subject.account_id
        await self._writable(visitor).remove(account_id, list_id, (entry_id,))

    async def rename(self, visitor: Visitor, list_id: str, name: str) -> None:
        await self._writable(visitor).rename(visitor.subject.account_id, list_id, name)

    async def delete(self, visitor: Visitor, list_id: str) -> None:
        await self._writable(visitor).delete(visitor.subject.account_id, list_id)

    def _writable(self, visitor: Visitor) -> ListStore:
        if self.store is None or not self.can_write(visitor):
            plan = self.account_service.plan(visitor)
            raise PermissionDenied(f"The plan {plan.name} does not change lists.")
        return self.store


def _lines(names: str) -> Sequence[str]:
    return [line.strip() for line in names.splitlines() if line.strip()][: _MAX_NAMES + 1]
