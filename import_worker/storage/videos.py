"""The videos that imports read."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.ports import StoredVideo
from import_worker.storage.rows import video_of, video_values
from import_worker.storage.tables import imported_videos as table


class PostgresVideoStore:
    """`VideoStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def stored(self, video_ids: Sequence[str]) -> Sequence[StoredVideo]:
        query = select(table).where(table.c.video_id.in_(video_ids))
        return [video_of(row) for row in await self._connection.execute(query)]

    async def descriptions(self, channel_id: str, limit: int) -> Sequence[tuple[str, str]]:
        query = (
            select(table.c.video_id, table.c.description)
            .where(table.c.channel_id == channel_id)
            .order_by(table.c.published_at.desc(), table.c.video_id)
            .limit(limit)
        )
        return [(row.video_id, row.description) for row in await self._connection.execute(query)]

    async def page(
        self, channel_id: str, after: str, limit: int, outdated: str | None
    ) -> Sequence[StoredVideo]:
        query = (
            select(table)
            .where(table.c.channel_id == channel_id, table.c.video_id > after)
            .order_by(table.c.video_id)
            .limit(limit)
        )
        if outdated is not None:
            query = query.where(table.c.detector_version != outdated)
        return [video_of(row) for row in await self._connection.execute(query)]

    async def main_category(self, channel_id: str) -> int | None:
        query = (
            select(table.c.category)
            .where(table.c.channel_id == channel_id, table.c.category.is_not(None))
            .group_by(table.c.category)
            .order_by(func.count().desc(), table.c.category)
            .limit(1)
        )
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def outdated_channels(self, version: str, limit: int) -> Sequence[str]:
        query = (
            select(table.c.channel_id)
            .where(table.c.detector_version != version)
            .distinct()
            .limit(limit)
        )
        return (await self._connection.execute(query)).scalars().all()

    async def save(self, videos: Sequence[StoredVideo]) -> None:
        if not videos:
            return
        insertion = insert(table)
        changes: dict[str, ColumnElement[Any]] = {
            c.name: insertion.excluded[c.name] for c in table.c if c.name != "video_id"
        }
        # Who did not answer this time has not said that there are none.
        changes["sponsor_segments"] = func.coalesce(
            insertion.excluded.sponsor_segments, table.c.sponsor_segments
        )
        statement = insertion.on_conflict_do_update(index_elements=["video_id"], set_=changes)
        rows = sorted((video_values(video) for video in videos), key=lambda row: row["video_id"])
        await self._connection.execute(statement, rows)

    async def remove(self, video_ids: Sequence[str]) -> None:
        if video_ids:
            await self._connection.execute(delete(table).where(table.c.video_id.in_(video_ids)))
