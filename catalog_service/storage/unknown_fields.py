"""Statements that count the sponsored videos that a query leaves out because a field is not known.

They match each filter or have its field unknown, and have one unknown at least.
"""

from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    SmallInteger,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from catalog_service.domain import kinds
from catalog_service.domain.coverage import filters_fields
from catalog_service.domain.queries import Ranking, SponsorSearch, SponsorshipFilter, YoutuberSearch
from catalog_service.domain.relation_status import UNKNOWN
from catalog_service.storage import sponsorship_filter
from catalog_service.storage.columns import AnySelect
from catalog_service.storage.relation_status import relation_status
from catalog_service.storage.search.sponsors import SPONSORS
from catalog_service.storage.search.youtubers import YOUTUBERS
from catalog_service.storage.sponsorship_filter import CONDITIONS, Conditions
from catalog_service.storage.stats import relation_kinds
from catalog_service.storage.tables import sponsor_youtubers, sponsors, sponsorships, youtubers

Count = tuple[AnySelect, dict[str, Any]]
"""A statement that selects one number, and its parameters."""

_p, _s, _y = sponsorships.c, sponsors.c, youtubers.c
_number: Final = bindparam("number", type_=BigInteger)
_MASK: Final = bindparam("kinds_mask", type_=SmallInteger)
_OF_SPONSORSHIPS: Final[dict[str, ColumnElement[bool]]] = {
    "categories": _p.sponsor_category.is_(None),
    "content_category": _p.content_category.is_(None),
    "country": _p.country.is_(None),
}
_OF_SPONSORS: Final[dict[str, ColumnElement[bool]]] = {
    "categories": _s.category.is_(None),
    "country": _s.country.is_(None),
}
_has_unknown_sponsor: Final = (
    select(literal(1))
    .where(
        sponsor_youtubers.c.youtuber_id == _y.id,
        _s.id == sponsor_youtubers.c.sponsor_id,
        relation_kinds.has_kind(sponsor_youtubers),
        _s.category.is_(None),
    )
    .exists()
)
_OF_YOUTUBERS: Final[dict[str, ColumnElement[bool]]] = {
    "category": _y.category.is_(None),
    "country": _y.country.is_(None),
    "min_subscribers": _y.subscribers.is_(None),
    "max_subscribers": _y.subscribers.is_(None),
    "sponsored_by_categories": ~YOUTUBERS.filters["sponsored_by_categories"] & _has_unknown_sponsor,
}
"""Filters whose field may be unknown, with the condition that it is."""

_BRANDS: Final[dict[str, ColumnElement[bool]]] = {
    "sponsored_by": _p.sponsor_id == bindparam("sponsored_by"),
    "sponsored_by_categories": _p.sponsor_category.is_(None)
    | (_p.sponsor_category == func.any(bindparam("sponsored_by_categories", type_=ARRAY(Text)))),
}
"""Filters of youtubers by their brands, with the sponsorships that make them match or may do so."""

SPONSOR_FIELDS: Final = frozenset(_OF_SPONSORS)
YOUTUBER_FIELDS: Final = frozenset(_OF_YOUTUBERS)


def of_ranking(query: Ranking) -> Count | None:
    """Return how to count; None if no filter is by a field that may be unknown."""
    if not filters_fields(query):
        return None
    conditions, values = sponsorship_filter.conditions_of(query)
    return _from_sponsorships(conditions), values


def of_relations(query: SponsorshipFilter) -> Count | None:
    """Return how to count videos of a sponsor; None as in `of_ranking`."""
    conditions, values = sponsorship_filter.conditions_of(query)
    by_status = query.status not in {None, UNKNOWN}
    if query.country is None and not by_status:
        return None
    values |= {"number": query.number} | ({"status": query.status} if query.status else {})
    return _from_relations(conditions, query.status, by_status=by_status), values


def of_sponsors(query: SponsorSearch) -> Count | None:
    """Return how to count videos of the sponsors that a search without words leaves out."""
    names, values = _filters_of(query, SPONSORS.filters)
    return (_from_sponsors(names), values) if SPONSOR_FIELDS & set(names) else None


