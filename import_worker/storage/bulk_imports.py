"""Bulk imports and their channels."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.bulk_imports import BulkChannel, BulkImport, BulkTotals
from import_worker.domain.imports import Bounds
from import_worker.storage.tables import bulk_import_channels, bulk_imports

# The channels of a bulk import with their states. An import that its account has cancelled goes on
# for others: for this account it is cancelled.
_CHANNELS: Final = """
    SELECT c.position, c.reference, c.channel_id, c.import_id, c.attempts, c.failure,
        coalesce(i.title, c.title) AS title,
        coalesce(i.videos_seen, 0) AS videos_seen, coalesce(i.sponsorships, 0) AS sponsorships,
        coalesce(c.failure, i.message, '') AS message,
        CASE WHEN c.failure IS NOT NULL THEN 'failed'
            WHEN i.id IS NULL AND b.cancelled_at IS NOT NULL THEN 'cancelled'
            WHEN i.id IS NULL THEN 'queued'
            WHEN i.finished_at IS NULL AND NOT EXISTS (
                SELECT FROM import_requests AS r
                WHERE r.import_id = i.id AND r.account_id = b.account_id AND r.cancelled_at IS NULL
            ) THEN 'cancelled'
            ELSE i.state
        END AS state
    FROM bulk_imports AS b
    JOIN bulk_import_channels AS c ON c.bulk_import_id = b.id
    LEFT JOIN imports AS i ON i.id = c.import_id
    WHERE b.id = :bulk_import_id
