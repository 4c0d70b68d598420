"""Searches of sponsors by words and filters, and lookups by reference."""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Integer,
    Text,
    bindparam,
    case,
    func,
    literal,
    select,
    true,
    union_all,
)

from catalog_service.domain.name_keys import plain_digits
from catalog_service.domain.references import MAX_FOUND, Candidate, SponsorReference
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    SPONSOR_HINT,
    SPONSOR_REF,
    AnySelect,
    sponsor_card,
    sponsor_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, beginning, descending
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.search.index import SearchIndex
from catalog_service.storage.search.matching import Names
from catalog_service.storage.search.videos import MEANT_VIDEO, video_values
from catalog_service.storage.tables import (
    sponsor_merges,
    sponsor_names,
    sponsors,
    sponsorships,
    videos,
)
from shapes.catalog.shared import SponsorRef

_s = sponsors.c
_FILTERS: Final = {
    "numbers": _s.id == func.any(bindparam("numbers", type_=ARRAY(BigInteger))),
    "categories": _s.category == func.any(bindparam("categories", type_=ARRAY(Text))),
    "country": _s.country == bindparam("country"),
    "active_since": _s.last_seen >= bindparam("active_since"),
    "min_videos": _s.videos >= bindparam("min_videos"),
    **list_conditions.of_sponsors(_s.id),
}
_ORDERS: Final = {
    "relevance": descending(_s.videos),
    "videos": descending(_s.videos),
    "youtubers": descending(_s.youtubers),
    "views": descending(_s.views),
    "recent": descending(_s.last_seen, is_nullable=True),
    "name": SortKey(beginning(_s.name_key)),
}
_LABEL_RANK: Final = 99


SPONSORS: Final = SearchIndex(
    columns=SPONSOR_CARD,
    card=sponsor_card,
    number=_s.id,
    filters=_FILTERS,
    orders=_ORDERS,
    names=Names(
        number=sponsor_names.c.sponsor_id,
        name=sponsor_names.c.name_key,
        deletions=sponsor_names.c.deletions,
        is_label=sponsor_names.c.is_label,
        is_domain=sponsor_names.c.is_domain,
    ),
    is_seen=_s.videos > 0,
)


def _begins_domain() -> ColumnElement[bool]:
    """Whether a label begins a domain of its sponsor that is not below another one: "gaming" of gaming.tobii.com is no name of Tobii."""
    owner = sponsors.alias("owner")
    host = func.unnest(owner.c.domains).table_valued("name").render_derived("host").lateral()
    parent = func.unnest(owner.c.domains).table_valued("name").render_derived("parent").lateral()
    ending = func.right(host.c.name, func.length(parent.c.name) + 1)
    is_below = select(literal(1)).select_from(parent).where(ending == "." + parent.c.name)
    return (
        select(literal(1))
        .select_from(owner)
        .join(host, true())
        .where(
            owner.c.id == sponsor_names.c.sponsor_id,
            func.normalised(func.split_part(host.c.name, ".", 1)) == sponsor_names.c.name_key,
            ~is_below.exists(),
        )
        .exists()
    )


def _find() -> AnySelect:
    spelled = (
        func.unnest(bindparam("names", type_=ARRAY(Text)))
        .table_valued("name", with_ordinality="place")
        .render_derived()
    )
    named, merged = sponsor_names.c, sponsor_merges.c
    is_dotted = func.strpos(spelled.c.name, ".") > 0
    found = union_all(
        select(_s.id.label("number"), literal(0).label("rank")).where(
            _s.id == bindparam("number", type_=BigInteger)
        ),
        select(_s.id, literal(1)).where(_s.slug == bindparam("slug")),
        select(sponsorships.c.sponsor_id, literal(0))
        .join(videos, videos.c.id == sponsorships.c.video_id)
        .where(MEANT_VIDEO),
        select(merged.into_id, literal(0)).where(
            merged.from_id == bindparam("number", type_=BigInteger)
        ),
        select(merged.into_id, literal(1)).where(merged.from_slug == bindparam("slug")),
        select(
            named.sponsor_id,
            case((named.is_label, _LABEL_RANK), else_=spelled.c.place + 1),
        ).join_from(
            sponsor_names,
            spelled,
            (named.name_key == func.normalised(spelled.c.name))
            & (is_dotted | ~named.is_domain)
            & (~named.is_label | _begins_domain()),
        ),
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
        .limit(bindparam("limit", type_=Integer))
    )


_FIND: Final = _find()


async def find(
    connection: QueryConnection, reference: SponsorReference, limit: int = MAX_FOUND
) -> list[Candidate[SponsorRef]]:
    values = {
        "limit": limit,
        **video_values(reference.video),
        "number": reference.number,
        "slug": reference.slug,
        "names": [plain_digits(name) for name in reference.names],
    }
    rows = await connection.execute(_FIND, values)
    return [Candidate(row.rank, sponsor_ref(row), row.hint) for row in rows]
