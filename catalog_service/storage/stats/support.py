"""`domain.support` as expressions of SQL."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Double, Integer, Subquery, cast, func, literal_column, select

from catalog_service.domain import relation_status
from catalog_service.domain.support import MIN_SHARED, PRIOR
from catalog_service.storage.tables import catalog_state

POPULATION: Final = select(cast(catalog_state.c.sponsored_youtubers, Double)).scalar_subquery()
"""The number of youtubers with sponsors."""

_PRIOR: Final = literal_column(repr(PRIOR), Double)
_MIN_SHARED: Final = literal_column(repr(MIN_SHARED), Integer)


def score(shared: ColumnElement[Any], expected: ColumnElement[Any]) -> ColumnElement[float]:
    exceeding = cast(shared, Double) - expected
    return func.greatest(literal_column("0.0", Double), exceeding / (shared + _PRIOR))


def best_first(rows: Subquery) -> tuple[ColumnElement[Any], ...]:
    """Return the order: supported before unsupported, active before lapsed, then by score.

    `rows` has the columns of a sponsor's card, `shared`, `expected` and `score`.
    """
    is_supported = (rows.c.shared >= _MIN_SHARED) & (rows.c.shared > rows.c.expected)
    return (
        is_supported.desc(),
        (rows.c.status == literal_column(f"'{relation_status.ACTIVE}'")).desc(),
        rows.c.score.desc(),
        rows.c.shared.desc(),
        rows.c.videos.desc(),
        rows.c.sponsor_number,
    )
