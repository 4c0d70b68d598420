"""Saved lists of brands or creators: made, filled, read and deleted by the account that owns them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from catalog_service.domain import arguments, public_ids
from catalog_service.domain.errors import BadArgument, ListNameTaken, ListNotFound, ListsFull
from catalog_service.domain.lists.ports import (
    ListEditing,
    ListReference,
    ListStore,
    ListType,
    StoredList,
)
from catalog_service.domain.paging import Paging
from catalog_service.domain.resolutions import ResolutionQueries
from shapes.catalog.lists import (
    AccountListsRequest,
    CreateListRequest,
    DeletedList,
    ErasedLists,
    ListChange,
    ListNamesRequest,
    RenameListRequest,
    SavedList,
    SavedListPage,
    SavedListPageRequest,
    SavedListRequest,
    SavedLists,
)
from shapes.catalog.resolution import Resolution, ResolveRequest

TYPES: Final = ("sponsor", "youtuber")
ENTRIES: Final[dict[ListType, str]] = {"sponsor": "brands", "youtuber": "creators"}
MAX_LISTS: Final = 50
MAX_ENTRIES: Final = 1_000
MAX_NAME_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class _Named:
    """What names mean: those that are clear by their numbers, and the others, with what is said of them."""

    clear: Mapping[int, str]
    unclear: tuple[Resolution, ...]
    note: str | None

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(self.clear)

    def change(self, stored: StoredList, changed: int, note: str | None) -> ListChange:
        """Return what became of a list, with a note on it before that on the names."""
        notes = " ".join(filter(None, (note, self.note)))
        return ListChange(shown(stored), changed, self.unclear, notes or None)


@dataclass(frozen=True, slots=True)
class ListService:
    """The use cases of saved lists. All raise `BadArgument` and `Unavailable` besides the errors named."""

    store: ListStore
    resolutions: ResolutionQueries
    paging: Paging

    async def create(self, request: CreateListRequest) -> ListChange:
        """Make a list, or return the one of this name and type, and add what is named.

        Raises:
            ListNameTaken: A list of the other type has the name.
            ListsFull: The account has as many lists, or the list as many entries, as there may be.
        """
        account = arguments.text("account_id", request.account_id)
        name = checked_name(request.name)
        list_type = cast("ListType", arguments.choice("type", request.type or " ", TYPES, ""))
        named = await self._named(request.names, list_type)
        async with self.store.editing(account) as editing:
            stored = await editing.find(ListReference(None, name))
            note = None
            if stored is None:
                if await editing.count() >= MAX_LISTS:
                    raise ListsFull(
                        f"An account has at most {MAX_LISTS} lists: delete one, or add to one that there is.",
                        details={"field": "name"},
                    )
                stored = await editing.create(name, list_type)
            elif stored.type != list_type:
                raise _taken(stored)
            else:
                note = _was_there(stored, request.names)
            return await _added(editing, stored, named, note)

    async def add(self, request: ListNamesRequest) -> ListChange:
        """Add what is named to a list.

        Raises:
            ListNotFound: The account has no such list.
            ListsFull: The list would have too many entries; none is added then.
        """
        stored, named = await self._list_and_names(request)
        async with self.store.editing(request.account_id.strip()) as editing:
            return await _added(editing, await _again(editing, stored), named)

    async def remove(self, request: ListNamesRequest) -> ListChange:
        """Remove what is named from a list; raise `ListNotFound` as `add` does."""
        stored, named = await self._list_and_names(request)
        async with self.store.editing(request.account_id.strip()) as editing:
            stored = await _again(editing, stored)
            removed = await editing.remove(stored, named.numbers)
            stored = await _again(editing, stored)
            missing = [
                repr(name[:80]) for number, name in named.clear.items() if number not in removed
            ]
            note = f"Not in the list: {', '.join(missing)}." if missing else None
            return named.change(stored, len(removed), note)

    async def rename(self, request: RenameListRequest) -> SavedList:
        """Give a list another name.

        Raises:
            ListNotFound: The account has no such list.
            ListNameTaken: Another list has the name.
        """
        name = checked_name(request.name)
        account, reference = _read(request)
        async with self.store.editing(account) as editing:
            stored = await editing.find(reference)
            if stored is None:
                raise not_found("list", request.list)
            same = await editing.find(ListReference(None, name))
            if same is not None and same.number != stored.number:
                raise _taken(same)
            return shown(await editing.rename(stored, name))

    async def delete(self, request: SavedListRequest) -> DeletedList:
        """Delete a list; raise `ListNotFound` if there is none."""
        account, reference = _read(request)
        async with self.store.editing(account) as editing:
            stored = await editing.find(reference)
            if stored is None:
                raise not_found("list", request.list)
            await editing.delete(stored)
        return DeletedList(shown(stored))

    async def get(self, request: SavedListPageRequest) -> SavedListPage:
        """Return a page of a list; raise `ListNotFound` if there is none."""
        account, reference = _read(request)
        page = self.paging.numbered(request)
        stored = await self.store.find(account, reference)
        if stored is None:
            raise not_found("list", request.list)
        found = await self.store.entries(stored, page)
        entries, cursor = self.paging.cut_numbered(request, page, found, lambda item: item[0])
        return SavedListPage(shown(stored), tuple(entry for _, entry in entries), cursor)

    async def list_all(self, request: AccountListsRequest) -> SavedLists:
        """Return the lists of an account, by name."""
        account = arguments.text("account_id", request.account_id)
        return SavedLists(tuple(shown(stored) for stored in await self.store.lists(account)))

    async def erase(self, request: AccountListsRequest) -> ErasedLists:
        """Delete all lists of an account that is no more."""
        return ErasedLists(await self.store.erase(arguments.text("account_id", request.account_id)))

    async def _list_and_names(self, request: ListNamesRequest) -> tuple[StoredList, _Named]:
        account, reference = _read(request)
        if not request.names:
            raise BadArgument("names", "`names` is empty: name the brands or creators.")
        stored = await self.store.find(account, reference)
        if stored is None:
            raise not_found("list", request.list)
        return stored, await self._named(request.names, stored.type)

    async def _named(self, names: Sequence[str], list_type: ListType) -> _Named:
        if not names:
            return _Named({}, (), None)
        found = await self.resolutions.resolve(ResolveRequest(tuple(names), list_type))
        clear: dict[int, str] = {}
        for item in found.resolutions:
            if item.id is not None:
                clear.setdefault(public_ids.number(item.id), item.name)
        unclear = tuple(item for item in found.resolutions if item.id is None)
        return _Named(clear, unclear, found.note)


def checked_name(name: str) -> str:
    """Return a list's name with its white space collapsed.

    Raises:
        BadArgument: It is empty, too long, has hidden characters, or is the id of a list.
    """
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= MAX_NAME_LENGTH:
        raise BadArgument("name", f"`name` has 1 to {MAX_NAME_LENGTH} characters.")
    if arguments.has_hidden_characters(cleaned):
        raise BadArgument("name", "`name` has hidden characters: give it as it is read.")
    if public_ids.spoken_number(cleaned, "l") is not None:
        raise BadArgument("name", "`name` is the id of a list: give words.")
    return cleaned


def reference_of(field: str, argument: str) -> ListReference:
    """Return the list that an argument names."""
    words = " ".join(arguments.text(field, argument).split())
    return ListReference(public_ids.spoken_number(words, "l"), words)


def not_found(field: str, argument: str) -> ListNotFound:
    """Return the refusal of a list that there is not, or that is another account's."""
    return ListNotFound(
        f"`{field}` {argument.strip()[:80]!r} is none of your lists: list.all has their ids and names.",
        details={"field": field},
    )


