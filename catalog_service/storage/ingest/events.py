"""Events of a batch, written in its transaction: new sponsorships, and relations that lapsed.

The id of an event is the hash of its kind and of the stable names of its subject, so that an event which is
found again, also after an older catalogue was restored, has the same id.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Final

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.events.model import (
    NEWS_DAYS,
    RELATION_LAPSED,
    SPONSORSHIP_FIRST,
    SPONSORSHIP_NEW,
    STORED_DAYS,
)
from catalog_service.domain.relation_status import ACTIVE_WITHIN_DAYS
from catalog_service.storage.columns import AnyRow

Pair = tuple[int, int]
"""Numbers of a video and of a sponsor."""
ChannelDays = Mapping[int, tuple[date, date | None]]
"""By channel: day of its newest known video, and `latest_videos_since`."""

_TODAY: Final = "CAST(timezone('UTC', now()) AS date)"
_SPONSOR: Final = "jsonb_build_object('id', 'sp_' || s.id, 'slug', s.slug, 'name', s.name, 'category', s.category)"
_YOUTUBER: Final = "jsonb_build_object('id', 'yt_' || y.id, 'channel_id', y.channel_id, 'handle', y.handle, 'name', y.name)"
_VIDEO: Final = (
    "jsonb_build_object('id', 'v_' || v.id, 'video_id', v.video_id, 'title', v.title, 'published_at', v.published_on, "
    "'url', 'https://www.youtube.com/watch?v=' || v.video_id)"
)


def _id_of(kind: str, *columns: str) -> str:
    names = " || ' ' || ".join(columns)
    return f"'evt_' || left(encode(sha256(convert_to('{kind} ' || {names}, 'UTF8')), 'hex'), 32)"


_INSERT: Final = "INSERT INTO catalog_events (id, kind, sponsor_id, youtuber_id, category, data)"
_FOUND: Final = f"""
WITH found AS (
  SELECT p.*
  FROM unnest(CAST(:videos AS bigint[]), CAST(:sponsors AS bigint[])) AS pair(video_id, sponsor_id)
  JOIN sponsorships AS p USING (video_id, sponsor_id)
  WHERE p.published_on >= {_TODAY} - {NEWS_DAYS}
)
"""  # noqa: S608 - constants of ours
_DATA: Final = f"""
  jsonb_build_object('sponsor', {_SPONSOR}, 'youtuber', {_YOUTUBER}, 'video', {_VIDEO},
    'kind', found.kind, 'code', found.code, 'link', found.link, 'confidence', found.confidence)
FROM found
JOIN sponsors AS s ON s.id = found.sponsor_id
JOIN youtubers AS y ON y.id = found.youtuber_id
JOIN videos AS v ON v.id = found.video_id
"""
_SAVE_NEW: Final[TextClause] = text(f"""
{_FOUND} {_INSERT}
SELECT {_id_of(SPONSORSHIP_NEW, "s.slug", "v.key")}, '{SPONSORSHIP_NEW}', s.id, y.id, s.category, {_DATA}
ORDER BY found.published_on, found.video_id, found.sponsor_id
ON CONFLICT DO NOTHING
""")
# A channel is imported newest first: older sponsorships may still follow for one that became known later.
_SAVE_FIRST: Final[TextClause] = text(f"""
{_FOUND}, earliest AS (
  SELECT DISTINCT ON (sponsor_id, youtuber_id) * FROM found
  ORDER BY sponsor_id, youtuber_id, published_on, video_id
) {_INSERT}
SELECT {_id_of(SPONSORSHIP_FIRST, "s.slug", "y.key")}, '{SPONSORSHIP_FIRST}', s.id, y.id, s.category,
{_DATA.replace("FROM found", "FROM earliest AS found")}
WHERE y.first_video <= found.published_on - {ACTIVE_WITHIN_DAYS} AND NOT EXISTS (
  SELECT 1 FROM sponsorships AS other
  WHERE other.youtuber_id = y.id AND other.sponsor_id = s.id
    AND (other.video_id, other.sponsor_id) NOT IN (SELECT video_id, sponsor_id FROM found)
)
ORDER BY found.published_on, found.video_id, found.sponsor_id
ON CONFLICT DO NOTHING
""")  # noqa: S608 - constants of ours
_CHANNEL_DAYS: Final[TextClause] = text(
    "SELECT id, last_video, latest_videos_since FROM youtubers "
    "WHERE id = ANY(CAST(:numbers AS bigint[])) AND last_video IS NOT NULL"
)
_HAS_LAPSED: Final = (
    "(relation.last_seen < {0}.last_video - " + str(ACTIVE_WITHIN_DAYS) + " "
    "AND coalesce({0}.latest_videos_since > relation.last_seen, false))"
)
_SAVE_LAPSED: Final[TextClause] = text(f"""
{_INSERT}
SELECT {_id_of(RELATION_LAPSED, "s.slug", "y.key", "relation.last_seen")}, '{RELATION_LAPSED}', s.id, y.id, s.category,
  jsonb_build_object('sponsor', {_SPONSOR}, 'youtuber', {_YOUTUBER},
    'last_seen', relation.last_seen, 'videos', relation.videos, 'known_until', y.last_video)
