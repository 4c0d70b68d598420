"""Resolution of a name or a link in a text to its brand."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from import_worker.detector.brand_names import bare_label, is_generic, label_name, trim_company
from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import Brand, Directory
from import_worker.detector.links import Link
from import_worker.detector.phrases.name_words import AMBIGUOUS, HANDLE_SUFFIX
from import_worker.domain.keys import slug_of

_PATH_WORD: Final = re.compile(r"[A-Za-z]{3,}(?:\d+)?")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_PATH_WORDS: Final = 6
_SHORTEST_OF_NETWORK: Final = 3
"""Letters of a brand in the host of an affiliate network; fewer are the network's own number of it."""
_SHORTEST_IN_PATH: Final = 4


@dataclass(frozen=True, slots=True)
class Found:
    """A brand found from `start` up to `end` of a text.

    Attributes:
        name: Its name for people.
        slug: Its slug.
        domain: Registrable domain, when known.
        known: Whether it is in the directory.
        linked: Whether a link vouches for it.
        start: First character of what named it.
        end: One past its last.
    """

    name: str
    slug: str
    domain: str | None
    known: bool
    linked: bool
    start: int
    end: int


def found_brand(brand: Brand, start: int, end: int, *, linked: bool = False) -> Found:
    """Return a brand of the directory, found at a place."""
    domain = brand.domains[0] if brand.domains else None
    return Found(brand.name, brand.slug, domain, known=True, linked=linked, start=start, end=end)


def from_name(
    name: str,
    start: int,
    directory: Directory,
    context: ChannelContext,
    *,
    misspelled: bool = True,
) -> Found | None:
    """Return the brand of a name read in a sponsor's place; None for the channel's own and for no names.

    A `misspelled` name may be one of the directory: to look for that takes long.
    """
    end = start + len(name)
    trimmed = trim_company(name)
    brand = (
        directory.named(trimmed)
        or directory.named(f"the {trimmed}")
        or directory.named(_without_suffix(trimmed))
        or (directory.near(trimmed) if misspelled else None)
    )
    if context.owns_name(brand.name if brand else trimmed):
        return None
    if brand:
        return found_brand(brand, start, end)
    if len(trimmed) < 2 or is_generic(trimmed) or _ADDRESS.fullmatch(trimmed):
        return None
    return Found(trimmed, slug_of(trimmed), None, known=False, linked=False, start=start, end=end)


_ADDRESS: Final = re.compile(r"[\d.:]+")
"""A number, or an address of a machine."""


@lru_cache(maxsize=16_384)
def _without_suffix(name: str) -> str:
    return HANDLE_SUFFIX.sub("", name)


def from_link(link: Link, directory: Directory, context: ChannelContext) -> Found | None:
    """Return the brand that a link leads to; None for platforms, stores and the channel's own sites."""
    if link.kind in {"platform", "store", "hidden"}:
        return None
    if link.kind == "shortener":
        return _from_path(link, directory, context)
    if link.kind == "network":
        return _from_network(link, directory, context)
    if context.owns_link(link):
        return _from_redirect(link, directory, context)
    brand = directory.of_domain(link.domain)
    if brand:
        return _unless_own(found_brand(brand, link.start, link.end, linked=True), context)
    return _from_label(link, link.label, link.domain, directory, context)


def _from_network(link: Link, directory: Directory, context: ChannelContext) -> Found | None:
    label = link.subdomain.rpartition(".")[2]
    if len(label) < _SHORTEST_OF_NETWORK:
        return None
    found = _from_label(link, label, None, directory, context)
    return None if found and not found.known and len(label) == _SHORTEST_OF_NETWORK else found


def _from_label(
    link: Link, label: str, domain: str | None, directory: Directory, context: ChannelContext
) -> Found | None:
    brand = directory.named(label) or directory.named(bare_label(label))
    if brand:
        return _unless_own(found_brand(brand, link.start, link.end, linked=True), context)
    if domain is not None and context.is_built_on(label):
        return None
    name = label_name(label)
    found = Found(
        name, slug_of(name), domain, known=False, linked=True, start=link.start, end=link.end
    )
    return _unless_own(found, context)


def _from_path(link: Link, directory: Directory, context: ChannelContext) -> Found | None:
    """Return a known brand in the words of a short link's path, such as "/AcmeSam" or "/sam_acme"."""
    words = [
        part
        for word in _PATH_WORD.findall(link.path)[:_MAX_PATH_WORDS]
        for part in _CAMEL.split(word)
    ]
    for first in range(len(words)):
        for last in range(min(len(words), first + 3), first, -1):
            name = "".join(words[first:last])
            brand = directory.named(name) if len(name) >= _SHORTEST_IN_PATH else None
            if brand and name.lower() not in AMBIGUOUS and not _is_of_channel(name, context):
                return _unless_own(found_brand(brand, link.start, link.end, linked=True), context)
    return None


def _is_of_channel(name: str, context: ChannelContext) -> bool:
    """Return whether a word of a path is a part of the channel's own name."""
    return any(name.lower() in own for own in context.own_keys)


def _from_redirect(link: Link, directory: Directory, context: ChannelContext) -> Found | None:
    """Return the known brand that the whole path of a creator's own link names, as in "sam.example/acme"."""
    name = link.path.strip("/")
    brand = directory.named(name) if len(name) >= _SHORTEST_IN_PATH and name.isalnum() else None
    if brand is None or name.lower() in AMBIGUOUS:
        return None
    return _unless_own(found_brand(brand, link.start, link.end, linked=True), context)


def _unless_own(found: Found, context: ChannelContext) -> Found | None:
    return None if context.owns_name(found.name) else found


def with_link(found: Found, link: Link, *, take_domain: bool) -> Found:
    """Return the brand vouched for by a link, with the link's domain when it had none."""
    domain = (
        link.domain
        if take_domain and found.domain is None and link.kind == "site"
        else found.domain
    )
    return replace(found, domain=domain, linked=True)
