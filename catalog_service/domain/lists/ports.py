"""The port to the stored lists."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from catalog_service.domain.queries import NumberedPage
from shapes.catalog.lists import SavedListEntry

ListType = Literal["sponsor", "youtuber"]


@dataclass(frozen=True, slots=True)
class StoredList:
    """A list with the number of its entries."""

    number: int
    name: str
    type: ListType
    entries: int
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class ListReference:
    """A list as a caller names it: by its number, or by its name in whatever case."""

    number: int | None
    name: str


class ListEditing(Protocol):
    """One transaction on the lists of an account, of which there is one at a time."""

    async def find(self, reference: ListReference) -> StoredList | None: ...

    async def count(self) -> int:
        """Return the number of the account's lists."""
        ...

    async def create(self, name: str, list_type: ListType) -> StoredList: ...

    async def add(self, stored: StoredList, numbers: Sequence[int]) -> int:
        """Add sponsors or youtubers, and return how many were not in the list.

        Raises:
            Conflict: One of them was merged into another at this moment.
        """
        ...

    async def remove(self, stored: StoredList, numbers: Sequence[int]) -> frozenset[int]:
        """Remove sponsors or youtubers, and return the numbers of those that were in the list."""
        ...

    async def rename(self, stored: StoredList, name: str) -> StoredList: ...

    async def delete(self, stored: StoredList) -> None: ...


class ListStore(Protocol):
    """The stored lists. Every method may raise `Unavailable`."""

    def editing(self, account_id: str) -> AbstractAsyncContextManager[ListEditing]: ...

    async def lists(self, account_id: str) -> Sequence[StoredList]:
        """Return the lists of an account, by name."""
        ...

    async def find(self, account_id: str, reference: ListReference) -> StoredList | None: ...

    async def entries(
        self, stored: StoredList, page: NumberedPage
    ) -> Sequence[tuple[int, SavedListEntry]]:
        """Return entries behind `page.after` with their numbers in the order of adding, and one more than the page holds."""
        ...

    async def erase(self, account_id: str) -> int:
        """Delete all lists of an account, and return how many there were."""
        ...
