"""Sponsors that similar youtubers have and one youtuber has not."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

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
    column,
    func,
    literal_column,
    select,
    true,
)

from catalog_service.domain.kinds import Kinds
from catalog_service.domain.ports import Peers, ScoredSponsor
from catalog_service.domain.queries import Basis, ProspectSearch
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    sponsor_card,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.stats import relation_kinds, support
from catalog_service.storage.stats.similar import examples_by_sponsor
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers

_EXAMPLES: Final = 3
_MAX_PEERS: Final = 200
_MAX_COMPARED: Final = 2_000
"""The number of youtubers of a youtuber's sponsors after which no further sponsor is compared."""

_MAX_WEIGHED: Final = 1_000
"""The number of youtubers with the most sponsors in common that peers are chosen from."""

_MAX_HELD: Final = 1_500
"""The number of the peers' sponsors after which no further peer is read: where youtubers have many
sponsors, fewer peers are enough."""

_SIZE_BAND: Final = 3.0
"""Youtubers are of one size if neither has more than this many times the other's subscribers."""

_TRAITS: Final = {"content": 0.5, "country": 0.25, "size": 0.25}
"""What makes youtubers alike by their profiles, with its weight."""

_number: Final = bindparam("number", type_=BigInteger)
_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_s, _y, _relations = sponsors.c, youtubers.c, sponsor_youtubers.c


def _compared_sponsors() -> CTE:
    """Select the youtuber's sponsors that others are compared by, least known first.

    A sponsor that nearly everybody has makes youtubers hardly similar, and reading all of its
    youtubers would take longer the more there are.
    """
    before = func.sum(_s.youtubers).over(order_by=(_s.youtubers, _s.id))
    known = (
        select(_relations.sponsor_id, (before - _s.youtubers).label("seen"))
        .join(sponsors, _s.id == _relations.sponsor_id)
        .where(_relations.youtuber_id == _number, relation_kinds.has_kind(sponsor_youtubers))
        .subquery("known")
    )
    return select(known.c.sponsor_id).where(known.c.seen < _MAX_COMPARED).cte("compared")


def _limited(alike: AnySelect, traits: Iterable[str] = ()) -> AnySelect:
    """Select the first youtubers, in their order, whose sponsors are few enough to read, with these traits."""
    peer = alike.subquery("alike")
    order = (peer.c.weight.desc(), peer.c.sponsored_videos.desc(), peer.c.id)
    read = func.sum(peer.c.sponsors).over(order_by=order, rows=(None, -1))
    shown = (peer.c.id, peer.c.weight, *(peer.c[name] for name in traits))
    counted = select(*shown, read.label("read")).subquery("counted")
    return select(*(counted.c[column.name] for column in shown)).where(
        func.coalesce(counted.c.read, 0) < _MAX_HELD
    )


def _peers_by_sponsors(kinds: Kinds) -> AnySelect:
    """Select youtubers with sponsors in common; the weight is the Jaccard index of the sponsors."""
    mine, theirs = _compared_sponsors(), sponsor_youtubers.alias("theirs")
    shared = (
        select(theirs.c.youtuber_id, func.count().label("shared"))
        .join(mine, mine.c.sponsor_id == theirs.c.sponsor_id)
        .where(theirs.c.youtuber_id != _number, relation_kinds.has_kind(theirs))
        .group_by(theirs.c.youtuber_id)
        .order_by(func.count().desc(), theirs.c.youtuber_id)
        .limit(_MAX_WEIGHED)
        .subquery("shared")
    )
    own = youtubers.alias("own")
    sponsor_count = (
        select(relation_kinds.sponsor_count(kinds, own))
        .where(own.c.id == _number)
        .scalar_subquery()
    )
    # One by one: for Postgres it might be every second youtuber, and it would read all of them.
    other = (
        select(
            _y.id,
            relation_kinds.sponsor_count(kinds).label("sponsors"),
            _y.sponsored_videos,
        )
        .where(_y.id == shared.c.youtuber_id)
        .limit(literal_column("1"))
        .lateral("other")
    )
    weight = cast(shared.c.shared, Double) / (sponsor_count + other.c.sponsors - shared.c.shared)
    alike = (
        select(*other.c, weight.label("weight"))
        .select_from(shared)
        .join(other, true())
        .order_by(weight.desc(), other.c.sponsored_videos.desc(), other.c.id)
        .limit(_MAX_PEERS)
    )
    return _limited(alike)


def _peers_by_profile(kinds: Kinds) -> AnySelect:
    """Select sponsored youtubers of the same content; country and size add to the weight."""
    own = youtubers.alias("own")
    in_band = _y.subscribers.between(own.c.subscribers / _SIZE_BAND, own.c.subscribers * _SIZE_BAND)
    # Null where either is not known.
    is_like = {
        "content": _y.category == own.c.category,
        "country": _y.country == own.c.country,
        "size": in_band,
    }
    shares = [case((is_like[name], share), else_=0.0) for name, share in _TRAITS.items()]
    weight = cast(sum(shares[1:], start=shares[0]), Double)
    alike = (
        select(
            _y.id,
            weight.label("weight"),
            relation_kinds.sponsor_count(kinds).label("sponsors"),
            _y.sponsored_videos,
            *(condition.label(name) for name, condition in is_like.items()),
        )
        .join(own, own.c.id == _number)
        .where(
            _y.id != _number,
            relation_kinds.sponsor_count(kinds) > 0,
            own.c.category.is_(None) | (_y.category == own.c.category),
            weight > 0,
        )
        .order_by(weight.desc(), _y.sponsored_videos.desc(), _y.id)
        .limit(_MAX_PEERS)
    )
    return _limited(alike, _TRAITS)


