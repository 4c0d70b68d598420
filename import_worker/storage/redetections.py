"""Runs of the detector over stored videos, and what they changed."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import delete, func, insert, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from import_worker.domain.redetection import (
    ChannelProgress,
    RedetectionRun,
    RunTotals,
    SponsorshipChange,
)
from import_worker.storage.tables import (
    detection_run_changes,
    detection_run_channels,
    detection_runs,
    imported_videos,
)
from shapes.imports import BrandChanges

_UNFINISHED: Final = text("state IN ('queued', 'running')")
_NEXT: Final = text(
    """
    UPDATE detection_run_channels SET state = 'queued'
    WHERE run_id = :run_id AND channel_id = (
        SELECT channel_id FROM detection_run_channels
        WHERE run_id = :run_id AND state = 'pending'
        ORDER BY channel_id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING channel_id
    """
)
_TOTALS: Final = text(
    """
    SELECT count(*) AS channels,
        count(*) FILTER (WHERE state = 'done') AS channels_done,
        count(*) FILTER (WHERE state = 'failed') AS channels_failed,
        coalesce(sum(videos_total), 0) AS videos,
        coalesce(sum(videos_done), 0) AS videos_done,
        coalesce(sum(videos_incomparable), 0) AS videos_incomparable
    FROM detection_run_channels WHERE run_id = :run_id
    """
)
_CHANGES: Final = text(
    """
    SELECT count(DISTINCT video_id) AS videos_changed,
        count(*) FILTER (WHERE change = 'added') AS added,
        count(*) FILTER (WHERE change = 'removed') AS removed,
        count(*) FILTER (WHERE change = 'changed') AS changed
    FROM detection_run_changes WHERE run_id = :run_id
    """
)
_BRANDS: Final = text(
    """
    SELECT slug, max(name) AS name,
        count(*) FILTER (WHERE change = 'added') AS added,
        count(*) FILTER (WHERE change = 'removed') AS removed,
        count(*) FILTER (WHERE change = 'changed') AS changed
    FROM detection_run_changes WHERE run_id = :run_id
    GROUP BY slug ORDER BY count(*) DESC, slug LIMIT :limit
    """
)


class PostgresRedetections:
    """`RedetectionStore` on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, run: RedetectionRun) -> bool:
        statement = (
            pg_insert(detection_runs)
            .values(
                id=run.run_id,
                dry_run=run.dry_run,
                only_outdated=run.only_outdated,
                automatic=run.automatic,
                state=run.state,
                created_at=run.created_at,
            )
            .on_conflict_do_nothing()
            .returning(detection_runs.c.id)
        )
        return (await self._connection.execute(statement)).first() is not None

    async def get(self, run_id: str | None, *, lock: bool = False) -> RedetectionRun | None:
        table = detection_runs
        query = select(table).order_by(table.c.created_at.desc(), table.c.id).limit(1)
        if run_id is not None:
            query = query.where(table.c.id == run_id)
        return await self._run(query.with_for_update() if lock else query)

    async def unfinished(self) -> RedetectionRun | None:
        return await self._run(select(detection_runs).where(_UNFINISHED))

    async def change(self, run: RedetectionRun) -> None:
        statement = update(detection_runs).where(detection_runs.c.id == run.run_id)
        await self._connection.execute(
            statement.values(
                state=run.state,
                detector_version=run.detector_version,
                finished_at=run.finished_at,
            )
        )

    async def prune(self, stored: int) -> None:
        table = detection_runs
        newest = select(table.c.id).order_by(table.c.created_at.desc()).limit(stored)
        await self._connection.execute(delete(table).where(table.c.id.not_in(newest)))

    async def plan(self, run_id: str, outdated: str | None) -> None:
        videos = imported_videos
        query = select(
            literal(run_id).label("run_id"),
            videos.c.channel_id,
            literal("pending").label("state"),
            func.count(),
        ).group_by(videos.c.channel_id)
        if outdated is not None:
            query = query.where(videos.c.detector_version != outdated)
        names = ["run_id", "channel_id", "state", "videos_total"]
        await self._connection.execute(insert(detection_run_channels).from_select(names, query))

    async def next_channel(self, run_id: str) -> str | None:
        return (await self._connection.execute(_NEXT, {"run_id": run_id})).scalar_one_or_none()

    async def has_open_channels(self, run_id: str) -> bool:
        table = detection_run_channels
        query = (
            select(table.c.channel_id)
            .where(table.c.run_id == run_id, table.c.state.in_(("pending", "queued")))
            .limit(1)
        )
        return (await self._connection.execute(query)).first() is not None

    async def channel(self, run_id: str, channel_id: str) -> ChannelProgress | None:
        table = detection_run_channels
        query = select(table).where(table.c.run_id == run_id, table.c.channel_id == channel_id)
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return ChannelProgress(
            channel_id=row.channel_id,
            state=row.state,
            after_video=row.after_video,
            videos_done=row.videos_done,
            videos_incomparable=row.videos_incomparable,
        )

    async def record(
        self, run_id: str, progress: ChannelProgress, changes: Sequence[SponsorshipChange]
    ) -> None:
        table = detection_run_channels
        await self._connection.execute(
            update(table)
            .where(table.c.run_id == run_id, table.c.channel_id == progress.channel_id)
            .values(
                after_video=progress.after_video,
                videos_done=progress.videos_done,
                videos_incomparable=progress.videos_incomparable,
            )
        )
        if changes:
            rows = [
                {
                    "run_id": run_id,
                    "video_id": change.video_id,
                    "slug": change.slug,
                    "name": change.name,
                    "change": change.change,
                }
                for change in changes
            ]
            statement = pg_insert(detection_run_changes).on_conflict_do_nothing()
            await self._connection.execute(statement, rows)

    async def finish_channel(self, run_id: str, channel_id: str, failure: str | None) -> None:
        table = detection_run_channels
        await self._connection.execute(
            update(table)
            .where(table.c.run_id == run_id, table.c.channel_id == channel_id)
            .values(state="failed" if failure else "done", failure=failure)
        )

    async def totals(self, run_id: str) -> RunTotals:
        values = {"run_id": run_id}
        counts = (await self._connection.execute(_TOTALS, values)).one()
        changes = (await self._connection.execute(_CHANGES, values)).one()
        return RunTotals(
            channels=counts.channels,
            channels_done=counts.channels_done,
            channels_failed=counts.channels_failed,
            videos=counts.videos,
            videos_done=counts.videos_done,
            videos_incomparable=counts.videos_incomparable,
            videos_changed=changes.videos_changed,
            added=changes.added,
            removed=changes.removed,
            changed=changes.changed,
        )

    async def brands(self, run_id: str, limit: int) -> Sequence[BrandChanges]:
        rows = await self._connection.execute(_BRANDS, {"run_id": run_id, "limit": limit})
        return [
            BrandChanges(row.slug, row.name, row.added, row.removed, row.changed) for row in rows
        ]

    async def _run(self, query: Any) -> RedetectionRun | None:
        row = (await self._connection.execute(query)).first()
        if row is None:
            return None
        return RedetectionRun(
            run_id=row.id,
            dry_run=row.dry_run,
            only_outdated=row.only_outdated,
            automatic=row.automatic,
            state=row.state,
            created_at=row.created_at,
            detector_version=row.detector_version,
            finished_at=row.finished_at,
        )
