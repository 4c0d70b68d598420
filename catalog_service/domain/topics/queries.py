"""Queries by what videos speak about. All raise `BadArgument` and `Unavailable`, and errors of references that they resolve."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from catalog_service.domain import arguments, category_readings, kinds, periods, public_ids
from catalog_service.domain.coverage import CoverageQueries, Scope, of_listed
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.lists.filters import ListFilters
from catalog_service.domain.paging import Paging
from catalog_service.domain.ports import YoutuberStore
from catalog_service.domain.queries import ListConditions, Page, Ranked, YoutuberSearch
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.topics import search_terms
from catalog_service.domain.topics.languages import ENGLISH, language_name
from catalog_service.domain.topics.ports import (
    ReadTerms,
    TopicStore,
    VideoSearch,
    YoutuberTopicSearch,
)
from catalog_service.domain.video_formats import FORMATS, UNKNOWN
from servicekit.errors import ResourceExhausted
from shapes.catalog.topics import (
    SearchVideosRequest,
    TextCoverage,
    TopicVideoPage,
    YoutubersAboutPage,
    YoutubersAboutRequest,
)

T = TypeVar("T")

VIDEO_SORTS: Final = ("newest", "oldest", "views")
YOUTUBER_SORTS: Final = ("hits", "recent", "subscribers")
_MAX_LISTED: Final = 5
_MAX_MIN_HITS: Final = 1_000_000
_EXPLAINING_SECONDS: Final = 0.8
"""Of each of up to three further searches by which an answer is explained, within the caller's deadline of some 5 s."""
_NONE_LEFT: Final = (
    "Of the known videos that the other conditions leave, no title or description is known: what they speak about cannot be "
    "said. Imports of channels bring both."
)


