"""Statements that join channels and videos that are stored twice."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.joining import NAME_ONLY, WITHOUT_ID, Counterpart
from catalog_service.storage.ingest.events import NewSponsorships
from catalog_service.storage.rollups.changes import Changes
from catalog_service.storage.search import spellings
from shapes.catalog.ingest import VideoFact

_FORMER_YOUTUBERS: Final = text(
    "SELECT a.key AS former, y.key FROM youtuber_aliases a JOIN youtubers y ON y.id = a.youtuber_id "
    "WHERE a.key = ANY(CAST(:keys AS text[]))"
)
_FORMER_VIDEOS: Final = text(
    "SELECT a.key AS former, v.key FROM video_aliases a JOIN videos v ON v.id = a.video_id "
    "WHERE a.key = ANY(CAST(:keys AS text[]))"
)
_SAME_HANDLES: Final = text(f"""
SELECT DISTINCT ON (named.key) named.key AS former, channel.key
FROM youtubers AS told
JOIN youtubers AS named ON lower(named.handle) = lower(told.handle)
  AND named.channel_id IS NULL AND named.key LIKE '{NAME_ONLY}%'
JOIN youtubers AS channel ON lower(channel.handle) = lower(told.handle)
  AND channel.channel_id IS NOT NULL
WHERE told.key = ANY(CAST(:keys AS text[])) AND told.id IN (named.id, channel.id)
  AND NOT EXISTS (SELECT 1 FROM youtuber_aliases AS a WHERE a.key = named.key)
