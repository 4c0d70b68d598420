"""Sponsors that youtubers alike have and one youtuber has not."""

from functools import cache
from typing import Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    Date,
    Double,
    Integer,
    Text,
    bindparam,
    case,
    cast,
    func,
    select,
)

from catalog_service.domain.ports import Peers, ScoredSponsor
from catalog_service.domain.queries import Basis, ProspectSearch
from catalog_service.storage.columns import SPONSOR_CARD, YOUTUBER_REF, AnySelect, sponsor_card
from catalog_service.storage.reading import Asking
from catalog_service.storage.similar import examples_by_sponsor
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers

_EXAMPLES: Final = 3
_MOST_PEERS: Final = 200
_SIZE_BAND: Final = 3.0
"""Youtubers are of one size when neither has more than so many times the other's subscribers."""

_number: Final = bindparam("number", type_=BigInteger)
_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_s, _y, _held = sponsors.c, youtubers.c, sponsor_youtubers.c


def _peers_by_sponsors() -> AnySelect:
    """Youtubers with sponsors in common; the weight is the Jaccard index of the sponsors."""
    mine, theirs = sponsor_youtubers.alias("mine"), sponsor_youtubers.alias("theirs")
    shared = (
        select(theirs.c.youtuber_id, func.count().label("shared"))
        .join(mine, mine.c.sponsor_id == theirs.c.sponsor_id)
        .where(mine.c.youtuber_id == _number, theirs.c.youtuber_id != _number)
        .group_by(theirs.c.youtuber_id)
        .subquery("shared")
    )
    own = select(_y.sponsors).where(_y.id == _number).correlate(None).scalar_subquery()
    weight = cast(shared.c.shared, Double) / (own + _y.sponsors - shared.c.shared)
    return (
        select(_y.id, weight.label("weight"))
        .join(shared, shared.c.youtuber_id == _y.id)
        .order_by(weight.desc(), _y.sponsored_videos.desc(), _y.id)
        .limit(_MOST_PEERS)
    )


def _peers_by_profile() -> AnySelect:
    """Sponsored youtubers of the same content; country and size add to the weight."""
    own = youtubers.alias("own")
    in_country = case((_y.country == own.c.country, 0.25), else_=0.0)
    of_size = case(
        (
            _y.subscribers.between(own.c.subscribers / _SIZE_BAND, own.c.subscribers * _SIZE_BAND),
            0.25,
        ),
        else_=0.0,
    )
    of_content = case((_y.category == own.c.category, 0.5), else_=0.0)
    weight = cast(of_content + in_country + of_size, Double)
    return (
        select(_y.id, weight.label("weight"))
        .join(own, own.c.id == _number)
        .where(
            _y.id != _number,
            _y.sponsors > 0,
            own.c.category.is_(None) | (_y.category == own.c.category),
            weight > 0,
        )
        .order_by(weight.desc(), _y.sponsored_videos.desc(), _y.id)
        .limit(_MOST_PEERS)
    )


_PEERS: Final = {"sponsors": _peers_by_sponsors(), "profile": _peers_by_profile()}
_FILTERS: Final = {
    "categories": _s.category == func.any(bindparam("categories", type_=ARRAY(Text))),
    "active_since": _s.last_seen >= bindparam("active_since", type_=Date),
}


def _peers(basis: Basis) -> CTE:
    return _PEERS[basis].cte("peers").prefix_with("MATERIALIZED", dialect="postgresql")


@cache
def _scored(basis: Basis, filters: tuple[str, ...]) -> AnySelect:
    peers = _peers(basis)
    own = select(_held.sponsor_id).where(_held.youtuber_id == _number)
    held = (
        select(
            _held.sponsor_id,
            func.count().label("similar"),
            func.sum(peers.c.weight).label("weight"),
        )
        .join(peers, peers.c.id == _held.youtuber_id)
        .where(_held.sponsor_id.not_in(own))
        .group_by(_held.sponsor_id)
        .subquery("held")
    )
    all_weight = select(func.sum(peers.c.weight)).scalar_subquery()
    score = (held.c.weight / all_weight).label("score")
    return (
        select(
            *SPONSOR_CARD,
            held.c.similar,
            score,
            select(func.count()).select_from(peers).scalar_subquery().label("peers"),
        )
        .join(held, held.c.sponsor_id == _s.id)
        .where(*(_FILTERS[name] for name in filters))
        .order_by(score.desc(), held.c.similar.desc(), _s.videos.desc(), _s.id)
        .limit(bindparam("limit", type_=Integer))
    )


@cache
def _examples(basis: Basis) -> AnySelect:
    peers = _peers(basis)
    place = func.row_number().over(
        partition_by=_held.sponsor_id, order_by=(peers.c.weight.desc(), _y.id)
    )
    ranked = (
        select(_held.sponsor_id, *YOUTUBER_REF, place.label("place"))
        .select_from(sponsor_youtubers)
        .join(peers, peers.c.id == _held.youtuber_id)
        .join(youtubers, _y.id == _held.youtuber_id)
        .where(_held.sponsor_id == func.any(_numbers))
        .subquery("ranked")
    )
    return select(ranked).where(ranked.c.place <= _EXAMPLES).order_by(ranked.c.place)


async def scored(connection: Asking, query: ProspectSearch, basis: Basis) -> Peers:
    filters = tuple(name for name in _FILTERS if getattr(query, name) is not None)
    values = {name: getattr(query, name) for name in filters}
    values |= {"number": query.youtuber, "limit": query.limit}
    rows = (await connection.execute(_scored(basis, filters), values)).all()
    numbers = [row.sponsor_number for row in rows]
    found = await connection.execute(
        _examples(basis), {"number": query.youtuber, "numbers": numbers}
    )
    examples = examples_by_sponsor(found)
    return Peers(
        count=rows[0].peers if rows else 0,
        sponsors=tuple(
            ScoredSponsor(
                sponsor_card(row),
                row.score,
                row.similar,
                tuple(examples[row.sponsor_number]),
            )
            for row in rows
        ),
    )
