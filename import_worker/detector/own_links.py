"""The link of a claim is the brand's own, or none.

Rules take the link that stands nearest to their evidence. Often that is the creator's profile, a shop
that sells everything, or what the next line is about.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from import_worker.detector.brand_names import abbreviates, resembles
from import_worker.detector.folding import name_key
from import_worker.detector.links import Link
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found

_LEAD: Final = 120
"""Characters before a link that hides its site in which its brand is named."""

_MAX_LINKS: Final = 40
_CODE_BEHIND: Final = 40
_HIDING: Final = frozenset({"shortener", "hidden"})


def with_own_link(reading: Reading, claim: Claim) -> Claim:
    """Return the claim with its link if that is the brand's, else with the nearest that is, or none."""
    if claim.link is None:
        return claim
    own = next(_own_links(reading, claim), None)
    return replace(claim, link=own.url if own else None)


def _own_links(reading: Reading, claim: Claim) -> Iterator[Link]:
    """Yield the links that may be the brand's, the likeliest first and of these the nearest."""
    links = sorted(_near(reading, claim), key=lambda link: _distance(claim, link))
    same = [link for link in links if link.url == claim.link]
    yield from (link for link in same if leads_to(reading, claim.found, link))
    yield from (link for link in links if leads_to(reading, claim.found, link))
    yield from (link for link in same if _is_announced(reading, claim, link))


def _near(reading: Reading, claim: Claim) -> Sequence[Link]:
    """Return the links around a claim, at most so many on either side: a text may have hundreds of both."""
    links = reading.document.links
    at = bisect_left(links, claim.start, key=_start_of)
    return links[max(at - _MAX_LINKS, 0) : at + _MAX_LINKS]


def _start_of(link: Link) -> int:
    return link.start


def leads_to(reading: Reading, found: Found, link: Link) -> bool:
    """Return whether the link's address is one of the brand, or has its name."""
    if _is_at_home(reading, found, link):
        return True
    if link.kind in {"platform", "store"} or reading.context.owns_link(link):
        return False
    other = reading.brand_of(link)
    if other and other.slug == found.slug:
        return True
    if (other and other.known) or link.kind in _HIDING:
        return False
    return _is_named_like(link, _names(reading, found))


def _is_at_home(reading: Reading, found: Found, link: Link) -> bool:
    brand = reading.directory.named(found.name)
    domains = brand.domains if brand else (found.domain,)
    return link.domain in domains or f"{link.subdomain}.{link.domain}" in domains


def _is_named_like(link: Link, names: tuple[str, ...]) -> bool:
    label = link.subdomain if link.kind == "network" else link.label
    return any(resembles(name, label) or abbreviates(label, name) for name in names)


def _is_announced(reading: Reading, claim: Claim, link: Link) -> bool:
    """Return whether the brand of a link that hides its site is named right before it.

    The creator's code right behind it will do as well.
    """
    if link.kind not in _HIDING or reading.context.owns_link(link) or reading.brand_of(link):
        return False
    document = reading.document
    start = max(link.start - _LEAD, 0)
    earlier = document.links[: bisect_left(document.links, link.start, key=_start_of)][-1:]
    ends = [other.end for other in earlier]
    start = max([start, *ends, document.folded.rfind("\n\n", start, link.start)])
    lead = name_key(document.folded[start : link.start])
    if any(name_key(name) in lead for name in _names(reading, claim.found)):
        return True
    behind = document.folded[link.end : link.end + _CODE_BEHIND].partition("\n")[0]
    return claim.code is not None and claim.code in behind


def _names(reading: Reading, found: Found) -> tuple[str, ...]:
    brand = reading.directory.named(found.name)
    return (brand.name, *brand.aliases) if brand else (found.name,)


def _distance(claim: Claim, link: Link) -> int:
    return max(claim.start - link.end, link.start - claim.end, 0)
