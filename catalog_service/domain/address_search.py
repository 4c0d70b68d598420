"""Searches whose words are an id or a web address find what a lookup by it finds."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from catalog_service.domain import legal_forms, public_ids, references
from catalog_service.domain.name_keys import key_letters
from catalog_service.domain.ports import SponsorStore, YoutuberStore
from catalog_service.domain.queries import SponsorSearch, YoutuberSearch
from catalog_service.domain.references import Candidate, SponsorReference, main_label
from shapes.catalog.shared import SponsorRef, YoutuberRef

_MAX_FOUND: Final = 50
_PHRASE: Final = re.compile(
    r"(?:this|the|today's) (?:video|episode) (?:is|was) (?:kindly )?(?:sponsored|brought to you) by\s+",
    re.IGNORECASE,
)
"""What a video says before the name of its sponsor."""

_SHORTENERS: Final = frozenset(
    "amzn.to bit.ly buff.ly cutt.ly geni.us goo.gl is.gd lnkd.in ow.ly rb.gy rebrand.ly t.co tiny.cc tinyurl.com".split()
)
"""Hosts of short links, whose names say nothing of where a link leads."""


async def of_sponsors(store: SponsorStore, query: SponsorSearch) -> SponsorSearch:
    """Return the search of the sponsors that the words mean; of an unknown site, one by its name.

    A legal form alone means none.
    """
    if query.words is None:
        return query
    if legal_forms.is_alone(query.words):
        return replace(query, words=None, numbers=())
    query, words = _without_phrase(query, query.words)
    reference = references.read_sponsor("search", words)
    if not (reference.is_address or reference.video):
        return query
    found = await store.find_sponsors(reference, _MAX_FOUND)
    if not (reference.is_address or _is_of_video(found)):
        return query
    numbers = _best(found)
    if numbers or _names_nothing_else(reference):
        return replace(query, words=None, numbers=numbers)
    name = main_label(reference.host) if reference.host and "/" in words else words
    return replace(query, words=name) if key_letters(name) else query


def _without_phrase(query: SponsorSearch, words: str) -> tuple[SponsorSearch, str]:
    """Return the search and its words, only those behind "this video is sponsored by" if there are any."""
    named = _PHRASE.sub("", words, count=1)
    if named == words or not key_letters(named):
        return query, words
    return replace(query, words=named), named


def _names_nothing_else(reference: SponsorReference) -> bool:
    """Return true if the words of a reference have no name of a sponsor in them."""
    is_video = reference.video is not None and not reference.video.is_bare
    return reference.number is not None or is_video or reference.host in _SHORTENERS


async def of_youtubers(store: YoutuberStore, query: YoutuberSearch) -> YoutuberSearch:
    """Return the search of the youtubers that the words mean; of an unknown handle, one by its name."""
    if query.words is None:
        return query
    reference = references.read_youtuber("search", query.words)
    if not (reference.is_address or reference.video):
        return query
    found = await store.find_youtubers(reference, _MAX_FOUND)
    if not (reference.is_address or _is_of_video(found)):
        return query
    numbers = _best(found)
    name = reference.name or reference.handle or ""
    if not numbers and key_letters(name):
        return replace(query, words=name)
    return replace(query, words=None, numbers=numbers)


def _is_of_video(
    found: Sequence[Candidate[SponsorRef]] | Sequence[Candidate[YoutuberRef]],
) -> bool:
    """Return true if one was found by a video; a name has a higher rank."""
    return any(candidate.rank == 0 for candidate in found)


def _best(
    found: Sequence[Candidate[SponsorRef]] | Sequence[Candidate[YoutuberRef]],
) -> tuple[int, ...]:
    """Return the numbers of those that fit best."""
    rank = min((candidate.rank for candidate in found), default=0)
    return tuple(public_ids.number(item.ref.id) for item in found if item.rank == rank)
