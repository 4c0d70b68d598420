"""Queries about youtubers. All raise `BadArgument` and `Unavailable` besides the errors named."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catalog_service.domain import (
    address_search,
    arguments,
    granularity,
    kinds,
    periods,
    public_ids,
    relation_status,
    share_of_voice,
    support,
    view_comparison,
)
from catalog_service.domain import coverage as covering
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.paging import Paging
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import Peers, Today, YoutuberStore
from catalog_service.domain.queries import (
    Basis,
    Page,
    ProspectSearch,
    SponsorSearch,
    SponsorshipFilter,
    VideoFilter,
    YoutuberSearch,
    YoutuberStatsQuery,
)
from catalog_service.domain.resolver import Resolver
from shapes.catalog.shared import Coverage, Period
from shapes.catalog.youtubers import (
    Prospect,
    Prospects,
    ProspectsRequest,
    SearchYoutubersRequest,
    Youtuber,
    YoutuberPage,
    YoutuberRequest,
    YoutuberSeriesPoint,
    YoutuberSponsorPage,
    YoutuberSponsorsRequest,
    YoutuberStats,
    YoutuberStatsRequest,
    YoutuberVideoPage,
    YoutuberVideosRequest,
)

SEARCH_SORTS: Final = ("relevance", "subscribers", "sponsored_videos", "recent", "name")
SPONSOR_SORTS: Final = ("recent", "oldest", "videos", "views")
_LATEST_SPONSORS: Final = 5
_BASES: Final[dict[Basis, tuple[str, str]]] = {
    "sponsors": (
        "Creators who share sponsors with this one, the more the stronger.",
        "creators most alike by shared sponsors",
    ),
    "profile": (
        "No shared sponsor leads further: sponsored creators of like content, country and size.",
        "sponsored creators most alike by content, country and size",
    ),
}


@dataclass(frozen=True, slots=True)
class YoutuberQueries:
    store: YoutuberStore
    resolver: Resolver
    paging: Paging
    today: Today
    coverage: CoverageQueries

    async def search(self, request: SearchYoutubersRequest) -> YoutuberPage:
        """Search youtubers; raise `SponsorNotFound` or `Ambiguous` about sponsors to filter by."""
        words = arguments.search(request.search)
        category = arguments.content_category("category", request.category)
        country = arguments.country(request.country)
        lowest, highest = arguments.subscribers(request.min_subscribers, request.max_subscribers)
        sort = arguments.choice("sort", request.sort, SEARCH_SORTS, "relevance")
        page = self.paging.ranked(request)
        query = YoutuberSearch(
            words=words,
            category=category,
            country=country,
            min_subscribers=lowest,
            max_subscribers=highest,
            sponsored_by=await self._sponsor("sponsored_by", request.sponsored_by),
            not_sponsored_by=await self._sponsor("not_sponsored_by", request.not_sponsored_by),
            sort=sort,
            sponsored_by_categories=arguments.sponsor_categories(
                "sponsored_by_category", request.sponsored_by_category
            ),
        )
        query = await address_search.of_youtubers(self.store, query)
        found, covered = await asyncio.gather(
            self.store.search_youtubers(query, page), self.coverage.of(query)
        )
        note = covered.note(request, found, of="creator")
        return YoutuberPage(*self.paging.cut_ranked(request, page, found), covered.shown, note)

    async def get(self, request: YoutuberRequest) -> Youtuber:
        """Return a youtuber. Like all methods below, raise `YoutuberNotFound` or `Ambiguous`."""
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        conditions = SponsorshipFilter(number, RequestedPeriod(None, None))
        page = Page(_LATEST_SPONSORS)
        sponsors = await self.store.youtuber_sponsors(conditions, "recent", page)
        return Youtuber(await self.store.youtuber_card(number), tuple(sponsors[: page.limit]))

    async def sponsors(self, request: YoutuberSponsorsRequest) -> YoutuberSponsorPage:
        requested = periods.requested(request.from_date, request.to_date)
        of_kinds = kinds.selection(request.kinds, request.kind, kinds.ALL)
        min_confidence = arguments.confidence(request.min_confidence)
        status = arguments.optional_choice("status", request.status, relation_status.STATUSES)
        sort = arguments.choice("sort", request.sort, SPONSOR_SORTS, "recent")
        page = self.paging.ranked(request)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        query = SponsorshipFilter(
            number, requested, min_confidence, kinds.condition(of_kinds), status=status
        )
        found = await self.store.youtuber_sponsors(query, sort, page)
        sponsors, cursor = self.paging.cut_ranked(request, page, found)
        coverage = await self.store.coverage(number)
        note = await self._note(request, found, number)
        return YoutuberSponsorPage(ref, sponsors, coverage, cursor, note)

    async def stats(self, request: YoutuberStatsRequest) -> YoutuberStats:
        """Return statistics over a period; an open bound is that of the youtuber's known videos."""
        requested = periods.requested(request.from_date, request.to_date)
        step = granularity.argument(request.granularity)
        min_confidence = arguments.confidence(request.min_confidence)
        of_kinds = kinds.selection(request.kinds, None, kinds.ALL)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        coverage = await self.store.coverage(number)
        span = self._span(coverage)
        period = requested.within(span)
        query = YoutuberStatsQuery(
            number, period, granularity.chosen(step, period, span), min_confidence, of_kinds
        )
        sums = await self.store.youtuber_sums(query)
        steps = granularity.steps([point.start for point in sums.series], query.granularity)
        return YoutuberStats(
            youtuber=ref,
            period=period,
            videos=sums.videos,
            sponsored_videos=sums.sponsored_videos,
            sponsored_share=sums.sponsored_videos / sums.videos if sums.videos else 0.0,
            sponsors=sums.sponsors,
            views=view_comparison.compare(sums.views),
            by_category=share_of_voice.by_sponsor_category(sums.by_category),
            series=share_of_voice.without_holes(
                sums.series,
                steps,
                lambda point: point.start,
                lambda at: YoutuberSeriesPoint(at, 0, 0),
            ),
            coverage=coverage,
            sponsorships=sums.sponsorships,
            by_kind=share_of_voice.by_kind(sums.by_kind),
            kinds=of_kinds,
            granularity=query.granularity,
            note=await self._note(request, sums.series, number, of="video"),
        )

    async def videos(self, request: YoutuberVideosRequest) -> YoutuberVideoPage:
        requested = periods.requested(request.from_date, request.to_date)
        min_confidence = arguments.confidence(request.min_confidence)
        of_kinds = kinds.selection(request.kinds, None, kinds.ALL)
        page = self.paging.newest(request)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        query = VideoFilter(number, requested, request.sponsored, min_confidence, of_kinds)
        found = await self.store.youtuber_videos(query, page)
        videos, cursor = self.paging.cut_newest(request, page, found)
        coverage = await self.store.coverage(number)
        note = await self._note(request, found, number, of="video")
        return YoutuberVideoPage(ref, videos, coverage, cursor, note)

    async def prospects(self, request: ProspectsRequest) -> Prospects:
        """Return sponsors of similar youtubers; by profile if shared sponsors lead to none."""
        wanted = arguments.sponsor_categories("category", request.category)
        active_since = periods.day("active_since", request.active_since)
        limit = arguments.limit(request.limit)
        of_kinds = kinds.selection(request.kinds, None, kinds.PAID)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        query = ProspectSearch(number, wanted, active_since, limit, of_kinds)
        basis: Basis = "sponsors"
        peers = await self.store.prospects(query, basis)
        if not peers.sponsors:
            basis = "profile"
            peers = await self.store.prospects(query, basis)
        covered = await self.coverage.of(_search(wanted))
        return Prospects(
            youtuber=ref,
            prospects=_prospects(peers, basis),
            basis=_BASES[basis][0],
            coverage=await self.store.coverage(number),
            kinds=of_kinds,
            catalog_coverage=covered.shown,
            note=covered.note(request, peers.sponsors, of="brand"),
        )

    async def _note(
        self, request: object, found: Sequence[object], number: int, of: str = "sponsorship"
    ) -> str | None:
        """Return why nothing was found about the youtuber; None if something was."""
        if found:
            return None
        card = await self.store.youtuber_card(number)
        seen = card.coverage
        whose = f"the videos of {card.name}"
        hint = covering.known(seen.videos_scanned, seen.first_video, seen.last_video, whose)
        if seen.videos_scanned:
            hint = f"{hint} {card.sponsored_videos:,} of them are sponsored."
        return (await self.coverage.of()).note(request, found, hint, of)

    async def _sponsor(self, field: str, argument: str | None) -> int | None:
        if argument is None:
            return None
        return public_ids.number((await self.resolver.sponsor(argument, field)).id)

    def _span(self, coverage: Coverage) -> Period:
        today = self.today()
        return Period(coverage.first_video or today, coverage.last_video or today)


def _search(wanted: tuple[str, ...] | None) -> SponsorSearch:
    """Return the search whose filter leaves out the sponsors that one by category leaves out."""
    return SponsorSearch(None, wanted, None, None, None, "relevance")


def _prospects(peers: Peers, basis: Basis) -> tuple[Prospect, ...]:
    alike = _BASES[basis][1]
    return tuple(
        Prospect(
            sponsor=sponsor.card,
            score=sponsor.score,
            similar_youtubers=sponsor.youtubers,
            examples=sponsor.examples,
            reason=support.prospect_evidence(
                sponsor.youtubers, peers.count, sponsor.expected, alike, sponsor.card.youtubers
            ),
            expected_youtubers=sponsor.expected,
            support=support.support(sponsor.youtubers, sponsor.expected),
        )
        for sponsor in peers.sponsors
    )
