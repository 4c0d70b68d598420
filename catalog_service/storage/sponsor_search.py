"""Sponsors by words and filters, and by what a reference may mean."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Text,
    bindparam,
    case,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from catalog_service.domain.answers.shared import SponsorCard, SponsorRef
from catalog_service.domain.queries import Page, SponsorSearch
from catalog_service.domain.references import MAX_CANDIDATES, Candidate, SponsorReference
from catalog_service.storage import names
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    SPONSOR_HINT,
    SPONSOR_REF,
    AnySelect,
    sponsor_card,
    sponsor_ref,
)
from catalog_service.storage.tables import sponsor_merges, sponsor_names, sponsors

_s = sponsors.c
_FILTERS: Final = {
    "categories": _s.category == func.any(bindparam("categories", type_=ARRAY(Text))),
    "country": _s.country == bindparam("country"),
    "active_since": _s.last_seen >= bindparam("active_since"),
    "min_videos": _s.videos >= bindparam("min_videos"),
}
_ORDERS: Final = {
    "relevance": (_s.videos.desc(),),
    "videos": (_s.videos.desc(),),
    "youtubers": (_s.youtubers.desc(),),
    "views": (_s.views.desc(),),
    "recent": (_s.last_seen.desc().nulls_last(),),
    "name": (_s.name_key,),
}
_LABEL_RANK: Final = 99


@dataclass(frozen=True, slots=True)
class _Shape:
    words: bool
    inside: bool
    filters: tuple[str, ...]
    sort: str


@cache
def _search(shape: _Shape) -> AnySelect:
    statement = select(*SPONSOR_CARD).where(*(_FILTERS[name] for name in shape.filters))
    order: tuple[Any, ...] = (*_ORDERS[shape.sort], _s.id)
    if shape.words:
        spelled = sponsor_names.c
        hits = names.hits(spelled.sponsor_id, spelled.name_key, inside=shape.inside)
        statement = statement.join(hits, hits.c.number == _s.id)
        if shape.sort == "relevance":
            order = (hits.c.tier, hits.c.closeness.desc(), *order)
    return (
        statement.order_by(*order)
        .limit(bindparam("limit", type_=Integer))
        .offset(bindparam("offset", type_=Integer))
    )


async def search(
    connection: AsyncConnection, query: SponsorSearch, page: Page
) -> list[SponsorCard]:
    filters = tuple(name for name in _FILTERS if getattr(query, name) is not None)
    words = query.words
    shape = _Shape(
        words is not None, words is not None and names.searched_inside(words), filters, query.sort
    )
    values = {name: getattr(query, name) for name in filters}
    values |= {"limit": page.limit + 1, "offset": page.offset}
    if words is not None:
        values["words"] = words
    return [sponsor_card(row) for row in await connection.execute(_search(shape), values)]


def _find() -> AnySelect:
    spelled = (
        func.unnest(bindparam("names", type_=ARRAY(Text)))
        .table_valued("name", with_ordinality="place")
        .render_derived()
    )
    named, merged = sponsor_names.c, sponsor_merges.c
    found = union_all(
        select(_s.id.label("number"), literal(0).label("rank")).where(
            _s.id == bindparam("number", type_=BigInteger)
        ),
        select(_s.id, literal(1)).where(_s.slug == bindparam("slug")),
        select(merged.into_id, literal(0)).where(
            merged.from_id == bindparam("number", type_=BigInteger)
        ),
        select(merged.into_id, literal(1)).where(merged.from_slug == bindparam("slug")),
        select(
            named.sponsor_id,
            case((named.is_label, _LABEL_RANK), else_=spelled.c.place + 1),
        ).join_from(sponsor_names, spelled, named.name_key == func.normalised(spelled.c.name)),
    ).subquery("found")
    best = (
        select(found.c.number, func.min(found.c.rank).label("rank"))
        .group_by(found.c.number)
        .subquery("best")
    )
    return (
        select(*SPONSOR_REF, SPONSOR_HINT, best.c.rank)
        .join(best, best.c.number == _s.id)
        .order_by(best.c.rank, _s.videos.desc(), _s.id)
        .limit(MAX_CANDIDATES + 1)
    )


_FIND: Final = _find()


async def find(
    connection: AsyncConnection, reference: SponsorReference
) -> list[Candidate[SponsorRef]]:
    values = {
        "number": reference.number,
        "slug": reference.slug,
        "names": list(reference.names),
    }
    rows = await connection.execute(_FIND, values)
    return [Candidate(row.rank, sponsor_ref(row), row.hint) for row in rows]
