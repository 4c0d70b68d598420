"""The `ImportStore` in Postgres."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, Final

import procrastinate
from sqlalchemy import delete, select, text, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from import_worker.domain.bulk_imports import BulkImportStore
from import_worker.domain.follows import FollowStore
from import_worker.domain.imports import Import
from import_worker.domain.ports import (
    REFUSED,
    JobQueue,
    ReaderStore,
    StoreUnavailable,
    VideoStore,
)
from import_worker.domain.redetection import RedetectionStore
from import_worker.storage.bulk_imports import PostgresBulkImports
from import_worker.storage.channels import PostgresChannels
from import_worker.storage.follows import PostgresFollows
from import_worker.storage.locks import lock_name
from import_worker.storage.queue import ProcrastinateQueue
from import_worker.storage.reader import PostgresReaderStore
from import_worker.storage.redetections import PostgresRedetections
from import_worker.storage.requests import UNFINISHED, PostgresRequests
from import_worker.storage.rows import import_of, import_values
from import_worker.storage.tables import (
    import_brands,
    import_videos,
    imports,
)
from import_worker.storage.videos import PostgresVideoStore
from shapes.imports import FoundBrand

_COUNT: Final = text(
    """
    UPDATE imports SET (videos_seen, sponsorships) = (
        SELECT count(*), coalesce(sum(cardinality(videos.brand_slugs)), 0)
        FROM import_videos AS seen JOIN imported_videos AS videos USING (video_id)
        WHERE seen.import_id = :import_id
    ) WHERE id = :import_id
    """
)
_REFUSALS: Final = text(
    """
    SELECT substr(videos.found, length(:prefix) + 1) AS reason, count(*) AS videos
    FROM import_videos AS seen JOIN imported_videos AS videos USING (video_id)
    WHERE seen.import_id = :import_id AND starts_with(videos.found, :prefix)
    GROUP BY reason ORDER BY videos DESC, reason LIMIT 3
    """
)
_READ_BEFORE: Final = text(
    "SELECT count(*) FROM import_videos AS seen JOIN imported_videos AS videos USING (video_id) "
    "WHERE seen.import_id = :import_id AND videos.read_at < :moment"
)
_UNSEEN: Final = text(
    """
    SELECT video_id FROM imported_videos AS videos
    WHERE channel_id = :channel_id AND video_id > :after
      AND (CAST(:since AS timestamptz) IS NULL OR published_at >= :since)
      AND (:is_all OR published_at >= (
        SELECT min(published_at) FROM import_videos JOIN imported_videos USING (video_id) WHERE import_id = :import_id))
      AND NOT EXISTS (
        SELECT 1 FROM import_videos AS seen WHERE seen.import_id = :import_id AND seen.video_id = videos.video_id)
    ORDER BY video_id LIMIT :limit
    """
)
_BRANDS: Final = text(
    """
    INSERT INTO import_brands (import_id, slug, name, videos)
    SELECT :import_id, brand.slug, max(brand.name), count(*)
    FROM import_videos AS seen JOIN imported_videos AS videos USING (video_id),
        unnest(videos.brand_slugs, videos.brand_names) AS brand (slug, name)
    WHERE seen.import_id = :import_id
    GROUP BY brand.slug
    """
)


class PostgresImportStore(PostgresChannels, PostgresRequests):
    """`ImportStore` on one connection."""

    def __init__(self, connection: AsyncConnection, app: procrastinate.App) -> None:
        super().__init__(connection)
        self._jobs = ProcrastinateQueue(connection, app)
        self._videos = PostgresVideoStore(connection)
        self._redetections = PostgresRedetections(connection)
        self._reader = PostgresReaderStore(connection)
        self._bulk = PostgresBulkImports(connection)
        self._follows = PostgresFollows(connection)

    @property
    def jobs(self) -> JobQueue:
        return self._jobs

    @property
    def videos(self) -> VideoStore:
        return self._videos

    @property
    def redetections(self) -> RedetectionStore:
        return self._redetections

    @property
    def reader(self) -> ReaderStore:
        return self._reader

    @property
    def bulk(self) -> BulkImportStore:
        return self._bulk

    @property
    def follows(self) -> FollowStore:
        return self._follows

    async def lock(self, name: str) -> None:
        await lock_name(self._connection, name)

    async def add(self, import_: Import) -> bool:
        statement = (
            pg_insert(imports)
            .values(
                id=import_.import_id,
                channel_id=import_.channel_id,
                reference=import_.reference,
                created_at=import_.created_at,
                **import_values(import_),
            )
            .on_conflict_do_nothing(
                index_elements=["channel_id"],
                index_where=UNFINISHED,
            )
            .returning(imports.c.id)
        )
        return (await self._connection.execute(statement)).first() is not None

    async def change(self, import_: Import) -> None:
        statement = update(imports).where(imports.c.id == import_.import_id)
        await self._connection.execute(statement.values(**import_values(import_)))

    async def get(self, import_id: str, *, lock: bool = False) -> Import | None:
        query = select(imports).where(imports.c.id == import_id)
        return await self._import(query.with_for_update() if lock else query)

    async def unfinished(self, channel_id: str) -> Import | None:
        query = select(imports).where(imports.c.channel_id == channel_id, UNFINISHED)
        return await self._import(query.with_for_update())

    async def _import(self, query: Any) -> Import | None:
        row = (await self._connection.execute(query)).first()
        return None if row is None else import_of(row)

    async def brands(self, import_id: str, limit: int) -> Sequence[FoundBrand]:
        table = import_brands
        query = (
            select(table)
            .where(table.c.import_id == import_id)
            .order_by(table.c.videos.desc(), table.c.slug)
            .limit(limit)
        )
        rows = await self._connection.execute(query)
        return [FoundBrand(row.slug, row.name, row.videos) for row in rows]

    async def see(self, import_id: str, video_ids: Sequence[str]) -> None:
        if not video_ids:
            return
        rows = [{"import_id": import_id, "video_id": item} for item in sorted(set(video_ids))]
        await self._connection.execute(pg_insert(import_videos).on_conflict_do_nothing(), rows)

    async def unseen_videos(self, import_: Import, after: str, limit: int) -> Sequence[str]:
        values = {
            "import_id": import_.import_id,
            "channel_id": import_.channel_id,
            "after": after,
            "limit": limit,
            "since": import_.bounds.since,
            "is_all": import_.bounds.max_videos is None,
        }
        return (await self._connection.execute(_UNSEEN, values)).scalars().all()

    async def recount(self, import_id: str) -> None:
        await self._connection.execute(_COUNT, {"import_id": import_id})
        table = import_brands
        await self._connection.execute(delete(table).where(table.c.import_id == import_id))
        await self._connection.execute(_BRANDS, {"import_id": import_id})

    async def refusals(self, import_id: str) -> Sequence[tuple[str, int]]:
        rows = await self._connection.execute(
            _REFUSALS, {"import_id": import_id, "prefix": REFUSED}
        )
        return [(row.reason, row.videos) for row in rows]

    async def read_before(self, import_id: str, moment: datetime) -> int:
        values = {"import_id": import_id, "moment": moment}
        return (await self._connection.execute(_READ_BEFORE, values)).scalar_one()

    async def clear_seen_videos(self, import_id: str) -> None:
        table = import_videos
        await self._connection.execute(delete(table).where(table.c.import_id == import_id))


def transactions(
    engine: AsyncEngine, app: procrastinate.App
) -> Callable[[], AbstractAsyncContextManager[PostgresImportStore]]:
    """Open stores on `engine`; an absent database is `Unavailable`, here and nowhere else."""

    @asynccontextmanager
    async def transaction() -> AsyncGenerator[PostgresImportStore]:
        try:
            async with engine.begin() as connection:
                yield PostgresImportStore(connection, app)
        except (OperationalError, InterfaceError, PoolTimeout) as error:
            raise StoreUnavailable(
                "Imports cannot be read now. Try again in a few seconds.", retry_after=2
            ) from error

    return transaction
