"""Searches whose words are an id or a web address find what a lookup by it finds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog_service.domain import public_ids, references
from catalog_service.domain.ports import SponsorStore, YoutuberStore
from catalog_service.domain.queries import SponsorSearch, YoutuberSearch
from catalog_service.domain.references import Candidate, main_label
from shapes.catalog.shared import SponsorRef, YoutuberRef

_MAX_FOUND: Final = 50


async def of_sponsors(store: SponsorStore, query: SponsorSearch) -> SponsorSearch:
    """Return the search of the sponsors that the words mean; of an unknown site, one by its name."""
    if query.words is None:
        return query
    reference = references.read_sponsor("search", query.words)
    if not reference.is_address:
        return query
    numbers = _best(await store.find_sponsors(reference, _MAX_FOUND))
    is_number = (reference.number or reference.video) is not None
    if numbers or is_number:
        return replace(query, words=None, numbers=numbers)
    is_url = reference.host is not None and "/" in query.words
    name = main_label(reference.host) if reference.host and is_url else query.words
    return replace(query, words=name) if _has_letters(name) else query


async def of_youtubers(store: YoutuberStore, query: YoutuberSearch) -> YoutuberSearch:
    """Return the search of the youtubers that the words mean; of an unknown handle, one by its name."""
    if query.words is None:
        return query
    reference = references.read_youtuber("search", query.words)
    if not reference.is_address:
        return query
    numbers = _best(await store.find_youtubers(reference, _MAX_FOUND))
    name = reference.name or reference.handle or ""
    if not numbers and _has_letters(name):
        return replace(query, words=name)
    return replace(query, words=None, numbers=numbers)


def _has_letters(words: str) -> bool:
    return any(character.isalnum() for character in words)


def _best(
    found: Sequence[Candidate[SponsorRef]] | Sequence[Candidate[YoutuberRef]],
) -> tuple[int, ...]:
    """Return the numbers of those that fit best."""
    rank = min((candidate.rank for candidate in found), default=0)
    return tuple(public_ids.number(item.ref.id) for item in found if item.rank == rank)
