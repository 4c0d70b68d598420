"""Videos looked at by day, sponsored or not: the ingest adds what a batch changed."""

from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage.rollups.changes import Changes
from catalog_service.storage.rollups.growth import grow

_CHANGED: Final = "WITH changed AS (SELECT * FROM unnest(CAST(:days AS date[]), CAST(:videos AS bigint[])) AS changed(day, videos))"
_GROW: Final = text(
    f"{_CHANGED}{grow('video_days', 'day', 'videos', 'grown AS (SELECT * FROM changed)')} SELECT 1"  # noqa: S608 - names of ours
)


async def advance(connection: AsyncConnection, changes: Changes) -> None:
    """Bring the counts up to date."""
    grown = changes.grown_days()
    if grown["days"]:
        await connection.execute(_GROW, grown)
