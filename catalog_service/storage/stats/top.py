"""The most active sponsors.

Without conditions on videos, all time is answered from the totals of the sponsors, whole months of
paid work from the rollups by month and few days of it from those by day; all time with one condition
from the sums by facet; everything else from the index of sponsorships that fits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    Integer,
    Text,
    bindparam,
    cast,
    func,
    select,
    true,
)

from catalog_service.domain import kinds, periods
from catalog_service.domain.categories import ALL
from catalog_service.domain.periods import Months, RequestedPeriod
from catalog_service.domain.ports import PartCounts, RankingTotals
from catalog_service.domain.queries import Page, Ranked, Ranking
from catalog_service.storage import keyset, sponsorship_filter
from catalog_service.storage.columns import SPONSOR_REF, AnyRow, AnySelect, sponsor_ref, sum_where
from catalog_service.storage.connections import Database, QueryConnection
from catalog_service.storage.keyset import SortKey, descending
from catalog_service.storage.rollups import days, facet_sums, months, rankings
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.rankings import Source
from catalog_service.storage.sponsorship_filter import Conditions
from catalog_service.storage.tables import sponsors, sponsorships
from shapes.catalog.shared import Totals
from shapes.catalog.sponsors import RankedSponsor

_p, _s = sponsorships.c, sponsors.c
_IN_TOTALS: Final = frozenset({"categories"})
_IN_MONTHS: Final = frozenset({"categories", "start", "end"})
_METRICS: Final = ("videos", "youtubers", "views")
_SHOWN: Final = (*_METRICS, "free_products")
_OPEN: Final = RequestedPeriod(None, None)
_SETS: Final = {kinds.ALL: kinds.ALL_SET, kinds.PAID: kinds.PAID_SET}
"""The sets of kinds that sponsors have totals of."""


def _from_totals(conditions: Conditions, set_name: str) -> tuple[AnySelect, AnySelect]:
    """Select all sponsors with their statistics, and the sums of these."""
    prefix = "" if set_name == kinds.ALL_SET else "paid_"
    metrics = {name: _s[prefix + name] for name in _METRICS}
    chosen = [metrics["videos"] > 0]
    if conditions:
        chosen.append(_s.category == func.any(bindparam("categories", type_=ARRAY(Text))))
    ranked = select(
        _s.id.label("sponsor_id"),
        *(column.label(name) for name, column in metrics.items()),
        (_s.videos - _s.paid_videos).label("free_products"),
    ).where(*chosen)
    return ranked, months.scope_totals(set_name)


def _from_sponsorships(conditions: Conditions) -> tuple[AnySelect, AnySelect]:
    """Select sponsors with sponsorships in the conditions, their statistics, and the sums of these.

    Those of other kinds than `kinds` are read too, as they are shown apart.
    """
    is_chosen = _p.kind == func.any(bindparam("kinds", type_=ARRAY(Text)))
    counted = (
        select(
            _p.sponsor_id,
            _p.youtuber_id,
            _p.video_id,
            _p.views,
            _p.kind,
            is_chosen.label("is_chosen"),
        )
        .where(*sponsorship_filter.clauses(conditions))
        .cte("counted")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    return _by_sponsor(counted), _sums(counted)


def _by_sponsor(counted: CTE) -> AnySelect:
    """Select sponsors, by youtuber first: counting different ones by sorting would cost more."""
    each = (
        select(
            counted.c.sponsor_id,
            _count(counted.c.is_chosen).label("videos"),
            sum_where(counted.c.views, counted.c.is_chosen).label("views"),
            _count(counted.c.kind == kinds.FREE_PRODUCT).label("free_products"),
        )
        .group_by(counted.c.sponsor_id, counted.c.youtuber_id)
        .subquery("each")
    )
    return (
        select(
            each.c.sponsor_id,
            total(each.c.videos).label("videos"),
            func.count().filter(each.c.videos > 0).label("youtubers"),
            total(each.c.views).label("views"),
            total(each.c.free_products).label("free_products"),
        )
        .group_by(each.c.sponsor_id)
        .having(func.sum(each.c.videos) > 0)
    )


def _sums(counted: CTE) -> AnySelect:
    """Select the sums of sponsorships, by video first: each counts once."""
    video = (
        select(
            _count(counted.c.is_chosen).label("sponsorships"),
            func.max(counted.c.views).label("views"),
            *(_count(counted.c.kind == kind).label(kind) for kind in kinds.ALL),
        )
        .group_by(counted.c.video_id)
        .subquery("video")
    )
    is_chosen = video.c.sponsorships > 0
    youtuber = (
        select(counted.c.youtuber_id)
        .where(counted.c.is_chosen)
        .group_by(counted.c.youtuber_id)
        .subquery("youtuber")
    )
    return select(
        func.count().filter(is_chosen).label("videos"),
        total(video.c.sponsorships).label("sponsorships"),
        select(func.count()).select_from(youtuber).scalar_subquery().label("youtubers"),
        sum_where(video.c.views, is_chosen).label("views"),
        *(func.count().filter(video.c[kind] > 0).label(f"{kind}_videos") for kind in kinds.ALL),
        *(total(video.c[kind]).label(f"{kind}_sponsorships") for kind in kinds.ALL),
    )


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Count rows of a group. An integer, because Postgres adds large ones up as numerics."""
    return cast(func.count().filter(condition), Integer)


