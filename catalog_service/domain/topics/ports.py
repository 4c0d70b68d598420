"""The port to the index of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from catalog_service.domain.periods import RequestedPeriod
from catalog_service.domain.queries import (
    NO_LISTS,
    ListConditions,
    Page,
    Ranked,
    YoutuberSearch,
)
from shapes.catalog.topics import TopicVideo, TopicYoutuber


@dataclass(frozen=True, slots=True)
class LanguageQuery:
    """A query of Postgres' full-text search, and the text search configurations that it is for."""

    query: str
    configs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadTerms:
    """The queries of a search, and the configurations in which its words are all stop words, or excluded ones."""

    queries: tuple[LanguageQuery, ...]
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VideoSearch:
    """A search of videos; `queries` None takes any text, and none.

    With `takes_unknown` videos match too whose category, or whose brand's, is not known.
    """

    queries: tuple[LanguageQuery, ...] | None
    period: RequestedPeriod
    content_category: str | None
    youtuber: int | None
    format: str | None
    sponsor: int | None
    sponsor_categories: tuple[str, ...] | None
    kinds: tuple[str, ...] | None
    sort: str
    lists: ListConditions = NO_LISTS
    takes_unknown: bool = False


@dataclass(frozen=True, slots=True)
class YoutuberTopicSearch:
    """A search of youtubers by their videos' words; `youtubers` has the conditions on the channels themselves."""

    queries: tuple[LanguageQuery, ...]
    period: RequestedPeriod
    youtubers: YoutuberSearch
    min_hits: int
    sort: str


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Videos whose title or description was indexed, and those of them with a description."""

    indexed: int
    described: int


class TopicStore(Protocol):
    """Searches of words. Every method may raise `Unavailable`. All but `read` and `texts` raise `TimeoutError` for what takes too long."""

    async def read(self, terms: str, excluded: Sequence[str]) -> ReadTerms:
        """Return terms in the form of `websearch_to_tsquery` by configuration; `excluded` are those of them that are."""
        ...

    async def videos(self, query: VideoSearch, page: Page) -> tuple[int | None, Ranked[TopicVideo]]:
        """Return the number of all videos that match, None behind the last of them, and a page."""
        ...

    async def youtubers(
        self, query: YoutuberTopicSearch, page: Page
    ) -> tuple[int | None, Ranked[TopicYoutuber]]:
        """Return the number of all youtubers that match, None behind the last of them, and a page."""
        ...

    async def lacks_texts(self, query: VideoSearch | YoutuberTopicSearch) -> bool:
        """Return whether the conditions leave videos, and a text is known of none of them."""
        ...

    async def texts(self, youtuber: int | None) -> TextCounts:
        """Return the counts of a youtuber, or of the catalogue."""
        ...