@cache
def _peers_of(basis: Basis, kinds: Kinds) -> AnySelect:
    return _peers_by_sponsors(kinds) if basis == "sponsors" else _peers_by_profile(kinds)


_FILTERS: Final = {
    "categories": _s.category == func.any(bindparam("categories", type_=ARRAY(Text))),
    "active_since": _s.last_seen >= bindparam("active_since", type_=Date),
    **list_conditions.of_sponsors(_s.id),
}


def _peers() -> Any:
    """Return the youtubers `peers` and their weights, as rows."""
    return (
        func.unnest(
            bindparam("peers", type_=ARRAY(BigInteger)), bindparam("weights", type_=ARRAY(Double))
        )
        .table_valued(column("id", BigInteger), column("weight", Double))
        .render_derived("peers")
    )


@cache
def _scored(filters: tuple[str, ...], kinds: Kinds) -> AnySelect:
    peers = _peers()
    sponsor_count = select(_relations.sponsor_id).where(_relations.youtuber_id == _number)
    candidates = (
        select(
            _relations.sponsor_id,
            func.count().label("similar"),
            func.sum(peers.c.weight).label("weight"),
        )
        .join(peers, peers.c.id == _relations.youtuber_id)
        .where(
            _relations.sponsor_id.not_in(sponsor_count), relation_kinds.has_kind(sponsor_youtubers)
        )
        .group_by(_relations.sponsor_id)
        .subquery("candidates")
    )
    in_all = relation_kinds.youtuber_count(kinds)
    base_rate = in_all / support.population(kinds)
    expected_weight = bindparam("all_weight", type_=Double) * base_rate
    rows = (
        select(
            *SPONSOR_CARD,
            candidates.c.similar.label("shared"),
            in_all.label("in_all"),
            (bindparam("peer_count", type_=Double) * base_rate).label("expected"),
            candidates.c.weight,
            expected_weight.label("expected_weight"),
            support.score(candidates.c.weight, expected_weight).label("score"),
        )
        .join(candidates, candidates.c.sponsor_id == _s.id)
        .where(*(_FILTERS[name] for name in filters))
        .subquery("rows")
    )
    limit = bindparam("limit", type_=Integer)
    return select(rows).order_by(*support.best_first(rows)).limit(limit)


def _examples() -> AnySelect:
    peers = _peers()
    # Peer by peer: Postgres does not know that they are few beside a well-known sponsor's youtubers.
    relation = (
        select(_relations.sponsor_id)
        .where(_relations.youtuber_id == peers.c.id, _relations.sponsor_id == func.any(_numbers))
        .where(relation_kinds.has_kind(sponsor_youtubers))
        .offset(literal_column("0"))
        .lateral("relation")
    )
    rank = func.row_number().over(
        partition_by=relation.c.sponsor_id, order_by=(peers.c.weight.desc(), _y.id)
    )
    ranked = (
        select(relation.c.sponsor_id, *YOUTUBER_REF, rank.label("rank"))
        .select_from(peers)
        .join(relation, true())
        .join(youtubers, _y.id == peers.c.id)
        .subquery("ranked")
    )
    return select(ranked).where(ranked.c.rank <= _EXAMPLES).order_by(ranked.c.rank)


_EXAMPLES_OF: Final = _examples()


def _traits(peers: Sequence[AnyRow]) -> tuple[str, ...]:
    """Return in what one of the peers at least is like the youtuber."""
    return tuple(name for name in _TRAITS if any(getattr(peer, name) for peer in peers))


async def scored(connection: QueryConnection, query: ProspectSearch, basis: Basis) -> Peers:
    of_kinds = relation_kinds.values(query.kinds)
    statement = _peers_of(basis, query.kinds)
    found = (await connection.execute(statement, {"number": query.youtuber, **of_kinds})).all()
    # The youtuber most alike counts as one, so that many who are little alike are little support.
    heaviest = max((row.weight for row in found), default=1.0)
    weights = [row.weight / heaviest for row in found]
    peers = {"peers": [row.id for row in found], "weights": weights}
    filters = tuple(name for name in _FILTERS if getattr(query, name) is not None)
    values = {name: getattr(query, name) for name in filters} | peers | of_kinds
    values |= {"number": query.youtuber, "limit": query.limit}
    values |= {"all_weight": sum(weights), "peer_count": len(found)}
    rows = (await connection.execute(_scored(filters, query.kinds), values)).all()
    numbers = [row.sponsor_number for row in rows]
    examples = examples_by_sponsor(
        await connection.execute(_EXAMPLES_OF, {"numbers": numbers, **peers, **of_kinds})
    )
    return Peers(
        count=len(found),
        traits=_traits(found) if basis == "profile" else (),
        sponsors=tuple(
            ScoredSponsor(
                sponsor_card(row),
                row.score,
                row.shared,
                row.in_all,
                row.expected,
                row.weight,
                row.expected_weight,
                tuple(examples[row.sponsor_number]),
            )
            for row in rows
        ),
    )
