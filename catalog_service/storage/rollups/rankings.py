"""The most active sponsors of a period in paid work, or of all time by a facet, by ranked lists.

The threshold algorithm: the heads of all lists give candidates, whose sums are looked up by key. A
sponsor in none of the heads has at most the sum of the last amounts of the heads. When the last of
the page has more, the page is right; else longer heads are read, and finally the whole lists.

A list is of a month or of a facet. Sums are those of whole months, of the days of a short period, or
of facets. For days, the lists of the months that they are in give an upper bound, as no sponsor has more
in a part of a month than in the month.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Subquery,
    TableValuedAlias,
    Text,
    bindparam,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    true,
)

from catalog_service.domain.kinds import PAID_SET
from catalog_service.domain.queries import Page
from catalog_service.storage import keyset
from catalog_service.storage.columns import SPONSOR_REF, AnyRow, AnySelect
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.keyset import SortKey, descending
from catalog_service.storage.rollups import days, facet_sums, months
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import sponsor_months, sponsor_returns
from catalog_service.storage.tables import sponsors

_HEADS: Final = 4
"""Heads this many times as long as the page are enough in most catalogues."""

_DEEPER: Final = 8
_DEEPEST: Final = 5_000
"""Heads longer than this are as good as the whole lists."""

_months, _returns = sponsor_months.c, sponsor_returns.c
_depth: Final = bindparam("depth", type_=Integer)
_LISTED_BY: Final = {
    "videos": _months.paid_videos,
    "youtubers": _months.paid_videos,
    "views": _months.paid_views,
}
"""The column that each metric's lists are ranked by: no sponsor has more youtubers than videos."""


def _requested_categories() -> TableValuedAlias:
    return (
        func.unnest(bindparam("categories", type_=ARRAY(Text)))
        .table_valued(column("category", Text))
        .render_derived("requested")
    )


def _month_heads(metric: str, *, in_categories: bool) -> CTE:
    """Select the first sponsors of each list; a list is of a month, or of a month and a category."""
    month = months.months_with_sponsorships().subquery("months").c.month
    listed = _LISTED_BY[metric]
    head = select(_months.sponsor_id, listed.label("amount")).where(
        _months.month == month, _months.paid_videos > 0
    )
    source: FromClause = month.table
    category = _requested_categories() if in_categories else None
    if category is not None:
        head = head.where(_months.sponsor_category == category.c.category)
        source = source.join(category, true())
    cut = head.order_by(listed.desc(), _months.sponsor_id).limit(_depth).lateral("head")
    category_name = category.c.category if category is not None else literal("", Text)
    return (
        select(category_name.label("category"), month.label("list"), cut.c.sponsor_id, cut.c.amount)
        .select_from(source.join(cut, true()))
        .cte("heads")
    )


def _bound(heads: CTE) -> Any:
    """Return the upper bound of a sponsor in no head: all of its lists are of one category."""
    cut_off = (
        select(
            heads.c.category,
            case((func.count() >= _depth, func.min(heads.c.amount)), else_=0).label("amount"),
        )
        .group_by(heads.c.category, heads.c.list)
        .subquery("cut_off")
    )
    by_category = (
        select(func.sum(cut_off.c.amount).label("amount"))
        .group_by(cut_off.c.category)
        .subquery("by_category")
    )
    return select(
        cast(func.coalesce(func.max(by_category.c.amount), 0), BigInteger)
    ).scalar_subquery()


@dataclass(frozen=True, slots=True)
class Source:
    """Where the lists and sums of a ranking are.

    Attributes:
        heads: Selects the first sponsors of each list by a metric: category, list, sponsor_id and amount.
        of_sponsor: Selects videos, views and free products of a sponsor.
        youtubers_of: Counts the different youtubers of a sponsor.
        of_scope: Selects the sums of all.
    """

    heads: Callable[[str], CTE]
    of_sponsor: Callable[[ColumnElement[int]], FromClause]
    youtubers_of: Callable[[ColumnElement[int]], FromClause]
    of_scope: Callable[[], AnySelect]


def _months_of(sponsor: ColumnElement[int]) -> FromClause:
    return (
        select(
            total(_months.paid_videos).label("videos"),
            total(_months.paid_views).label("views"),
            total(_months.videos - _months.paid_videos).label("free_products"),
        )
        .where(_months.sponsor_id == sponsor, months.is_within(_months.month))
        .lateral("sums")
    )