def shown(stored: StoredList) -> SavedList:
    return SavedList(
        id=public_ids.saved_list(stored.number),
        name=stored.name,
        type=stored.type,
        entries=stored.entries,
        created_at=stored.created_at,
        changed_at=stored.changed_at,
    )


def _read(
    request: ListNamesRequest | RenameListRequest | SavedListRequest | SavedListPageRequest,
) -> tuple[str, ListReference]:
    return arguments.text("account_id", request.account_id), reference_of("list", request.list)


async def _again(editing: ListEditing, stored: StoredList) -> StoredList:
    """Return a list as it is now; it may have been deleted meanwhile."""
    found = await editing.find(ListReference(stored.number, stored.name))
    if found is None:
        raise not_found("list", stored.name)
    return found


async def _added(
    editing: ListEditing, stored: StoredList, named: _Named, note: str | None = None
) -> ListChange:
    added = await editing.add(stored, named.numbers)
    stored = await _again(editing, stored)
    if stored.entries > MAX_ENTRIES:
        raise ListsFull(
            f"A list has at most {MAX_ENTRIES:,} entries; {stored.name!r} would have {stored.entries:,}. Nothing was added: "
            "begin another list, or remove some.",
            details={"field": "names"},
        )
    return named.change(stored, added, note)


def _was_there(stored: StoredList, names: Sequence[str]) -> str:
    entries = "1 entry" if stored.entries == 1 else f"{stored.entries:,} entries"
    return (
        f"No new list was made: {stored.name!r} was there already as {public_ids.saved_list(stored.number)}, with {entries}"
        f"{', and names are added to it' if names else ''}."
    )


def _taken(stored: StoredList) -> ListNameTaken:
    return ListNameTaken(
        f"{public_ids.saved_list(stored.number)}, a list of {ENTRIES[stored.type]}, has this name: give another one.",
        details={"field": "name"},
    )
