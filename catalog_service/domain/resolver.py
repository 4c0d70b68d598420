"""Resolution of arguments to sponsors and youtubers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog_service.domain import legal_forms, public_ids, references, suggestions
from catalog_service.domain.name_keys import key_letters
from catalog_service.domain.ports import SponsorStore, YoutuberStore
from catalog_service.domain.queries import Page, SponsorSearch, YoutuberSearch
from catalog_service.domain.references import Candidate, SponsorReference, YoutuberReference
from shapes.catalog.shared import SponsorCard, SponsorRef, YoutuberCard, YoutuberRef

_NEAREST: Final = Page(limit=2 * suggestions.MAX_SUGGESTIONS)
"""More than are suggested, as some of them are no suggestions."""

_PARTS: Final = Page(limit=50)
"""As many as a page holds at most: many names may have the words inside of longer ones."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Looks references up. Raises `SponsorNotFound`, `YoutuberNotFound`, `Ambiguous`."""

    sponsors: SponsorStore
    youtubers: YoutuberStore

    async def sponsor(self, argument: str, field: str = "sponsor") -> SponsorRef:
        reference = references.read_sponsor(field, argument)
        found = await self.sponsors.find_sponsors(reference)
        if found:
            return references.settle_sponsor(field, argument, found, ())
        namesakes = await self._youtubers_named(field, argument)
        near = [card.name for card in await self.sponsors_near(reference)]
        return references.settle_sponsor(field, argument, (), near, namesakes)

    async def sponsor_as_spelled(self, argument: str, field: str) -> SponsorRef:
        """Return the sponsor with exactly this id, slug, address or name: a near one would be a guess about a fact."""
        reference = references.read_sponsor(field, argument)
        found = await self.sponsors.find_sponsors(reference)
        spelled = [item for item in found if references.is_spelled(reference, item)]
        return references.settle_sponsor(
            field, argument, spelled, [item.ref.name for item in found]
        )

    async def sponsor_number(self, argument: str | None, field: str) -> int | None:
        """Return the number of the sponsor that a filter names, None where it names none."""
        if argument is None:
            return None
        return public_ids.number((await self.sponsor(argument, field)).id)

    async def youtuber(self, argument: str, field: str = "youtuber") -> YoutuberRef:
        reference = references.read_youtuber(field, argument)
        found = await self.youtubers.find_youtubers(reference)
        if found:
            return references.settle_youtuber(field, argument, found, ())
        namesakes = await self._sponsors_named(field, argument, reference)
        near = [card.name for card in await self.youtubers_near(reference)]
        return references.settle_youtuber(field, argument, (), near, namesakes)

    async def creators_of(self, words: str) -> Sequence[Candidate[YoutuberRef]]:
        """Return the creators whose id, handle, channel or name some words are; those of a video are none."""
        reference = references.read_youtuber("search", words)
        if reference.video is not None:
            return ()
        return await self.youtubers.find_youtubers(reference)

    async def brands_of(self, words: str) -> Sequence[Candidate[SponsorRef]]:
        """Return the brands whose id, slug, site or exact name some words are; a page of a site is none, nor a video's."""
        reference = references.read_sponsor("search", words)
        is_page = reference.host is not None and not references.is_site(words.strip())
        if reference.video is not None or is_page:
            return ()
        found = await self.sponsors.find_sponsors(reference)
        return [item for item in found if references.is_spelled(reference, item)]

    async def _youtubers_named(self, field: str, argument: str) -> Sequence[Candidate[YoutuberRef]]:
        """Return the creators of the name of what is no brand.

        Raises:
            SponsorNotFound: It is the id, the handle or the channel of one.
        """
        reference = references.read_youtuber(field, argument)
        if reference.video is not None:
            return ()
        found = await self.youtubers.find_youtubers(reference)
        if reference.names_youtuber:
            references.refuse_youtuber(field, argument, found)
        return found

    async def _sponsors_named(
        self, field: str, argument: str, youtuber: YoutuberReference
    ) -> Sequence[Candidate[SponsorRef]]:
        """Return the brands of the name of what is no creator.

        Raises:
            YoutuberNotFound: It is the id or the site of one.
        """
        reference = references.read_sponsor(field, argument)
        is_site = references.is_site(argument.strip())
        if reference.video is not None or (reference.host is not None and not is_site):
            return ()
        if youtuber.names_youtuber and not is_site:
            return ()
        found = await self.sponsors.find_sponsors(reference)
        spelled = [item for item in found if references.is_spelled(reference, item)]
        if reference.number is not None or is_site:
            references.refuse_sponsor(field, argument, spelled)
        return spelled

    async def sponsors_near(self, reference: SponsorReference) -> Sequence[SponsorCard]:
        """Return the sponsors that the reference may mean, at most three; none for an id or a page of YouTube."""
        # As the search takes them: it knows other alphabets by itself.
        words = reference.names[-1] if reference.host else reference.text
        is_page = reference.host is not None and references.is_youtube(reference.host)
        is_name = bool(key_letters(words)) and not legal_forms.is_alone(words)
        if public_ids.is_like_one(reference.text) or is_page or not is_name:
            return ()
        query = SponsorSearch(words, None, None, None, None, "relevance")
        parts, near = await asyncio.gather(
            self.sponsors.search_sponsors(query, _PARTS),
            self.sponsors.search_sponsors(replace(query, inside=False), _NEAREST),
        )
        return suggestions.suggested(words, parts.entries, near.entries, lambda card: (card.name,))

    async def youtubers_near(self, reference: YoutuberReference) -> Sequence[YoutuberCard]:
        """Return the youtubers that the reference may mean, at most three; none for an id or another site's URL."""
        words = reference.name or reference.handle or ""
        is_address = public_ids.is_like_one(reference.text) or "://" in words
        if is_address or not key_letters(words):
            return ()
        query = YoutuberSearch(words, None, None, None, None, None, None, "relevance")
        parts, near = await asyncio.gather(
            self.youtubers.search_youtubers(query, _PARTS),
            self.youtubers.search_youtubers(replace(query, inside=False), _NEAREST),
        )
        return suggestions.suggested(
            words, parts.entries, near.entries, lambda card: (card.name, card.handle or "")
        )
