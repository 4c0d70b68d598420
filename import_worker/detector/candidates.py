"""The brands that may stand behind a video: everything that a rule, an item or a sponsor list names."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from import_worker.detector.brand_names import article_free
from import_worker.detector.chapter_claims import chapter_claims
from import_worker.detector.coded import coded_claims
from import_worker.detector.document import Document
from import_worker.detector.folding import name_key
from import_worker.detector.item_brands import NameSource, brands_of
from import_worker.detector.items import Item, read_items
from import_worker.detector.list_claims import list_claims
from import_worker.detector.marked import marked_claims
from import_worker.detector.offer_lines import offer_line_claims
from import_worker.detector.offered import offered_claims
from import_worker.detector.own_links import with_own_link
from import_worker.detector.paired import paired_claims
from import_worker.detector.phrases.codes import PLATFORM_CODES
from import_worker.detector.phrases.exclusions import (
    denies_sponsor,
    may_say_not_sponsored,
)
from import_worker.detector.phrases.name_words import AMBIGUOUS
from import_worker.detector.prefilter import matches
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, found_brand
from import_worker.detector.spelled_sites import as_spelled
from import_worker.detector.spelling import as_written
from import_worker.detector.sponsor_lists import Listed, ListedBy, listed_names
from import_worker.detector.stated import stated_claims
from import_worker.detector.statements import is_denied
from import_worker.detector.transliteration import sounds_like
from import_worker.detector.user_pages import is_user_page
from import_worker.domain.keys import slug_of

_FEW_WORDS: Final = 2
_STATED: Final = "stated sponsor"
_SHORTEST_UNSPACED: Final = 3
_EXCERPT: Final = 200
_NAMED_CODE: Final = 0.85
_BENEFIT_ALONE: Final = 0.6
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Mention:
    """An item that a brand was read from, with the place of its name in it.

    `is_users` says that its page is one that users of a site make, or the creator's own there.
    """

    item: Item
    source: NameSource
    rank: int
    is_users: bool = False


@dataclass(slots=True)
class Candidate:
    """A brand, with all that names it."""

    found: Found
    reading: Reading
    claims: list[tuple[Claim, Reading]] = field(default_factory=list["tuple[Claim, Reading]"])
    mentions: list[Mention] = field(default_factory=list[Mention])
    listed: set[ListedBy] = field(default_factory=set["ListedBy"])
    list_size: int = 0

    @property
    def is_of_users(self) -> bool:
        """Whether nothing names it but links to pages that users make, or to the creator's own."""
        is_claimed = bool(self.claims or self.listed)
        return not is_claimed and bool(self.mentions) and all(m.is_users for m in self.mentions)

    @property
    def start(self) -> int:
        """Where it is named first."""
        return min(
            [claim.start for claim, _ in self.claims]
            + [m.item.start for m in self.mentions]
            + [self.found.start]
        )


class Candidates:
    """Candidates by name and by domain; each brand once."""

    def __init__(self) -> None:
        self._by_key: dict[str, Candidate] = {}
        self.all: list[Candidate] = []

    def of(self, found: Found, reading: Reading) -> Candidate:
        """Return the candidate of a brand, made when it is new; the better known name and domain are kept."""
        keys = [article_free(found.name), *([found.domain] if found.domain else [])]
        candidate = next((self._by_key[key] for key in keys if key in self._by_key), None)
        if candidate is None:
            candidate = Candidate(found, reading)
            self.all.append(candidate)
        elif _is_better(found, candidate.found):
            candidate.found = found
        for key in keys:
            self._by_key.setdefault(key, candidate)
        return candidate


def read_candidates(description: Reading, title: Reading) -> list[Candidate]:
    """Return every brand that may stand behind a video, in the order of reading."""
    candidates = Candidates()
    for reading in (description, title):
        for claim in rule_claims(reading):
            owned = with_own_link(reading, as_spelled(reading, claim))
            candidates.of(owned.found, reading).claims.append((owned, reading))
    likeliest = list(_read_mentions(candidates, description))
    for found, claim in list_claims(likeliest, _stated(candidates, description)):
        owned = with_own_link(description, claim)
        candidates.of(found, description).claims.append((owned, description))
    for claim in offer_line_claims(description):
        candidates.of(claim.found, description).claims.append((claim, description))
    for listed in listed_names(description):
        _add_listed(candidates.of(listed.found, description), listed, description)
    return _without_look_alikes(_with_products(_written(candidates.all, description)))


