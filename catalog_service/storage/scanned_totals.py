"""Statements that count the videos and channels of a scope, sponsored or not."""

from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Date, Text, bindparam, cast, func, literal, select

from catalog_service.domain.categories import CONTENT_SCOPE
from catalog_service.domain.coverage import Scope
from catalog_service.domain.kinds import ALL_SET
from catalog_service.storage import scanned_days
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.rollups.tables import category_months
from catalog_service.storage.tables import sponsorships, videos, youtuber_contents, youtubers

_v, _y, _p, _m, _t = videos.c, youtubers.c, sponsorships.c, category_months.c, youtuber_contents.c
_CONTENT: Final = literal(CONTENT_SCOPE, Text) + bindparam("content_category", type_=Text)
_OF_VIDEOS: Final[dict[str, ColumnElement[bool]]] = {
    "start": _v.published_on >= bindparam("start", type_=Date),
    "end": _v.published_on <= bindparam("end", type_=Date),
    "content_category": _v.category == bindparam("content_category", type_=Text),
}
_OF_SPONSORSHIPS: Final[dict[str, ColumnElement[bool]]] = {
    "start": _p.published_on >= bindparam("start", type_=Date),
    "end": _p.published_on <= bindparam("end", type_=Date),
    "content_category": _p.content_category == bindparam("content_category", type_=Text),
}
_OF_YOUTUBERS: Final[dict[str, ColumnElement[bool]]] = {
    "country": _y.country == bindparam("country", type_=Text),
    "youtuber_category": _y.category == bindparam("youtuber_category", type_=Text),
    "min_subscribers": _y.subscribers >= bindparam("min_subscribers", type_=BigInteger),
    "max_subscribers": _y.subscribers <= bindparam("max_subscribers", type_=BigInteger),
    **list_conditions.of_youtubers(_y.id),
}
"""Conditions by name, of the videos of a scope and of their channels."""


def statement_of(scope: Scope) -> tuple[AnySelect, dict[str, Any]]:
    """Return a statement that selects the fields of `ScannedTotals` in their order, and its parameters."""
    fields = {name: getattr(scope, name) for name in ("content_category", *_OF_YOUTUBERS)}
    fields |= {"start": scope.period.start, "end": scope.period.end}
    values = {name: value for name, value in fields.items() if value is not None}
    return _statement(tuple(sorted(values))), values


@cache
def _statement(names: tuple[str, ...]) -> AnySelect:
    of_youtubers = [_OF_YOUTUBERS[name] for name in names if name in _OF_YOUTUBERS]
    of_videos = tuple(name for name in names if name in _OF_VIDEOS)
    if of_videos == ("content_category",):
        return _from_contents(of_youtubers)
    if of_videos == names and "content_category" not in names:
        return scanned_days.statement(names)
    if of_videos:
        return _from_videos(of_videos, of_youtubers)
    return select(
        func.count().filter(_y.videos_scanned > 0),
        _sum(_y.videos_scanned),
        _sum(_y.sponsored_videos),
        func.min(_y.first_video),
        func.max(_y.last_video),
    ).where(*of_youtubers)


def _from_contents(of_youtubers: list[ColumnElement[bool]]) -> AnySelect:
    """Add up the videos of youtubers by content category, which are stored."""
    counted = select(
        func.count(),
        _sum(_t.videos),
        _sponsored_videos(("content_category",), of_youtubers).scalar_subquery(),
        func.min(_t.first_video),
        func.max(_t.last_video),
    ).where(_t.content == bindparam("content_category", type_=Text))
    if of_youtubers:
        counted = counted.join(youtubers, _y.id == _t.youtuber_id).where(*of_youtubers)
    return counted


def _from_videos(names: tuple[str, ...], of_youtubers: list[ColumnElement[bool]]) -> AnySelect:
    """Count by youtuber first: counting different ones by sorting would cost more."""
    counted = select(
        func.count().label("videos"),
        func.min(_v.published_on).label("first_video"),
        func.max(_v.published_on).label("last_video"),
    ).where(*(_OF_VIDEOS[name] for name in names))
    if of_youtubers:
        counted = counted.join(youtubers, _y.id == _v.youtuber_id).where(*of_youtubers)
    each = counted.group_by(_v.youtuber_id).subquery("each")
    return select(
        func.count(),
        _sum(each.c.videos),
        _sponsored_videos(names, of_youtubers).scalar_subquery(),
        func.min(each.c.first_video),
        func.max(each.c.last_video),
    ).select_from(each)


def _sponsored_videos(names: tuple[str, ...], of_youtubers: list[ColumnElement[bool]]) -> AnySelect:
    if names == ("content_category",) and not of_youtubers:
        # A video has one day: those of several months add up.
        return select(_sum(_m.videos)).where(_m.category == _CONTENT, _m.kinds == ALL_SET)
    sponsored = select(_p.video_id).where(*(_OF_SPONSORSHIPS[name] for name in names)).distinct()
    if of_youtubers:
        sponsored = sponsored.join(youtubers, _y.id == _p.youtuber_id).where(*of_youtubers)
    return select(func.count()).select_from(sponsored.subquery("sponsored"))


def _sum(column: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)
