"""Many names at once: what each of them means, among brands and creators."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from catalog_service.domain import arguments, categories, references
from catalog_service.domain.errors import BadArgument
from catalog_service.domain.references import Candidate, SponsorReference, YoutuberReference
from catalog_service.domain.resolver import Resolver
from shapes.catalog.resolution import Match, Resolution, Resolutions, ResolveRequest
from shapes.catalog.shared import SponsorRef, YoutuberRef

MAX_NAMES: Final = 100
TYPES: Final = ("any", "sponsor", "youtuber")
STATUSES: Final = ("found", "several", "similar", "unknown")
_MAX_MATCHES: Final = 10
_MAX_CONCURRENT: Final = 4
"""Names whose look-ups are under way at a time, so that a call leaves connections to others."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A name, and the brand and the creator that it may refer to."""

    name: str
    sponsor: SponsorReference | None
    youtuber: YoutuberReference | None

    @classmethod
    def of(cls, field: str, name: str, kind: str) -> Self:
        return cls(
            name,
            None if kind == "youtuber" else references.read_sponsor(field, name),
            None if kind == "sponsor" else references.read_youtuber(field, name),
        )


@dataclass(frozen=True, slots=True)
class ResolutionQueries:
    """Look names up."""

    resolver: Resolver

    async def resolve(self, request: ResolveRequest) -> Resolutions:
        """Return what each name means, in their order; the same name is looked up once.

        Raises:
            BadArgument: There are too many names or none, or one of them is empty or too long.
        """
        kind = arguments.choice("type", request.type, TYPES, "any")
        if not 1 <= len(request.names) <= MAX_NAMES:
            raise BadArgument(
                "names", f"`names` takes 1 to {MAX_NAMES} names, not {len(request.names)}."
            )
        meanings = {
            name: _Meaning.of(f"names[{index}]", name, kind)
            for index, name in reversed(list(enumerate(request.names)))
        }
        slots = asyncio.Semaphore(_MAX_CONCURRENT)

        async def look_up(meaning: _Meaning) -> Resolution:
            async with slots:
                return await self._resolution(meaning)

        found = await asyncio.gather(*map(look_up, meanings.values()))
        by_name = {item.name: item for item in found}
        resolutions = tuple(by_name[name] for name in request.names)
        counts = Counter(item.status for item in resolutions)
        unclear = counts["several"] + counts["similar"]
        note = await self._note(resolutions, kind)
        return Resolutions(resolutions, counts["found"], unclear, counts["unknown"], note)

    async def _note(self, resolutions: Sequence[Resolution], kind: str) -> str | None:
        """Return which names that were not found are categories, or of the kind that was left out."""
        is_open = [item.name for item in resolutions if item.status in ("similar", "unknown")]
        names = list(dict.fromkeys(is_open))
        messages = (_categories_among(names, kind), await self._of_other_kind(names, kind))
        return " ".join(filter(None, messages)) or None

    async def _of_other_kind(self, names: Sequence[str], kind: str) -> str | None:
        """Return which names are creators, no brands, or the other way round; nothing where both are looked up."""
        if kind == "any":
            return None
        ids = {name: await self._id_of_other_kind(name, kind) for name in names}
        named = [f"{name.strip()[:80]!r} ({found})" for name, found in ids.items() if found]
        if not named:
            return None
        noun, nouns = ("a creator", "creators") if kind == "sponsor" else ("a brand", "brands")
        subject = f"is {noun}" if len(named) == 1 else f"are {nouns}"
        return f"{', '.join(named)} {subject}, no {'brand' if kind == 'sponsor' else 'creator'}."

    async def _id_of_other_kind(self, name: str, kind: str) -> str | None:
        if kind == "sponsor":
            creators = references.most_specific(await self.resolver.creators_of(name))
            return creators[0].ref.id if creators else None
        brands = references.most_specific(await self.resolver.brands_of(name))
        return brands[0].ref.id if brands else None

    async def _resolution(self, meaning: _Meaning) -> Resolution:
        name, sponsor, youtuber = meaning.name, meaning.sponsor, meaning.youtuber
        exact: list[Match] = []
        if sponsor:
            exact += _sponsor_matches(sponsor, await self.resolver.sponsors.find_sponsors(sponsor))
        if youtuber:
            exact += _youtuber_matches(await self.resolver.youtubers.find_youtubers(youtuber))
        certain = [match for match in exact if match.is_exact]
        if certain:
            (status, number) = ("found", certain[0].id) if len(certain) == 1 else ("several", None)
            return Resolution(name, status, number, tuple(certain))
        near = [
            *(await self._similar_sponsors(sponsor) if sponsor else ()),
            *(await self._similar_youtubers(youtuber) if youtuber else ()),
        ]
        similar = list({match.id: match for match in (*exact, *near)}.values())[:_MAX_MATCHES]
        return Resolution(name, "similar" if similar else "unknown", None, tuple(similar))

    async def _similar_sponsors(self, reference: SponsorReference) -> Sequence[Match]:
        cards = await self.resolver.sponsors_near(reference)
        return [
            Match("sponsor", card.id, card.name, card.domain or card.slug, is_exact=False)
            for card in cards
        ]

    async def _similar_youtubers(self, reference: YoutuberReference) -> Sequence[Match]:
        cards = await self.resolver.youtubers_near(reference)
        return [
            Match("youtuber", card.id, card.name, card.handle or card.url or "", is_exact=False)
            for card in cards
        ]


def _categories_among(names: Sequence[str], kind: str) -> str | None:
    """Return which names are categories."""
    named = [name.strip() for name in names if _is_category(name)]
    if not named:
        return None
    subject = "is a category" if len(named) == 1 else "are categories"
    wanted = {"sponsor": "brand", "youtuber": "creator"}.get(kind, "brand or creator")
    return (
        f"{', '.join(map(repr, named))} {subject}, no {wanted}: `category.list` has the ids, which other tools take as "
        "`category` and `content_category`."
    )


def _is_category(name: str) -> bool:
    return any(categories.category_id(scope, name) for scope in categories.VOCABULARY)


def _sponsor_matches(
    reference: SponsorReference, found: Sequence[Candidate[SponsorRef]]
) -> list[Match]:
    return [
        Match(
            "sponsor", item.ref.id, item.ref.name, item.hint, references.is_spelled(reference, item)
        )
        for item in references.most_specific(found)[: references.MAX_CANDIDATES]
    ]


def _youtuber_matches(found: Sequence[Candidate[YoutuberRef]]) -> list[Match]:
    return [
        Match("youtuber", item.ref.id, item.ref.name, item.hint, is_exact=True)
        for item in references.most_specific(found)[: references.MAX_CANDIDATES]
    ]
