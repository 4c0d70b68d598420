"""Relations between sponsors and youtubers that have had a sponsorship of some kinds.

Counts of all kinds and of paid work are stored; those of other kinds are counted.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, SmallInteger, bindparam, func, select

from catalog_service.domain import kinds
from catalog_service.domain.kinds import Kinds
from catalog_service.storage.tables import sponsor_youtubers, sponsors, youtubers

_MASK: Final = bindparam("kinds_mask", type_=SmallInteger)
_YOUTUBERS: Final = {kinds.ALL: "youtubers", kinds.PAID: "paid_youtubers"}
_SPONSORS: Final = {kinds.ALL: "sponsors", kinds.PAID: "paid_sponsors"}


def values(of_kinds: Kinds) -> dict[str, Any]:
    """Return the parameter of `has_kind`."""
    return {"kinds_mask": kinds.mask(of_kinds)}


def has_kind(relation: FromClause) -> ColumnElement[bool]:
    """Return the condition on rows of `sponsor_youtubers`, or of an alias of it."""
    return relation.c.kinds.bitwise_and(_MASK) != 0


def youtuber_count(of_kinds: Kinds, sponsor: FromClause = sponsors) -> ColumnElement[Any]:
    """Return the number of youtubers of the sponsor in the row."""
    return _count(of_kinds, sponsor, sponsor_youtubers.c.sponsor_id, _YOUTUBERS)


def sponsor_count(of_kinds: Kinds, youtuber: FromClause = youtubers) -> ColumnElement[Any]:
    """Return the number of sponsors of the youtuber in the row."""
    return _count(of_kinds, youtuber, sponsor_youtubers.c.youtuber_id, _SPONSORS)


def _count(
    of_kinds: Kinds, row: FromClause, side: ColumnElement[int], stored: Mapping[Kinds, str]
) -> ColumnElement[Any]:
    """Return the number of relations of the row, whose id is on that `side` of them."""
    if of_kinds in stored:
        return row.c[stored[of_kinds]]
    counted = select(func.count()).where(side == row.c.id, has_kind(sponsor_youtubers))
    return counted.correlate(row).scalar_subquery()
