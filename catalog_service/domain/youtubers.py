"""Queries about youtubers. All raise `BadArgument` and `Unavailable` besides the errors named."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog_service.domain import (
    address_search,
    arguments,
    channel_gaps,
    granularity,
    kinds,
    periods,
    public_ids,
    references,
    relation_status,
    share_of_voice,
    support,
    view_comparison,
)
from catalog_service.domain import coverage as covering
from catalog_service.domain.coverage import CoverageQueries
from catalog_service.domain.kinds import Kinds
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.paging import Paging
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.ports import Peers, Today, YoutuberStore
from catalog_service.domain.queries import (
    NO_LISTS,
    Basis,
    ListConditions,
    Page,
    ProspectSearch,
    SponsorSearch,
    SponsorshipFilter,
    VideoFilter,
    YoutuberSearch,
    YoutuberStatsQuery,
)
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.track_records import RecordQueries
from shapes.catalog.shared import Coverage, Period, YoutuberCard
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
_PeriodRequest = YoutuberSponsorsRequest | YoutuberStatsRequest | YoutuberVideosRequest
_LATEST_SPONSORS: Final = 5
_MAX_CANDIDATES: Final = 1_000
"""Prospects of all categories among which those of unknown category are counted."""

_SHARING: Final = "Creators who share sponsors with this one, the more the stronger."
_PRESENT_LEFT_OUT: Final = (
    "Brands of the list that sponsor this creator already are no prospects and left out."
)
_NO_SHARED: Final = "No shared sponsor leads further:"
_EMPTIED: Final = "Creators who share sponsors with this one lead to brands, but to none with a sponsored video known on or after {}:"


@dataclass(frozen=True, slots=True)
class YoutuberQueries:
    store: YoutuberStore
    resolver: Resolver
    paging: Paging
    today: Today
    coverage: CoverageQueries
    records: RecordQueries
    lists: ListFilters

    async def search(self, request: SearchYoutubersRequest) -> YoutuberPage:
        """Search youtubers; raise `SponsorNotFound` or `Ambiguous` about sponsors to filter by."""
        words = arguments.search(request.search)
        category = arguments.content_category(
            "category", request.category, sponsor_field="sponsored_by_category"
        )
        country = arguments.country(request.country)
        lowest, highest = arguments.subscribers(request.min_subscribers, request.max_subscribers)
        sort = arguments.choice("sort", request.sort, SEARCH_SORTS, "relevance")
        page = self.paging.ranked(request)
        conditions = await self.lists.of(request, "youtuber")
        query = YoutuberSearch(
            words=words,
            category=category,
            country=country,
            min_subscribers=lowest,
            max_subscribers=highest,
            sponsored_by=await self.resolver.sponsor_number(request.sponsored_by, "sponsored_by"),
            not_sponsored_by=await self.resolver.sponsor_number(
                request.not_sponsored_by, "not_sponsored_by"
            ),
            sort=sort,
            sponsored_by_categories=arguments.sponsor_categories(
                "sponsored_by_category", request.sponsored_by_category, content_field="category"
            ),
            in_youtubers=conditions.in_youtubers,
            not_in_youtubers=conditions.not_in_youtubers,
        )
        of_kinds = kinds.condition(arguments.selected_kinds(request.kinds, None, kinds.ALL))
        query = await address_search.of_youtubers(self.store, _of_kinds(query, of_kinds))
        found, covered = await asyncio.gather(
            self.store.search_youtubers(query, page), self.coverage.of(query)
        )
        is_empty = not found.entries and request.cursor is None
        hint = await self._elsewhere(request) if is_empty else None
        note = covered.note(request, found.entries, hint, of="creator", lists=conditions)
        note = " ".join(filter(None, (note, _of_unknown(found.entries)))) or None
        cursor = self.paging.after_ranked(request, page, found)
        return YoutuberPage(found.entries, cursor, covered.shown, note)

    async def _elsewhere(self, request: SearchYoutubersRequest) -> str | None:
        """Return which brands the words are, if nothing but the words can be why no creator was found."""
        words = covering.sole_words(request)
        if words is None:
            return None
        brands = await self.resolver.brands_of(words)
        return references.found_elsewhere(words, brands, "a brand", "sponsor.search")

    async def get(self, request: YoutuberRequest) -> Youtuber:
        """Return a youtuber. Like all methods below, raise `YoutuberNotFound` or `Ambiguous`."""
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        conditions = SponsorshipFilter(number, RequestedPeriod(None, None))
        page = Page(_LATEST_SPONSORS)
        sponsors = await self.store.youtuber_sponsors(conditions, "recent", page)
        by_kind = share_of_voice.by_kind(await self.store.youtuber_kinds(number))
        card = await self.store.youtuber_card(number)
        record = await self.records.of_youtuber(card) if request.record else None
        return Youtuber(card, sponsors.entries, by_kind, record, _of_no_videos(card))

    async def sponsors(self, request: YoutuberSponsorsRequest) -> YoutuberSponsorPage:
        requested = periods.requested(request.from_date, request.to_date)
        of_kinds = arguments.selected_kinds(request.kinds, request.kind, kinds.ALL)
        min_confidence = arguments.confidence(request.min_confidence)
        status = arguments.optional_choice("status", request.status, relation_status.STATUSES)
        sort = arguments.choice("sort", request.sort, SPONSOR_SORTS, "recent")
        page = self.paging.ranked(request)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        query = SponsorshipFilter(
            number,
            requested,
            min_confidence,
            kinds.condition(of_kinds),
            status=status,
            lists=await self.lists.of(request, "sponsor"),
        )
        found = await self.store.youtuber_sponsors(query, sort, page)
        cursor = self.paging.after_ranked(request, page, found)
        coverage = await self.store.coverage(number, requested)
        note = await self._note(request, found.entries, number, lists=query.lists)
        if note and status not in {None, relation_status.UNKNOWN}:
            note += await self._unknown_status(query)
        return YoutuberSponsorPage(ref, found.entries, coverage, cursor, note)

    async def stats(self, request: YoutuberStatsRequest) -> YoutuberStats:
        """Return statistics over a period; an open bound is that of the youtuber's known videos."""
        requested = periods.requested(request.from_date, request.to_date)
        step = granularity.argument(request.granularity)
        min_confidence = arguments.confidence(request.min_confidence)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        coverage = await self.store.coverage(number, requested)
        span = self._span(coverage)
        period = requested.within(span, self.today())
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
            sponsored_share=sums.sponsored_videos / sums.videos if sums.videos else None,
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
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        page = self.paging.newest(request)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        query = VideoFilter(number, requested, request.sponsored, min_confidence, of_kinds)
        found = await self.store.youtuber_videos(query, page)
        videos, cursor = self.paging.cut_newest(request, page, found)
        coverage = await self.store.coverage(number, requested)
        note = await self._note(request, found, number, of="video")
        return YoutuberVideoPage(ref, videos, coverage, cursor, note)

    async def prospects(self, request: ProspectsRequest) -> Prospects:
        """Return sponsors of similar youtubers; by profile if shared sponsors lead to none."""
        wanted = arguments.sponsor_categories("category", request.category)
        active_since = periods.day("active_since", request.active_since)
        limit = arguments.limit(request.limit)
        of_kinds = arguments.selected_kinds(request.kinds, None, kinds.PAID)
        ref = await self.resolver.youtuber(request.youtuber)
        number = public_ids.number(ref.id)
        conditions = await self.lists.of(request, "sponsor")
        query = ProspectSearch(
            number,
            wanted,
            active_since,
            limit,
            of_kinds,
            conditions.in_sponsors,
            conditions.not_in_sponsors,
        )
        basis: Basis = "sponsors"
        words = _SHARING
        peers = await self.store.prospects(query, basis)
        hint = None
        if not peers.sponsors:
            is_emptied = await self._is_emptied(query, basis)
            basis = "profile"
            peers = await self.store.prospects(query, basis)
            why = _EMPTIED.format(active_since) if is_emptied else _NO_SHARED
            words = f"{why} {_profile_of(peers)}"
            if not peers.sponsors:
                hint = await self._without_day(query, is_emptied=is_emptied)
                hint = hint or (_PRESENT_LEFT_OUT if conditions.in_sponsors is not None else None)
        covered = await self.coverage.of(await self._searched(query, basis))
        note = covered.note(request, peers.sponsors, hint, of="brand", lists=conditions)
        unknown = _of_no_videos(await self.store.youtuber_card(number))
        return Prospects(
            youtuber=ref,
            prospects=_prospects(peers, basis),
            basis=words,
            coverage=await self.store.coverage(number),
            kinds=of_kinds,
            catalog_coverage=covered.shown,
            note=" ".join(filter(None, (note, unknown))) or None,
        )

    async def _is_emptied(self, query: ProspectSearch, basis: Basis) -> bool:
        """Return true if there were prospects by the basis, were it not for `active_since`."""
        if query.active_since is None:
            return False
        everybody = await self.store.prospects(replace(query, active_since=None, limit=1), basis)
        return bool(everybody.sponsors)

    async def _without_day(self, query: ProspectSearch, *, is_emptied: bool) -> str | None:
        """Return what there is without `active_since`, if that alone leaves nothing."""
        if not (is_emptied or await self._is_emptied(query, "profile")):
            return None
        newest = (await self.coverage.totals()).last_sponsored
        return f"Without `active_since` there are some; the newest sponsored video known of any creator is of {newest}."

    async def _note(
        self,
        request: _PeriodRequest,
        found: Sequence[object],
        number: int,
        of: str = "sponsorship",
        lists: ListConditions = NO_LISTS,
    ) -> str | None:
        """Return why nothing was found about the youtuber; None if something was."""
        if found or getattr(request, "cursor", None) is not None:
            return None
        card = await self.store.youtuber_card(number)
        requested = periods.requested(request.from_date, request.to_date)
        gap = await self._gap(card, number, requested)
        if gap is not None:
            return gap
        hint = _of_no_videos(card) or _of_known_videos(card)
        return (await self.coverage.of_period()).note(request, found, hint, of, lists=lists)

    async def _gap(self, card: YoutuberCard, number: int, requested: RequestedPeriod) -> str | None:
        """Return why no video of the channel is known in the period; None if one is, or none is at any time."""
        gap = channel_gaps.outside(card, requested)
        if gap is not None or not card.coverage.videos_scanned:
            return gap
        before, after = await self.store.videos_around(number, requested)
        in_period = (await self.store.coverage(number, requested)).videos_in_period
        if before is None or after is None or in_period != 0:
            return None
        return channel_gaps.hole(card, before, after)

    async def _unknown_status(self, query: SponsorshipFilter) -> str:
        """Return what a filter by status leaves out as the data about the channel end too early."""
        of_unknown = replace(query, status=relation_status.UNKNOWN)
        found = await self.store.youtuber_sponsors(of_unknown, "recent", Page(1))
        if not found.entries:
            return ""
        return (
            " The known videos of the channel end too early or are too few to tell of all its relations: "
            "`status=unknown` lists the others."
        )

    async def _searched(self, query: ProspectSearch, basis: Basis) -> SponsorSearch:
        """Return the search, among the sponsors that come into question, that leaves out the same ones."""
        everybody = SponsorSearch(None, query.categories, None, None, None, "relevance")
        if query.categories is None:
            return everybody
        peers = await self.store.prospects(
            replace(query, categories=None, limit=_MAX_CANDIDATES), basis
        )
        numbers = tuple(public_ids.number(item.card.id) for item in peers.sponsors)
        return replace(everybody, numbers=numbers)

    def _span(self, coverage: Coverage) -> Period:
        today = self.today()
        return Period(coverage.first_video or today, coverage.last_video or today)


