"""Youtubers that sponsors have in common, and sponsors that youtubers have in common."""

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Subquery,
    bindparam,
    cast,
    func,
    literal,
    select,
)

from catalog_service.domain import public_ids, share_of_voice
from catalog_service.domain.queries import Page, Ranked, SharedSponsorsQuery, SharedYoutubersQuery
from catalog_service.storage import keyset, sponsorship_filter
from catalog_service.storage.columns import SPONSOR_REF, AnyRow, AnySelect, sponsor_ref
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, descending
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.stats import relation_kinds
from catalog_service.storage.tables import sponsor_youtubers, sponsors, sponsorships
from shapes.catalog.comparisons import SharedRelation, SharedSponsor

_numbers: Final = bindparam("numbers", type_=ARRAY(BigInteger))
_sponsors: Final = bindparam("sponsors", type_=ARRAY(BigInteger))
_relation, _p = sponsor_youtubers.c, sponsorships.c
_IN_RELATIONS: Final = frozenset({"kinds"})


@cache
def _shared_youtubers(conditions: Conditions) -> AnySelect:
    """Count youtubers by which of the sponsors have matching sponsorships of them, as bits in the order of the sponsors.

    Relations tell which kinds two have had, and so answer without other conditions.
    """
    of_sponsors: list[ColumnElement[bool]]
    if _IN_RELATIONS.issuperset(conditions):
        relations: FromClause = sponsor_youtubers
        of_sponsors = [relation_kinds.has_kind(relations)] if conditions else []
    else:
        relations, of_sponsors = sponsorships, sponsorship_filter.clauses(conditions)
    bit = literal(1, Integer).bitwise_lshift(
        func.array_position(_numbers, relations.c.sponsor_id, type_=Integer) - 1
    )
    each = (
        select(func.bit_or(bit).label("sponsors"))
        .where(relations.c.sponsor_id == func.any(_numbers), *of_sponsors)
        .group_by(relations.c.youtuber_id)
        .subquery("each")
    )
    return select(each.c.sponsors, func.count().label("youtubers")).group_by(each.c.sponsors)


def _relations(conditions: Conditions) -> Subquery:
    """Select relations of the youtubers; without conditions they are stored."""
    if not conditions:
        chosen = select(
            _relation.sponsor_id,
            _relation.youtuber_id,
            _relation.videos,
            _relation.first_seen,
            _relation.last_seen,
        ).where(_relation.youtuber_id == func.any(_numbers))
        return chosen.subquery("relations")
    return (
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            func.count().label("videos"),
            func.min(_p.published_on).label("first_seen"),
            func.max(_p.published_on).label("last_seen"),
        )
        .where(_p.youtuber_id == func.any(_numbers), *sponsorship_filter.clauses(conditions))
        .group_by(_p.sponsor_id, _p.youtuber_id)
        .subquery("relations")
    )


@cache
def _shared_sponsors(conditions: Conditions, *, is_continued: bool) -> AnySelect:
    relations = _relations(conditions)
    common = (
        select(
            relations.c.sponsor_id, cast(func.sum(relations.c.videos), BigInteger).label("videos")
        )
        .group_by(relations.c.sponsor_id)
        .having(func.count() == func.cardinality(_numbers))
        .subquery("common")
    )
    order = (descending(common.c.videos), SortKey(common.c.sponsor_id))
    statement = (
        select(*SPONSOR_REF, common.c.videos.label("all_videos"), *keyset.labels(order))
        .join_from(common, sponsors, sponsors.c.id == common.c.sponsor_id)
        .order_by(*keyset.clauses(order))
        .limit(keyset.LIMIT)
    )
    return statement.where(keyset.behind(order)) if is_continued else statement


@cache
def _relations_with(conditions: Conditions) -> AnySelect:
    relations = _relations(conditions)
    return select(relations).where(relations.c.sponsor_id == func.any(_sponsors))


@cache
def _kinds_with(conditions: Conditions) -> AnySelect:
    return (
        select(
            _p.sponsor_id,
            _p.kind,
            func.count().label("sponsorships"),
        )
        .where(
            _p.youtuber_id == func.any(_numbers),
            _p.sponsor_id == func.any(_sponsors),
            *sponsorship_filter.clauses(conditions),
        )
        .group_by(_p.sponsor_id, _p.kind)
    )


async def youtubers_of(
    connection: QueryConnection, query: SharedYoutubersQuery
) -> dict[frozenset[int], int]:
    conditions, values = sponsorship_filter.conditions_of(query)
    values |= {"numbers": list(query.sponsors)}
    if query.kinds is not None:
        values |= relation_kinds.values(query.kinds)
    rows = await connection.execute(_shared_youtubers(conditions), values)
    shared: Counter[frozenset[int]] = Counter()
    for row in rows:
        common = [number for bit, number in enumerate(query.sponsors) if row.sponsors >> bit & 1]
        for pair in combinations(common, 2):
            shared[frozenset(pair)] += row.youtubers
    return shared


async def sponsors_of(
    connection: QueryConnection, query: SharedSponsorsQuery, page: Page
) -> Ranked[SharedSponsor]:
    conditions: Conditions = () if query.kinds is None else ("kinds",)
    values: dict[str, Any] = {"numbers": list(query.youtubers)}
    if query.kinds is not None:
        values["kinds"] = query.kinds
    statement = _shared_sponsors(conditions, is_continued=page.after is not None)
    found = (await connection.execute(statement, values | keyset.parameters(page))).all()
    related = values | {"sponsors": [row.sponsor_number for row in found]}
    relations = {
        (row.sponsor_id, row.youtuber_id): SharedRelation(
            public_ids.youtuber(row.youtuber_id), row.videos, row.first_seen, row.last_seen
        )
        for row in await connection.execute(_relations_with(conditions), related)
    }
    kinds: defaultdict[int, dict[str | None, int]] = defaultdict(dict[str | None, int])
    for row in await connection.execute(_kinds_with(conditions), related):
        kinds[row.sponsor_id][row.kind] = row.sponsorships

    def shared(row: AnyRow) -> SharedSponsor:
        own = tuple(relations[row.sponsor_number, number] for number in query.youtubers)
        by_kind = share_of_voice.by_kind(kinds[row.sponsor_number])
        return SharedSponsor(sponsor_ref(row), row.all_videos, own, by_kind)

    return keyset.cut(page, found, shared)
