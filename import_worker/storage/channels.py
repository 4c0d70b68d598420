"""The channels that were imported, and the times of their refreshes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import TextClause, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.imports import Import
from import_worker.domain.ports import FeedCheck, KnownChannel
from import_worker.storage.tables import import_requests
from import_worker.storage.tables import imported_channels as table


def _followed(due_at: str, condition: str) -> TextClause:
    """Return the query of followed channels that are due, by the column that says when, one of each account in turn.

    A channel that several accounts follow has the earliest of their turns.
    """
    return text(
        f"""
        SELECT channels.* FROM imported_channels AS channels JOIN (
            SELECT channel_id, min(turn) AS turn FROM (
                SELECT channel_id, row_number() OVER (
                    PARTITION BY follows.account_id ORDER BY {due_at} NULLS FIRST, channel_id
                ) AS turn
                FROM follows JOIN imported_channels USING (channel_id)
                WHERE NOT follows.paused AND {condition}
            ) AS turns GROUP BY channel_id
        ) AS due USING (channel_id)
        ORDER BY due.turn, {due_at} NULLS FIRST, channel_id LIMIT :limit
        """  # noqa: S608 - constants alone
    )


_REFRESHES_DUE: Final = _followed("next_refresh_at", "next_refresh_at <= :now")
_CHECKS_DUE: Final = _followed("next_check_at", "(next_check_at IS NULL OR next_check_at <= :now)")


class PostgresChannels:
    """The part of `ImportStore` that is about channels, on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def known_channel(self, reference: str) -> KnownChannel | None:
        query = (
            select(table)
            .where(or_(table.c.channel_id == reference, table.c.reference == reference))
            .order_by(table.c.last_import_at.desc())
            .limit(1)
        )
        row = (await self._connection.execute(query)).first()
        return None if row is None else _channel_of(row)

    async def imported(self, import_: Import, next_refresh_at: datetime | None) -> None:
        first = (
            select(import_requests.c.account_id)
            .where(import_requests.c.import_id == import_.import_id)
            .order_by(import_requests.c.id)
            .limit(1)
            .scalar_subquery()
        )
        insertion = insert(table).values(
            channel_id=import_.channel_id,
            reference=import_.reference,
            title=import_.title,
            account_id=first,
            last_import_at=import_.finished_at,
            next_refresh_at=next_refresh_at,
        )
        changes = {
            "reference": insertion.excluded.reference,
            "title": insertion.excluded.title,
            "account_id": func.coalesce(table.c.account_id, insertion.excluded.account_id),
            "last_import_at": insertion.excluded.last_import_at,
            "next_refresh_at": insertion.excluded.next_refresh_at,
        }
        await self._connection.execute(
            insertion.on_conflict_do_update(index_elements=["channel_id"], set_=changes)
        )

    async def due(self, now: datetime, limit: int) -> Sequence[KnownChannel]:
        return await self._due(_REFRESHES_DUE, now, limit)

    async def unchecked(self, now: datetime, limit: int) -> Sequence[KnownChannel]:
        return await self._due(_CHECKS_DUE, now, limit)

    async def _due(self, query: TextClause, now: datetime, limit: int) -> Sequence[KnownChannel]:
        rows = await self._connection.execute(query, {"now": now, "limit": limit})
        return [_channel_of(row) for row in rows]

    async def checked(self, channel_id: str, check: FeedCheck) -> None:
        changes: dict[str, object] = {
            "next_check_at": check.next_check_at,
            "check_problem": check.problem,
        }
        if check.problem is None:
            changes["last_check_at"] = check.at
        statement = update(table).where(table.c.channel_id == channel_id)
        await self._connection.execute(statement.values(changes))

    async def stop_refreshes(self, channel_id: str) -> None:
        statement = update(table).where(table.c.channel_id == channel_id)
        await self._connection.execute(statement.values(next_refresh_at=None))

    async def put_off(self, channel: KnownChannel, next_refresh_at: datetime | None) -> bool:
        statement = (
            update(table)
            .where(
                table.c.channel_id == channel.channel_id,
                table.c.next_refresh_at == channel.next_refresh_at,
            )
            .values(next_refresh_at=next_refresh_at)
            .returning(table.c.channel_id)
        )
        return (await self._connection.execute(statement)).first() is not None


def _channel_of(row: Any) -> KnownChannel:
    return KnownChannel(
        row.channel_id, row.reference, row.title, row.next_refresh_at, row.last_import_at
    )
