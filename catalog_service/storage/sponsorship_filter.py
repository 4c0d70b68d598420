"""Conditions on sponsorships, by the parameters that statements share.

A statement is built once for each set of conditions that occurs, and then cached.
"""

from typing import Any, Final

from sqlalchemy import ARRAY, ColumnElement, Date, Double, Text, bindparam, func

from catalog_service.domain.queries import (
    NO_LISTS,
    Ranking,
    SharedYoutubersQuery,
    SponsorshipFilter,
)
from catalog_service.storage.lists import conditions as list_conditions
from catalog_service.storage.tables import sponsorships

Conditions = tuple[str, ...]
"""Names of conditions in `CONDITIONS`, in its order."""

_p = sponsorships.c
CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "start": _p.published_on >= bindparam("start", type_=Date),
    "end": _p.published_on <= bindparam("end", type_=Date),
    "min_confidence": _p.confidence >= bindparam("min_confidence", type_=Double),
    "kinds": _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text))),
    "categories": _p.sponsor_category == func.any(bindparam("categories", type_=ARRAY(Text))),
    "content_category": _p.content_category == bindparam("content_category"),
    "country": _p.country == bindparam("country"),
    **list_conditions.of_sponsors(_p.sponsor_id),
    **list_conditions.of_youtubers(_p.youtuber_id),
}


def clauses(conditions: Conditions) -> list[ColumnElement[bool]]:
    return [CONDITIONS[name] for name in conditions]


def conditions_of(
    query: SponsorshipFilter | Ranking | SharedYoutubersQuery,
) -> tuple[Conditions, dict[str, Any]]:
    """Return the conditions of a query, and the values of their parameters.

    A sponsorship has some confidence, so that at least 0 is no condition.
    """
    fields = {name: getattr(query, name, None) for name in CONDITIONS}
    fields |= {"start": query.period.start, "end": query.period.end}
    fields["min_confidence"] = query.min_confidence or None
    if not isinstance(query, SharedYoutubersQuery) and query.lists is not NO_LISTS:
        fields |= query.lists.values()
    values = {name: value for name, value in fields.items() if value is not None}
    return tuple(values), values