def of_youtubers(query: YoutuberSearch) -> Count | None:
    """Return how to count videos of the youtubers that a search without words leaves out."""
    names, values = _filters_of(query, YOUTUBERS.filters)
    return (_from_youtubers(names), values) if YOUTUBER_FIELDS & set(names) else None


def _filters_of(query: Any, filters: Any) -> tuple[Conditions, dict[str, Any]]:
    values = {name: getattr(query, name) for name in filters if getattr(query, name) is not None}
    return tuple(values), values


@cache
def _from_sponsorships(conditions: Conditions) -> AnySelect:
    filtered = [name for name in conditions if name in _OF_SPONSORSHIPS]
    clauses = [CONDITIONS[name] for name in conditions if name not in _OF_SPONSORSHIPS]
    if len(filtered) == 1:
        clauses.append(_OF_SPONSORSHIPS[filtered[0]])
    else:
        clauses += _possible(filtered, CONDITIONS, _OF_SPONSORSHIPS)
    # Day and video in the order of the partial indexes.
    found = select(_p.published_on, _p.video_id).where(*clauses).distinct().subquery("found")
    counted = select(func.count().label("videos")).select_from(found)
    if "categories" not in filtered:
        return counted
    # Of several brands of a video one may match, and then the video is counted.
    matching = select(literal(1)).where(
        _p.video_id == found.c.video_id, *(CONDITIONS[name] for name in conditions)
    )
    return counted.where(~matching.correlate(found).exists())


@cache
def _from_relations(conditions: Conditions, status: str | None, *, by_status: bool) -> AnySelect:
    clauses = [CONDITIONS[name] for name in conditions if name != "country"]
    unknown: list[ColumnElement[bool]] = []
    if "country" in conditions:
        unknown.append(_p.country.is_(None))
        clauses.append(or_(CONDITIONS["country"], unknown[-1]))
    found = select(_p.video_id).where(_p.sponsor_id == _number, *clauses)
    if status is not None:
        relation = sponsor_youtubers.c
        of_relation = relation_status(relation.last_seen)
        statuses = [of_relation == bindparam("status", type_=Text)]
        if by_status:
            unknown.append(of_relation == UNKNOWN)
            statuses.append(unknown[-1])
        found = (
            found.join(
                sponsor_youtubers,
                and_(relation.sponsor_id == _p.sponsor_id, relation.youtuber_id == _p.youtuber_id),
            )
            .join(youtubers, _y.id == _p.youtuber_id)
            .where(or_(*statuses))
        )
    return _count_of(found.where(or_(*unknown)))


@cache
def _from_sponsors(names: Conditions) -> AnySelect:
    filters = _with_unknown(names, SPONSORS.filters, _OF_SPONSORS)
    return _count_of(select(_p.video_id).join(sponsors, _s.id == _p.sponsor_id).where(*filters))


@cache
def _from_youtubers(names: Conditions) -> AnySelect:
    """Sum up sponsored videos of youtubers, who have each by themselves; by the brands that are asked for, only theirs."""
    filters = _with_unknown(names, YOUTUBERS.filters, _OF_YOUTUBERS)
    brands = [clause for name, clause in _BRANDS.items() if name in names]
    if brands:
        by_brands = select(_p.video_id).join(youtubers, _y.id == _p.youtuber_id).where(or_(*brands))
        is_of_kinds = case(kinds.BITS, value=_p.kind).bitwise_and(_MASK) != 0
        return _count_of(by_brands.where(*filters, is_of_kinds))
    total = cast(func.coalesce(func.sum(_y.sponsored_videos), 0), BigInteger)
    return select(total.label("videos")).where(*filters, _y.sponsored_videos > 0)


def _count_of(video_numbers: AnySelect) -> AnySelect:
    found = video_numbers.distinct().subquery("found")
    return select(func.count().label("videos")).select_from(found)


def _with_unknown(names: Conditions, filters: Any, unknown: Any) -> list[ColumnElement[bool]]:
    certain = [filters[name] for name in names if name not in unknown]
    return certain + _possible([name for name in names if name in unknown], filters, unknown)


def _possible(names: list[str], filters: Any, unknown: Any) -> list[ColumnElement[bool]]:
    """Return the conditions that each filter may hold, and that one of them is not known to."""
    may_match = [or_(filters[name], unknown[name]) for name in names]
    return [*may_match, or_(*(unknown[name] for name in names))]
