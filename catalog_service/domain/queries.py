"""Queries for the store: validated values, references resolved to numbers."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Generic, Literal, TypeVar

from catalog_service.domain.kinds import Kinds
from catalog_service.domain.periods import RequestedPeriod
from shapes.catalog.shared import Period

Basis = Literal["sponsors", "profile"]
"""The basis of similarity: sponsors in common, or content, country and size."""


T = TypeVar("T")

SortValue = str | int | float | None
"""A value that a list is ordered by; a day as ISO 8601."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a ranked list: the entries behind the one with the sort values `after`.

    `shown` is the number of entries on the pages before.
    """

    limit: int
    after: tuple[SortValue, ...] | None = None
    shown: int = 0


@dataclass(frozen=True, slots=True)
class Ranked(Generic[T]):
    """The entries of a page, and the sort values of its last one if the list goes on behind it."""

    entries: tuple[T, ...]
    last: tuple[SortValue, ...] | None = None


@dataclass(frozen=True, slots=True)
class NewestPage:
    """A part of a list of videos, newest first: those behind `after`, a (day, video number)."""

    limit: int
    after: tuple[date, int] | None = None


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A part of a list in the order of its numbers: what comes behind the number `after`."""

    limit: int
    after: int | None = None


@dataclass(frozen=True, slots=True)
class ListConditions:
    """Numbers of the saved lists that a query takes sponsors and youtubers from, or leaves out; None for no condition.

    `empty` is the name of the list that it takes them from, if nothing is in it.
    """

    in_sponsors: int | None = None
    not_in_sponsors: int | None = None
    in_youtubers: int | None = None
    not_in_youtubers: int | None = None
    empty: str | None = None

    @property
    def leave_nothing(self) -> bool:
        """Return whether one list is both taken from and left out."""
        taken = (self.in_sponsors, self.in_youtubers)
        left_out = (self.not_in_sponsors, self.not_in_youtubers)
        pairs = zip(taken, left_out, strict=True)
        return any(list_ is not None and list_ == other for list_, other in pairs)

    def values(self) -> dict[str, int]:
        """Return the conditions that there are, by name."""
        numbers = {
            "in_sponsors": self.in_sponsors,
            "not_in_sponsors": self.not_in_sponsors,
            "in_youtubers": self.in_youtubers,
            "not_in_youtubers": self.not_in_youtubers,
        }
        return {name: number for name, number in numbers.items() if number is not None}


NO_LISTS: Final = ListConditions()


@dataclass(frozen=True, slots=True)
class SponsorSearch:
    """A search of sponsors in any of the sponsor categories `categories` (ids).

    `numbers` limits it to these sponsors, `in_sponsors` to those of a saved list (its number); `not_in_sponsors` leaves those
    of a list out. With `inside` false no name is found by words that it has inside.
    """

    words: str | None
    categories: tuple[str, ...] | None
    country: str | None
    active_since: date | None
    min_videos: int | None
    sort: str
    numbers: tuple[int, ...] | None = None
    in_sponsors: int | None = None
    not_in_sponsors: int | None = None
    inside: bool = True


@dataclass(frozen=True, slots=True)
class YoutuberSearch:
    """A search of youtubers; `sponsored_by` and `not_sponsored_by` are numbers of sponsors.

    `numbers` limits it to these youtubers, `sponsored_by_categories` to those with a sponsor of any of these. `kinds_mask`,
    given with a filter by brands, has the kinds of sponsorship that count for it; `any_of_kinds` takes youtubers with any
    sponsorship of these kinds, whoever the brand. With `inside` false no name is found by words that it has inside.
    """

    words: str | None
    category: str | None
    country: str | None
    min_subscribers: int | None
    max_subscribers: int | None
    sponsored_by: int | None
    not_sponsored_by: int | None
    sort: str
    numbers: tuple[int, ...] | None = None
    sponsored_by_categories: tuple[str, ...] | None = None
    kinds_mask: int | None = None
    any_of_kinds: int | None = None
    in_youtubers: int | None = None
    not_in_youtubers: int | None = None
    inside: bool = True


@dataclass(frozen=True, slots=True)
class SponsorshipFilter:
    """Conditions on the sponsorships of one sponsor or youtuber; `kinds` None takes all.

    `status` is that of the whole relation.
    """

    number: int
    period: RequestedPeriod
    min_confidence: float = 0.0
    kinds: Kinds | None = None
    country: str | None = None
    status: str | None = None
    lists: ListConditions = NO_LISTS


@dataclass(frozen=True, slots=True)
class SharedYoutubersQuery:
    """Youtubers in common of each two of these sponsors, by the sponsorships that match; `kinds` None takes all."""

    sponsors: tuple[int, ...]
    period: RequestedPeriod
    min_confidence: float = 0.0
    kinds: Kinds | None = None


@dataclass(frozen=True, slots=True)
class SharedSponsorsQuery:
    """Sponsors that all of these youtubers have by sponsorships of these kinds; `kinds` None takes all."""

    youtubers: tuple[int, ...]
    kinds: Kinds | None = None


@dataclass(frozen=True, slots=True)
class VideoFilter:
    """Conditions on the videos of a youtuber; `sponsored` None takes both."""

    youtuber: int
    period: RequestedPeriod
    sponsored: bool | None
    min_confidence: float
    kinds: Kinds


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking of sponsors: conditions on their sponsorships, and the metric."""

    categories: tuple[str, ...] | None
    content_category: str | None
    country: str | None
    period: RequestedPeriod
    min_confidence: float
    metric: str
    kinds: Kinds
    lists: ListConditions = NO_LISTS


@dataclass(frozen=True, slots=True)
class TrendQuery:
    """Changes of sponsors between two closed periods; `scope` has the conditions but for its period."""

    scope: Ranking
    period: Period
    previous: Period
    direction: str
    limit: int


@dataclass(frozen=True, slots=True)
class SponsorStatsQuery:
    """Statistics of a sponsor over a closed period and, if `is_compared`, the one before.

    `is_of_all` is true if the period leaves nothing out. `voice_kinds` are those of the share of voice.
    """

    sponsor: int
    category: str | None
    period: Period
    previous: Period
    granularity: str
    min_confidence: float
    is_of_all: bool
    kinds: Kinds
    voice_kinds: Kinds
    is_compared: bool = True


@dataclass(frozen=True, slots=True)
class YoutuberStatsQuery:
    """Statistics of a youtuber over a closed period."""

    youtuber: int
    period: Period
    granularity: str
    min_confidence: float
    kinds: Kinds


@dataclass(frozen=True, slots=True)
class ProspectSearch:
    youtuber: int
    categories: tuple[str, ...] | None
    active_since: date | None
    limit: int
    kinds: Kinds
    in_sponsors: int | None = None
    not_in_sponsors: int | None = None