@cache
def _statement(
    conditions: Conditions, metric: str, set_name: str | None, *, is_continued: bool
) -> AnySelect:
    """Return the statement; `set_name` is that of stored totals to read, if they tell."""
    ranked, totals = (
        _from_sponsorships(conditions) if set_name is None else _from_totals(conditions, set_name)
    )
    ranks, sums = ranked.subquery("ranks"), totals.subquery("sums")
    order = (descending(ranks.c[metric]), SortKey(ranks.c.sponsor_id))
    chosen = select(ranks).order_by(*keyset.clauses(order)).limit(keyset.LIMIT)
    page = (chosen.where(keyset.behind(order)) if is_continued else chosen).subquery("page")
    order_of_page = (descending(page.c[metric]), SortKey(page.c.sponsor_id))
    return (
        select(
            *SPONSOR_REF,
            *(page.c[name] for name in _SHOWN),
            *(column.label(f"all_{name}") for name, column in sums.c.items()),
            *keyset.labels(order_of_page),
        )
        .select_from(sums)
        .outerjoin(page, true())
        .outerjoin(sponsors, _s.id == page.c.sponsor_id)
        .order_by(*keyset.clauses(order_of_page))
    )


@dataclass(frozen=True, slots=True)
class _Request:
    """A ranking and what it can be read from.

    Attributes:
        query: The ranking.
        conditions: Names of its conditions but for kinds.
        values: The parameters of all conditions.
        by_calendar: The months that its period is, if the calendar alone tells.
        set_name: The set of kinds whose stored totals may answer.
        is_in_rollups: Whether rollups by month or by day may answer.
    """

    query: Ranking
    conditions: Conditions
    values: dict[str, Any]
    by_calendar: Months | None
    set_name: str | None
    is_in_rollups: bool

    @property
    def is_stored(self) -> bool:
        """Whether stored totals or rollups may answer."""
        return self.set_name is not None or self.is_in_rollups


async def ranking(
    database: Database, query: Ranking, page: Page
) -> tuple[RankingTotals, Ranked[RankedSponsor]]:
    """Return the totals of a ranking and a page of it; raise `Unavailable`."""
    by_calendar = periods.whole_months(query.period)
    names, values = sponsorship_filter.conditions_of(query)
    conditions = tuple(name for name in names if name != "kinds")
    request = _Request(
        query,
        conditions,
        values,
        by_calendar,
        set_name=_SETS.get(query.kinds) if _IN_TOTALS.issuperset(conditions) else None,
        is_in_rollups=_IN_MONTHS.issuperset(conditions) and query.kinds == kinds.PAID,
    )
    # Where the calendar alone tells which rollups answer, the ranking is one statement.
    is_one = query.period == _OPEN or (by_calendar is not None and request.is_stored)
    async with database.reader() if is_one else database.snapshot() as connection:
        rows = await _rows(connection, request, page)
    sums = _totals(rows[0])
    named = [row for row in rows if row.sponsor_number is not None]
    ranks = _ranks([getattr(row, query.metric) for row in named], page)

    def entry(row: AnyRow) -> RankedSponsor:
        return RankedSponsor(
            rank=next(ranks),
            sponsor=sponsor_ref(row),
            videos=row.videos,
            youtubers=row.youtubers,
            views=row.views,
            share=row.videos / sums.totals.sponsorships,
            free_products=row.free_products,
            metric_share=_metric_share(row, query.metric),
        )

    ranked_page = keyset.cut(page, named, entry)
    if ranked_page.last is None:
        return sums, ranked_page
    # The next page may begin with sponsors of the same rank.
    entries = ranked_page.entries
    return sums, Ranked(entries, (*ranked_page.last, entries[-1].rank))


