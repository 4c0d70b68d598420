"""The filters `in_list` and `not_in_list`: which lists a request names, and whether it may."""

from dataclasses import dataclass
from typing import Protocol

from catalog_service.domain import arguments
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.lists.ports import ListStore, ListType
from catalog_service.domain.lists.service import ENTRIES, not_found, reference_of
from catalog_service.domain.queries import NO_LISTS, ListConditions


class ListFiltered(Protocol):
    """A request with filters by lists."""

    @property
    def account_id(self) -> str | None: ...

    @property
    def in_list(self) -> str | None: ...

    @property
    def not_in_list(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ListFilters:
    """Looks up the lists that requests filter by, among those of the caller's account."""

    store: ListStore

    async def of(self, request: ListFiltered, *types: ListType) -> ListConditions:
        """Return the conditions of a request that takes lists of these types.

        Raises:
            ListNotFound: The account has no such list.
            BadArgument: The list is of a type that cannot filter here, or no account is named.
        """
        if request.in_list is None and request.not_in_list is None:
            return NO_LISTS
        found: dict[str, int] = {}
        empty = None
        for field in ("in_list", "not_in_list"):
            argument: str | None = getattr(request, field)
            if argument is None:
                continue
            account = arguments.text("account_id", request.account_id or "")
            stored = await self.store.find(account, reference_of(field, argument))
            if stored is None:
                raise not_found(field, argument)
            if stored.type not in types:
                takes = " or ".join(ENTRIES[item] for item in types)
                raise BadArgument(
                    field,
                    f"`{field}` {stored.name!r} is a list of {ENTRIES[stored.type]}, and this takes one of {takes}.",
                )
            found[f"{field.removesuffix('_list')}_{stored.type}s"] = stored.number
            if field == "in_list" and not stored.entries:
                empty = stored.name
        return ListConditions(**found, empty=empty)