def _reached(sponsor: ColumnElement[int]) -> FromClause:
    return (
        select(total(_returns.paid_youtubers).label("youtubers"))
        .where(
            _returns.sponsor_id == sponsor,
            months.is_within(_returns.month),
            _returns.since < months.FIRST_MONTH,
        )
        .lateral("reached")
    )


def _month_lists(*, in_categories: bool) -> Callable[[str], CTE]:
    return lambda metric: _month_heads(metric, in_categories=in_categories)


def _by_month(*, in_categories: bool) -> Source:
    return Source(
        _month_lists(in_categories=in_categories),
        _months_of,
        _reached,
        lambda: months.scope_totals(PAID_SET),
    )


def _by_day(*, in_categories: bool) -> Source:
    return Source(
        _month_lists(in_categories=in_categories),
        days.sums_of_sponsor,
        days.youtubers_of_sponsor,
        days.scope_totals,
    )


MONTHS: Final = _by_month(in_categories=False)
CATEGORY_MONTHS: Final = _by_month(in_categories=True)
DAYS: Final = _by_day(in_categories=False)
CATEGORY_DAYS: Final = _by_day(in_categories=True)
FACETS: Final = Source(
    facet_sums.heads,
    facet_sums.sums_of_sponsor,
    facet_sums.youtubers_of_sponsor,
    facet_sums.scope_totals,
)


def _page(heads: CTE, source: Source, metric: str, *, is_continued: bool) -> Subquery:
    candidates = select(heads.c.sponsor_id).distinct().subquery("candidates")
    sums = source.of_sponsor(candidates.c.sponsor_id)
    joined: FromClause = candidates.join(sums, true())
    ranked: ColumnElement[Any] = sums.c[metric if metric in sums.c else "videos"]
    if metric == "youtubers":
        reached = source.youtubers_of(candidates.c.sponsor_id)
        joined, ranked = joined.join(reached, true()), reached.c.youtubers
    found = select(candidates.c.sponsor_id, *sums.c).select_from(joined).where(sums.c.videos > 0)
    order = (descending(ranked), SortKey(candidates.c.sponsor_id))
    if is_continued:
        found = found.where(keyset.behind(order))
    return found.order_by(*keyset.clauses(order)).limit(keyset.LIMIT).subquery("page")


@cache
def _statement(source: Source, metric: str, *, is_continued: bool) -> AnySelect:
    heads = source.heads(metric)
    page = _page(heads, source, metric, is_continued=is_continued)
    sums = source.of_scope().subquery("sums")
    reached = source.youtubers_of(page.c.sponsor_id)
    # One by one: Postgres takes a page of unknown length for a large part of all sponsors.
    sponsor = (
        select(*SPONSOR_REF)
        .where(sponsors.c.id == page.c.sponsor_id)
        .limit(literal_column("1"))
        .lateral("sponsor")
    )
    metrics = {"videos": page.c.videos, "youtubers": reached.c.youtubers, "views": page.c.views}
    order = (descending(metrics[metric]), SortKey(page.c.sponsor_id))
    return (
        select(
            *sponsor.c,
            *(metric_column.label(name) for name, metric_column in metrics.items()),
            page.c.free_products,
            *(column_.label(f"all_{name}") for name, column_ in sums.c.items()),
            _bound(heads).label("bound"),
            *keyset.labels(order),
        )
        .select_from(sums)
        .outerjoin(page, true())
        .outerjoin(reached, true())
        .outerjoin(sponsor, true())
        .order_by(*keyset.clauses(order))
    )


async def rows(
    connection: QueryConnection, source: Source, metric: str, page: Page, values: dict[str, Any]
) -> Sequence[AnyRow]:
    """Return the page and one more row, each with the sums of all; those sums alone if it is empty.

    `values` has the parameters of the source: the months, the scope, and `categories` unless the scope is
    that of all; those of days have these as well, as `start` and `end`. Of facets, `facet_sums.values`.
    """
    statement = _statement(source, metric, is_continued=page.after is not None)
    wanted = page.limit + 1
    values = values | keyset.parameters(page)
    depth: int | None = _HEADS * (page.shown + wanted)
    while True:
        found = (await connection.execute(statement, {**values, "depth": depth})).all()
        last = found[-1]
        is_full = len(found) == wanted and last.sponsor_number is not None
        if not last.bound or (is_full and getattr(last, metric) > last.bound):
            return found
        depth = depth * _DEEPER if depth is not None and depth < _DEEPEST else None
