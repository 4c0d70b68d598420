"""Updates of totals and rollups at the end of a batch.

Changes are added, so that a batch costs as much in a large catalogue as in a small one. Only a
youtuber's sums of sponsorships, and the videos of youtubers of whom a stored one may have moved, are
computed again.
"""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Date,
    Update,
    bindparam,
    case,
    column,
    func,
    literal_column,
    select,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import TypeEngine

from catalog_service.domain.kinds import FREE_PRODUCT
from catalog_service.domain.relation_status import MIN_LATER_VIDEOS
from catalog_service.storage.rollups import (
    catalog_totals,
    monthly,
    sponsor_days,
    video_days,
    youtuber_contents,
)
from catalog_service.storage.rollups.changes import Changes
from catalog_service.storage.tables import sponsorships, videos, youtubers

_p = sponsorships.c
_TOUCHED: Final[dict[str, type[TypeEngine[Any]]]] = {
    "numbers": BigInteger,
    "sponsored": Boolean,
    "recounted": Boolean,
    "added": BigInteger,
    "first_added": Date,
    "last_added": Date,
}
_touched: Final = (
    func.unnest(*(bindparam(name, type_=ARRAY(type_)) for name, type_ in _TOUCHED.items()))
    .table_valued(*(column(name, type_) for name, type_ in _TOUCHED.items()))
    .render_derived("touched")
)
_OF_SPONSORSHIPS: Final = (
    "sponsored_videos",
    "sponsors",
    "paid_sponsors",
    "first_sponsored",
    "last_sponsored",
)


def _youtuber_totals() -> Update:
    """Return the statement for `Changes.totals`; it reads sponsorships only where some changed."""
    scanned = (
        select(
            func.count().label("videos_scanned"),
            func.min(videos.c.published_on).label("first_video"),
            func.max(videos.c.published_on).label("last_video"),
        )
        .where(_touched.c.recounted, videos.c.youtuber_id == _touched.c.numbers)
        .lateral("scanned")
    )
    sponsored = (
        select(
            func.count(_p.video_id.distinct()).label("sponsored_videos"),
            func.count(_p.sponsor_id.distinct()).label("sponsors"),
            func.count(_p.sponsor_id.distinct())
            .filter(_p.kind != FREE_PRODUCT)
            .label("paid_sponsors"),
            func.min(_p.published_on).label("first_sponsored"),
            func.max(_p.published_on).label("last_sponsored"),
        )
        .where(_touched.c.sponsored, _p.youtuber_id == _touched.c.numbers)
        .lateral("sponsored")
    )
    totals = (
        select(*_touched.c, *scanned.c, *sponsored.c)
        .select_from(_touched.join(scanned, true()).join(sponsored, true()))
        .subquery("totals")
    )
    now, grown = totals.c, youtubers.c
    latest_since = (
        select(videos.c.published_on)
        .where(videos.c.youtuber_id == now.numbers)
        .order_by(videos.c.published_on.desc(), videos.c.id.desc())
        .offset(literal_column(str(MIN_LATER_VIDEOS - 1)))
        .limit(literal_column("1"))
        .scalar_subquery()
    )
    with_new = {
        "videos_scanned": grown.videos_scanned + now.added,
        "first_video": func.least(grown.first_video, now.first_added),
        "last_video": func.greatest(grown.last_video, now.last_added),
    }
    of_videos = {
        name: case((now.recounted, now[name]), else_=total) for name, total in with_new.items()
    }
    of_sponsorships = {
        name: case((now.sponsored, now[name]), else_=grown[name]) for name in _OF_SPONSORSHIPS
    }
    values = of_videos | of_sponsorships
    values |= {"last_import": youtubers.c.imported_at, "latest_videos_since": latest_since}
    return update(youtubers).where(youtubers.c.id == now.numbers).values(values)


_YOUTUBER_TOTALS: Final = _youtuber_totals()


async def bring_up_to_date(connection: AsyncConnection, changes: Changes) -> int:
    """Update totals and rollups by the changes; return the new version of the catalogue."""
    touched = sorted(changes.youtubers)
    days_before = await sponsor_days.of_youtubers(connection, touched)
    for portion in changes.parameters():
        await connection.execute(monthly.GROW, portion)
    before = await catalog_totals.of_youtubers(connection, touched)
    if touched:
        await connection.execute(_YOUTUBER_TOTALS, changes.totals())
    await youtuber_contents.advance(connection, changes)
    await video_days.advance(connection, changes)
    days_after = await sponsor_days.of_youtubers(connection, touched)
    await sponsor_days.advance(connection, days_before, days_after)
    after = await catalog_totals.of_youtubers(connection, touched)
    return await catalog_totals.advance(connection, before, after)
