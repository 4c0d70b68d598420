"""Totals and rollups of what changed, brought up to date at the end of a batch.

Those of sponsors grow by what a batch changed, so that a batch costs as much in a large catalogue as
in a small one; those of youtubers are worked out again.
"""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Update,
    bindparam,
    case,
    column,
    func,
    select,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.storage import month_rollups
from catalog_service.storage.changes import Changes
from catalog_service.storage.tables import (
    catalog_state,
    sponsorships,
    videos,
    youtubers,
)

_p = sponsorships.c
_touched: Final = (
    func.unnest(
        bindparam("numbers", type_=ARRAY(BigInteger)), bindparam("sponsored", type_=ARRAY(Boolean))
    )
    .table_valued(column("number", BigInteger), column("sponsored", Boolean))
    .render_derived("touched")
)
_OF_VIDEOS: Final = ("videos_scanned", "first_video", "last_video")
_OF_SPONSORSHIPS: Final = ("sponsored_videos", "sponsors", "first_sponsored", "last_sponsored")


def _youtuber_totals() -> Update:
    """Of videos, and where `sponsored` of sponsorships: in most batches those of few changed."""
    scanned = (
        select(
            func.count().label("videos_scanned"),
            func.min(videos.c.published_on).label("first_video"),
            func.max(videos.c.published_on).label("last_video"),
        )
        .where(videos.c.youtuber_id == _touched.c.number)
        .lateral("scanned")
    )
    sponsored = (
        select(
            func.count(_p.video_id.distinct()).label("sponsored_videos"),
            func.count(_p.sponsor_id.distinct()).label("sponsors"),
            func.min(_p.published_on).label("first_sponsored"),
            func.max(_p.published_on).label("last_sponsored"),
        )
        .where(_touched.c.sponsored, _p.youtuber_id == _touched.c.number)
        .lateral("sponsored")
    )
    totals = (
        select(*_touched.c, *scanned.c, *sponsored.c)
        .select_from(_touched.join(scanned, true()).join(sponsored, true()))
        .subquery("totals")
    )
    of_videos = {name: totals.c[name] for name in _OF_VIDEOS}
    of_sponsorships = {
        name: case((totals.c.sponsored, totals.c[name]), else_=youtubers.c[name])
        for name in _OF_SPONSORSHIPS
    }
    return (
        update(youtubers)
        .where(youtubers.c.id == totals.c.number)
        .values(of_videos | of_sponsorships)
    )


_YOUTUBER_TOTALS: Final = _youtuber_totals()
_IMPORTED_TOTALS: Final = _YOUTUBER_TOTALS.values(
    last_import=func.coalesce(youtubers.c.imported_at, func.now())
)
_STATE: Final = (
    update(catalog_state)
    .values(
        version=catalog_state.c.version + 1,
        first_sponsored=select(func.min(_p.published_on)).scalar_subquery(),
        last_sponsored=select(func.max(_p.published_on)).scalar_subquery(),
    )
    .returning(catalog_state.c.version)
)


async def bring_up_to_date(
    connection: AsyncConnection, changes: Changes, *, imported: bool = True
) -> int:
    """Works out again what rests on the changes; gives the new version of the catalogue.

    `imported` tells whether the youtubers were looked at, or corrected only.
    """
    for portion in changes.parameters():
        await connection.execute(month_rollups.GROW, portion)
    if changes.youtubers:
        numbers = list(changes.youtubers)
        told = {"numbers": numbers, "sponsored": [one in changes.sponsored for one in numbers]}
        await connection.execute(_IMPORTED_TOTALS if imported else _YOUTUBER_TOTALS, told)
    return (await connection.execute(_STATE)).scalar_one()
