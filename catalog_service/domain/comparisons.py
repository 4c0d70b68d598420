"""Queries over several sponsors or youtubers.

All raise `BadArgument`, `Ambiguous` and `Unavailable`, and about those that they name `SponsorNotFound` or
`YoutuberNotFound`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations
from typing import Final

from catalog_service.domain import (
    arguments,
    category_readings,
    granularity,
    kinds,
    period_comparison,
    periods,
    public_ids,
    same_channels,
    trends,
)
from catalog_service.domain.coverage import CatalogTotals, CoverageQueries
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.paging import Paging
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import Changes, ComparisonStore, SponsorChange, Today
from catalog_service.domain.queries import (
    Ranking,
    SharedSponsorsQuery,
    SharedYoutubersQuery,
    TrendQuery,
)
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.sponsors import SponsorQueries, ranking
from servicekit.errors import ServiceError
from shapes.catalog.comparisons import (
    ComparedSponsor,
    CompareSponsorsRequest,
    SharedSponsors,
    SharedSponsorsRequest,
    SharedYoutubers,
    SponsorComparison,
    SponsorTrend,
    Trends,
    TrendsRequest,
)
from shapes.catalog.shared import Period, SponsorRef, YoutuberRef
from shapes.catalog.sponsors import SponsorStats, SponsorStatsRequest

_MIN_COMPARED: Final = 2
MAX_COMPARED: Final = 5
_TREND_DAYS: Final = timedelta(days=90)
_MAX_SECONDS_OF_ADVICE: Final = 1.0
"""The time in which periods that support a trend are looked for: longer ones take longer in large catalogues."""


@dataclass(frozen=True, slots=True)
class ComparisonQueries:
    store: ComparisonStore
    coverage: CoverageQueries
    statistics: SponsorQueries
    resolver: Resolver
    paging: Paging
    today: Today
    lists: ListFilters

    async def compare(self, request: CompareSponsorsRequest) -> SponsorComparison:
        """Return the statistics of two to five sponsors over one period."""
        _check_count("sponsors", request.sponsors)
        refs = [await self.resolver.sponsor(argument, "sponsors") for argument in request.sponsors]
        _check_distinct("sponsors", request.sponsors, refs)
        found = await asyncio.gather(*(self._stats(ref, request) for ref in refs))
        shared = await self.store.shared_youtubers(
            SharedYoutubersQuery(
                sponsors=tuple(public_ids.number(ref.id) for ref in refs),
                period=periods.requested(request.from_date, request.to_date),
                min_confidence=arguments.confidence(request.min_confidence),
                kinds=kinds.condition(arguments.selected_kinds(request.kinds, None, kinds.ALL)),
            )
        )
        return SponsorComparison(
            period=found[0].period,
            previous_period=found[0].previous_period,
            sponsors=tuple(_compared(ref, stats) for ref, stats in zip(refs, found, strict=True)),
            shared_youtubers=tuple(
                SharedYoutubers(
                    left.id, right.id, shared.get(frozenset((_number(left), _number(right))), 0)
                )
                for left, right in combinations(refs, 2)
            ),
            kinds=found[0].kinds,
            not_compared=_none_compared(found),
            note=_without_sponsorships(found),
            coverage=found[0].coverage,
        )

    async def trends(self, request: TrendsRequest) -> Trends:
        """Return sponsors by the change of their share; without a period over the 90 days until the newest sponsored video."""
        limit = arguments.limit(request.limit)
        direction = arguments.choice("direction", request.direction, trends.DIRECTIONS, "all")
        scope = replace(
            ranking(request, "videos"), lists=await self.lists.of(request, "sponsor", "youtuber")
        )
        totals = await self.coverage.totals()
        span = totals.sponsored_span(self.today())
        period = _trend_period(scope.period, totals, self.today())
        previous = periods.before(period)
        both = RequestedPeriod(previous.from_date, period.to_date)
        covered = await self.coverage.of(replace(scope, period=both))
        query = TrendQuery(scope, period, previous, direction, limit)
        changes = await self.store.changes(query)
        found = tuple(map(_trend, changes.sponsors))
        # Those with a verdict come first: what follows has none, or moved within what chance gives.
        sponsors = tuple(item for item in found if direction in {"all", item.trend})
        tried = trends.alternatives(period, span)
        hint = None if changes.youtubers else await self._hint(query, tried, span)
        note = covered.note(request, found, hint, of="brand", lists=scope.lists)
        reason = period_comparison.reason_against(period, previous, totals.span(self.today()))
        why = _unsupported(changes, reason, direction)
        if why is not None:
            if reason is None and await self._moves_otherwise(query):
                why = trends.none_moved(direction)
            else:
                advice = await self._advice(query, tried, is_covered=reason is None)
                why = " ".join(filter(None, (why, advice)))
            note = category_readings.added(why, request)
        return Trends(
            period=period,
            previous_period=previous,
            sponsorships=changes.all_videos,
            previous_sponsorships=changes.all_previous,
            sponsors=sponsors if reason is None else (),
            kinds=scope.kinds,
            coverage=covered.shown,
            note=note,
            youtubers=changes.youtubers,
            compared_youtubers=changes.compared_youtubers,
            known_videos=changes.known_videos,
            previous_known_videos=changes.previous_known_videos,
            compared_sponsors=changes.compared_sponsors,
        )

    async def _moves_otherwise(self, query: TrendQuery) -> bool:
        """Return true if a brand has a trend in the period, though none of the direction that the query chooses."""
        return query.direction != "all" and await self._has_trend(replace(query, direction="all"))

    async def _has_trend(self, query: TrendQuery) -> bool:
        """Return true if a brand has a trend of the direction in the period."""
        return _is_supported(await self.store.changes(replace(query, limit=1)), query.direction)

    async def _hint(self, query: TrendQuery, tried: Sequence[Period], span: Period) -> str | None:
        """Return what to ask for in the place of a query that finds no sponsorship; None where the period or a list is why."""
        period = query.period
        is_within = period.from_date <= span.to_date and period.to_date >= span.from_date
        if not is_within or query.scope.lists.empty is not None:
            return None
        advice = await self._other_period(query, tried) or _default_period(query)
        if advice is None or not _is_filtered(query):
            return advice
        return f"{advice} Or leave a filter out."

    async def _advice(
        self, query: TrendQuery, tried: Sequence[Period], *, is_covered: bool
    ) -> str | None:
        """Return what to ask for in the place of a query that supports no trend; None if nothing is found."""
        advice = await self._other_period(query, tried)
        if advice is None and is_covered and await self._is_supported_without_filters(query):
            return trends.FEWER_FILTERS
        return advice or _default_period(query)

    async def _other_period(self, query: TrendQuery, tried: Sequence[Period]) -> str | None:
        """Return the advice to take a period in which a brand has such a trend; None if none is found in time."""
        other = await self._supported_period(query, tried)
        return None if other is None else trends.advice(query.period, other)

    async def _supported_period(self, query: TrendQuery, tried: Sequence[Period]) -> Period | None:
        """Return the first of the periods in which a brand has such a trend; None if none is found in time."""
        try:
            async with asyncio.timeout(_MAX_SECONDS_OF_ADVICE):
                for period in tried:
                    if await self._has_trend(
                        replace(query, period=period, previous=periods.before(period))
                    ):
                        return period
        except (TimeoutError, ServiceError):
            # The answer itself is there, and must not fail for its advice.
            return None
        return None

    async def _is_supported_without_filters(self, query: TrendQuery) -> bool:
        """Return true if it is the filters alone that leave too little; false where finding that out takes too long."""
        if not _is_filtered(query):
            return False
        unfiltered = replace(query, scope=_without_filters(query.scope))
        return await self._supported_period(unfiltered, (query.period,)) is not None

    async def shared_sponsors(self, request: SharedSponsorsRequest) -> SharedSponsors:
        """Return the sponsors that two to five youtubers have in common."""
        _check_count("youtubers", request.youtubers)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        page = self.paging.ranked(request)
        refs = [
            await self.resolver.youtuber(argument, "youtubers") for argument in request.youtubers
        ]
        _check_distinct("youtubers", request.youtubers, refs)
        query = SharedSponsorsQuery(
            tuple(public_ids.number(ref.id) for ref in refs), kinds.condition(of_kinds)
        )
        found = await self.store.shared_sponsors(query, page)
        covered = await self.coverage.of_period()
        is_empty = not found.entries and request.cursor is None
        note = _none_shared(query, await self._without_videos(refs)) if is_empty else None
        cursor = self.paging.after_ranked(request, page, found)
        return SharedSponsors(tuple(refs), found.entries, of_kinds, cursor, covered.shown, note)

    async def _without_videos(self, refs: Sequence[YoutuberRef]) -> list[str]:
        """Return the names of those of whom no video is known."""
        seen = [await self.resolver.youtubers.coverage(public_ids.number(ref.id)) for ref in refs]
        return [
            ref.name
            for ref, coverage in zip(refs, seen, strict=True)
            if not coverage.videos_scanned
        ]

    async def _stats(self, ref: SponsorRef, request: CompareSponsorsRequest) -> SponsorStats:
        return await self.statistics.stats(
            SponsorStatsRequest(
                ref.id,
                request.from_date,
                request.to_date,
                granularity.AUTO,
                request.min_confidence,
                request.kinds,
            )
        )


def _none_shared(query: SharedSponsorsQuery, unknown: Sequence[str]) -> str:
    """Return that nothing is shared, and what may find something; `unknown` are creators without a known video."""
    by_kinds = "" if query.kinds is None else f" by {', '.join(query.kinds)}"
    fixes = [] if len(query.youtubers) <= _MIN_COMPARED else ["name fewer of them"]
    fixes += [] if query.kinds is None else ["leave `kinds` out"]
    advice = f" {', or '.join(fixes).capitalize()}." if fixes else ""
    of_unknown = f" No video of {' and '.join(unknown)} is known." if unknown else ""
    return (
        f"No brand is known to have sponsored all of these creators{by_kinds}.{of_unknown}{advice}"
    )


def _trend_period(requested: RequestedPeriod, totals: CatalogTotals, today: date) -> Period:
    if requested == RequestedPeriod(None, None):
        newest = totals.sponsored_span(today).to_date
        return Period(newest - _TREND_DAYS + timedelta(days=1), newest)
    return totals.closed(requested, today)


def _without_filters(scope: Ranking) -> Ranking:
    return Ranking(None, None, None, scope.period, 0.0, scope.metric, kinds.PAID)


def _is_filtered(query: TrendQuery) -> bool:
    return query.scope != _without_filters(query.scope)


def _default_period(query: TrendQuery) -> str | None:
    """Return which period is compared, if the request names none."""
    is_default = query.scope.period == RequestedPeriod(None, None)
    return trends.default_period(query.period) if is_default else None


def _is_supported(changes: Changes, direction: str) -> bool:
    """Return true if a sponsor has a trend, of that direction unless it is "all"."""
    known = {trends.trend_of(item.sums) for item in changes.sponsors} - {trends.TOO_LITTLE}
    return bool(known) if direction == "all" else direction in known


def _unsupported(changes: Changes, not_covered: str | None, direction: str) -> str | None:
    """Return why no sponsor has a trend; None if one has, or there is none to have it."""
    if not changes.youtubers:
        return None
    if not_covered is not None:
        return not_covered
    if not changes.compared_youtubers:
        return trends.nothing_compared(changes.youtubers)
    return None if _is_supported(changes, direction) else trends.no_support()


def _number(ref: SponsorRef) -> int:
    return public_ids.number(ref.id)


def _check_count(field: str, values: Sequence[str]) -> None:
    if not _MIN_COMPARED <= len(values) <= MAX_COMPARED:
        raise BadArgument(field, f"`{field}` must name 2 to {MAX_COMPARED}, not {len(values)}.")


def _check_distinct(
    field: str, named: Sequence[str], refs: Sequence[SponsorRef] | Sequence[YoutuberRef]
) -> None:
    """Raise `BadArgument` if two of the arguments mean the same."""
    first: dict[str, str] = {}
    for argument, ref in zip(named, refs, strict=True):
        if ref.id in first:
            both = " and ".join(
                dict.fromkeys(repr(item[:80]) for item in (first[ref.id], argument))
            )
            raise BadArgument(
                field, f"`{field}` names {ref.name} ({ref.id}) twice, by {both}: give each once."
            )
        first[ref.id] = argument


def _compared(ref: SponsorRef, stats: SponsorStats) -> ComparedSponsor:
    return ComparedSponsor(
        sponsor=ref,
        totals=stats.totals,
        previous_totals=stats.previous_totals,
        change=stats.change,
        by_kind=stats.by_kind,
        repeat_rate=stats.repeat_rate,
        share_of_voice=stats.share_of_voice,
        compared=stats.compared,
        not_compared=stats.not_compared,
    )


def _without_sponsorships(found: Sequence[SponsorStats]) -> str | None:
    """Return what is said of the brands without a sponsorship here; None if all have some."""
    notes = [f"{stats.sponsor.name}: {stats.note}" for stats in found if stats.note]
    return " ".join(notes) or None


def _none_compared(found: Sequence[SponsorStats]) -> str | None:
    """Return why the period before is compared for none of the sponsors; None if it is for one."""
    if any(stats.compared is not None for stats in found):
        return None
    reasons = [stats.not_compared for stats in found]
    return (
        reasons[0] if len(set(reasons)) == 1 else "Too little is known of each brand: see theirs."
    )


def _trend(change: SponsorChange) -> SponsorTrend:
    sums = change.sums
    trend = trends.trend_of(sums)
    return SponsorTrend(
        sponsor=change.sponsor,
        videos=sums.videos,
        previous_videos=sums.previous_videos,
        youtubers=change.youtubers,
        previous_youtubers=change.previous_youtubers,
        change=trends.change_of(sums),
        score=round(same_channels.score(sums), 2),
        trend=trend,
        compared=same_channels.compared(sums, trend),
    )
