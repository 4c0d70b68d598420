"""The channels that accounts follow."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, exists, func, select, text, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.follows import Follow, Follower, FollowPosition
from import_worker.storage.locks import lock_name
from import_worker.storage.requests import UNFINISHED
from import_worker.storage.tables import (
    bulk_imports,
    follows,
    import_requests,
    imported_channels,
    imports,
)

_LIMIT: Final = text(
    """
    UPDATE follows SET paused = ranked.place > :max_followed
    FROM (
        SELECT channel_id, row_number() OVER (ORDER BY created_at, channel_id) AS place
        FROM follows WHERE account_id = :account_id
    ) AS ranked
    WHERE follows.account_id = :account_id AND follows.channel_id = ranked.channel_id
        AND follows.paused <> (ranked.place > :max_followed)
    """
)
_ADD_IMPORTED: Final = text(
    """
    INSERT INTO follows (account_id, channel_id, created_at)
    SELECT :account_id, :channel_id, :at WHERE (
        SELECT count(*) FROM follows WHERE account_id = :account_id
    ) < (
        SELECT max(max_followed) FROM import_requests
        WHERE import_id = :import_id AND account_id = :account_id AND cancelled_at IS NULL
    )
    ON CONFLICT DO NOTHING
    """
)
_SELECT: Final = select(
    follows,
    imported_channels.c.title,
    imported_channels.c.last_import_at,
    imported_channels.c.last_check_at,
    imported_channels.c.next_check_at,
    imported_channels.c.check_problem,
).join(imported_channels, imported_channels.c.channel_id == follows.c.channel_id)
_FOLLOWER: Final = (
    follows.c.account_id,
    func.count().label("total"),
    func.count().filter(follows.c.paused).label("paused"),
)


class PostgresFollows:
    """`FollowStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lock(self, account_id: str) -> None:
        await lock_name(self._connection, f"follows:{account_id}")

    async def get(self, account_id: str, channel_id: str) -> Follow | None:
        row = (await self._connection.execute(_SELECT.where(_is(account_id, channel_id)))).first()
        return None if row is None else _follow_of(row)

    async def add(self, account_id: str, channel_id: str, at: datetime) -> None:
        values = {"account_id": account_id, "channel_id": channel_id, "created_at": at}
        await self._connection.execute(insert(follows).values(values).on_conflict_do_nothing())

    async def remove(self, account_id: str, channel_id: str) -> bool:
        statement = delete(follows).where(_is(account_id, channel_id))
        removed = await self._connection.execute(statement.returning(follows.c.channel_id))
        under_way = select(imports.c.id).where(imports.c.channel_id == channel_id, UNFINISHED)
        table = import_requests
        left = await self._connection.execute(
            update(table)
            .where(
                table.c.account_id == account_id,
                table.c.import_id.in_(under_way),
                table.c.max_followed > 0,
            )
            .values(max_followed=0)
            .returning(table.c.id)
        )
        return removed.first() is not None or left.first() is not None

    async def follower(self, account_id: str) -> Follower:
        query = (
            select(*_FOLLOWER)
            .where(follows.c.account_id == account_id)
            .group_by(follows.c.account_id)
        )
        row = (await self._connection.execute(query)).first()
        return Follower(account_id, 0, 0) if row is None else Follower(*row)

    async def pending(self, account_id: str) -> int:
        is_followed = exists().where(_is(account_id, imports.c.channel_id))
        query = (
            select(func.count(imports.c.channel_id.distinct()))
            .join(import_requests, import_requests.c.import_id == imports.c.id)
            .where(
                UNFINISHED,
                import_requests.c.account_id == account_id,
                import_requests.c.cancelled_at.is_(None),
                import_requests.c.max_followed > 0,
                ~is_followed,
            )
        )
        return (await self._connection.execute(query)).scalar_one()

    async def page(
        self, account_id: str, before: FollowPosition | None, limit: int
    ) -> Sequence[Follow]:
        query = _SELECT.where(follows.c.account_id == account_id)
        if before is not None:
            position = tuple_(follows.c.created_at, follows.c.channel_id)
            query = query.where(position < tuple_(before.created_at, before.channel_id))
        query = query.order_by(follows.c.created_at.desc(), follows.c.channel_id.desc())
        return [_follow_of(row) for row in await self._connection.execute(query.limit(limit))]

    async def limit(self, account_id: str, max_followed: int) -> None:
        await self._connection.execute(
            _LIMIT, {"account_id": account_id, "max_followed": max_followed}
        )

    async def remove_all(self, account_id: str) -> None:
        await self._connection.execute(delete(follows).where(follows.c.account_id == account_id))
        for table in (import_requests, bulk_imports):
            await self._connection.execute(
                update(table).where(table.c.account_id == account_id).values(max_followed=0)
            )

    async def followers(self, after: str, limit: int) -> Sequence[Follower]:
        query = (
            select(*_FOLLOWER)
            .where(follows.c.account_id > after)
            .group_by(follows.c.account_id)
            .order_by(follows.c.account_id)
            .limit(limit)
        )
        return [Follower(*row) for row in await self._connection.execute(query)]

    async def importers(self, import_id: str) -> Sequence[str]:
        table = import_requests
        query = (
            select(table.c.account_id)
            .where(table.c.import_id == import_id, table.c.cancelled_at.is_(None))
            .distinct()
            .order_by(table.c.account_id)
        )
        return (await self._connection.execute(query)).scalars().all()

    async def add_imported(
        self, account_id: str, channel_id: str, import_id: str, at: datetime
    ) -> None:
        values = {
            "account_id": account_id,
            "channel_id": channel_id,
            "import_id": import_id,
            "at": at,
        }
        await self._connection.execute(_ADD_IMPORTED, values)


def _is(account_id: str, channel_id: str | ColumnElement[str]) -> ColumnElement[bool]:
    return (follows.c.account_id == account_id) & (follows.c.channel_id == channel_id)


def _follow_of(row: Any) -> Follow:
    return Follow(
        row.account_id,
        row.channel_id,
        row.title,
        row.created_at,
        row.paused,
        row.last_import_at,
        row.last_check_at,
        row.next_check_at,
        row.check_problem,
    )
