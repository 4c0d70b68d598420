"""The channels that were imported, and the times of their refreshes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.imports import Import
from import_worker.domain.ports import KnownChannel
from import_worker.storage.tables import import_requests
from import_worker.storage.tables import imported_channels as table


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
        query = (
            select(table)
            .where(table.c.next_refresh_at <= now)
            .order_by(table.c.next_refresh_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return [_channel_of(row) for row in await self._connection.execute(query)]

    async def unchecked(self, now: datetime, limit: int) -> Sequence[KnownChannel]:
        longest_due = (table.c.next_check_at.asc().nulls_first(), table.c.channel_id)
        turn = func.row_number().over(partition_by=table.c.account_id, order_by=longest_due)
        query = (
            select(table)
            .where(or_(table.c.next_check_at.is_(None), table.c.next_check_at <= now))
            .order_by(turn, *longest_due)
            .limit(limit)
        )
        return [_channel_of(row) for row in await self._connection.execute(query)]

    async def checked(self, channel_id: str, next_check_at: datetime) -> None:
        statement = update(table).where(table.c.channel_id == channel_id)
        await self._connection.execute(statement.values(next_check_at=next_check_at))

    async def put_off(self, channel_id: str, next_refresh_at: datetime | None) -> None:
        statement = update(table).where(table.c.channel_id == channel_id)
        await self._connection.execute(statement.values(next_refresh_at=next_refresh_at))


def _channel_of(row: Any) -> KnownChannel:
    return KnownChannel(
        row.channel_id, row.reference, row.title, row.next_refresh_at, row.last_import_at
    )
