"""Relations between sponsors and youtubers that have had a sponsorship of some kinds.

Counts of all kinds and of paid work are stored; those of other kinds are counted.
"""

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
    if of_kinds in _YOUTUBERS:
        return sponsor.c[_YOUTUBERS[of_kinds]]
    of_sponsor = sponsor_youtubers.c.sponsor_id == sponsor.c.id
    counted = select(func.count()).where(of_sponsor, has_kind(sponsor_youtubers))
    return counted.correlate(sponsor).scalar_subquery()


def sponsor_count(of_kinds: Kinds, youtuber: FromClause = youtubers) -> ColumnElement[Any]:
    """Return the number of sponsors of the youtuber in the row."""
    if of_kinds in _SPONSORS:
        return youtuber.c[_SPONSORS[of_kinds]]
    of_youtuber = sponsor_youtubers.c.youtuber_id == youtuber.c.id
    counted = select(func.count()).where(of_youtuber, has_kind(sponsor_youtubers))
    return counted.correlate(youtuber).scalar_subquery()