FROM unnest(CAST(:numbers AS bigint[]), CAST(:last_videos AS date[]), CAST(:latest_since AS date[]))
  AS before(id, last_video, latest_videos_since)
JOIN youtubers AS y ON y.id = before.id AND y.last_video > before.last_video
  AND y.last_video >= {_TODAY} - {NEWS_DAYS}
CROSS JOIN LATERAL (
  SELECT sponsor_id, max(published_on) AS last_seen, count(*) AS videos
  FROM sponsorships WHERE youtuber_id = y.id GROUP BY sponsor_id
) AS relation
JOIN sponsors AS s ON s.id = relation.sponsor_id
WHERE relation.last_seen <= before.last_video
  AND {_HAS_LAPSED.format("y")} AND NOT {_HAS_LAPSED.format("before")}
ORDER BY y.id, s.id
ON CONFLICT DO NOTHING
""")  # noqa: S608 - constants of ours
_DELETE_OLD: Final[TextClause] = text(
    "DELETE FROM catalog_events WHERE position IN (SELECT position FROM catalog_events "  # noqa: S608 - a constant of ours
    f"WHERE at < now() - interval '{STORED_DAYS} days' ORDER BY at LIMIT 1000)"
)


class NewSponsorships:
    """Follows which sponsorships a batch adds that were not there before it."""

    def __init__(self) -> None:
        self._was_there: dict[Pair, bool] = {}
        self._is_there: set[Pair] = set()

    def went(self, rows: Iterable[AnyRow]) -> None:
        for row in rows:
            self._mark(row.video_id, row.sponsor_id)
            self._is_there.discard((row.video_id, row.sponsor_id))

    def moved(self, rows: Iterable[AnyRow], video: int) -> None:
        """Move the sponsorships of a video to another one, of which it turned out to be a duplicate."""
        for row in rows:
            self._mark(video, row.sponsor_id)

    def came(self, rows: Iterable[AnyRow]) -> None:
        for row in rows:
            pair = (row.video_id, row.sponsor_id)
            self._was_there.setdefault(pair, False)
            self._is_there.add(pair)

    def pairs(self) -> list[Pair]:
        """Return the sponsorships that exist now and did not exist before the batch."""
        return sorted(pair for pair in self._is_there if not self._was_there[pair])

    def _mark(self, video: int, sponsor: int) -> None:
        self._was_there.setdefault((video, sponsor), True)


async def channel_days(connection: AsyncConnection, numbers: Collection[int]) -> ChannelDays:
    """Return the days of known channels, as they are stored now."""
    rows = await connection.execute(_CHANNEL_DAYS, {"numbers": list(numbers)})
    return {row.id: (row.last_video, row.latest_videos_since) for row in rows}


async def save(connection: AsyncConnection, new: Collection[Pair], before: ChannelDays) -> None:
    """Write the events of a batch, whose totals are up to date; delete some that are too old.

    Args:
        connection: Of the batch.
        new: The sponsorships that it added.
        before: The days of the channels that it changed, from before.
    """
    written = 0
    if new:
        videos, sponsors = zip(*new, strict=True)
        values = {"videos": list(videos), "sponsors": list(sponsors)}
        for statement in (_SAVE_NEW, _SAVE_FIRST):
            written += (await connection.execute(statement, values)).rowcount
    if before:
        last_videos, latest_since = zip(*before.values(), strict=True)
        days = {
            "numbers": list(before),
            "last_videos": list(last_videos),
            "latest_since": list(latest_since),
        }
        written += (await connection.execute(_SAVE_LAPSED, days)).rowcount
    if written:
        await connection.execute(_DELETE_OLD)
