"""What the catalogue has looked at in a period, from sums by day.

Channels do not add up over days. Those of a short period are found among its videos. Of a longer one, the newest and the
oldest video tell of most channels that they have one in it; of those who have videos on both sides, the newest of the videos
before its end does.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    true,
)

from catalog_service.domain.categories import ALL
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import category_days, video_days
from catalog_service.storage.tables import catalog_state, videos, youtubers

_v, _y, _state = videos.c, youtubers.c, catalog_state.c
_START: Final = bindparam("start", type_=Date)
_END: Final = bindparam("end", type_=Date)
_VIDEOS_A_CHANNEL: Final = literal_column("7", BigInteger)
"""As many videos are read in the time that looking one channel's videos up takes."""


def _within(day: ColumnElement[object], names: tuple[str, ...]) -> tuple[ColumnElement[bool], ...]:
    bounds = {"start": day >= _START, "end": day <= _END}
    return tuple(bounds[name] for name in names)


def _channels_of_videos(names: tuple[str, ...]) -> ColumnElement[int]:
    """Count by youtuber first: counting different ones by sorting would cost more."""
    each = select(_v.youtuber_id).where(*_within(_v.published_on, names)).group_by(_v.youtuber_id)
    return select(func.count()).select_from(each.subquery("each")).scalar_subquery()


def _channels_by_their_ends(names: tuple[str, ...]) -> ColumnElement[int]:
    reaching = {"start": _y.last_video >= _START, "end": _y.first_video <= _END}
    counted = select(func.count()).where(_y.videos_scanned > 0, *(reaching[name] for name in names))
    if len(names) > 1:
        newest = (
            select(_v.published_on)
            .where(_v.youtuber_id == _y.id, _v.published_on <= _END)
            .order_by(_v.published_on.desc(), _v.id.desc())
            .limit(literal_column("1"))
            .correlate(youtubers)
            .scalar_subquery()
        )
        counted = counted.where(
            or_(_y.first_video >= _START, _y.last_video <= _END, newest >= _START)
        )
    return counted.scalar_subquery()


def statement(names: tuple[str, ...]) -> AnySelect:
    """Select the fields of `ScannedTotals` of a period whose bounds are `names`: `start`, `end` or both."""
    days = (
        select(
            total(video_days.c.videos).label("videos"),
            func.min(video_days.c.day).label("first_video"),
            func.max(video_days.c.day).label("last_video"),
        )
        .where(*_within(video_days.c.day, names))
        .cte("days")
    )
    sponsored = select(total(category_days.c.all_videos)).where(
        category_days.c.category == literal_column(f"'{ALL}'"),
        *_within(category_days.c.day, names),
    )
    # Beyond the data a bound leaves out nobody who has to be looked up.
    open_ends = {"start": _state.first_video >= _START, "end": _state.last_video <= _END}
    is_open = or_(*(open_ends[name] for name in names)) if len(names) > 1 else true()
    at_once = case((is_open, literal_column("1", BigInteger)), else_=_VIDEOS_A_CHANNEL)
    is_short = and_(days.c.videos <= _state.youtubers * at_once)
    return select(
        case(
            (is_short, _channels_of_videos(names)),
            else_=_channels_by_their_ends(names),
        ),
        days.c.videos,
        sponsored.scalar_subquery(),
        days.c.first_video,
        days.c.last_video,
    ).join_from(days, catalog_state, true())