@dataclass(frozen=True, slots=True)
class TopicQueries:
    store: TopicStore
    youtubers: YoutuberStore
    resolver: Resolver
    paging: Paging
    coverage: CoverageQueries
    lists: ListFilters

    async def search_videos(self, request: SearchVideosRequest) -> TopicVideoPage:
        """Search videos by words, brands or channel; at least one of these is needed."""
        page = self.paging.ranked(request)
        query, terms = await self._video_search(request)
        texts = await self._texts(query.youtuber)
        total, found = await _matches(terms, texts, lambda: self.store.videos(query, page))
        lacks_texts = total == 0 and terms is not None and await self._lacks_texts(query)
        if lacks_texts:
            total, found = None, None
        unknown = await self._of_unknown_category(query, total)
        scope = of_listed(Scope(query.period, query.content_category), query.lists)
        covered = await self.coverage.of_scope(scope, unknown or 0, query)
        entries = found.entries if found else ()
        hint = None if entries or not found else await self._of_unknown_format(query)
        subjects = ("sponsor", "youtuber")
        reason = (
            covered.note(request, entries, hint, "video", subjects, query.lists) if found else None
        )
        return TopicVideoPage(
            videos=entries,
            next_cursor=found and self.paging.after_ranked(request, page, found),
            matches=total,
            texts=texts,
            coverage=covered.shown,
            note=_note(
                reason or category_readings.note(request),
                terms,
                texts,
                unknown,
                lacks_texts=lacks_texts,
            ),
        )

    async def youtubers_about(self, request: YoutubersAboutRequest) -> YoutubersAboutPage:
        """Search youtubers by the words of their videos, those with the most of them first."""
        period = periods.requested(request.from_date, request.to_date)
        lowest, highest = arguments.subscribers(request.min_subscribers, request.max_subscribers)
        sort = arguments.choice("sort", request.sort, YOUTUBER_SORTS, "hits")
        min_hits = request.min_hits or 1
        if not 1 <= min_hits <= _MAX_MIN_HITS:
            raise BadArgument("min_hits", f"`min_hits` must be from 1 to {_MAX_MIN_HITS:,}.")
        page = self.paging.ranked(request)
        terms = await self._read(request.about)
        conditions = await self.lists.of(request, "youtuber")
        channels = await self._channels(request, lowest, highest, conditions)
        query = YoutuberTopicSearch(terms.queries, period, channels, min_hits, sort)
        texts = await self._texts(None)
        total, found = await _matches(terms, texts, lambda: self.store.youtubers(query, page))
        lacks_texts = total == 0 and await self._lacks_texts(query)
        if lacks_texts:
            total, found = None, None
        covered = await self.coverage.of(channels)
        entries = found.entries if found else ()
        reason = covered.note(request, entries, of="creator", lists=conditions) if found else None
        return YoutubersAboutPage(
            youtubers=entries,
            next_cursor=found and self.paging.after_ranked(request, page, found),
            matches=total,
            texts=texts,
            coverage=covered.shown,
            note=_note(
                reason or category_readings.note(request), terms, texts, lacks_texts=lacks_texts
            ),
        )

    async def _video_search(
        self, request: SearchVideosRequest
    ) -> tuple[VideoSearch, ReadTerms | None]:
        """Return what a request searches for, and its words as they were read."""
        period = periods.requested(request.from_date, request.to_date)
        named = arguments.selected_kinds(request.kinds, None, kinds.ALL)
        category = arguments.content_category(
            "content_category", request.content_category, sponsor_field="sponsor_category"
        )
        categories = arguments.sponsor_categories(
            "sponsor_category", request.sponsor_category, content_field="content_category"
        )
        format_ = arguments.optional_choice("format", request.format, FORMATS)
        sort = arguments.choice("sort", request.sort, VIDEO_SORTS, "newest")
        needed = (request.about, request.sponsor, categories, request.youtuber)
        if all(argument is None for argument in needed):
            raise BadArgument(
                "about",
                "Give at least one of `about`, `sponsor`, `sponsor_category` and `youtuber`.",
            )
        terms = None if request.about is None else await self._read(request.about)
        query = VideoSearch(
            queries=terms and terms.queries,
            period=period,
            content_category=category,
            youtuber=await self._youtuber(request.youtuber),
            format=format_,
            sponsor=await self.resolver.sponsor_number(request.sponsor, "sponsor"),
            sponsor_categories=categories,
            kinds=named if request.kinds else None,
            sort=sort,
            lists=await self.lists.of(request, "sponsor", "youtuber"),
        )
        return query, terms

    async def _lacks_texts(self, query: VideoSearch | YoutuberTopicSearch) -> bool:
        """Return whether nothing could be searched in; false where finding that out takes too long."""
        return await _in_time(self.store.lacks_texts(query)) or False

    async def _of_unknown_category(self, query: VideoSearch, total: int | None) -> int | None:
        """Return how many further videos match but for a category that is filtered by and not known.

        None if that takes too long: the answer must not fail because of it.
        """
        if total is None or (query.content_category, query.sponsor_categories) == (None, None):
            return 0
        found = await _in_time(self.store.videos(replace(query, takes_unknown=True), Page(1)))
        return None if found is None else max((found[0] or 0) - total, 0)

    async def _of_unknown_format(self, query: VideoSearch) -> str | None:
        """Return how many videos may be of the format that is searched for; None if none may, or if counting takes too long."""
        if query.format in (None, UNKNOWN):
            return None
        found = await _in_time(self.store.videos(replace(query, format=UNKNOWN), Page(1)))
        count = None if found is None else found[0]
        if not count:
            return None
        videos = "1 video that matches" if count == 1 else f"{count:,} videos that match"
        return f"Of {videos} otherwise the format is not known: imports of channels bring it."

    async def _channels(
        self,
        request: YoutubersAboutRequest,
        lowest: int | None,
        highest: int | None,
        conditions: ListConditions,
    ) -> YoutuberSearch:
        """Return the conditions on the channels themselves."""
        by_brand = (request.sponsored_by, request.not_sponsored_by, request.sponsored_by_category)
        has_brand = any(argument is not None for argument in by_brand)
        return YoutuberSearch(
            words=None,
            category=arguments.content_category(
                "category", request.category, sponsor_field="sponsored_by_category"
            ),
            country=arguments.country(request.country),
            min_subscribers=lowest,
            max_subscribers=highest,
            sponsored_by=await self.resolver.sponsor_number(request.sponsored_by, "sponsored_by"),
            not_sponsored_by=await self.resolver.sponsor_number(
                request.not_sponsored_by, "not_sponsored_by"
            ),
            sort="relevance",
            sponsored_by_categories=arguments.sponsor_categories(
                "sponsored_by_category", request.sponsored_by_category, content_field="category"
            ),
            kinds_mask=kinds.mask(kinds.ALL) if has_brand else None,
            in_youtubers=conditions.in_youtubers,
            not_in_youtubers=conditions.not_in_youtubers,
        )

    async def _read(self, about: str) -> ReadTerms:
        """Return what is searched for; raise `BadArgument` if it is nothing that a topic could be."""
        found = search_terms.read(about)
        terms = await self.store.read(search_terms.written(found), search_terms.excluded(found))
        if ENGLISH in terms.without or not terms.queries:
            raise BadArgument(
                "about",
                "`about` has nothing but stop words, such as 'the' and 'how to', which nearly every text has, or excludes one: "
                "name a topic, and leave them out.",
            )
        return terms

    async def _texts(self, youtuber: int | None) -> TextCoverage:
        if youtuber is None:
            counts, totals = await asyncio.gather(self.store.texts(None), self.coverage.totals())
            known = totals.videos
        else:
            counts, seen = await asyncio.gather(
                self.store.texts(youtuber), self.youtubers.coverage(youtuber)
            )
            known = seen.videos_scanned
        return TextCoverage(
            videos=known,
            titles_only=counts.indexed - counts.described,
            without_text=max(known - counts.indexed, 0),
        )

    async def _youtuber(self, argument: str | None) -> int | None:
        if argument is None:
            return None
        return public_ids.number((await self.resolver.youtuber(argument)).id)


