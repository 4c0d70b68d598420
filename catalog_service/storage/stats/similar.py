"""Similar sponsors, by the youtubers whom they share in sponsorships of some kinds."""

from collections import defaultdict
from functools import cache
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Double, Integer, bindparam, cast, func, select

from catalog_service.domain import support as words
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.queries import NO_LISTS, ListConditions
from catalog_service.storage.columns import (
    SPONSOR_CARD,
    YOUTUBER_REF,
    AnySelect,
    sponsor_card,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.stats import relation_kinds, support
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers
from shapes.catalog.shared import YoutuberRef
from shapes.catalog.sponsors import SimilarSponsor

_EXAMPLES: Final = 3

_number: Final = bindparam("number", type_=BigInteger)
_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_limit: Final = bindparam("limit", type_=Integer)
_s, _y = sponsors.c, youtubers.c
_BY_LISTS: Final = list_conditions.of_sponsors(_s.id)


@cache
def _similar(kinds: Kinds, by_lists: tuple[str, ...]) -> AnySelect:
    mine, theirs = sponsor_youtubers.alias("mine"), sponsor_youtubers.alias("theirs")
    shared = (
        select(theirs.c.sponsor_id, func.count().label("shared"))
        .join(mine, mine.c.youtuber_id == theirs.c.youtuber_id)
        .where(mine.c.sponsor_id == _number, theirs.c.sponsor_id != _number)
        .where(relation_kinds.has_kind(mine), relation_kinds.has_kind(theirs))
        .group_by(theirs.c.sponsor_id)
        .subquery("shared")
    )
    own = sponsors.alias("own")
    own_youtubers = (
        select(cast(relation_kinds.youtuber_count(kinds, own), Double))
        .where(own.c.id == _number)
        .scalar_subquery()
    )
    their_youtubers = relation_kinds.youtuber_count(kinds)
    expected = own_youtubers * their_youtubers / support.population(kinds)
    similarity = shared.c.shared / (own_youtubers + their_youtubers - shared.c.shared)
    rows = (
        select(
            *SPONSOR_CARD,
            shared.c.shared,
            own_youtubers.label("own"),
            cast(their_youtubers, BigInteger).label("theirs"),
            expected.label("expected"),
            similarity.label("similarity"),
            support.score(shared.c.shared, expected).label("score"),
        )
        .join(shared, shared.c.sponsor_id == _s.id)
        .where(*(_BY_LISTS[name] for name in by_lists))
        .subquery("rows")
    )
    found = select(rows, func.count().over().label("matches"))
    return found.order_by(*support.best_first(rows)).limit(_limit)


def _shared_examples() -> AnySelect:
    """Select the best-known youtubers that the sponsor `number` shares with each of `numbers`."""
    mine, theirs = sponsor_youtubers.alias("mine"), sponsor_youtubers.alias("theirs")
    rank = func.row_number().over(
        partition_by=theirs.c.sponsor_id, order_by=(_y.subscribers.desc().nulls_last(), _y.id)
    )
    ranked = (
        select(theirs.c.sponsor_id, *YOUTUBER_REF, rank.label("rank"))
        .select_from(theirs)
        .join(mine, mine.c.youtuber_id == theirs.c.youtuber_id)
        .join(youtubers, _y.id == theirs.c.youtuber_id)
        .where(mine.c.sponsor_id == _number, theirs.c.sponsor_id == func.any(_numbers))
        .where(relation_kinds.has_kind(mine), relation_kinds.has_kind(theirs))
        .subquery("ranked")
    )
    return select(ranked).where(ranked.c.rank <= _EXAMPLES).order_by(ranked.c.rank)


_SHARED_EXAMPLES: Final = _shared_examples()


async def similar(
    connection: QueryConnection,
    sponsor: int,
    limit: int,
    kinds: Kinds,
    lists: ListConditions = NO_LISTS,
) -> tuple[int, list[SimilarSponsor]]:
    """Return the number of all that share a youtuber with the sponsor, and the first of them."""
    values = {"number": sponsor, **relation_kinds.values(kinds)}
    by_lists = lists.values()
    statement = _similar(kinds, tuple(by_lists))
    rows = (await connection.execute(statement, {**values, **by_lists, "limit": limit})).all()
    numbers = [row.sponsor_number for row in rows]
    shared = await connection.execute(_SHARED_EXAMPLES, {**values, "numbers": numbers})
    examples = examples_by_sponsor(shared)
    return rows[0].matches if rows else 0, [
        SimilarSponsor(
            sponsor=sponsor_card(row),
            shared_youtubers=row.shared,
            similarity=row.similarity,
            examples=tuple(examples[row.sponsor_number]),
            score=row.score,
            expected_youtubers=row.expected,
            support=words.support(row.shared, row.expected),
            evidence=words.similarity_evidence(
                row.shared, round(row.own), row.theirs, row.expected
            ),
        )
        for row in rows
    ]


def examples_by_sponsor(rows: Any) -> defaultdict[int, list[YoutuberRef]]:
    examples: defaultdict[int, list[YoutuberRef]] = defaultdict(list)
    for row in rows:
        examples[row.sponsor_id].append(youtuber_ref(row))
    return examples
