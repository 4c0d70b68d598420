"""Relations between sponsors and youtubers, listed from either side."""

from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Subquery,
    and_,
    bindparam,
    cast,
    func,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from catalog_service.domain.queries import Page, SponsorshipFilter
from catalog_service.storage import sponsorship_filter
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
from catalog_service.storage.relation_status import relation_columns, relation_status
from catalog_service.storage.sponsorship_filter import Conditions
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


def _order(relation: Subquery, sort: str) -> tuple[ColumnElement[Any], ...]:
    orders: dict[str, ColumnElement[Any]] = {
        "videos": relation.c.videos.desc(),
        "views": relation.c.views.desc(),
        "recent": relation.c.last_seen.desc(),
        "oldest": relation.c.last_seen.asc(),
        "subscribers": youtubers.c.subscribers.desc().nulls_last(),
    }
    return (orders[sort], relation.c.sponsor_id, relation.c.youtuber_id)


@cache
def _statement(
    side: Side, conditions: Conditions, sort: str, *, in_country: bool, has_status: bool
) -> AnySelect:
    relation = _relations(side, conditions).subquery("history")
    page = select(relation)
    if in_country or has_status or sort == "subscribers":
        page = page.join(youtubers, youtubers.c.id == relation.c.youtuber_id)
    if in_country:
        page = page.where(youtubers.c.country == bindparam("country"))
    if has_status:
        whole = sponsor_youtubers.alias("whole")
        is_same = and_(
            whole.c.sponsor_id == relation.c.sponsor_id,
            whole.c.youtuber_id == relation.c.youtuber_id,
        )
        status = relation_status(whole.c.last_seen)
        page = page.join(whole, is_same).where(status == bindparam("status"))
    page = page.order_by(*_order(relation, sort))
    page = page.limit(bindparam("limit", type_=Integer))
    chosen = page.offset(bindparam("offset", type_=Integer)).subquery("chosen")
    details = (
        select(_distinct(_p.kind).label("kinds"), _distinct(_p.code).label("codes"))
        .where(
            _p.sponsor_id == chosen.c.sponsor_id,
            _p.youtuber_id == chosen.c.youtuber_id,
            *sponsorship_filter.clauses(conditions),
        )
        .lateral("details")
    )
    return (
        select(
            *(YOUTUBER_REF if side == "sponsor_id" else SPONSOR_REF),
            *COVERAGE,
            *(chosen.c[name].label(f"history_{name}") for name in _SUMS),
            *relation_columns(sponsor_youtubers.c.last_seen),
            details.c.kinds,
            details.c.codes,
        )
        .select_from(chosen)
        .join(youtubers, youtubers.c.id == chosen.c.youtuber_id)
        .join(sponsors, sponsors.c.id == chosen.c.sponsor_id)
        .join(
            sponsor_youtubers,
            and_(
                sponsor_youtubers.c.sponsor_id == chosen.c.sponsor_id,
                sponsor_youtubers.c.youtuber_id == chosen.c.youtuber_id,
            ),
        )
        .join(details, true())
        .order_by(*_order(chosen, sort))
    )


async def _rows(
    connection: QueryConnection, side: Side, query: SponsorshipFilter, sort: str, page: Page
) -> Any:
    conditions, values = sponsorship_filter.conditions_of(query)
    conditions = tuple(name for name in conditions if name != "country")
    has_status = query.status is not None
    in_country = query.country is not None
    statement = _statement(side, conditions, sort, in_country=in_country, has_status=has_status)
    values |= {"status": query.status} if has_status else {}
    values |= {"number": query.number, "limit": page.limit + 1, "offset": page.offset}
    return await connection.execute(statement, values)


async def sponsor_youtubers_page(
    connection: QueryConnection, query: SponsorshipFilter, sort: str, page: Page
) -> list[SponsorYoutuber]:
    rows = await _rows(connection, "sponsor_id", query, sort, page)
    return [
        SponsorYoutuber(youtuber=youtuber_ref(row), **_relation_fields(row), coverage=coverage(row))
        for row in rows
    ]


async def youtuber_sponsors_page(
    connection: QueryConnection, query: SponsorshipFilter, sort: str, page: Page
) -> list[YoutuberSponsor]:
    rows = await _rows(connection, "youtuber_id", query, sort, page)
    return [YoutuberSponsor(sponsor=sponsor_ref(row), **_relation_fields(row)) for row in rows]


def _relation_fields(row: AnyRow) -> dict[str, Any]:
    return {
        "videos": row.history_videos,
        "first_seen": row.history_first_seen,
        "last_seen": row.history_last_seen,
        "views": row.history_views,
        "status": row.status,
        "known_until": row.known_until,
        "kinds": tuple(row.kinds),
        "codes": tuple(row.codes or ()),
    }