async def _in_time(work: Awaitable[T]) -> T | None:
    """Return what explains an answer further; None if it takes too long or others wait: the answer must not fail for it."""
    try:
        async with asyncio.timeout(_EXPLAINING_SECONDS):
            return await work
    except (TimeoutError, ResourceExhausted):
        return None


async def _matches(
    terms: ReadTerms | None,
    texts: TextCoverage,
    search: Callable[[], Awaitable[tuple[int | None, Ranked[T]]]],
) -> tuple[int | None, Ranked[T] | None]:
    """Return how many match and a page of them; None for both where no text is known that could have the terms."""
    if terms is not None and _has_none(texts):
        return None, None
    try:
        return await search()
    except TimeoutError:
        raise BadArgument(
            "about",
            "This search matches too many videos to be answered in time: give further words, a phrase in quotes, a brand, a "
            "creator or a shorter period.",
        ) from None


def _has_none(texts: TextCoverage) -> bool:
    return texts.without_text >= texts.videos


def _note(
    reason: str | None,
    terms: ReadTerms | None,
    texts: TextCoverage,
    unknown: int | None = 0,
    *,
    lacks_texts: bool,
) -> str | None:
    """Return why the answer is empty, and what could not be searched or counted."""
    parts = [reason] if reason else []
    if unknown is None:
        parts.append("Videos of unknown category were not counted, which would take too long.")
    if terms is not None:
        unsearched = _NONE_LEFT if lacks_texts else _unsearched(texts)
        parts += [text for text in (_unread(terms), unsearched) if text]
    return " ".join(parts) or None


def _unread(terms: ReadTerms) -> str | None:
    if not terms.without:
        return None
    names = [language_name(config) for config in terms.without]
    listed = ", ".join(names[:_MAX_LISTED]) + (" and others" if len(names) > _MAX_LISTED else "")
    return f"Videos in {listed} were not searched: there `about` is nothing but stop words, or excludes one."


def _unsearched(texts: TextCoverage) -> str | None:
    if not (texts.without_text or texts.titles_only):
        return None
    whole = f"Of {texts.videos:,} known videos in all,"
    if _has_none(texts):
        return f"{whole} no title or description is known: what they speak about cannot be said. Imports of channels bring both."
    return (
        f"{whole} {texts.without_text:,} could not be searched, as neither title nor description is known, and {texts.titles_only:,} "
        "were searched by their title alone: imports of channels bring both."
    )
