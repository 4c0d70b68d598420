"""The recent videos of a channel with their snapshots, for `domain.outlook`."""

from collections import Counter, defaultdict
from datetime import date
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Date, bindparam, func, select

from catalog_service.domain import snapshots
from catalog_service.domain.outlook.ports import RecentVideos
from catalog_service.domain.outlook.samples import AgedViews, RecentVideo
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.tables import video_snapshots, videos

_v, _s = videos.c, video_snapshots.c
_MAX_LISTED: Final = 1000
"""Newest videos of a format that are read."""

_PUBLISHED: Final = (
    _v.youtuber_id == bindparam("number", type_=BigInteger),
    _v.published_on.between(bindparam("first", type_=Date), bindparam("last", type_=Date)),
)
_COUNTS: Final = (
    select(_v.format, func.count().label("videos")).where(*_PUBLISHED).group_by(_v.format)
)


def _newest() -> AnySelect:
    rank = func.row_number().over(
        partition_by=_v.format, order_by=(_v.published_on.desc(), _v.id.desc())
    )
    ranked = (
        select(_v.id, _v.format, _v.published_on, _v.views, _v.observed_on, rank.label("rank"))
        .where(*_PUBLISHED)
        .subquery("ranked")
    )
    return select(ranked).where(ranked.c.rank <= _MAX_LISTED)


_NEWEST: Final = _newest()
_SNAPSHOTS: Final = select(_s.video_id, _s.observed_on, _s.views).where(
    _s.video_id == func.any(bindparam("numbers", type_=ARRAY(BigInteger))), _s.views.is_not(None)
)


async def recent_videos(
    connection: QueryConnection, youtuber: int, first: date, last: date
) -> RecentVideos:
    values: dict[str, Any] = {"number": youtuber, "first": first, "last": last}
    counts = Counter({row.format: row.videos for row in await connection.execute(_COUNTS, values)})
    rows = (await connection.execute(_NEWEST, values)).all()
    published = {row.id: row.published_on for row in rows}
    looks: defaultdict[int, list[AgedViews]] = defaultdict(list)
    for row in await connection.execute(_SNAPSHOTS, {"numbers": list(published)}):
        age = snapshots.age(published[row.video_id], row.observed_on)
        looks[row.video_id].append(AgedViews(age, row.views))
    listed = [
        RecentVideo(
            row.published_on,
            row.format,
            _latest_observation(row.published_on, row.observed_on, row.views),
            tuple(looks[row.id]),
        )
        for row in rows
    ]
    return RecentVideos(counts, listed)


def _latest_observation(
    published_on: date, observed_on: date | None, views: int | None
) -> AgedViews | None:
    if views is None:
        return None
    age = None if observed_on is None else snapshots.age(published_on, observed_on)
    return AgedViews(age, views)
