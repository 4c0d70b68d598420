"""Relations between sponsors and youtubers, listed from either side."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Subquery,
    and_,
    bindparam,
    cast,
    func,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from catalog_service.domain.queries import Page, Ranked, SponsorshipFilter
from catalog_service.storage import keyset, sponsorship_filter
from catalog_service.storage.columns import (
    COVERAGE,
    SPONSOR_REF,
    YOUTUBER_REF,
    AnyRow,
    AnySelect,
    coverage,
    sponsor_ref,
    youtuber_ref,
)
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, SortKeys, descending
from catalog_service.storage.relation_status import relation_columns, relation_status
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.stats import best_known_youtubers
from catalog_service.storage.tables import sponsor_youtubers, sponsors, sponsorships, youtubers
from shapes.catalog.sponsors import SponsorYoutuber
from shapes.catalog.youtubers import YoutuberSponsor

Side = Literal["sponsor_id", "youtuber_id"]
_p = sponsorships.c
_number = bindparam("number", type_=BigInteger)
_SUMS: Final = ("videos", "first_seen", "last_seen", "views")


def _relations(side: Side, conditions: Conditions) -> AnySelect:
    """Select sums by sponsor and youtuber; without conditions they are stored."""
    if not conditions:
        return select(sponsor_youtubers).where(sponsor_youtubers.c[side] == _number)
    return (
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            func.count().label("videos"),
            cast(func.coalesce(func.sum(_p.views), 0), BigInteger).label("views"),
            func.min(_p.published_on).label("first_seen"),
            func.max(_p.published_on).label("last_seen"),
        )
        .where(_p[side] == _number, *sponsorship_filter.clauses(conditions))
        .group_by(_p.sponsor_id, _p.youtuber_id)
    )


def _distinct(value: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.array_agg(aggregate_order_by(value.distinct(), value)).filter(value.is_not(None))


def _order(relation: Subquery, sort: str) -> SortKeys:
    orders = {
        "videos": descending(relation.c.videos),
        "views": descending(relation.c.views),
        "recent": descending(relation.c.last_seen),
        "oldest": SortKey(relation.c.last_seen),
        "subscribers": descending(youtubers.c.subscribers, is_nullable=True),
    }
    return (orders[sort], SortKey(relation.c.sponsor_id), SortKey(relation.c.youtuber_id))


@dataclass(frozen=True, slots=True)
class _Shape:
    """The properties of a query that its statement depends on."""

    side: Side
    conditions: Conditions
    sort: str
    in_country: bool
    has_status: bool
    is_continued: bool

    @property
    def is_by_subscribers(self) -> bool:
        """Whether all youtubers of a sponsor are listed by their subscribers."""
        is_of_all = not (self.conditions or self.in_country or self.has_status)
        return is_of_all and (self.side, self.sort) == ("sponsor_id", "subscribers")


@cache
def _statement(shape: _Shape) -> AnySelect:
    side, conditions, sort = shape.side, shape.conditions, shape.sort
    relation = _relations(side, conditions).subquery("history")
    page = select(relation)
    if shape.in_country or shape.has_status or sort == "subscribers":
        page = page.join(youtubers, youtubers.c.id == relation.c.youtuber_id)
    if shape.in_country:
        page = page.where(youtubers.c.country == bindparam("country"))
    if shape.has_status:
        stored_relation = sponsor_youtubers.alias("stored_relation")
        is_same = and_(
            stored_relation.c.sponsor_id == relation.c.sponsor_id,
            stored_relation.c.youtuber_id == relation.c.youtuber_id,
        )
        status = relation_status(stored_relation.c.last_seen)
        page = page.join(stored_relation, is_same).where(status == bindparam("status"))
    order = _order(relation, sort)
    if shape.is_continued:
        page = page.where(keyset.behind(order))
    page = page.order_by(*keyset.clauses(order)).limit(keyset.LIMIT)
    chosen = (
        best_known_youtubers.chosen(page, is_continued=shape.is_continued)
        if shape.is_by_subscribers
        else page.subquery("chosen")
    )
    details = (
        select(_distinct(_p.kind).label("kinds"), _distinct(_p.code).label("codes"))
        .where(
            _p.sponsor_id == chosen.c.sponsor_id,
            _p.youtuber_id == chosen.c.youtuber_id,
            *sponsorship_filter.clauses(conditions),
        )
        .lateral("details")
    )
    joined = chosen.join(youtubers, youtubers.c.id == chosen.c.youtuber_id).join(
        sponsors, sponsors.c.id == chosen.c.sponsor_id
    )
    last_seen: ColumnElement[Any] = chosen.c.last_seen
    if conditions:
        is_whole = and_(
            sponsor_youtubers.c.sponsor_id == chosen.c.sponsor_id,
            sponsor_youtubers.c.youtuber_id == chosen.c.youtuber_id,
        )
        joined = joined.join(sponsor_youtubers, is_whole)
        last_seen = sponsor_youtubers.c.last_seen
    return (
        select(
            *(YOUTUBER_REF if side == "sponsor_id" else SPONSOR_REF),
            *COVERAGE,
            *(chosen.c[name].label(f"history_{name}") for name in _SUMS),
            *relation_columns(last_seen),
            details.c.kinds,
            details.c.codes,
            *keyset.labels(_order(chosen, sort)),
        )
        .select_from(joined.join(details, true()))
        .order_by(*keyset.clauses(_order(chosen, sort)))
    )


async def _rows(
    connection: QueryConnection, side: Side, query: SponsorshipFilter, sort: str, page: Page
) -> Any:
    conditions, values = sponsorship_filter.conditions_of(query)
    conditions = tuple(name for name in conditions if name != "country")
    shape = _Shape(
        side,
        conditions,
        sort,
        in_country=query.country is not None,
        has_status=query.status is not None,
        is_continued=page.after is not None,
    )
    values |= {"status": query.status} if shape.has_status else {}
    values |= {"number": query.number, **keyset.parameters(page)}
    return await connection.execute(_statement(shape), values)


async def sponsor_youtubers_page(
    connection: QueryConnection, query: SponsorshipFilter, sort: str, page: Page
) -> Ranked[SponsorYoutuber]:
    rows = await _rows(connection, "sponsor_id", query, sort, page)
    return keyset.cut(
        page,
        rows,
        lambda row: SponsorYoutuber(
            youtuber=youtuber_ref(row), **_relation_fields(row), coverage=coverage(row)
        ),
    )


async def youtuber_sponsors_page(
    connection: QueryConnection, query: SponsorshipFilter, sort: str, page: Page
) -> Ranked[YoutuberSponsor]:
    rows = await _rows(connection, "youtuber_id", query, sort, page)
    return keyset.cut(
        page,
        rows,
        lambda row: YoutuberSponsor(sponsor=sponsor_ref(row), **_relation_fields(row)),
    )


def _relation_fields(row: AnyRow) -> dict[str, Any]:
    return {
        "videos": row.history_videos,
        "first_seen": row.history_first_seen,
        "last_seen": row.history_last_seen,
        "views": row.history_views,
        "status": row.status,
        "known_until": row.known_until,
        "relation_last_seen": row.relation_last_seen,
        "kinds": tuple(row.kinds),
        "codes": tuple(row.codes or ()),
    }
