"""Resolution of arguments to sponsors and youtubers."""

from dataclasses import dataclass
from typing import Final

from catalog_service.domain import references
from catalog_service.domain.ports import SponsorStore, YoutuberStore
from catalog_service.domain.queries import Page, SponsorSearch, YoutuberSearch
from shapes.catalog.shared import SponsorRef, YoutuberRef

_NEAREST: Final = Page(limit=3)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Looks references up. Raises `SponsorNotFound`, `YoutuberNotFound`, `Ambiguous`."""

    sponsors: SponsorStore
    youtubers: YoutuberStore

    async def sponsor(self, argument: str, field: str = "sponsor") -> SponsorRef:
        reference = references.read_sponsor(field, argument)
        found = await self.sponsors.find_sponsors(reference)
        near: list[str] = []
        if not found and reference.number is None:
            near = await self._sponsors_near(reference.names[-1])
        return references.settle_sponsor(field, argument, found, near)

    async def youtuber(self, argument: str, field: str = "youtuber") -> YoutuberRef:
        reference = references.read_youtuber(field, argument)
        found = await self.youtubers.find_youtubers(reference)
        near: list[str] = []
        if not found and reference.number is None:
            near = await self._youtubers_near(reference.name or reference.handle or "")
        return references.settle_youtuber(field, argument, found, near)

    async def _sponsors_near(self, words: str) -> list[str]:
        if not _searchable(words):
            return []
        query = SponsorSearch(words, None, None, None, None, "relevance")
        cards = await self.sponsors.search_sponsors(query, _NEAREST)
        return [card.name for card in cards[: _NEAREST.limit]]

    async def _youtubers_near(self, words: str) -> list[str]:
        if not _searchable(words):
            return []
        query = YoutuberSearch(words, None, None, None, None, None, None, "relevance")
        cards = await self.youtubers.search_youtubers(query, _NEAREST)
        return [card.name for card in cards[: _NEAREST.limit]]


def _searchable(words: str) -> bool:
    return any(character.isalnum() for character in words)