def _of_no_videos(card: YoutuberCard) -> str | None:
    """Return that nothing is known of a creator's sponsors, and what to do; None if videos are known."""
    if card.coverage.videos_scanned:
        return None
    advice = " Import the channel first." if card.channel_id or card.handle else ""
    return f"None of the videos of {card.name} is known yet.{advice}"


def _of_unknown(cards: Sequence[YoutuberCard]) -> str | None:
    """Return of how many creators no video is known; None if of none."""
    unknown = sum(not card.coverage.videos_scanned for card in cards)
    if not unknown:
        return None
    return f"No video is known yet of {unknown:,} of these creators (`videos_scanned` 0): their zeros say nothing."


def _of_known_videos(card: YoutuberCard) -> str:
    seen = card.coverage
    whose = f"the videos of {card.name}"
    known = covering.known(seen.videos_scanned, seen.first_video, seen.last_video, whose)
    return f"{known} {card.sponsored_videos:,} of them are sponsored."


def _of_kinds(query: YoutuberSearch, of_kinds: Kinds | None) -> YoutuberSearch:
    """Return the search in which only sponsorships of these kinds count; None takes all."""
    by_brands = (query.sponsored_by, query.not_sponsored_by, query.sponsored_by_categories)
    if any(value is not None for value in by_brands):
        return replace(query, kinds_mask=kinds.mask(of_kinds or kinds.ALL))
    return query if of_kinds is None else replace(query, any_of_kinds=kinds.mask(of_kinds))


def _profile_of(peers: Peers) -> str:
    """Return in what the creators that were chosen by their profile are alike."""
    if not peers.count:
        return "nor is a sponsored creator known to be of like content, country or size."
    return f"sponsored creators of like {_listed(peers.traits)}."


def _listed(traits: Sequence[str]) -> str:
    *others, last = traits
    return f"{', '.join(others)} and {last}" if others else last


def _prospects(peers: Peers, basis: Basis) -> tuple[Prospect, ...]:
    if not peers.sponsors:
        return ()
    alike = (
        "creators most alike by shared sponsors"
        if basis == "sponsors"
        else f"sponsored creators most alike by {_listed(peers.traits)}"
    )
    return tuple(
        Prospect(
            sponsor=sponsor.card,
            score=sponsor.score,
            similar_youtubers=sponsor.youtubers,
            examples=sponsor.examples,
            reason=support.prospect_evidence(sponsor, peers.count, alike),
            expected_youtubers=sponsor.expected,
            support=support.support(sponsor.youtubers, sponsor.expected),
        )
        for sponsor in peers.sponsors
    )
