"""Relations between sponsors and youtubers that have had a sponsorship of some kinds.

Counts of all kinds and of paid work are stored. Youtubers of other choices are summed over the masks of kinds that they have
had, sponsors counted.
"""

from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    FromClause,
    SmallInteger,
    Text,
    bindparam,
    func,
    literal,
    select,
)

from catalog_service.domain import kinds
from catalog_service.domain.kinds import Kinds
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import facet_totals, sponsor_facets
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
    summed = select(total(sponsor_facets.c.youtubers)).where(
        sponsor_facets.c.sponsor_id == sponsor.c.id,
        sponsor_facets.c.facet == func.any(_facets(of_kinds)),
    )
    return summed.correlate(sponsor).scalar_subquery()


def sponsor_count(of_kinds: Kinds, youtuber: FromClause = youtubers) -> ColumnElement[Any]:
    """Return the number of sponsors of the youtuber in the row."""
    if of_kinds in _SPONSORS:
        return youtuber.c[_SPONSORS[of_kinds]]
    counted = select(func.count()).where(
        sponsor_youtubers.c.youtuber_id == youtuber.c.id, has_kind(sponsor_youtubers)
    )
    return counted.correlate(youtuber).scalar_subquery()


def all_youtubers(of_kinds: Kinds) -> ColumnElement[Any]:
    """Return the number of different youtubers of all sponsors."""
    return (
        select(total(facet_totals.c.youtubers))
        .where(
            facet_totals.c.facet == func.any(_facets(of_kinds)),
            facet_totals.c.kinds == kinds.ALL_SET,
        )
        .scalar_subquery()
    )


def _facets(of_kinds: Kinds) -> ColumnElement[Any]:
    """Return the facets of the masks that have one of the kinds: each youtuber is in one of them."""
    return literal(kinds.mask_facets(of_kinds), ARRAY(Text))
