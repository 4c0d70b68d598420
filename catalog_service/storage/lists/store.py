"""Saved lists and their entries."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Text,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.lists.ports import ListReference, ListType, StoredList
from catalog_service.domain.queries import NumberedPage
from catalog_service.storage.columns import (
    SPONSOR_REF,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    sponsor_ref,
    youtuber_ref,
)
from catalog_service.storage.connections import Database, reads_primary
from catalog_service.storage.tables import saved_list_entries, saved_lists, sponsors, youtubers
from servicekit.errors import Conflict
from shapes.catalog.lists import SavedListEntry

_EDITOR: Final = 0x5B0_115
"""The first key of the advisory lock that an account's changes of lists take."""

_l, _e = saved_lists.c, saved_list_entries.c
_account: Final = bindparam("account", type_=Text)
_number: Final = bindparam("number", type_=BigInteger)
_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_name: Final = bindparam("name", type_=Text)

_take_editor_lock: Final = select(func.pg_advisory_xact_lock(_EDITOR, func.hashtext(_account)))
_LISTS: Final[AnySelect] = select(
    _l.id,
    _l.name,
    _l.type,
    select(func.count()).where(_e.list_id == _l.id).scalar_subquery().label("entries"),
    _l.created_at,
    _l.changed_at,
).where(_l.account_id == _account)
_OF_ACCOUNT: Final = _LISTS.order_by(func.lower(_l.name), _l.id)
_FIND: Final = _LISTS.where(or_(_l.id == _number, func.lower(_l.name) == func.lower(_name)))
"""By number or name: no name has the form of a number."""

_COUNT: Final = select(func.count()).where(_l.account_id == _account)
_COLUMNS: Final = {"sponsor": _e.sponsor_id, "youtuber": _e.youtuber_id}
_ADD: Final = {
    name: insert(saved_list_entries)
    .from_select(
        ["list_id", column.name],
        select(_number, func.unnest(_numbers)),
    )
    .on_conflict_do_nothing()
    .returning(column)
    for name, column in _COLUMNS.items()
}
_REMOVE: Final = {
    name: delete(saved_list_entries)
    .where(_e.list_id == _number, column == func.any(_numbers))
    .returning(column)
    for name, column in _COLUMNS.items()
}
_ENTRIES: Final = {
    name: select(_e.id.label("entry_number"), _e.added_at, *columns)
    .join_from(saved_list_entries, table, table.c.id == _COLUMNS[name])
    .where(_e.list_id == _number, _e.id > bindparam("after", type_=BigInteger))
    .order_by(_e.id)
    .limit(bindparam("limit", type_=Integer))
    for name, table, columns in (
        ("sponsor", sponsors, SPONSOR_REF),
        ("youtuber", youtubers, YOUTUBER_REF),
    )
}


class PostgresLists:
    """`ListStore` on Postgres. Reads go to the primary: a list is read as it was left, whatever a replica lags."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def editing(self, account_id: str) -> AsyncGenerator["PostgresListEditing"]:
        async with self._database.report_transaction() as connection:
            await connection.execute(_take_editor_lock, {"account": account_id})
            yield PostgresListEditing(connection, account_id)

    async def lists(self, account_id: str) -> Sequence[StoredList]:
        async with self._database.report_transaction() as connection:
            rows = await connection.execute(_OF_ACCOUNT, {"account": account_id})
            return [_stored(row) for row in rows]

    async def find(self, account_id: str, reference: ListReference) -> StoredList | None:
        # Its entries may have been written a moment ago, and a question that names it reads them.
        reads_primary.set(True)
        async with self._database.report_transaction() as connection:
            return await _find(connection, account_id, reference)

    async def entries(
        self, stored: StoredList, page: NumberedPage
    ) -> Sequence[tuple[int, SavedListEntry]]:
        values = {"number": stored.number, "after": page.after or 0, "limit": page.limit + 1}
        async with self._database.report_transaction() as connection:
            rows = await connection.execute(_ENTRIES[stored.type], values)
            return [(row.entry_number, _entry(row, stored.type)) for row in rows]

    async def erase(self, account_id: str) -> int:
        async with self._database.report_transaction() as connection:
            await connection.execute(_take_editor_lock, {"account": account_id})
            statement = delete(saved_lists).where(_l.account_id == _account).returning(_l.id)
            return len((await connection.execute(statement, {"account": account_id})).all())


class PostgresListEditing:
    """A transaction as `ports.ListEditing` describes it."""

    def __init__(self, connection: AsyncConnection, account_id: str) -> None:
        self._connection = connection
        self._account_id = account_id

    async def find(self, reference: ListReference) -> StoredList | None:
        return await _find(self._connection, self._account_id, reference)

    async def count(self) -> int:
        return (await self._connection.execute(_COUNT, {"account": self._account_id})).scalar_one()

    async def create(self, name: str, list_type: ListType) -> StoredList:
        values = {"account_id": self._account_id, "name": name, "type": list_type}
        await self._connection.execute(insert(saved_lists).values(values))
        return await self._found(name)

    async def add(self, stored: StoredList, numbers: Sequence[int]) -> int:
        try:
            return len(await self._changed(stored, _ADD[stored.type], numbers))
        except IntegrityError as error:
            raise Conflict(
                "One of these was merged into another in this moment. Add them again."
            ) from error

    async def remove(self, stored: StoredList, numbers: Sequence[int]) -> frozenset[int]:
        return await self._changed(stored, _REMOVE[stored.type], numbers)

    async def rename(self, stored: StoredList, name: str) -> StoredList:
        await self._connection.execute(
            update(saved_lists)
            .where(_l.id == stored.number)
            .values(name=name, changed_at=func.now())
        )
        return await self._found(name)

    async def delete(self, stored: StoredList) -> None:
        await self._connection.execute(delete(saved_lists).where(_l.id == stored.number))

    async def _changed(
        self, stored: StoredList, statement: Any, numbers: Sequence[int]
    ) -> frozenset[int]:
        """Return the sponsors or youtubers that were added or removed."""
        if not numbers:
            return frozenset()
        values = {"number": stored.number, "numbers": list(numbers)}
        changed = frozenset((await self._connection.execute(statement, values)).scalars())
        if changed:
            await self._connection.execute(
                update(saved_lists).where(_l.id == stored.number).values(changed_at=func.now())
            )
        return changed

    async def _found(self, name: str) -> StoredList:
        found = await self.find(ListReference(None, name))
        if found is None:
            raise RuntimeError(f"the list {name!r} is not where it was put")
        return found


async def _find(
    connection: AsyncConnection, account_id: str, reference: ListReference
) -> StoredList | None:
    values = {"account": account_id, "number": reference.number, "name": reference.name}
    row = (await connection.execute(_FIND, values)).first()
    return None if row is None else _stored(row)


def _stored(row: AnyRow) -> StoredList:
    return StoredList(row.id, row.name, row.type, row.entries, row.created_at, row.changed_at)


def _entry(row: AnyRow, list_type: ListType) -> SavedListEntry:
    is_sponsor = list_type == "sponsor"
    return SavedListEntry(
        sponsor=sponsor_ref(row) if is_sponsor else None,
        youtuber=None if is_sponsor else youtuber_ref(row),
        added_at=row.added_at,
    )
