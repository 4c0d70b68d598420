"""Queries over several sponsors or youtubers.

All raise `BadArgument`, `Ambiguous` and `Unavailable`, and about those that they name `SponsorNotFound` or
`YoutuberNotFound`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Final

from catalog_service.domain import arguments, kinds, periods, public_ids, trends
from catalog_service.domain.coverage import CoverageQueries, Covered
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.paging import Paging
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import ComparisonStore, SponsorChange, Today
from catalog_service.domain.queries import Ranking, TrendQuery
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.sponsors import SponsorQueries
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
from shapes.catalog.shared import Period, SponsorRef
from shapes.catalog.sponsors import SponsorStats, SponsorStatsRequest

MAX_COMPARED: Final = 5
_NONE_SHARED: Final = (
    "No brand is known to have sponsored all of these creators. Name fewer of them."
)
_TREND_DAYS: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class ComparisonQueries:
    store: ComparisonStore
    coverage: CoverageQueries
    statistics: SponsorQueries
    resolver: Resolver
    paging: Paging
    today: Today

    async def compare(self, request: CompareSponsorsRequest) -> SponsorComparison:
        """Return the statistics of two to five sponsors over one period."""
        _check_count("sponsors", request.sponsors)
        refs = [await self.resolver.sponsor(argument, "sponsors") for argument in request.sponsors]
        _check_distinct("sponsors", [ref.id for ref in refs])
        found = await asyncio.gather(*(self._stats(ref, request) for ref in refs))
        shared = await self.store.shared_youtubers([public_ids.number(ref.id) for ref in refs])
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
            not_compared=found[0].not_compared,
            coverage=found[0].coverage,
        )

    async def trends(self, request: TrendsRequest) -> Trends:
        """Return sponsors by the change of their share; without a period that of the newest 90 days known."""
        limit = arguments.limit(request.limit)
        direction = arguments.choice("direction", request.direction, trends.DIRECTIONS, "all")
        scope = Ranking(
            categories=arguments.sponsor_categories("category", request.category),
            content_category=arguments.content_category(
                "content_category", request.content_category
            ),
            country=arguments.country(request.country),
            period=periods.requested(request.from_date, request.to_date),
            min_confidence=arguments.confidence(request.min_confidence),
            metric="videos",
            kinds=kinds.selection(request.kinds, None, kinds.PAID),
        )
        covered = await self.coverage.of(scope)
        period = self._trend_period(scope.period, covered)
        previous = periods.before(period)
        changes = await self.store.changes(TrendQuery(scope, period, previous, direction, limit))
        return Trends(
            period=period,
            previous_period=previous,
            sponsorships=changes.all_videos,
            previous_sponsorships=changes.all_previous,
            sponsors=tuple(
                _trend(change, changes.all_videos, changes.all_previous)
                for change in changes.sponsors
            ),
            kinds=scope.kinds,
            coverage=covered.shown,
            note=covered.note(request, changes.sponsors, of="brand"),
        )

    async def shared_sponsors(self, request: SharedSponsorsRequest) -> SharedSponsors:
        """Return the sponsors that two to five youtubers have in common."""
        _check_count("youtubers", request.youtubers)
        page = self.paging.ranked(request)
        refs = [
            await self.resolver.youtuber(argument, "youtubers") for argument in request.youtubers
        ]
        _check_distinct("youtubers", [ref.id for ref in refs])
        numbers = [public_ids.number(ref.id) for ref in refs]
        found = await self.store.shared_sponsors(numbers, page)
        covered = await self.coverage.of()
        note = covered.note(request, found, of="brand") and _NONE_SHARED
        shared, cursor = self.paging.cut_ranked(request, page, found)
        return SharedSponsors(tuple(refs), shared, cursor, covered.shown, note)

    async def _stats(self, ref: SponsorRef, request: CompareSponsorsRequest) -> SponsorStats:
        return await self.statistics.stats(
            SponsorStatsRequest(
                ref.id,
                request.from_date,
                request.to_date,
                "year",
                request.min_confidence,
                request.kinds,
            )
        )

    def _trend_period(self, requested: RequestedPeriod, covered: Covered) -> Period:
        span = covered.totals.sponsored_span(self.today())
        if requested == RequestedPeriod(None, None):
            return Period(span.to_date - _TREND_DAYS + timedelta(days=1), span.to_date)
        return requested.within(span)


def _number(ref: SponsorRef) -> int:
    return public_ids.number(ref.id)


def _check_count(field: str, values: Sequence[str]) -> None:
    if not 2 <= len(values) <= MAX_COMPARED:
        raise BadArgument(field, f"`{field}` must name 2 to {MAX_COMPARED}, not {len(values)}.")


def _check_distinct(field: str, ids: Sequence[str]) -> None:
    repeated = [public_id for public_id in ids if ids.count(public_id) > 1]
    if repeated:
        raise BadArgument(field, f"`{field}` names {repeated[0]} twice: give each once.")


def _compared(ref: SponsorRef, stats: SponsorStats) -> ComparedSponsor:
    return ComparedSponsor(
        sponsor=ref,
        totals=stats.totals,
        previous_totals=stats.previous_totals,
        change=stats.change,
        by_kind=stats.by_kind,
        repeat_rate=stats.repeat_rate,
        share_of_voice=stats.share_of_voice,
    )


def _trend(change: SponsorChange, all_videos: int, all_previous: int) -> SponsorTrend:
    counts = (change.videos, change.previous_videos, all_videos, all_previous)
    growth = change.videos - change.previous_videos
    return SponsorTrend(
        sponsor=change.sponsor,
        videos=change.videos,
        previous_videos=change.previous_videos,
        youtubers=change.youtubers,
        previous_youtubers=change.previous_youtubers,
        change=growth / change.previous_videos if change.previous_videos else None,
        score=round(trends.score(*counts), 2),
        trend=trends.trend_of(*counts, youtubers=change.all_youtubers),
    )