ORDER BY named.key, channel.id
""")  # noqa: S608 - a prefix of ours
_COUNTERPARTS: Final = text(f"""
WITH told AS (
  SELECT told.*, y.id AS owner_id, y.name_key,
         y.channel_id IS NULL AND y.key LIKE '{NAME_ONLY}%' AS is_name_only
  FROM unnest(CAST(:keys AS text[]), CAST(:with_id AS boolean[]), CAST(:owners AS text[]),
              CAST(:days AS date[])) AS told(key, with_id, owner, day)
  JOIN youtubers AS y ON y.key = told.owner
), channel AS (
  SELECT told.*, told.owner_id AS channel_id FROM told
  UNION ALL
  SELECT told.*, y.id
  FROM told JOIN youtubers AS y ON y.name_key = told.name_key
  WHERE y.id <> told.owner_id AND CASE WHEN told.is_name_only THEN y.channel_id IS NOT NULL
    ELSE y.channel_id IS NULL AND y.key LIKE '{NAME_ONLY}%' END
), found AS (
  SELECT channel.key AS fact_key, v.id
  FROM channel JOIN videos AS v ON v.youtuber_id = channel.channel_id
    AND v.published_on BETWEEN channel.day - 1 AND channel.day + 1
  WHERE CASE WHEN channel.with_id THEN v.video_id IS NULL AND v.key LIKE '{WITHOUT_ID}%'
    ELSE v.video_id IS NOT NULL END
  UNION
  SELECT told.key, v.id
  FROM told JOIN videos AS v ON v.key = told.key JOIN youtubers AS y ON y.id = v.youtuber_id
  WHERE told.with_id AND y.id <> told.owner_id AND CASE WHEN told.is_name_only
    THEN y.channel_id IS NOT NULL ELSE y.channel_id IS NULL AND y.key LIKE '{NAME_ONLY}%' END
)
SELECT found.fact_key, v.key, y.key AS youtuber_key, v.published_on, v.views, v.title_hash
FROM found JOIN videos AS v ON v.id = found.id JOIN youtubers AS y ON y.id = v.youtuber_id
""")  # noqa: S608 - prefixes of ours

_ROLLED_UP: Final = (
    "p.video_id, p.sponsor_id, p.youtuber_id, p.published_on, p.views, p.content_category, "
    "p.sponsor_category, p.country, p.kind, p.confidence"
)
_YOUTUBERS: Final = text(
    "SELECT former.id AS former, y.id AS number, former.name AS former_name, y.name "
    "FROM youtubers AS former, youtubers AS y "
    "WHERE former.key = :former AND y.key = :key"
)
_SPONSORSHIPS_OF_YOUTUBER: Final = text(
    f"SELECT {_ROLLED_UP} FROM sponsorships AS p WHERE p.youtuber_id = :former"  # noqa: S608 - columns of ours
)
_MOVE_SPONSORSHIPS: Final = text(
    "UPDATE sponsorships AS p SET youtuber_id = y.id, country = y.country FROM youtubers AS y "  # noqa: S608 - columns of ours
    f"WHERE p.youtuber_id = :former AND y.id = :number RETURNING {_ROLLED_UP}"
)
_MOVE_VIDEOS: Final[tuple[TextClause, ...]] = (
    text("UPDATE videos SET youtuber_id = :number WHERE youtuber_id = :former"),
    text("UPDATE youtuber_aliases SET youtuber_id = :number WHERE youtuber_id = :former"),
    text(
        "UPDATE saved_list_entries AS e SET youtuber_id = :number WHERE youtuber_id = :former AND NOT EXISTS ("
        "SELECT 1 FROM saved_list_entries AS held WHERE held.list_id = e.list_id AND held.youtuber_id = :number)"
    ),
    text("DELETE FROM saved_list_entries WHERE youtuber_id = :former"),
    text(
        "INSERT INTO youtuber_aliases (key, former_id, youtuber_id) "
        "SELECT key, id, :number FROM youtubers WHERE id = :former ON CONFLICT DO NOTHING"
    ),
)
_FORGET_YOUTUBERS: Final[tuple[TextClause, ...]] = (
    text("DELETE FROM youtuber_names WHERE youtuber_id = ANY(CAST(:numbers AS bigint[]))"),
    text("DELETE FROM youtubers WHERE id = ANY(CAST(:numbers AS bigint[]))"),
)

_VIDEOS: Final = text(
    "SELECT key, id, youtuber_id, published_on FROM videos WHERE key IN (:former, :key)"
)
_RENAME_VIDEO: Final = text("UPDATE videos SET key = :key WHERE key = :former")
_DROP_SPONSORSHIPS: Final = text(
    f"DELETE FROM sponsorships AS p WHERE p.video_id = :former RETURNING {_ROLLED_UP}"  # noqa: S608 - columns of ours
)
_ABSORB_VIDEO: Final[tuple[TextClause, ...]] = (
    text("UPDATE sponsorship_reports SET video_key = :key WHERE video_key = :former_key"),
    text("UPDATE sponsorship_corrections SET video_key = :key WHERE video_key = :former_key"),
    text("UPDATE video_aliases SET video_id = :number WHERE video_id = :former"),
    text(
        "UPDATE video_snapshots AS s SET video_id = :number WHERE video_id = :former AND NOT EXISTS ("
        "SELECT 1 FROM video_snapshots AS held WHERE held.video_id = :number AND held.observed_on = s.observed_on)"
    ),
    text("DELETE FROM video_snapshots WHERE video_id = :former"),
    text(
        "UPDATE video_texts SET video_id = :number WHERE video_id = :former AND NOT EXISTS ("
        "SELECT 1 FROM video_texts WHERE video_id = :number)"
    ),
    text("DELETE FROM video_texts WHERE video_id = :former"),
    text("DELETE FROM videos WHERE id = :former"),
)
_ADD_VIDEO_ALIAS: Final = text(
    "INSERT INTO video_aliases (key, video_id) VALUES (:former_key, :number) ON CONFLICT DO NOTHING"
)


class PostgresJoins:
    """The part of a batch that `domain.joining.Joins` describes."""

    def __init__(self, connection: AsyncConnection, changes: Changes, new: NewSponsorships) -> None:
        self._joins = connection
        self._moved = changes
        self._known = new
        self._emptied: set[int] = set()

    async def former_youtubers(self, keys: Collection[str]) -> Mapping[str, str]:
        return await self._pairs(_FORMER_YOUTUBERS, keys)

    async def former_videos(self, keys: Collection[str]) -> Mapping[str, str]:
        return await self._pairs(_FORMER_VIDEOS, keys)

    async def same_handles(self, keys: Collection[str]) -> Mapping[str, str]:
        return await self._pairs(_SAME_HANDLES, keys)

    async def counterparts(self, facts: Sequence[VideoFact]) -> Sequence[Counterpart]:
        candidates = [fact for fact in facts if fact.video_id or fact.key.startswith(WITHOUT_ID)]
        if not candidates:
            return ()
        values: dict[str, Any] = {
            "keys": [fact.key for fact in candidates],
            "with_id": [fact.video_id is not None for fact in candidates],
            "owners": [fact.youtuber_key for fact in candidates],
            "days": [fact.published_at for fact in candidates],
        }
        rows = await self._joins.execute(_COUNTERPARTS, values)
        return [Counterpart(*row) for row in rows]

    async def join_youtuber(self, former: str, key: str) -> None:
        found = (await self._joins.execute(_YOUTUBERS, {"former": former, "key": key})).one()
        values = {"former": found.former, "number": found.number}
        self._moved.went((await self._joins.execute(_SPONSORSHIPS_OF_YOUTUBER, values)).all())
        self._moved.came((await self._joins.execute(_MOVE_SPONSORSHIPS, values)).all())
        for statement in _MOVE_VIDEOS:
            await self._joins.execute(statement, values)
        names = spellings.parameters([(key, (found.name, found.former_name))])
        for statement in spellings.RENAME_YOUTUBERS:
            await self._joins.execute(statement, names)
        self._moved.changed(values.values())
        self._emptied.add(found.former)

    async def join_video(self, former: str, key: str) -> bool:
        rows = await self._joins.execute(_VIDEOS, {"former": former, "key": key})
        stored = {row.key: row for row in rows}
        target = stored.get(key) or stored[former]
        values: dict[str, Any] = {"key": key, "former_key": former, "number": target.id}
        both = len(stored) > 1
        if both:
            values["former"] = stored[former].id
            dropped = (await self._joins.execute(_DROP_SPONSORSHIPS, values)).all()
            self._moved.went(dropped)
            self._known.went(dropped)
            self._known.moved(dropped, target.id)
            self._moved.changed([stored[former].youtuber_id])
            self._moved.vanished([stored[former]])
            for statement in _ABSORB_VIDEO:
                await self._joins.execute(statement, values)
        elif key not in stored:
            await self._joins.execute(_RENAME_VIDEO, {"key": key, "former": former})
        await self._joins.execute(_ADD_VIDEO_ALIAS, values)
        return both

    async def forget_emptied(self) -> None:
        """Delete the channels that were joined to others, once their totals are."""
        if self._emptied:
            for statement in _FORGET_YOUTUBERS:
                await self._joins.execute(statement, {"numbers": list(self._emptied)})

    async def _pairs(self, statement: TextClause, keys: Collection[str]) -> Mapping[str, str]:
        if not keys:
            return {}
        rows = await self._joins.execute(statement, {"keys": list(keys)})
        return {row.former: row.key for row in rows}
