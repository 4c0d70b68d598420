"""Describe the data behind a ranking, list or figure, and say why an empty result is empty."""

from collections.abc import Iterator, Sequence
from dataclasses import Field, dataclass, fields, replace
from datetime import date
from typing import Any, Final, Protocol, cast, get_type_hints

from catalog_service.domain import category_readings, excluded_videos, periods
from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.queries import (
    NO_LISTS,
    ListConditions,
    Ranking,
    SponsorSearch,
    SponsorshipFilter,
    YoutuberSearch,
)
from shapes.catalog.shared import CatalogCoverage, Period

FilteredQuery = Ranking | SponsorshipFilter | SponsorSearch | YoutuberSearch
_NO_FILTERS: Final = frozenset(
    {"sponsor", "youtuber", "limit", "cursor", "sort", "metric", "granularity", "account_id"}
)
_TAKES_ALL: Final = {"direction": "all", "min_hits": 1}
"""Filters with a value that leaves nothing out."""
_ALL_TIME: Final = RequestedPeriod(None, None)
_FILTERED: Final = "Leave a filter out for more."
_EXCLUSIVE: Final = ": they exclude each other. Leave one of them out."
_OF_SPONSORED: Final = frozenset({"sponsorship"})
"""What there is none of while no sponsored video is known."""

_OF_ANY_VIDEO: Final = frozenset({"video", "creator"})
"""What lists may have of days without a sponsored video."""