"""
_PAGE: Final = text(
    f"""
    SELECT * FROM ({_CHANNELS}) AS channels
    WHERE position > :after AND (CAST(:state AS text) IS NULL OR state = :state)
    ORDER BY position LIMIT :limit
    """  # noqa: S608 - constants alone
)
_TOTALS: Final = text(
    f"""
    WITH channels AS ({_CHANNELS}), distinct_imports AS (
        SELECT DISTINCT ON (import_id) videos_seen, sponsorships FROM channels
        WHERE import_id IS NOT NULL ORDER BY import_id
    )
    SELECT count(*) AS channels,
        count(*) FILTER (WHERE state = 'done') AS done,
        count(*) FILTER (WHERE state = 'failed') AS failed,
        count(*) FILTER (WHERE state = 'cancelled') AS cancelled,
        count(*) FILTER (
            WHERE state IN ('queued', 'running', 'waiting') AND import_id IS NOT NULL
        ) AS under_way,
        (SELECT coalesce(sum(videos_seen), 0) FROM distinct_imports) AS videos_seen,
        (SELECT coalesce(sum(sponsorships), 0) FROM distinct_imports) AS sponsorships,
        count(import_id) - count(DISTINCT import_id) AS repeated
    FROM channels
    """  # noqa: S608 - constants alone
)
_UNDER_WAY: Final = text(
    f"""
    SELECT DISTINCT import_id FROM ({_CHANNELS}) AS channels
    WHERE import_id IS NOT NULL AND state IN ('queued', 'running', 'waiting') ORDER BY import_id
    """  # noqa: S608 - constants alone
)
_NEXT: Final = text(
    f"""
    SELECT * FROM ({_CHANNELS}) AS channels
    WHERE import_id IS NULL AND state = 'queued' ORDER BY position LIMIT 1
    """  # noqa: S608 - constants alone
)
_FOLLOWERS: Final = text(
    """
    SELECT id FROM bulk_imports
    WHERE finished_at IS NULL AND account_id IN (
        SELECT account_id FROM import_requests WHERE import_id = :import_id
    )
    ORDER BY id FOR UPDATE
    """
)


class PostgresBulkImports:
    """`BulkImportStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, bulk: BulkImport, references: Sequence[str]) -> None:
        await self._connection.execute(
            insert(bulk_imports).values(
                id=bulk.bulk_import_id,
                account_id=bulk.account_id,
                idempotency_key=bulk.idempotency_key,
                since=bulk.bounds.since,
                max_videos=bulk.bounds.max_videos,
                max_concurrent=bulk.max_concurrent,
                max_followed=bulk.max_followed,
                created_at=bulk.created_at,
            )
        )
        rows = [
            {"bulk_import_id": bulk.bulk_import_id, "position": position, "reference": reference}
            for position, reference in enumerate(references, start=1)
        ]
        await self._connection.execute(insert(bulk_import_channels), rows)

    async def get(self, bulk_import_id: str, *, lock: bool = False) -> BulkImport | None:
        query = select(bulk_imports).where(bulk_imports.c.id == bulk_import_id)
        return await self._first(query.with_for_update() if lock else query)

    async def change(self, bulk: BulkImport) -> None:
        statement = update(bulk_imports).where(bulk_imports.c.id == bulk.bulk_import_id)
        await self._connection.execute(
            statement.values(
                cancelled_at=bulk.cancelled_at,
                finished_at=bulk.finished_at,
                retry_at=bulk.retry_at,
            )
        )

    async def by_key(self, account_id: str, idempotency_key: str) -> BulkImport | None:
        table = bulk_imports
        return await self._first(
            select(table).where(
                table.c.account_id == account_id, table.c.idempotency_key == idempotency_key
            )
        )

    async def unfinished(self, account_id: str) -> BulkImport | None:
        table = bulk_imports
        return await self._first(
            select(table).where(table.c.account_id == account_id, table.c.finished_at.is_(None))
        )

    async def newest(self, account_id: str, limit: int) -> Sequence[BulkImport]:
        table = bulk_imports
        query = (
            select(table)
            .where(table.c.account_id == account_id)
            .order_by(table.c.created_at.desc(), table.c.id)
            .limit(limit)
        )
        return [_bulk_of(row) for row in await self._connection.execute(query)]

    async def totals(self, bulk_import_id: str) -> BulkTotals:
        row = (await self._connection.execute(_TOTALS, {"bulk_import_id": bulk_import_id})).one()
        return BulkTotals(
            channels=row.channels,
            done=row.done,
            failed=row.failed,
            cancelled=row.cancelled,
            under_way=row.under_way,
            videos_seen=int(row.videos_seen),
            sponsorships=int(row.sponsorships),
            repeated=row.repeated,
        )

    async def channels(
        self, bulk_import_id: str, after: int, limit: int, state: str | None
    ) -> Sequence[BulkChannel]:
        values = {"bulk_import_id": bulk_import_id, "after": after, "limit": limit, "state": state}
        return [_channel_of(row) for row in await self._connection.execute(_PAGE, values)]

    async def next_channel(self, bulk_import_id: str) -> BulkChannel | None:
        row = (await self._connection.execute(_NEXT, {"bulk_import_id": bulk_import_id})).first()
        return None if row is None else _channel_of(row)

    async def under_way(self, bulk_import_id: str) -> Sequence[str]:
        found = await self._connection.execute(_UNDER_WAY, {"bulk_import_id": bulk_import_id})
        return found.scalars().all()

    async def import_of(self, bulk_import_id: str, channel_id: str) -> str | None:
        table = bulk_import_channels
        query = select(table.c.import_id).where(
            table.c.bulk_import_id == bulk_import_id,
            table.c.channel_id == channel_id,
            table.c.import_id.is_not(None),
        )
        return (await self._connection.execute(query.limit(1))).scalar_one_or_none()

    async def record_import(
        self, bulk_import_id: str, position: int, channel_id: str, title: str, import_id: str
    ) -> None:
        await self._set(
            bulk_import_id, position, channel_id=channel_id, title=title, import_id=import_id
        )

    async def record_failure(self, bulk_import_id: str, position: int, why: str) -> None:
        await self._set(bulk_import_id, position, failure=why)

    async def put_off(self, bulk_import_id: str, position: int) -> None:
        await self._set(bulk_import_id, position, attempts=bulk_import_channels.c.attempts + 1)

    async def followers(self, import_id: str) -> Sequence[str]:
        found = await self._connection.execute(_FOLLOWERS, {"import_id": import_id})
        return found.scalars().all()

    async def all_unfinished(self) -> Sequence[str]:
        query = select(bulk_imports.c.id).where(bulk_imports.c.finished_at.is_(None))
        return (await self._connection.execute(query)).scalars().all()

    async def _set(self, bulk_import_id: str, position: int, **values: object) -> None:
        table = bulk_import_channels
        statement = update(table).where(
            table.c.bulk_import_id == bulk_import_id, table.c.position == position
        )
        await self._connection.execute(statement.values(**values))

    async def _first(self, query: Any) -> BulkImport | None:
        row = (await self._connection.execute(query)).first()
        return None if row is None else _bulk_of(row)


def _bulk_of(row: Any) -> BulkImport:
    return BulkImport(
        bulk_import_id=row.id,
        account_id=row.account_id,
        idempotency_key=row.idempotency_key,
        bounds=Bounds(row.since, row.max_videos),
        max_concurrent=row.max_concurrent,
        max_followed=row.max_followed,
        created_at=row.created_at,
        cancelled_at=row.cancelled_at,
        finished_at=row.finished_at,
        retry_at=row.retry_at,
    )


def _channel_of(row: Any) -> BulkChannel:
    return BulkChannel(
        position=row.position,
        reference=row.reference,
        state=row.state,
        channel_id=row.channel_id,
        title=row.title,
        import_id=row.import_id,
        videos_seen=row.videos_seen,
        sponsorships=row.sponsorships,
        message=row.message,
        attempts=row.attempts,
    )
