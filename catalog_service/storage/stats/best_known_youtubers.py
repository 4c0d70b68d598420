"""A sponsor's youtubers in the order of their subscribers, without a sort of all of them.

Of a sponsor with a good share of all youtubers, enough for a page are among the best-known of all, who are looked up one
after the other. Where they are too few, and for sponsors with a small share, all of the sponsor's are sorted.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Subquery,
    bindparam,
    func,
    literal_column,
    not_,
    select,
    true,
    union_all,
)

from catalog_service.storage import keyset
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.keyset import SortKey, descending
from catalog_service.storage.tables import catalog_state, sponsor_youtubers, sponsors, youtubers

_MAX_LOOKUPS: Final = literal_column("2000", BigInteger)
"""The most youtubers that are looked up for a page."""

_MARGIN: Final = 4
"""They are looked up where this many times the page is expected among them."""

_number: Final = bindparam("number", type_=BigInteger)


def _is_expected() -> ColumnElement[bool]:
    """Return true where a sponsor's share of all youtubers lets those who are looked up fill the page."""
    own = select(sponsors.c.youtubers).where(sponsors.c.id == _number).scalar_subquery()
    everybody = select(catalog_state.c.youtubers).scalar_subquery()
    return own * _MAX_LOOKUPS >= everybody * keyset.LIMIT * _MARGIN


def _best_known(*, is_continued: bool) -> AnySelect:
    order = (
        descending(youtubers.c.subscribers, is_nullable=True),
        SortKey(_number),
        SortKey(youtubers.c.id),
    )
    best = select(youtubers.c.id, youtubers.c.subscribers)
    if is_continued:
        best = best.where(keyset.behind(order))
    known = (
        best.where(_is_expected())
        .order_by(order[0].clause, order[2].clause)
        .limit(_MAX_LOOKUPS)
        .subquery("known")
    )
    # One by one: Postgres takes a sponsor to have as many youtubers as others, and would read all of them.
    relation = (
        select(sponsor_youtubers)
        .where(
            sponsor_youtubers.c.sponsor_id == _number,
            sponsor_youtubers.c.youtuber_id == known.c.id,
        )
        .limit(literal_column("1"))
        .lateral("relation")
    )
    return (
        select(*relation.c)
        .select_from(known.join(relation, true()))
        .order_by(known.c.subscribers.desc().nulls_last(), known.c.id)
        .limit(keyset.LIMIT)
    )


def chosen(every: AnySelect, *, is_continued: bool) -> Subquery:
    """Select a page of relations of the sponsor `number`; `every` does so by a sort."""
    found = _best_known(is_continued=is_continued).cte("found")
    is_full = select(func.count()).select_from(found).scalar_subquery() >= keyset.LIMIT
    sorted_page = every.subquery("sorted_page")
    return union_all(
        select(found).where(is_full), select(sorted_page).where(not_(is_full))
    ).subquery("chosen")
