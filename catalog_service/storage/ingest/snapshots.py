"""Snapshots of videos: what was observed of each on a day, thinned after each observation."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import ARRAY, Text, TextClause, bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.snapshots import retained
from catalog_service.storage.ingest import facts
from catalog_service.storage.tables import video_snapshots, videos
from shapes.catalog.ingest import VideoFact

_SAVE: Final[TextClause] = text("""
INSERT INTO video_snapshots (video_id, observed_on, views, likes, comments)
SELECT videos.id, fact.observed_at, fact.views, fact.likes, fact.comments
FROM json_to_recordset(CAST(:facts AS json))
  AS fact(key text, observed_at date, views bigint, likes bigint, comments bigint)
JOIN videos ON videos.key = fact.key
WHERE coalesce(fact.views, fact.likes, fact.comments) IS NOT NULL
ON CONFLICT (video_id, observed_on) DO UPDATE
SET views = excluded.views, likes = excluded.likes, comments = excluded.comments
WHERE (video_snapshots.views, video_snapshots.likes, video_snapshots.comments)
  IS DISTINCT FROM (excluded.views, excluded.likes, excluded.comments)
""")
_STORED: Final = (
    select(videos.c.id, videos.c.published_on, video_snapshots.c.observed_on)
    .join(video_snapshots, video_snapshots.c.video_id == videos.c.id)
    .where(videos.c.key == func.any(bindparam("keys", type_=ARRAY(Text))))
)
_DROP: Final[TextClause] = text("""
DELETE FROM video_snapshots USING unnest(CAST(:numbers AS bigint[]), CAST(:days AS date[])) AS dropped(number, day)
WHERE video_id = dropped.number AND observed_on = dropped.day
""")


async def save(connection: AsyncConnection, observed: Sequence[VideoFact]) -> bool:
    """Store what was observed of stored videos, keep the days of `domain.snapshots`; return whether any is new."""
    written = await connection.execute(_SAVE, {"facts": facts.parameter(observed)})
    if not written.rowcount:
        return False
    await _thin(connection, [fact.key for fact in observed])
    return True


async def _thin(connection: AsyncConnection, keys: Sequence[str]) -> None:
    days: defaultdict[tuple[int, date], set[date]] = defaultdict(set)
    for row in await connection.execute(_STORED, {"keys": list(keys)}):
        days[row.id, row.published_on].add(row.observed_on)
    dropped = [
        (number, day)
        for (number, published_on), observed in days.items()
        for day in observed - retained(published_on, observed)
    ]
    if dropped:
        numbers, dropped_days = zip(*dropped, strict=True)
        await connection.execute(_DROP, {"numbers": list(numbers), "days": list(dropped_days)})
