"""Statistics of a sponsor over a period, and over the one before it.

Whole months are answered from the rollups; a period that cuts a month in two, and one where
confidence or kinds count, from the index of the sponsor's sponsorships. The share of voice of all time
by one of these comes from the sums by facet.
"""

from typing import Any

from catalog_service.domain import categories, kinds, periods
from catalog_service.domain.periods import Months, RequestedPeriod
from catalog_service.domain.ports import SponsorSums
from catalog_service.domain.queries import SponsorStatsQuery
from catalog_service.domain.same_channels import ChannelSums
from catalog_service.storage.columns import AnyRow
from catalog_service.storage.connections import QueryConnection
from catalog_service.storage.rollups import months
from catalog_service.storage.stats import (
    by_day,
    by_facet,
    by_month,
    period_sums,
    same_channels,
    sponsor_totals,
    voice_of_days,
)
from shapes.catalog.shared import Period, Totals
from shapes.catalog.sponsors import ShareOfVoice


async def sums_of(connection: QueryConnection, query: SponsorStatsQuery) -> SponsorSums:
    in_months = await _months(connection, query)
    now = _values(query, query.period, in_months)
    is_stored = in_months is not None and query.kinds == kinds.ALL
    source = by_month if is_stored else by_day
    sums = period_sums.of_rows(await connection.execute(source.SUMS[query.granularity], now))
    return SponsorSums(
        card=await sponsor_totals.card(connection, query.sponsor),
        totals=sums.totals,
        previous_totals=await _previous(connection, query),
        same_channels=(
            await same_channels.of_sponsor(connection, query)
            if query.is_compared
            else ChannelSums(all_youtubers=0)
        ),
        series=sums.series,
        by_category=sums.parts["content"],
        by_country=sums.parts["country"],
        by_kind=sums.parts["kind"],
        repeated_youtubers=sums.repeated_youtubers,
        share_of_voice=await _share_of_voice(connection, query, now),
    )


async def _months(connection: QueryConnection, query: SponsorStatsQuery) -> Months | None:
    if query.min_confidence:
        return None
    if query.is_of_all:
        return periods.whole_months(RequestedPeriod(None, None))
    return await months.whole_months_of(connection, _requested(query.period))


async def _previous(connection: QueryConnection, query: SponsorStatsQuery) -> Totals:
    is_stored = not query.min_confidence and query.kinds == kinds.ALL
    in_months = periods.whole_months(_requested(query.previous)) if is_stored else None
    source = by_day if in_months is None else by_month
    values = _values(query, query.previous, in_months)
    return period_sums.totals_of((await connection.execute(source.TOTALS, values)).one())


def _requested(period: Period) -> RequestedPeriod:
    return RequestedPeriod(period.from_date, period.to_date)


def _values(query: SponsorStatsQuery, period: Period, in_months: Months | None) -> dict[str, Any]:
    """Return the parameters of the statements, and over months if they are given."""
    return {
        "number": query.sponsor,
        "start": period.from_date,
        "end": period.to_date,
        "min_confidence": query.min_confidence,
        "kinds": query.kinds,
        **(months.bind_values(in_months) if in_months is not None else {}),
    }


async def _share_of_voice(
    connection: QueryConnection, query: SponsorStatsQuery, values: dict[str, Any]
) -> ShareOfVoice | None:
    if query.category is None:
        return None
    row = await _voice(connection, query, values)
    if not row.category_sponsorships:
        return None
    return ShareOfVoice(
        category=query.category,
        category_videos=row.category_videos,
        share=row.videos / row.category_sponsorships,
        rank=row.rank if row.videos else None,
        category_sponsorships=row.category_sponsorships,
        kinds=query.voice_kinds,
    )


async def _voice(
    connection: QueryConnection, query: SponsorStatsQuery, values: dict[str, Any]
) -> AnyRow:
    """Return the sums of the sponsor's category, which is known."""
    statement = by_day.VOICE
    if (facets := by_facet.values(query)) is not None:
        statement = by_facet.VOICE
    elif "first_month" in values and query.voice_kinds == kinds.PAID:
        statement = by_month.VOICE_OF_ALL_TIME if query.is_of_all else by_month.VOICE
    elif "first_month" not in values and (row := await voice_of_days.voice(connection, query)):
        return row
    values = {
        **values,
        **(facets or {}),
        "category": query.category,
        "own_scope": categories.own_scope(query.category or ""),
        "kinds": query.voice_kinds,
    }
    return (await connection.execute(statement, values)).one()