_SEARCHED: Final = "Check the spelling, or give another name or a web address."
_NOT_LISTED: Final = "A brand is listed once a sponsorship of it is known."
_OTHER_WORDS: Final = "Try fewer words, or others for the same topic."
_PUBLISHED: Final = {"from_date": "since", "to_date": "until"}


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the videos that a query is about, whoever sponsored them; None leaves nothing out.

    `content_category` is that of the video, `youtuber_category` that of its channel; `in_youtubers` and
    `not_in_youtubers` are numbers of saved lists of creators.
    """

    period: RequestedPeriod = _ALL_TIME
    content_category: str | None = None
    country: str | None = None
    youtuber_category: str | None = None
    min_subscribers: int | None = None
    max_subscribers: int | None = None
    in_youtubers: int | None = None
    not_in_youtubers: int | None = None


@dataclass(frozen=True, slots=True)
class ScannedTotals:
    """Channels and videos of a scope, the sponsored ones of these, and the first and last day."""

    youtubers: int
    videos: int
    sponsored_videos: int
    first_video: date | None
    last_video: date | None


@dataclass(frozen=True, slots=True)
class CatalogTotals:
    """Channels and videos looked at, and those of them with sponsorships. The days are None where there is no such video."""

    youtubers: int
    sponsored_youtubers: int
    videos: int
    sponsored_videos: int
    first_video: date | None
    last_video: date | None
    first_sponsored: date | None
    last_sponsored: date | None

    def span(self, today: date) -> Period:
        """Return the days from the oldest to the newest video; today if there is none."""
        return Period(self.first_video or today, self.last_video or today)

    @property
    def scanned(self) -> ScannedTotals:
        return ScannedTotals(
            self.youtubers,
            self.videos,
            self.sponsored_videos,
            self.first_video,
            self.last_video,
        )

    def sponsored_span(self, today: date) -> Period:
        """Return the days from the oldest to the newest sponsored video; today if there is none."""
        return Period(self.first_sponsored or today, self.last_sponsored or today)

    def closed(self, requested: RequestedPeriod, today: date) -> Period:
        """Return a period of sponsorships with its open ends closed by the data."""
        return requested.within(self.sponsored_span(today), today, self.first_video)


class CoverageStore(Protocol):
    """Reads about the catalogue as a whole. Every method may raise `Unavailable`."""

    async def catalog_totals(self) -> CatalogTotals: ...

    async def scanned(self, scope: Scope) -> ScannedTotals: ...

    async def left_out(self, query: FilteredQuery) -> int:
        """Return how many sponsored videos are left out because a field that is filtered by is not known of them.

        They match every other filter. Of a search they are those of the sponsors or youtubers left out.
        """
        ...


@dataclass(frozen=True, slots=True)
class CoverageQueries:
    store: CoverageStore

    async def totals(self) -> CatalogTotals:
        return await self.store.catalog_totals()

    async def of(self, query: FilteredQuery) -> "Covered":
        """Return what has been looked at of what the query is about, and what its filters leave out."""
        totals = await self.store.catalog_totals()
        scanned = await self._scanned(totals, scope_of(query))
        if isinstance(query, Ranking) and not filters_fields(query):
            return Covered(totals, scanned)
        return Covered(totals, scanned, await self.store.left_out(query), query)

    async def of_period(self, period: RequestedPeriod = _ALL_TIME) -> "Covered":
        """Return what has been looked at in a period, in the whole catalogue if it has no bound."""
        totals = await self.store.catalog_totals()
        return Covered(totals, await self._scanned(totals, Scope(period)))

    async def of_scope(self, scope: Scope, left_out: int, query: Any) -> "Covered":
        """Return what has been looked at of a scope, with the videos that the query leaves out, counted elsewhere."""
        totals = await self.store.catalog_totals()
        return Covered(totals, await self._scanned(totals, scope), left_out, query)

    async def _scanned(self, totals: CatalogTotals, scope: Scope) -> ScannedTotals:
        return totals.scanned if scope == Scope() else await self.store.scanned(scope)


def filters_fields(query: Ranking) -> bool:
    """Return whether a ranking filters by a field that is not known of every video or sponsor."""
    filters = (query.categories, query.content_category, query.country)
    return any(value is not None for value in filters)


def scope_of(query: FilteredQuery) -> Scope:
    """Return the videos that a query is about, by its period and its conditions on videos and channels."""
    if isinstance(query, SponsorSearch):
        return Scope()
    if isinstance(query, YoutuberSearch):
        return Scope(
            country=query.country,
            youtuber_category=query.category,
            min_subscribers=query.min_subscribers,
            max_subscribers=query.max_subscribers,
            in_youtubers=query.in_youtubers,
            not_in_youtubers=query.not_in_youtubers,
        )
    content_category = query.content_category if isinstance(query, Ranking) else None
    scope = Scope(query.period, content_category, query.country)
    return of_listed(scope, query.lists)


def of_listed(scope: Scope, lists: ListConditions) -> Scope:
    """Return a scope with the conditions by lists of creators."""
    return replace(scope, in_youtubers=lists.in_youtubers, not_in_youtubers=lists.not_in_youtubers)


@dataclass(frozen=True, slots=True)
class Covered:
    """The catalogue's totals, the part that an answer is about, and the sponsored videos that `query` leaves out."""

    totals: CatalogTotals
    scanned: ScannedTotals
    left_out: int = 0
    query: Any = None

    @property
    def shown(self) -> CatalogCoverage:
        return CatalogCoverage(
            first_video=self.scanned.first_video,
            last_video=self.scanned.last_video,
            youtubers=self.scanned.youtubers,
            videos=self.scanned.videos,
            sponsored_videos=self.scanned.sponsored_videos,
            left_out=self.left_out,
        )

    def note(
        self,
        request: Any,
        found: Sequence[Any],
        hint: str | None = None,
        of: str = "sponsorship",
        subjects: Sequence[str] = (),
        lists: ListConditions = NO_LISTS,
    ) -> str | None:
        """Return why an answer to the request is empty and what would not be, and how a word for a category was read; None if neither.

        Args:
            request: The request.
            found: The entries of the answer.
            hint: What there is without the filters.
            of: What the answer lists.
            subjects: Arguments that are filters of this request, and what others are about.
            lists: The saved lists that it filters by.
        """
        has_category = any(getattr(request, name, None) for name in category_readings.ARGUMENTS)
        reading = category_readings.note(request) if has_category else None
        if found or getattr(request, "cursor", None) is not None:
            return reading
        reason = self._reason(request, hint, of, subjects, lists)
        return f"{reason} {reading}" if reading else reason

    def _reason(
        self,
        request: Any,
        hint: str | None,
        of: str,
        subjects: Sequence[str],
        lists: ListConditions,
    ) -> str:
        contradiction = _contradiction(self.query, lists)
        if contradiction is not None:
            return contradiction
        if lists.empty is not None:
            return f"The list {lists.empty!r} of `in_list` is empty: fill it by list.add, or leave `in_list` out."
        outside = self._outside(request, of)
        return outside or " ".join(self._reasons(request, hint, of, subjects))

    def _outside(self, request: Any, of: str) -> str | None:
        totals = self.totals
        if totals.first_video is None or totals.last_video is None:
            return "The catalogue has looked at no video yet: import a channel first."
        outside = _outside_period(request, totals, of)
        if outside is not None:
            return outside
        seen_since = periods.day("active_since", getattr(request, "active_since", None))
        if seen_since is not None and seen_since > (totals.last_sponsored or totals.last_video):
            return (
                f"`active_since` {seen_since} leaves nothing: the data end on "
                f"{totals.last_video}{_newest(totals.last_sponsored)}. Give an earlier day."
            )
        return None

    def _reasons(
        self, request: Any, hint: str | None, of: str, subjects: Sequence[str]
    ) -> list[str]:
        filters = given_filters(request, subjects)
        predicate = f"matches {' and '.join(filters)}" if filters else "is known"
        reasons = [f"No {of} {predicate}."]
        if not self.scanned.videos and self.totals.videos:
            reasons.append(
                f"None of the {self.totals.videos:,} videos looked at is known to fit its period, content "
                "or channel."
            )
        if self.left_out:
            reasons.append(excluded_videos.note(self.left_out, self.query))
        if hint:
            reasons.append(hint)
        elif len(filters) == 1 and (advice := _of_words(request, of)) is not None:
            reasons.append(advice)
        elif _has_optional_filter(request, subjects) and (
            self.totals.sponsored_videos or of not in _OF_SPONSORED
        ):
            reasons.append(_FILTERED)
        return reasons


