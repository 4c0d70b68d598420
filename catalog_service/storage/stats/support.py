"""`domain.support` as expressions of SQL."""

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Double,
    Integer,
    Numeric,
    Subquery,
    cast,
    func,
    literal_column,
    select,
)

from catalog_service.domain import kinds, relation_status
from catalog_service.domain.categories import ALL
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.support import MIN_SHARED, PRIOR
from catalog_service.storage.rollups.tables import FIRST, category_returns
from catalog_service.storage.stats import relation_kinds
from catalog_service.storage.tables import catalog_state

_PRIOR: Final = literal_column(repr(PRIOR), Double)
_MIN_SHARED: Final = literal_column(repr(MIN_SHARED), Integer)


def population(of_kinds: Kinds) -> ColumnElement[float]:
    """Return the number of youtubers with sponsorships of these kinds: those whom chance may choose."""
    if of_kinds == kinds.ALL:
        counted = select(cast(catalog_state.c.sponsored_youtubers, Double))
    elif of_kinds == kinds.PAID:
        # Each youtuber once, in the first month of all in which it has been seen with paid work.
        cells = category_returns.c
        counted = select(cast(func.sum(cells.paid_youtubers), Double)).where(
            cells.category == ALL, cells.since == FIRST
        )
    else:
        counted = select(cast(relation_kinds.all_youtubers(of_kinds), Double))
    return counted.scalar_subquery()


def score(shared: ColumnElement[Any], expected: ColumnElement[Any]) -> ColumnElement[float]:
    exceeding = cast(shared, Double) - expected
    return func.greatest(literal_column("0.0", Double), exceeding / (shared + _PRIOR))


def best_first(rows: Subquery) -> tuple[ColumnElement[Any], ...]:
    """Return the order: supported before unsupported, lapsed last of each, then by score; of the same score active first.

    `rows` has the columns of a sponsor's card, `shared`, `expected` and `score`.
    """
    is_supported = (rows.c.shared >= _MIN_SHARED) & (rows.c.shared > rows.c.expected)
    return (
        is_supported.desc(),
        rows.c.status == literal_column(f"'{relation_status.LAPSED}'"),
        # Sums of weights that come to the same may differ in the last digits.
        cast(rows.c.score, Numeric(9, 6)).desc(),
        (rows.c.status == literal_column(f"'{relation_status.ACTIVE}'")).desc(),
        rows.c.shared.desc(),
        rows.c.videos.desc(),
        rows.c.sponsor_number,
    )
