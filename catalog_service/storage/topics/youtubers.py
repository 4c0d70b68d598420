"""Youtubers by the words of their videos."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ARRAY, CTE, BigInteger, bindparam, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from catalog_service.domain.queries import Page, Ranked
from catalog_service.domain.topics.ports import YoutuberTopicSearch
from catalog_service.storage import keyset
from catalog_service.storage.columns import (
    VIDEO,
    YOUTUBER_CARD,
    AnyRow,
    AnySelect,
    video,
    youtuber_card,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, SortKeys, descending
from catalog_service.storage.search.youtubers import YOUTUBERS
from catalog_service.storage.tables import video_texts, videos, youtubers
from catalog_service.storage.topics import matching
from catalog_service.storage.topics.videos import VIDEO_CONDITIONS
from shapes.catalog.shared import Video
from shapes.catalog.topics import TopicYoutuber

_v, _y = videos.c, youtubers.c
_MAX_EXAMPLES: Final = 2
_NUMBERS: Final = func.any(bindparam("numbers", type_=ARRAY(BigInteger)))


@dataclass(frozen=True, slots=True)
class _Shape:
    of_videos: tuple[str, ...]
    of_youtubers: tuple[str, ...]
    sort: str
    is_continued: bool


def _hits(shape: _Shape) -> CTE:
    """Return the youtubers with videos that match: how many, the newest one's day, and the ids of the newest."""
    found = matching.matched(*(VIDEO_CONDITIONS[name] for name in shape.of_videos))
    newest = aggregate_order_by(found.c.id, found.c.published_on.desc(), found.c.id.desc())
    hits = (
        select(
            found.c.youtuber_id,
            func.count().label("hits"),
            func.max(found.c.published_on).label("newest_hit"),
            func.array_agg(newest)[1:_MAX_EXAMPLES].label("examples"),
        )
        .group_by(found.c.youtuber_id)
        .having(func.count() >= bindparam("min_hits", type_=BigInteger))
        .subquery("hits")
    )
    return (
        select(*YOUTUBER_CARD, hits.c.hits, hits.c.newest_hit, hits.c.examples)
        .join_from(hits, youtubers, _y.id == hits.c.youtuber_id)
        .where(*(YOUTUBERS.filters[name] for name in shape.of_youtubers))
        .cte("found")
        .prefix_with("MATERIALIZED")
    )


def _order(found: CTE, sort: str) -> SortKeys:
    hits, last = descending(found.c.hits), SortKey(found.c.youtuber_number)
    if sort == "recent":
        return (descending(found.c.newest_hit), hits, last)
    if sort == "subscribers":
        return (descending(found.c.subscribers, is_nullable=True), last)
    return (hits, descending(found.c.newest_hit), last)


@cache
def _statement(shape: _Shape) -> AnySelect:
    found = _hits(shape)
    order = _order(found, shape.sort)
    total = select(func.count()).select_from(found).scalar_subquery()
    page = select(found, total.label("total"), *keyset.labels(order))
    if shape.is_continued:
        page = page.where(keyset.behind(order))
    return page.order_by(*keyset.clauses(order)).limit(keyset.LIMIT)


_EXAMPLES: Final = select(*VIDEO).where(_v.id == _NUMBERS)


@cache
def _searched(of_videos: tuple[str, ...]) -> AnySelect:
    """Count the indexed videos of youtubers, under the conditions on videos."""
    return (
        select(_v.youtuber_id, func.count().label("videos"))
        .join_from(videos, video_texts, video_texts.c.video_id == _v.id)
        .where(_v.youtuber_id == _NUMBERS, *(VIDEO_CONDITIONS[name] for name in of_videos))
        .group_by(_v.youtuber_id)
    )


async def search(
    connection: QueryConnection, query: YoutuberTopicSearch, page: Page, seconds: float
) -> tuple[int | None, Ranked[TopicYoutuber]]:
    """Return the number of youtubers that match, None behind the last of them, and a page."""
    await matching.limit_time(connection, seconds)
    of_videos, of_youtubers = _values(query)
    shape = _Shape(tuple(of_videos), tuple(of_youtubers), query.sort, page.after is not None)
    values: dict[str, Any] = {
        **of_videos,
        **of_youtubers,
        "queries": matching.parameter(query.queries),
        "min_hits": query.min_hits,
    }
    rows = await connection.execute(_statement(shape), values | keyset.parameters(page))
    examples = await _examples(connection, rows)
    numbers = {"numbers": [row.youtuber_number for row in rows]}
    searched = {
        row.youtuber_id: row.videos
        for row in await connection.execute(_searched(shape.of_videos), of_videos | numbers)
    }

    def entry(row: AnyRow) -> TopicYoutuber:
        known: int = searched[row.youtuber_number]
        return TopicYoutuber(
            youtuber=youtuber_card(row),
            hits=row.hits,
            searched_videos=known,
            share=row.hits / known,
            newest_hit=row.newest_hit,
            examples=tuple(examples[number] for number in row.examples),
        )

    return matching.total_of(rows, page), keyset.cut(page, rows, entry)


async def lacks_texts(
    connection: QueryConnection, query: YoutuberTopicSearch, seconds: float
) -> bool:
    """Return whether the conditions leave videos, and a text is known of none of them."""
    await matching.limit_time(connection, seconds)
    of_videos, of_youtubers = _values(query)
    statement = _lacking(tuple(of_videos), tuple(of_youtubers))
    return bool((await connection.execute(statement, of_videos | of_youtubers)).scalar())


@cache
def _lacking(of_videos: tuple[str, ...], of_youtubers: tuple[str, ...]) -> AnySelect:
    found = select(_v.id).join_from(videos, youtubers, _y.id == _v.youtuber_id)
    conditions = [VIDEO_CONDITIONS[name] for name in of_videos]
    conditions += [YOUTUBERS.filters[name] for name in of_youtubers]
    return matching.lacking(found.where(*conditions))


def _values(query: YoutuberTopicSearch) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of the conditions on videos, and of those on channels."""
    period = {"start": query.period.start, "end": query.period.end}
    filters = {name: getattr(query.youtubers, name) for name in YOUTUBERS.filters}
    return _known(period), _known(filters)


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


async def _examples(connection: QueryConnection, rows: Sequence[AnyRow]) -> Mapping[int, Video]:
    numbers = [number for row in rows for number in row.examples]
    found = await connection.execute(_EXAMPLES, {"numbers": numbers})
    return {row.video_number: video(row) for row in found}
