"""Searches of youtubers by words and filters, and lookups by reference."""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    SmallInteger,
    Text,
    bindparam,
    case,
    false,
    func,
    literal,
    select,
    true,
    union_all,
)

from catalog_service.domain.name_keys import plain_digits
from catalog_service.domain.references import MAX_FOUND, Candidate, YoutuberReference
from catalog_service.storage.columns import (
    YOUTUBER_CARD,
    YOUTUBER_HINT,
    YOUTUBER_REF,
    AnySelect,
    youtuber_card,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, beginning, descending
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.search.index import SearchIndex
from catalog_service.storage.search.matching import Names
from catalog_service.storage.search.videos import MEANT_VIDEO, video_values
from catalog_service.storage.stats import relation_kinds
from catalog_service.storage.tables import (
    sponsor_youtubers,
    sponsors,
    videos,
    youtuber_aliases,
    youtuber_names,
    youtubers,
)
from shapes.catalog.shared import YoutuberRef

_y, _a = youtubers.c, youtuber_aliases.c


def _sponsored_by(parameter: str) -> Any:
    return (
        select(literal(1))
        .where(
            sponsor_youtubers.c.youtuber_id == _y.id,
            sponsor_youtubers.c.sponsor_id == bindparam(parameter, type_=BigInteger),
            relation_kinds.has_kind(sponsor_youtubers),
        )
        .exists()
    )


_FILTERS: Final = {
    "numbers": _y.id == func.any(bindparam("numbers", type_=ARRAY(BigInteger))),
    "category": _y.category == bindparam("category"),
    "country": _y.country == bindparam("country"),
    "min_subscribers": _y.subscribers >= bindparam("min_subscribers"),
    "max_subscribers": _y.subscribers <= bindparam("max_subscribers"),
    "sponsored_by": _sponsored_by("sponsored_by"),
    # Of a channel without a video looked at nobody knows who never sponsored it.
    "not_sponsored_by": (_y.videos_scanned > 0) & ~_sponsored_by("not_sponsored_by"),
    "sponsored_by_categories": select(literal(1))
    .where(
        sponsor_youtubers.c.youtuber_id == _y.id,
        sponsors.c.id == sponsor_youtubers.c.sponsor_id,
        sponsors.c.category == func.any(bindparam("sponsored_by_categories", type_=ARRAY(Text))),
        relation_kinds.has_kind(sponsor_youtubers),
    )
    .exists(),
    **list_conditions.of_youtubers(_y.id),
    # The parameter of the filters by brands; it leaves nobody out by itself.
    "kinds_mask": true(),
    "any_of_kinds": select(literal(1))
    .where(
        sponsor_youtubers.c.youtuber_id == _y.id,
        sponsor_youtubers.c.kinds.bitwise_and(bindparam("any_of_kinds", type_=SmallInteger)) != 0,
    )
    .exists(),
}
_ORDERS: Final = {
    "relevance": descending(_y.sponsored_videos),
    "subscribers": descending(_y.subscribers, is_nullable=True),
    "sponsored_videos": descending(_y.sponsored_videos),
    "recent": descending(_y.last_sponsored, is_nullable=True),
    "name": SortKey(beginning(_y.name_key)),
}


YOUTUBERS: Final = SearchIndex(
    columns=YOUTUBER_CARD,
    card=youtuber_card,
    number=_y.id,
    filters=_FILTERS,
    orders=_ORDERS,
    names=Names(
        number=youtuber_names.c.youtuber_id,
        name=youtuber_names.c.name_key,
        deletions=youtuber_names.c.deletions,
        is_label=false(),
        is_domain=false(),
    ),
)


def _find() -> AnySelect:
    name = func.normalised(bindparam("name", type_=Text))
    found = union_all(
        select(_y.id.label("number"), literal(0).label("rank")).where(
            _y.id == bindparam("number", type_=BigInteger)
        ),
        select(videos.c.youtuber_id, literal(0)).where(MEANT_VIDEO),
        select(_y.id, literal(1)).where(_y.channel_id == bindparam("channel_id")),
        select(_a.youtuber_id, literal(0)).where(
            _a.former_id == bindparam("number", type_=BigInteger)
        ),
        select(_y.id, literal(2)).where(_y.key == bindparam("key")),
        select(_a.youtuber_id, literal(2)).where(_a.key == bindparam("key")),
        select(_y.id, literal(3)).where(func.lower(_y.handle) == bindparam("handle")),
        # The present name goes before another spelling. A channel known by its name alone keeps that name
        # beside a namesake with an id, which an import may bring; without videos it comes behind.
        select(
            youtuber_names.c.youtuber_id,
            case(
                (_y.name_key != name, 5),
                (_y.channel_id.is_(None) & (_y.videos_scanned == 0), 4),
                else_=3,
            ),
        )
        .join(youtubers, _y.id == youtuber_names.c.youtuber_id)
        .where(youtuber_names.c.name_key == name),
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
        .limit(bindparam("limit", type_=Integer))
    )


_FIND: Final = _find()


async def find(
    connection: QueryConnection, reference: YoutuberReference, limit: int = MAX_FOUND
) -> list[Candidate[YoutuberRef]]:
    values = {
        "limit": limit,
        **video_values(reference.video),
        "number": reference.number,
        "channel_id": reference.channel_id,
        "key": reference.key,
        "handle": reference.handle,
        "name": reference.name and plain_digits(reference.name),
    }
    rows = await connection.execute(_FIND, values)
    return [Candidate(row.rank, youtuber_ref(row), row.hint) for row in rows]
