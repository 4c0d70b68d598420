"""Queries about sponsors. All raise `BadArgument` and `Unavailable` besides the errors named."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog_service.domain import (
    address_search,
    arguments,
    few_videos,
    granularity,
    kinds,
    period_comparison,
    periods,
    public_ids,
    references,
    relation_status,
    same_channels,
    share_of_voice,
    trends,
)
from catalog_service.domain import coverage as covering
from catalog_service.domain.coverage import CoverageQueries, Covered
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.paging import Paging
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import SponsorStore, SponsorSums, Today
from catalog_service.domain.queries import (
    NO_LISTS,
    Page,
    Ranking,
    SponsorSearch,
    SponsorshipFilter,
    SponsorStatsQuery,
)
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.track_records import RecordQueries
from shapes.catalog.comparisons import TrendsRequest
from shapes.catalog.shared import Period, SameChannels, SponsorCard
from shapes.catalog.sponsors import (
    RankedSponsor,
    SearchSponsorsRequest,
    SeriesPoint,
    SimilarSponsors,
    SimilarSponsorsRequest,
    Sponsor,
    SponsorPage,
    SponsorRequest,
    SponsorStats,
    SponsorStatsRequest,
    SponsorVideoPage,
    SponsorVideosRequest,
    SponsorYoutuberPage,
    SponsorYoutubersRequest,
    TopSponsors,
    TopSponsorsRequest,
)

SEARCH_SORTS: Final = ("relevance", "videos", "youtubers", "views", "recent", "name")
YOUTUBER_SORTS: Final = ("videos", "views", "recent", "oldest", "subscribers")
METRICS: Final = ("videos", "youtubers", "views")
_TOP_YOUTUBERS: Final = 5


@dataclass(frozen=True, slots=True)
class SponsorQueries:
    store: SponsorStore
    resolver: Resolver
    paging: Paging
    today: Today
    coverage: CoverageQueries
    records: RecordQueries
    lists: ListFilters

    async def search(self, request: SearchSponsorsRequest) -> SponsorPage:
        query = SponsorSearch(
            words=arguments.search(request.search),
            categories=arguments.sponsor_categories("category", request.category),
            country=arguments.country(request.country),
            active_since=periods.day("active_since", request.active_since),
            min_videos=arguments.not_negative("min_videos", request.min_videos),
            sort=arguments.choice("sort", request.sort, SEARCH_SORTS, "relevance"),
        )
        page = self.paging.ranked(request)
        conditions = await self.lists.of(request, "sponsor")
        if conditions is not NO_LISTS:
            query = replace(
                query,
                in_sponsors=conditions.in_sponsors,
                not_in_sponsors=conditions.not_in_sponsors,
            )
        query = await address_search.of_sponsors(self.store, query)
        found, covered = await asyncio.gather(
            self.store.search_sponsors(query, page), self.coverage.of(query)
        )
        hint = None
        if not found.entries and request.cursor is None:
            hint = _of_video(request.search) or await self._elsewhere(request)
        note = covered.note(request, found.entries, hint, of="brand", lists=conditions)
        cursor = self.paging.after_ranked(request, page, found)
        return SponsorPage(found.entries, cursor, covered.shown, note)

    async def _elsewhere(self, request: SearchSponsorsRequest) -> str | None:
        """Return which creators the words are, if nothing but the words can be why no brand was found."""
        words = covering.sole_words(request)
        if words is None:
            return None
        creators = await self.resolver.creators_of(words)
        return references.found_elsewhere(words, creators, "a creator", "youtuber.search")

    async def get(self, request: SponsorRequest) -> Sponsor:
        """Return a sponsor. Like all methods below, raise `SponsorNotFound` or `Ambiguous`."""
        number = await self._number(request.sponsor)
        record = await self.store.sponsor(number)
        conditions = SponsorshipFilter(number, RequestedPeriod(None, None))
        page = Page(_TOP_YOUTUBERS)
        youtubers = await self.store.sponsor_youtubers(conditions, "videos", page)
        return Sponsor(
            sponsor=record.card,
            aliases=record.aliases,
            domains=record.domains,
            kinds=share_of_voice.by_kind(record.kinds),
            latest_codes=record.latest_codes,
            top_youtubers=youtubers.entries,
            coverage=(await self.coverage.of_period()).shown,
            record=await self.records.of_sponsor(number) if request.record else None,
        )

    async def stats(self, request: SponsorStatsRequest) -> SponsorStats:
        """Return statistics over a period, all time if no bound is given.

        An open bound is that of the whole catalogue, so that shares compare like with like; the
        series begins and ends with the sponsor's own videos in the period.
        """
        requested = periods.requested(request.from_date, request.to_date)
        step = granularity.argument(request.granularity)
        min_confidence = arguments.confidence(request.min_confidence)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        voice_kinds = arguments.selected_kinds(request.kinds, None, kinds.PAID)
        ref = await self.resolver.sponsor(request.sponsor)
        covered = await self.coverage.of_period(requested)
        period = covered.totals.closed(requested, self.today())
        previous = periods.before(period)
        not_covered = period_comparison.reason_against(
            period, previous, covered.totals.span(self.today()), requested
        )
        number = public_ids.number(ref.id)
        query = SponsorStatsQuery(
            sponsor=number,
            category=ref.category,
            period=period,
            previous=previous,
            granularity=granularity.chosen(step, period, await self._days(number)),
            min_confidence=min_confidence,
            is_of_all=requested == RequestedPeriod(None, None),
            kinds=of_kinds,
            voice_kinds=voice_kinds,
            is_compared=not_covered is None,
        )
        sums = await self.store.sponsor_sums(query)
        note = covered.note(request, sums.series, _known(sums.card))
        reason = not_covered or same_channels.reason_against(sums.same_channels, sums.card.name)
        return _stats(query, sums, reason, covered, note)

    async def videos(self, request: SponsorVideosRequest) -> SponsorVideoPage:
        requested = periods.requested(request.from_date, request.to_date)
        of_kinds = arguments.selected_kinds(request.kinds, request.kind, kinds.ALL)
        min_confidence = arguments.confidence(request.min_confidence)
        page = self.paging.newest(request)
        ref = await self.resolver.sponsor(request.sponsor)
        query = SponsorshipFilter(
            public_ids.number(ref.id),
            requested,
            min_confidence,
            kinds.condition(of_kinds),
            lists=await self.lists.of(request, "youtuber"),
        )
        found = await self.store.sponsor_videos(query, page)
        covered = await self.coverage.of_period(requested)
        hint = await self._hint(found, query.number)
        note = covered.note(request, found, hint, lists=query.lists)
        videos, cursor = self.paging.cut_newest(request, page, found)
        return SponsorVideoPage(ref, videos, cursor, covered.shown, note)

    async def youtubers(self, request: SponsorYoutubersRequest) -> SponsorYoutuberPage:
        requested = periods.requested(request.from_date, request.to_date)
        country = arguments.country(request.country)
        min_confidence = arguments.confidence(request.min_confidence)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        status = arguments.optional_choice("status", request.status, relation_status.STATUSES)
        sort = arguments.choice("sort", request.sort, YOUTUBER_SORTS, "videos")
        page = self.paging.ranked(request)
        ref = await self.resolver.sponsor(request.sponsor)
        query = SponsorshipFilter(
            public_ids.number(ref.id),
            requested,
            min_confidence,
            kinds.condition(of_kinds),
            country,
            status,
            await self.lists.of(request, "youtuber"),
        )
        found = await self.store.sponsor_youtubers(query, sort, page)
        covered = await self.coverage.of(query)
        hint = await self._hint(found.entries, query.number)
        note = covered.note(request, found.entries, hint, lists=query.lists)
        if note and status not in {None, relation_status.UNKNOWN}:
            note += await self._unknown_status(query)
        cursor = self.paging.after_ranked(request, page, found)
        return SponsorYoutuberPage(ref, found.entries, cursor, covered.shown, note)

    async def top(self, request: TopSponsorsRequest) -> TopSponsors:
        """Return the most active sponsors; names none, so raises nothing about sponsors."""
        metric = arguments.choice("metric", request.metric, METRICS, "videos")
        query = ranking(request, metric)
        page = self.paging.ranked(request)
        if request.in_list is not None or request.not_in_list is not None:
            query = replace(query, lists=await self.lists.of(request, "sponsor", "youtuber"))
        (sums, found), covered = await asyncio.gather(
            self.store.top_sponsors(query, page), self.coverage.of(query)
        )
        period = covered.totals.closed(query.period, self.today())
        return TopSponsors(
            period=period,
            metric=query.metric,
            totals=sums.totals,
            sponsors=found.entries,
            next_cursor=self.paging.after_ranked(request, page, found),
            kinds=query.kinds,
            by_kind=share_of_voice.by_kind(sums.by_kind),
            coverage=covered.shown,
            note=_joined(
                covered.note(request, found.entries, lists=query.lists),
                _of_few_videos(query, found.entries),
            ),
        )

    async def similar(self, request: SimilarSponsorsRequest) -> SimilarSponsors:
        limit = arguments.limit(request.limit)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.PAID)
        ref = await self.resolver.sponsor(request.sponsor)
        number = public_ids.number(ref.id)
        conditions = await self.lists.of(request, "sponsor")
        matches, found = await self.store.similar_sponsors(number, limit, of_kinds, conditions)
        covered = await self.coverage.of_period()
        hint = None if found else _of_other_kinds(await self.store.sponsor_card(number), of_kinds)
        note = covered.note(request, found, hint, of="similar brand", lists=conditions)
        return SimilarSponsors(ref, tuple(found), of_kinds, matches, covered.shown, note)

    async def _unknown_status(self, query: SponsorshipFilter) -> str:
        """Return what a filter by status leaves out as the data about channels end too early."""
        of_unknown = replace(query, status=relation_status.UNKNOWN)
        found = await self.store.sponsor_youtubers(of_unknown, "recent", Page(1))
        if not found.entries:
            return ""
        latest = found.entries[0]
        return (
            f" Relations that were active when the data about the channel end are `unknown`, such as that with "
            f"{latest.youtuber.name}, who is known until {latest.known_until} only."
        )

    async def _days(self, number: int) -> Period | None:
        """Return the days from the sponsor's oldest video to its newest."""
        card = await self.store.sponsor_card(number)
        if card.first_seen is None or card.last_seen is None:
            return None
        return Period(card.first_seen, card.last_seen)

    async def _number(self, argument: str) -> int:
        return public_ids.number((await self.resolver.sponsor(argument)).id)

    async def _hint(self, found: Sequence[object], number: int) -> str | None:
        """Return what is known of the sponsor if nothing was found."""
        return None if found else _known(await self.store.sponsor_card(number))


