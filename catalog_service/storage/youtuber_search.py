"""Youtubers by words and filters, and by what a reference may mean."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Text,
    bindparam,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.answers.shared import YoutuberCard, YoutuberRef
from catalog_service.domain.queries import Page, YoutuberSearch
from catalog_service.domain.references import MAX_CANDIDATES, Candidate, YoutuberReference
from catalog_service.storage import names
from catalog_service.storage.columns import (
    YOUTUBER_CARD,
    YOUTUBER_HINT,
    YOUTUBER_REF,
    AnySelect,
    youtuber_card,
    youtuber_ref,
)
from catalog_service.storage.tables import sponsor_youtubers, youtuber_names, youtubers

_y = youtubers.c


def _sponsored_by(parameter: str) -> Any:
    return (
        select(literal(1))
        .where(
            sponsor_youtubers.c.youtuber_id == _y.id,
            sponsor_youtubers.c.sponsor_id == bindparam(parameter, type_=BigInteger),
        )
        .exists()
    )


_FILTERS: Final = {
    "category": _y.category == bindparam("category"),
    "country": _y.country == bindparam("country"),
    "min_subscribers": _y.subscribers >= bindparam("min_subscribers"),
    "max_subscribers": _y.subscribers <= bindparam("max_subscribers"),
    "sponsored_by": _sponsored_by("sponsored_by"),
    "not_sponsored_by": ~_sponsored_by("not_sponsored_by"),
}
_ORDERS: Final = {
    "relevance": (_y.sponsored_videos.desc(),),
    "subscribers": (_y.subscribers.desc().nulls_last(),),
    "sponsored_videos": (_y.sponsored_videos.desc(),),
    "recent": (_y.last_sponsored.desc().nulls_last(),),
    "name": (_y.name_key,),
}


@dataclass(frozen=True, slots=True)
class _Shape:
    words: bool
    inside: bool
    filters: tuple[str, ...]
    sort: str


@cache
def _search(shape: _Shape) -> AnySelect:
    statement = select(*YOUTUBER_CARD).where(*(_FILTERS[name] for name in shape.filters))
    order: tuple[Any, ...] = (*_ORDERS[shape.sort], _y.id)
    if shape.words:
        spelled = youtuber_names.c
        hits = names.hits(spelled.youtuber_id, spelled.name_key, inside=shape.inside)
        statement = statement.join(hits, hits.c.number == _y.id)
        if shape.sort == "relevance":
            order = (hits.c.tier, hits.c.closeness.desc(), *order)
    return (
        statement.order_by(*order)
        .limit(bindparam("limit", type_=Integer))
        .offset(bindparam("offset", type_=Integer))
    )


async def search(
    connection: AsyncConnection, query: YoutuberSearch, page: Page
) -> list[YoutuberCard]:
    filters = tuple(name for name in _FILTERS if getattr(query, name) is not None)
    words = query.words
    shape = _Shape(
        words is not None, words is not None and names.searched_inside(words), filters, query.sort
    )
    values = {name: getattr(query, name) for name in filters}
    values |= {"limit": page.limit + 1, "offset": page.offset}
    if words is not None:
        values["words"] = words
    return [youtuber_card(row) for row in await connection.execute(_search(shape), values)]


def _find() -> AnySelect:
    name = func.normalised(bindparam("name", type_=Text))
    found = union_all(
        select(_y.id.label("number"), literal(0).label("rank")).where(
            _y.id == bindparam("number", type_=BigInteger)
        ),
        select(_y.id, literal(1)).where(_y.channel_id == bindparam("channel_id")),
        select(_y.id, literal(2)).where(_y.key == bindparam("key")),
        select(_y.id, literal(3)).where(func.lower(_y.handle) == bindparam("handle")),
        select(youtuber_names.c.youtuber_id, literal(3)).where(youtuber_names.c.name_key == name),
    ).subquery("found")
    best = (
        select(found.c.number, func.min(found.c.rank).label("rank"))
        .group_by(found.c.number)
        .subquery("best")
    )
    return (
        select(*YOUTUBER_REF, YOUTUBER_HINT, best.c.rank)
        .join(best, best.c.number == _y.id)
        .order_by(best.c.rank, _y.subscribers.desc().nulls_last(), _y.id)
        .limit(MAX_CANDIDATES + 1)
    )


_FIND: Final = _find()


async def find(
    connection: AsyncConnection, reference: YoutuberReference
) -> list[Candidate[YoutuberRef]]:
    values = {
        "number": reference.number,
        "channel_id": reference.channel_id,
        "key": reference.key,
        "handle": reference.handle,
        "name": reference.name,
    }
    rows = await connection.execute(_FIND, values)
    return [Candidate(row.rank, youtuber_ref(row), row.hint) for row in rows]