def _contradiction(query: Any, lists: ListConditions) -> str | None:
    """Return which two filters leave nothing whatever there is; None if none do."""
    if lists.leave_nothing:
        return f"`in_list` and `not_in_list` name the same list{_EXCLUSIVE}"
    brand = getattr(query, "sponsored_by", None)
    if brand is not None and brand == getattr(query, "not_sponsored_by", None):
        return f"`sponsored_by` and `not_sponsored_by` name the same brand{_EXCLUSIVE}"
    return None


def _outside_period(request: Any, totals: CatalogTotals, of: str) -> str | None:
    """Return why a request's period has nothing of what is listed at all; None if it may have."""
    # Videos and their creators are listed whether anybody sponsored them or not.
    of_any = of in _OF_ANY_VIDEO
    oldest, newest = (None, None) if of_any else (totals.first_sponsored, totals.last_sponsored)
    start = periods.day("since", getattr(request, "from_date", None))
    end = periods.day("until", getattr(request, "to_date", None))
    first, last = oldest or totals.first_video, newest or totals.last_video
    if start is not None and last is not None and start > last:
        return f"The data end on {totals.last_video}{_newest(newest)}: take a period that begins before."
    if end is not None and first is not None and end < first:
        begin = _oldest(oldest) if oldest != totals.first_video else ""
        return f"The data begin on {totals.first_video}{begin}: take a period that ends later."
    return None


def _of_words(request: Any, of: str) -> str | None:
    """Return what else to search for; None for a request that does not search by words."""
    if getattr(request, "search", None) is not None:
        return f"{_SEARCHED} {_NOT_LISTED}" if of == "brand" else _SEARCHED
    return None if getattr(request, "about", None) is None else _OTHER_WORDS


def sole_words(request: Any) -> str | None:
    """Return the words that a request searches for, if nothing else can be why it finds nothing."""
    return request.search if len(given_filters(request)) == 1 else None


def given_filters(request: Any, subjects: Sequence[str] = ()) -> list[str]:
    """Return the filters of a request with their values, such as "`country` JP", and those arguments that are `subjects`."""
    return [
        f"`{_PUBLISHED.get(field.name, field.name)}` {_shown(getattr(request, field.name))}"
        for field in _filters(request, subjects)
    ]


def _has_optional_filter(request: Any, subjects: Sequence[str]) -> bool:
    """Return whether a request has a filter that it could leave out: texts that may not be None are required."""
    types = get_type_hints(request.__class__)
    return any(
        types[field.name] is not str or field.name in _TAKES_ALL
        for field in _filters(request, subjects)
    )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(cast("tuple[str, ...]", value))
    return str(value)


def _filters(request: Any, subjects: Sequence[str]) -> Iterator[Field[Any]]:
    """Return the fields of the filters that a request has a value of which leaves something out."""
    for field in fields(request):
        value = getattr(request, field.name)
        takes_all = value in (None, "", 0, (), _TAKES_ALL.get(field.name)) and value is not False
        if not takes_all and (field.name not in _NO_FILTERS or field.name in subjects):
            yield field


def known(videos: int, first: date | None, last: date | None, whose: str) -> str:
    """Return what there is of a sponsor or a youtuber without filters."""
    if not videos:
        return f"None of {whose} is known yet."
    return f"Of {whose} {videos:,} are known, from {first} to {last}."


def _oldest(first_sponsored: date | None) -> str:
    return f", and the oldest sponsored video is of {first_sponsored}" if first_sponsored else ""


def _newest(last_sponsored: date | None) -> str:
    return f", and the newest sponsored video is of {last_sponsored}" if last_sponsored else ""