def ranking(request: TopSponsorsRequest | TrendsRequest, metric: str) -> Ranking:
    """Return the ranking by `metric` that a request names; of paid work unless it names kinds."""
    return Ranking(
        categories=arguments.sponsor_categories(
            "category", request.category, content_field="content_category"
        ),
        content_category=arguments.content_category(
            "content_category", request.content_category, sponsor_field="category"
        ),
        country=arguments.country(request.country),
        period=periods.requested(request.from_date, request.to_date),
        min_confidence=arguments.confidence(request.min_confidence),
        metric=metric,
        kinds=arguments.selected_kinds(request.kinds, None, kinds.PAID),
    )


def _joined(*notes: str | None) -> str | None:
    return " ".join(note for note in notes if note) or None


def _of_few_videos(query: Ranking, ranked: Sequence[RankedSponsor]) -> str | None:
    return few_videos.note(ranked, query.min_confidence) if query.metric == "views" else None


def _of_video(words: str | None) -> str | None:
    """Return where to ask about a video whose address the words are; None if they are none."""
    video = references.read_sponsor("search", words).video if words else None
    if video is None or video.is_bare:
        return None
    return "No sponsor of this video is known: `video.get` says whether the video was looked at."


def _of_other_kinds(card: SponsorCard, of_kinds: Kinds) -> str:
    """Return what is known of a sponsor that has no like by these kinds."""
    hint = _known(card)
    if card.videos and not card.paid_videos and kinds.FREE_PRODUCT not in of_kinds:
        hint += " All of them are `free_product`: give that as `kinds`."
    return hint


