"""Videos of youtubers by content category, sponsored or not.

The ingest adds new videos; those of youtubers of whom a stored one may have moved are counted again.
"""

from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage.rollups.changes import Changes

TABLE: Final = "youtuber_contents"
_NAMES: Final = "youtuber_id, content, videos, first_video, last_video"
_COUNTED: Final = (
    "SELECT youtuber_id, category AS content, count(*) AS videos, min(published_on) AS first_video, "
    "max(published_on) AS last_video FROM videos WHERE category IS NOT NULL AND {youtubers} GROUP BY 1, 2"
)
_NUMBERS: Final = "youtuber_id = ANY(%(numbers)s)"
_RANGE: Final = "youtuber_id BETWEEN %(first)s AND %(last)s"
RECOUNT: Final = (
    f"DELETE FROM {TABLE} WHERE {_NUMBERS}",  # noqa: S608 - names of ours
    f"INSERT INTO {TABLE} ({_NAMES}) {_COUNTED.format(youtubers=_NUMBERS)}",
)
"""Statements that count the videos of the youtubers `numbers` again, in their order; the driver's, as `DIFFERENCES` is."""

DIFFERENCES: Final = f"""
SELECT youtuber_id, content
FROM ({_COUNTED.format(youtubers=_RANGE)}) AS counted
FULL JOIN (SELECT {_NAMES} FROM {TABLE} WHERE {_RANGE}) AS stored USING (youtuber_id, content)
WHERE (counted.videos, counted.first_video, counted.last_video)
  IS DISTINCT FROM (stored.videos, stored.first_video, stored.last_video)"""  # noqa: S608 - names of ours
"""Selects the keys of rows that are not what the videos of the youtubers from `first` to `last` say."""

ORPHANS: Final = f"""
SELECT youtuber_id, content FROM {TABLE} AS held
WHERE NOT EXISTS (SELECT FROM youtubers WHERE id = held.youtuber_id)"""  # noqa: S608 - names of ours
"""Selects the keys of rows of youtubers that are not there."""

_RECOUNT: Final = tuple(
    text(statement.replace("%(numbers)s", "CAST(:numbers AS bigint[])")) for statement in RECOUNT
)
_ADD: Final = text(f"""
INSERT INTO {TABLE} AS held ({_NAMES})
SELECT * FROM unnest(CAST(:numbers AS bigint[]), CAST(:contents AS text[]), CAST(:added AS bigint[]),
                     CAST(:first_added AS date[]), CAST(:last_added AS date[]))
ON CONFLICT (youtuber_id, content) DO UPDATE SET
  videos = held.videos + excluded.videos,
  first_video = least(held.first_video, excluded.first_video),
  last_video = greatest(held.last_video, excluded.last_video)
""")  # noqa: S608 - names of ours


async def advance(connection: AsyncConnection, changes: Changes) -> None:
    """Bring the counts up to date, once the batch has written its videos."""
    added: dict[str, list[Any]] = changes.added_contents()
    if added["numbers"]:
        await connection.execute(_ADD, added)
    if changes.recounted:
        for statement in _RECOUNT:
            await connection.execute(statement, {"numbers": sorted(changes.recounted)})