def _without_look_alikes(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without sites that have a known brand's name with a hyphen, "acme-deals.com" beside Acme.

    Anybody may register such a site, and a brand's own further sites stand in the directory.
    """
    known = {name_key(item.found.name) for item in candidates if item.found.known and item.claims}
    return [item for item in candidates if not _looks_alike(item, known)]


def _looks_alike(item: Candidate, known: Container[str]) -> bool:
    if item.found.known or item.found.domain is None or item.listed:
        return False
    label = item.found.domain.partition(".")[0]
    parts = label.split("-")
    is_from_site = name_key(item.found.name) == name_key(label)
    return is_from_site and len(parts) > 1 and any(part in known for part in parts)


def _add_listed(candidate: Candidate, listed: Listed, description: Reading) -> None:
    """Add to a brand that an entry of a list names it; an offer beside it is a claim of its own."""
    candidate.list_size = max(candidate.list_size, listed.size)
    if listed.topic == "sponsors":
        candidate.listed.add(listed.by)
    if listed.by == "offer":
        candidate.claims.append((listed_claim(listed), description))


def _read_mentions(candidates: Candidates, description: Reading) -> Iterator[tuple[Item, Found]]:
    """Add the brands of the items, and yield each item that has one with its likeliest."""
    lowered = description.document.lowered
    may_deny = may_say_not_sponsored(lowered)
    document = description.document
    denied = {hit.segment for hit in description.statements if is_denied(document, hit)}
    for item in read_items(description.document):
        if (denied or may_deny) and _is_denied(document, item, denied):
            continue
        # A code that a platform gives its creators says nothing about who pays, nor does the platform's shop beside it.
        if _is_platform_code(lowered, item):
            continue
        brands = brands_of(description, item)
        is_users = bool(brands) and is_user_page(description, item)
        for rank, named in enumerate(brands):
            candidate = candidates.of(named.found, description)
            candidate.mentions.append(Mention(item, named.source, rank, is_users=is_users))
            if not rank:
                yield item, candidate.found


def _is_denied(document: Document, item: Item, denied: Container[int]) -> bool:
    """Return whether an item's words or sentence say that nobody sponsored what they are about."""
    sentence = document.segments[document.segment_index(item.start)].start
    words = document.lowered[max(sentence, item.start - _EXCERPT) : item.end]
    return (
        document.segment_index(item.start) in denied
        or document.segment_index(item.link.start) in denied
        or denies_sponsor(words)
    )


def _is_platform_code(lowered: str, item: Item) -> bool:
    """Return whether an item's words give a platform's creator code at its home page."""
    is_home = not item.link.path.strip("/")
    return (
        is_home
        and "code" in lowered[item.start : item.end]
        and matches(PLATFORM_CODES, lowered, item.start, item.end)
    )


def _stated(candidates: Candidates, description: Reading) -> list[Claim]:
    """Return what the description states of its sponsors."""
    return [
        claim
        for candidate in candidates.all
        for claim, reading in candidate.claims
        if reading is description and claim.reason == _STATED
    ]


def _written(candidates: list[Candidate], description: Reading) -> list[Candidate]:
    """Return the candidates under the names that the text writes; two of one name or slug are one.

    A slug has no accents, so that two spellings of a name may share one.
    """
    by_key: dict[str, Candidate] = {}
    distinct: list[Candidate] = []
    for item in candidates:
        item.found = _of_directory(
            as_written(item.found, description.document), item.found, description
        )
        keys = (article_free(item.found.name), f"slug {item.found.slug}")
        same = next((by_key[key] for key in keys if key in by_key), None)
        if same is None:
            same = item
            distinct.append(item)
        else:
            if _is_better(item.found, same.found):
                same.found = item.found
            _join(same, item)
        for key in keys:
            by_key.setdefault(key, same)
    return _joined_by_sound(distinct)


def _of_directory(written: Found, found: Found, description: Reading) -> Found:
    """Return a brand that is known by its domain alone as the one of the directory whose name the text writes for it."""
    if written.known or written.name == found.name or name_key(written.name) in AMBIGUOUS:
        return written
    brand = description.directory.named(written.name)
    if brand is None or description.context.owns_name(brand.name):
        return written
    return found_brand(brand, written.start, written.end, linked=written.linked)


def _joined_by_sound(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, a brand that is stated in another script and the one of the link that sounds like it as one."""
    distinct: list[Candidate] = []
    for item in candidates:
        linked = _linked_by_sound(item.found, candidates)
        if linked is None:
            distinct.append(item)
        else:
            name = item.found.name
            linked.found = replace(linked.found, name=name, slug=slug_of(name))
            _join(linked, item)
    return distinct


def _linked_by_sound(found: Found, candidates: list[Candidate]) -> Candidate | None:
    """Return the brand of an unknown link that sounds like a name in another script without a domain."""
    if found.known or found.domain or found.name.isascii():
        return None
    linked = (
        item
        for item in candidates
        if item.found.domain
        and not item.found.known
        and sounds_like(found.name, item.found.domain.partition(".")[0])
    )
    return next(linked, None)


def _with_products(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, those that are a brand's name with a product's behind it as the brand.

    A name is a brand's where a link or the directory vouches for it.
    """
    brands = {item.found.name.lower(): item for item in candidates if _is_vouched_for(item)}
    known = {item.found.name.lower().split()[0]: item for item in candidates if item.found.known}
    distinct: list[Candidate] = []
    for item in candidates:
        brand = _brand_of(item, brands, known)
        if brand is None or brand is item:
            distinct.append(item)
        else:
            _join(brand, item)
    return distinct


def _is_vouched_for(item: Candidate) -> bool:
    return (
        item.found.known
        or item.found.domain is not None
        or bool(item.mentions)
        or (bool(item.claims) and _UNSPACED.match(item.found.name) is not None)
    )


def _brand_of(
    item: Candidate, brands: Mapping[str, Candidate], known: Mapping[str, Candidate]
) -> Candidate | None:
    """Return the brand whose product a name names, or of whose name it is the first word."""
    if item.found.known or item.found.domain is not None:
        return None
    words = item.found.name.lower().split()
    if _UNSPACED.match(words[0]):
        return _brand_begun(item, brands)
    brand = brands.get(words[0]) if len(words) > _FEW_WORDS else None
    return brand or (known.get(words[0]) if len(words) == 1 else None)


def _brand_begun(item: Candidate, brands: Mapping[str, Candidate]) -> Candidate | None:
    """Return the stated brand that a name in a script without blanks begins with."""
    name = item.found.name.lower()
    begun = (
        brand
        for key, brand in brands.items()
        if _SHORTEST_UNSPACED <= len(key) < len(name) and name.startswith(key) and brand.claims
    )
    return next(begun, None)


def _join(brand: Candidate, item: Candidate) -> None:
    """Add to a brand what was found of its product."""
    brand.claims += [(replace(claim, found=brand.found), reading) for claim, reading in item.claims]
    brand.mentions += item.mentions
    brand.listed |= item.listed
    brand.list_size = max(brand.list_size, item.list_size)


def listed_claim(listed: Listed) -> Claim:
    """Return what the offer of an entry of a list claims of its brand."""
    return Claim(
        found=listed.found,
        kind="paid_sponsorship" if listed.topic == "sponsors" else "promo_code",
        code=listed.code,
        link=None,
        start=listed.start,
        end=min(listed.end, listed.start + _EXCERPT),
        weight=_NAMED_CODE if listed.code else _BENEFIT_ALONE,
        reason="offer in a list",
    )


def rule_claims(reading: Reading) -> Iterator[Claim]:
    """Yield what the single rules claim of a text."""
    stated = tuple(stated_claims(reading))
    yield from stated
    if reading.codes:
        yield from coded_claims(reading, stated)
    yield from paired_claims(reading)
    yield from marked_claims(reading, stated)
    yield from chapter_claims(reading)
    yield from offered_claims(reading)


def _is_better(found: Found, other: Found) -> bool:
    return (found.known, bool(found.domain)) > (other.known, bool(other.domain))
