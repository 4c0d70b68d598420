"""Sums of all time by one facet: a content category, a country, a least confidence or a choice of kinds.

Facets add up except for youtubers with several kinds, who are stored under the set of all their kinds; see
`tables.sponsor_facets`.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    Text,
    bindparam,
    column,
    func,
    literal,
    literal_column,
    select,
    true,
)

from catalog_service.domain import confidence_steps, kinds
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.queries import Ranking
from catalog_service.storage.columns import AnySelect, sum_where
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import facet_totals, sponsor_facets

_facets, _totals = sponsor_facets.c, facet_totals.c
_DEPTH: Final = bindparam("depth", type_=Integer)


def _texts(name: str) -> Any:
    return bindparam(name, type_=ARRAY(Text))


def values(query: Ranking) -> dict[str, Any] | None:
    """Return the parameters of the facet that the conditions of a query are; None if they are none or several.

    The period is not looked at.
    """
    if query.categories is not None or query.lists.values():
        return None
    conditions = [
        facets
        for facets in (
            _of_value("content", query.content_category),
            _of_value("country", query.country),
            of_confidence(query.min_confidence),
        )
        if facets is not None
    ]
    if query.kinds == kinds.PAID:
        return _paid(conditions[0]) if len(conditions) == 1 else None
    return None if conditions else _chosen_kinds(query.kinds)


def _of_value(name: str, value: str | None) -> list[str] | None:
    return None if value is None else [f"{name}:{value}"]


def of_confidence(min_confidence: float) -> list[str] | None:
    """Return the facets of a least confidence; empty where it lies between two steps, None if it leaves nothing out."""
    if not min_confidence:
        return None
    steps = confidence_steps.at_least(min_confidence) or ()
    return [f"confidence_step:{step}" for step in steps]


def _paid(facets: list[str]) -> dict[str, Any] | None:
    return _parameters(facets, facets, facets, facets, [kinds.PAID_SET]) if facets else None


def of_kinds(chosen: Kinds) -> list[str]:
    """Return the facets that have the sponsorships of these kinds."""
    return [f"kind:{kind}" for kind in chosen]


def _chosen_kinds(chosen: Kinds) -> dict[str, Any]:
    return _parameters(
        of_kinds(chosen),
        kinds.mask_facets(chosen),
        of_kinds((kinds.FREE_PRODUCT,)),
        of_kinds(kinds.ALL),
        list(chosen),
    )


def _parameters(
    facets: list[str], reached: list[str], free: list[str], shown: list[str], sets: list[str]
) -> dict[str, Any]:
    """Return the parameters of all statements here.

    Args:
        facets: Those that have the sponsorships.
        reached: Those that have the youtubers of sponsors, and of all the different videos as well.
        free: Those that have the free products.
        shown: Those that have the sums of each kind.
        sets: The sets of kinds whose sponsorships count.
    """
    return {
        "facets": facets,
        "reached_facets": reached,
        "free_facets": free,
        "shown_facets": shown,
        "facet_sets": sets,
        "every_facet": sorted({*facets, *reached, *free, *shown}),
        "reached_set": kinds.PAID_SET if reached == facets else kinds.ALL_SET,
    }


_LISTED_BY: Final[Mapping[str, tuple[ColumnElement[int], ColumnElement[int], str]]] = {
    "videos": (_facets.videos, _facets.videos, "facets"),
    "youtubers": (_facets.youtubers, _facets.youtubers, "reached_facets"),
    "views": (_facets.views, _facets.videos, "facets"),
}
"""The column that each metric's lists are ranked by, the one of which those listed have some, and the parameter that names the lists."""


def heads(metric: str) -> CTE:
    """Select the first sponsors of each list, which is of a facet."""
    listed, counted, names = _LISTED_BY[metric]
    facet = (
        func.unnest(_texts(names)).table_valued(column("facet", Text)).render_derived("requested")
    )
    head = (
        select(_facets.sponsor_id, listed.label("amount"))
        .where(_facets.facet == facet.c.facet, counted > literal_column("0"))
        .order_by(listed.desc(), _facets.sponsor_id)
        .limit(_DEPTH)
        .lateral("head")
    )
    return (
        select(
            literal("", Text).label("category"),
            facet.c.facet.label("list"),
            head.c.sponsor_id,
            head.c.amount,
        )
        .select_from(facet.join(head, true()))
        .cte("heads")
    )


def _is_one_of(facet: ColumnElement[str], name: str) -> ColumnElement[bool]:
    return facet == func.any(_texts(name))


def sums_of_sponsor(sponsor: ColumnElement[int]) -> FromClause:
    """Select videos, views and free products of a sponsor."""
    is_counted = _is_one_of(_facets.facet, "facets")
    return (
        select(
            sum_where(_facets.videos, is_counted).label("videos"),
            sum_where(_facets.views, is_counted).label("views"),
            sum_where(_facets.free_products, _is_one_of(_facets.facet, "free_facets")).label(
                "free_products"
            ),
        )
        .where(_facets.sponsor_id == sponsor, _is_one_of(_facets.facet, "every_facet"))
        .lateral("sums")
    )


def youtubers_of_sponsor(sponsor: ColumnElement[int]) -> FromClause:
    """Count the different youtubers of a sponsor."""
    return (
        select(total(_facets.youtubers).label("youtubers"))
        .where(_facets.sponsor_id == sponsor, _is_one_of(_facets.facet, "reached_facets"))
        .lateral("reached")
    )


def scope_totals() -> AnySelect:
    """Select what `months.scope_totals` does."""
    is_reached = _is_one_of(_totals.facet, "reached_facets") & (
        _totals.kinds == bindparam("reached_set", type_=Text)
    )
    is_counted = _is_one_of(_totals.facet, "facets") & _is_one_of(_totals.kinds, "facet_sets")
    is_shown = _is_one_of(_totals.facet, "shown_facets")
    return select(
        sum_where(_totals.videos, is_reached).label("videos"),
        sum_where(_totals.sponsorships, is_counted).label("sponsorships"),
        sum_where(_totals.youtubers, is_reached).label("youtubers"),
        sum_where(_totals.views, is_reached).label("views"),
        *(
            sum_where(_totals[name], is_shown & (_totals.kinds == kind)).label(f"{kind}_{name}")
            for kind in kinds.ALL
            for name in ("videos", "sponsorships")
        ),
    ).where(_is_one_of(_totals.facet, "every_facet"))