def _ranks(figures: Sequence[int], page: Page) -> Iterator[int]:
    """Yield the ranks of a page: one more than there are sponsors with larger figures, as `share_of_voice` counts."""
    figure, rank = None, 0
    if page.after is not None:
        # Cursors that older versions issued end with the sponsor.
        figure, _, last = (*page.after, page.shown)[:3]
        rank = int(last or 0)
    for position, own in enumerate(figures, page.shown + 1):
        if own != figure:
            figure, rank = own, position
        yield rank


def _metric_share(row: AnyRow, metric: str) -> float:
    """Return the sponsor's share of what the ranking is by; of videos that of sponsorships, which add up."""
    denominator = row.all_sponsorships if metric == "videos" else getattr(row, f"all_{metric}")
    return getattr(row, metric) / denominator if denominator else 0.0


def _totals(row: AnyRow) -> RankingTotals:
    videos, sponsorships = (
        {kind: getattr(row, f"all_{kind}_{name}") for kind in kinds.ALL}
        for name in ("videos", "sponsorships")
    )
    seen = [kind for kind, count in sponsorships.items() if count]
    return RankingTotals(
        Totals(row.all_videos, row.all_youtubers, row.all_views, row.all_sponsorships),
        PartCounts(
            {kind: sponsorships[kind] for kind in seen}, {kind: videos[kind] for kind in seen}
        ),
    )


async def _rows(connection: QueryConnection, request: _Request, page: Page) -> Sequence[AnyRow]:
    query, values, set_name = request.query, dict(request.values), request.set_name
    source: Source | None = None
    if request.is_stored:
        # `categories` begins with the category that was named; a group's members follow.
        values[months.SCOPE.key] = query.categories[0] if query.categories else ALL
        span, source = await _span(connection, query, request.by_calendar)
        values |= span
    elif (facet := facet_sums.values(query)) and await _is_of_all_time(connection, query.period):
        values |= facet
        source = rankings.FACETS
    if source is not None and set_name is None:
        return await rankings.rows(connection, source, query.metric, page, values)
    statement = _statement(
        request.conditions, query.metric, set_name, is_continued=page.after is not None
    )
    return (await connection.execute(statement, values | keyset.parameters(page))).all()


async def _is_of_all_time(connection: QueryConnection, period: RequestedPeriod) -> bool:
    """Return true if a period leaves nothing out."""
    if period == _OPEN:
        return True
    span = await months.sponsored_span(connection)
    if span is None:
        return False
    starts = period.start is None or period.start <= span.from_date
    return starts and (period.end is None or period.end >= span.to_date)


async def _span(
    connection: QueryConnection, query: Ranking, by_calendar: Months | None
) -> tuple[dict[str, Any], Source | None]:
    """Return the parameters of rollups for a period, and which they are; none if they do not tell."""
    in_months = by_calendar or await months.whole_months_of(connection, query.period)
    if in_months is not None:
        source = rankings.CATEGORY_MONTHS if query.categories else rankings.MONTHS
        return {
            months.FIRST_MONTH.key: in_months.first,
            months.LAST_MONTH.key: in_months.last,
        }, source
    in_days = await days.days_if_few(connection, query.period)
    if in_days is None:
        return {}, None
    return days.bind_values(in_days), rankings.CATEGORY_DAYS if query.categories else rankings.DAYS