def _known(card: SponsorCard) -> str:
    whose = f"the sponsored videos of {card.name}"
    return covering.known(card.videos, card.first_seen, card.last_seen, whose)


def _stats(
    query: SponsorStatsQuery,
    sums: SponsorSums,
    not_compared: str | None,
    covered: Covered,
    note: str | None,
) -> SponsorStats:
    totals = sums.totals
    is_compared = not_compared is None
    steps = granularity.steps([point.start for point in sums.series], query.granularity)
    return SponsorStats(
        sponsor=sums.card,
        period=query.period,
        totals=totals,
        previous_period=query.previous,
        previous_totals=sums.previous_totals if is_compared else None,
        change=trends.change_of(sums.same_channels) if is_compared else None,
        series=share_of_voice.without_holes(
            sums.series, steps, lambda point: point.start, lambda at: SeriesPoint(at, 0, 0, 0)
        ),
        by_category=share_of_voice.by_content_category(sums.by_category),
        by_country=share_of_voice.by_country(sums.by_country),
        by_kind=share_of_voice.by_kind(sums.by_kind),
        repeat_rate=sums.repeated_youtubers / totals.youtubers if totals.youtubers else 0.0,
        share_of_voice=sums.share_of_voice,
        kinds=query.kinds,
        not_compared=not_compared or trends.reason_against_change(sums.same_channels),
        granularity=query.granularity,
        coverage=covered.shown,
        note=note,
        compared=_compared(sums) if is_compared else None,
    )


def _compared(sums: SponsorSums) -> SameChannels:
    return same_channels.compared(sums.same_channels, trends.trend_of(sums.same_channels))
