"""Videos by words, brands and channels."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Date,
    Text,
    bindparam,
    func,
    literal,
    null,
    or_,
    select,
)

from catalog_service.domain.queries import Page, Ranked
from catalog_service.domain.topics.ports import VideoSearch
from catalog_service.storage import keyset, video_lists
from catalog_service.storage.columns import (
    VIDEO,
    YOUTUBER_REF,
    AnySelect,
    video,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, SortKeys, descending
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.tables import sponsorships, videos, youtubers
from catalog_service.storage.topics import matching
from shapes.catalog.topics import TopicVideo

_p, _v = sponsorships.c, videos.c
VIDEO_CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "start": _v.published_on >= bindparam("start", type_=Date),
    "end": _v.published_on <= bindparam("end", type_=Date),
    "content_category": _v.category == bindparam("content_category", type_=Text),
    "youtuber": _v.youtuber_id == bindparam("youtuber", type_=BigInteger),
    "format": _v.format == bindparam("format", type_=Text),
    **list_conditions.of_youtubers(_v.youtuber_id),
    # Videos that nobody sponsored have no brand of the list either.
    "not_in_sponsors": ~select(literal(1))
    .where(_p.video_id == _v.id, _p.sponsor_id.in_(list_conditions.sponsors_in("not_in_sponsors")))
    .exists(),
}
_SPONSORSHIP_CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "sponsor": _p.sponsor_id == bindparam("sponsor", type_=BigInteger),
    "sponsor_categories": _p.sponsor_category
    == func.any(bindparam("sponsor_categories", type_=ARRAY(Text))),
    "kinds": _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
    "in_sponsors": list_conditions.of_sponsors(_p.sponsor_id)["in_sponsors"],
}


_UNKNOWN: Final[dict[str, ColumnElement[bool]]] = {
    "content_category": _v.category.is_(None),
    "sponsor_categories": _p.sponsor_category.is_(None),
}
"""Conditions on what may not be known, with the condition that it is not."""


@dataclass(frozen=True, slots=True)
class _Shape:
    by_words: bool
    conditions: tuple[str, ...]
    sort: str
    is_continued: bool
    takes_unknown: bool

    def of(self, conditions: Mapping[str, ColumnElement[bool]]) -> list[ColumnElement[bool]]:
        """Return those of the conditions that the search has."""
        return [
            or_(conditions[name], _UNKNOWN[name])
            if self.takes_unknown and name in _UNKNOWN
            else conditions[name]
            for name in self.conditions
            if name in conditions
        ]


def _conditions(shape: _Shape) -> list[ColumnElement[bool]]:
    """Return the conditions of a search but for its words."""
    conditions = shape.of(VIDEO_CONDITIONS)
    if of_brand := shape.of(_SPONSORSHIP_CONDITIONS):
        conditions.append(_v.id.in_(select(_p.video_id).where(*of_brand)))
    return conditions


def _matched(shape: _Shape) -> CTE:
    conditions = _conditions(shape)
    if shape.by_words:
        return matching.matched(*conditions)
    found = select(_v.id, _v.youtuber_id, _v.published_on, _v.views).where(*conditions)
    return matching.materialized(found)


def _order(found: CTE, sort: str) -> SortKeys:
    if sort == "oldest":
        return (SortKey(found.c.published_on), SortKey(found.c.id))
    newest = (descending(found.c.published_on), descending(found.c.id))
    return (descending(found.c.views, is_nullable=True), *newest) if sort == "views" else newest


@cache
def _statement(shape: _Shape) -> AnySelect:
    found = _matched(shape)
    order = _order(found, shape.sort)
    total = select(func.count()).select_from(found).scalar_subquery()
    page = select(found.c.id, total.label("total"), *keyset.labels(order))
    if shape.is_continued:
        page = page.where(keyset.behind(order))
    page = page.order_by(*keyset.clauses(order)).limit(keyset.LIMIT).subquery("page")
    in_title = matching.HAS_MATCHING_TITLE if shape.by_words else null()
    sort_values = [page.c[f"sort_value_{position}"] for position in range(len(order))]
    return (
        select(*VIDEO, *YOUTUBER_REF, *sort_values, page.c.total, in_title.label("in_title"))
        .join_from(page, videos, _v.id == page.c.id)
        .join(youtubers, youtubers.c.id == _v.youtuber_id)
        .order_by(*(key.clause for key in _page_order(page, order)))
    )


def _page_order(page: Any, order: SortKeys) -> SortKeys:
    return tuple(
        SortKey(page.c[f"sort_value_{position}"], key.is_descending, key.is_nullable)
        for position, key in enumerate(order)
    )


async def search(
    connection: QueryConnection, query: VideoSearch, page: Page, seconds: float
) -> tuple[int | None, Ranked[TopicVideo]]:
    """Return the number of videos that match, None behind the last of them, and a page with their sponsorships."""
    await matching.limit_time(connection, seconds)
    values = _values(query)
    shape = _shape(query, values, is_continued=page.after is not None)
    rows = await connection.execute(_statement(shape), values | keyset.parameters(page))
    numbers = {row.video_number: row.youtube_video_id for row in rows}
    claims = await video_lists.claims_of(connection, numbers, 0)

    def entry(row: Any) -> TopicVideo:
        found = tuple(claims[row.video_number])
        return TopicVideo(video(row), youtuber_ref(row), found, row.in_title)

    return matching.total_of(rows, page), keyset.cut(page, rows, entry)


async def lacks_texts(connection: QueryConnection, query: VideoSearch, seconds: float) -> bool:
    """Return whether the conditions leave videos, and a text is known of none of them."""
    await matching.limit_time(connection, seconds)
    values = _values(query)
    statement = _lacking(_shape(query, values, is_continued=False))
    return bool((await connection.execute(statement, values)).scalar())


@cache
def _lacking(shape: _Shape) -> AnySelect:
    return matching.lacking(select(_v.id).where(*_conditions(shape)))


def _shape(query: VideoSearch, values: Mapping[str, Any], *, is_continued: bool) -> _Shape:
    conditions = tuple(name for name in values if name != "queries")
    by_words = query.queries is not None
    return _Shape(by_words, conditions, query.sort, is_continued, query.takes_unknown)


def _values(query: VideoSearch) -> dict[str, Any]:
    values: dict[str, Any] = {
        "start": query.period.start,
        "end": query.period.end,
        "content_category": query.content_category,
        "youtuber": query.youtuber,
        "format": query.format,
        "sponsor": query.sponsor,
        "sponsor_categories": query.sponsor_categories,
        "kinds": query.kinds,
        **query.lists.values(),
        "queries": None if query.queries is None else matching.parameter(query.queries),
    }
    return {name: value for name, value in values.items() if value is not None}
