"""The brands in the position of a sponsor: after "sponsored by", or between "thanks to" and "for sponsoring"."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from import_worker.detector.brand_names import (
    end_before_and,
    read_name,
    resembles,
    run_on,
    skip_blanks,
    skip_leading,
)
from import_worker.detector.directory import NameMatch
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import PAYING_PLATFORMS
from import_worker.detector.links import Link, lost_line_breaks
from import_worker.detector.phrases.name_words import (
    CJK_STOP,
    HANDLE,
    HANDLE_SUFFIX,
    KIND_OF_COMPANY,
    NEXT_NAME,
    OPENER,
    PEOPLE_AT,
)
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, found_brand, from_name, with_link
from import_worker.detector.transliteration import has_sounds_of
from import_worker.domain.keys import slug_of

_REACH: Final = 120
_ENDED: Final = frozenset("!)?")
"""Signs behind words of thanks that end them."""

_MAX_BRANDS: Final = 100
_SHORTEST_LOWER: Final = 3
_WORDS_OF_OTHER_SCRIPT: Final = 3
_LOWER_NAME: Final = re.compile(
    r"[a-z][\w\-]{2,}(?: [a-z][\w\-]+){0,2}(?=\s*(?:[:.!,(\n]|https?:|$))"
)
_NO_NAME: Final = re.compile(
    r"(?:https?|www|the first|a|an|any|some|one|my|our|your|who|what|this|that|it|if|when|un|une|ein|eine|uma?|me|us|you)\b|.*\d$",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"((?: (?:for|of|by|and|the|to|in|on|a|an|&|[A-Z0-9][\w'\-:]*)){0,3} [A-Z0-9][\w'\-:]*) ?"
    r"(?=who\b|that\b|for (?:sponsor|send|support|making|providing)|$)"
)
_SENTENCE: Final = re.compile(
    r"[\s:\-@\"'*(]*((?:(?!https?:)[^\s.,!?:;\n\"'()@#]+ ){0,3}(?!https?:)[^\s.,!?:;\n\"'()@#]+)\s*(?=[.,!?:;\n)\"]|https?:|$)"
)
_QUOTED_BEHIND: Final = re.compile(
    r"(?:[^\W\d_A-ZА-Я][\w\-]* ){0,5}(?:[^\W\d_A-ZА-Я][\w\-]*[ -]?)?\"([^\s\"][^\"\n]{1,38})\""
)
_QUOTED_NAME: Final = re.compile(r"([A-ZÀ-ÝА-Я][\w'&.\-]*(?: [\w'&.\-]+){1,3})\"")
_CJK_BEFORE: Final = 30
_ADJACENT: Final = 12
_AND: Final = re.compile(r" (?:and|&|und|et) ")
_JOINED: Final = re.compile(
    r"\.?[™®℠]?\s{0,2}(?:,|&|/|\+|and|et|und|y|e|и|dan|và|ve|och|og)\s", re.IGNORECASE
)
_SITE_BEHIND: Final = re.compile(
    r"(?: ?[:\-])? ?(?:\((?:https?://|www\.|@)[^()\n]{2,120}\)|https?://[^\s()]{4,120})"
    r"(?= (?:and|&|und|et|y|e|и) |, [^,()\n]{2,40} ?\()"
)
"""The site of a name of a list, before what joins the next one."""
_NOTE_BEHIND: Final = re.compile(
    r" ?\((?!https?:|www|@)[^()\n]{2,40}\)(?=, [^,()\n]{2,40} ?\((?!https?:|www|@))"
)
"""A note behind a name of a list each of which has one; there "&" is of the name."""
_DASH: Final = re.compile(r" [-|•·] (?=[^\n\-|•·]{2,30}(?: [-|•·] |$|\n))", re.MULTILINE)
"""Between the names of a list that has no commas."""


def brands_after(reading: Reading, start: int, end: int) -> list[Found]:
    """Return the brands listed from `start` on, up to `end` at the most."""
    folded = reading.document.folded
    end = min(end, start + _REACH * 2)
    brands: list[Found] = []
    at = start
    while len(brands) < _MAX_BRANDS:
        found = _brand_at(reading, at, end, first=not brands)
        if found is None:
            break
        found = _joint(reading, found, end) or found
        joined = _joined_behind(_NOTE_BEHIND, folded, found.end, end)
        if brands and joined is None:
            found = _before_last(reading, found)
        joined = joined or _joined_behind(_SITE_BEHIND, folded, found.end, end)
        brands.append(found)
        if joined is None and run_on(folded, found.end, found.end + 2) is None:
            break
        at = joined.end() if joined else found.end
    return [vouched(reading, found) for found in brands]


def _joined_to_next(folded: str, start: int, end: int) -> re.Match[str] | None:
    return _DASH.match(folded, start, end) or _joined_by_word(folded, start, end)


def _joined_behind(
    between: re.Pattern[str], folded: str, start: int, end: int
) -> re.Match[str] | None:
    """Return what joins a name to the next one: right behind it, else behind a note or a site."""
    joined = _joined_to_next(folded, start, end)
    if joined is None and (note := between.match(folded, start, end)):
        joined = _joined_to_next(folded, note.end(), end)
    return joined


def _before_last(reading: Reading, found: Found) -> Found:
    """Return the last but one name of a list whose last ones are joined by "&", unless they are one brand's."""
    cut = end_before_and(reading.document.folded, found.start, found.end)
    link = reading.link_after(found.start)
    if cut == found.end or found.known or (link and resembles(found.name, link.label)):
        return found
    name = reading.document.folded[found.start : cut]
    return from_name(name, found.start, reading.directory, reading.context) or found


def _joined_by_word(folded: str, start: int, end: int) -> re.Match[str] | None:
    """Return what joins the next name of a list, a comma, sign or word, if there is one."""
    joined = NEXT_NAME.match(folded, start, end)
    if joined is None or joined.end() - start < 2 or not _JOINED.match(folded, start, end):
        return None
    return joined


def brands_before(reading: Reading, start: int, end: int) -> list[Found]:
    """Return the brands between words of thanks and `end`, else the one named right before `end`."""
    lowered = reading.document.lowered
    start = max(start, end - _REACH)
    openers = [
        opener
        for opener in OPENER.finditer(lowered, start, end)
        if lowered[opener.end() : opener.end() + 1] not in _ENDED
    ]
    for opener in openers[:1]:
        brands = _thanked(reading, opener.end(), end)
        if brands:
            return _whole(reading, brands, end)
        found = _thanked_in_lower_case(reading, opener.end(), end) or _spelled_by_next_link(
            reading, opener.end(), end
        )
        if found:
            return [found]
    found = _last_named(reading, start, end)
    return [vouched(reading, found)] if found else []


def _thanked(reading: Reading, start: int, end: int) -> list[Found]:
    """Return the brands listed behind words of thanks, or behind the people at a company who are thanked."""
    people = PEOPLE_AT.search(reading.document.lowered, start, end)
    brands = brands_after(reading, start, end)
    if people is None or (len(brands) > 1 and brands[-1].start >= people.end()):
        return brands
    return brands_after(reading, people.end(), end)


def _whole(reading: Reading, brands: list[Found], end: int) -> list[Found]:
    """Return the brands of a list up to `end`, with the platform that is its last, or a single one with its whole name."""
    joined = _joined_by_word(reading.document.folded, brands[-1].end, end)
    platform = _platform(reading, joined.end(), end) if joined else None
    if platform:
        return [*brands, platform]
    return [_extended(reading, brands[0], end)] if len(brands) == 1 else brands


def _platform(reading: Reading, start: int, end: int) -> Found | None:
    """Return the platform that is all that stands between two places: as a payer it is a brand."""
    name = reading.document.folded[start:end].strip(" ,.!\"'")
    domain = PAYING_PLATFORMS.get(name.lower())
    if domain is None or reading.context.owns_name(name):
        return None
    return Found(name, slug_of(name), domain, known=False, linked=False, start=start, end=end)


def _extended(reading: Reading, found: Found, end: int) -> Found:
    """Return the brand with the words that its name goes on with up to `end`: "Need for Speed Payback"."""
    match = _GOES_ON.match(reading.document.folded, found.end, end)
    if found.known or found.linked or match is None:
        return found
    name = reading.document.folded[found.start : match.end(1)]
    longer = from_name(name, found.start, reading.directory, reading.context)
    return longer or found


def _thanked_in_lower_case(reading: Reading, start: int, end: int) -> Found | None:
    """Return a brand of the directory, or a platform, that is all that stands between the thanks and their reason."""
    if platform := _platform(reading, start, end):
        return platform
    name = reading.document.folded[start:end].strip(" ,.!\"'")
    brand = reading.directory.named(name) if len(name) > _SHORTEST_LOWER else None
    if brand is None or reading.context.owns_name(brand.name):
        return None
    return found_brand(brand, start, end)


def _spelled_by_next_link(reading: Reading, start: int, end: int) -> Found | None:
    """Return the name in small letters of another script, a word of which the next link has in Latin letters."""
    folded = reading.document.folded
    at = skip_leading(folded, start, end)
    name = folded[at:end].strip()
    link = None if name.isascii() or not name.islower() else reading.link_after(end)
    words = name.split()
    if link is None or link.kind != "site" or len(words) > _WORDS_OF_OTHER_SCRIPT:
        return None
    if not any(has_sounds_of(word, link.label) for word in words):
        return None
    found = from_name(name.title(), at, reading.directory, reading.context)
    return with_link(found, link, take_domain=True) if found else None


def _brand_at(reading: Reading, start: int, end: int, *, first: bool) -> Found | None:
    document = reading.document
    at = skip_leading(document.folded, start, min(end, start + _REACH)) if first else start
    at += not first and document.folded.startswith("@", at, end)
    if at >= end:
        return None
    for match in document.names_in(start, min(at + _REACH, end)):
        if start <= match.start <= at < match.end:
            return _known_at(reading, match, end)
    link = next(iter(document.links_in(start, at + 1)), None)
    if link and link.start <= at + 1:
        return reading.brand_of(link)
    if at and document.folded[at - 1] == "@":
        return _of_handle(reading, at, end)
    return _written_at(reading, at, end) or (_without_capitals(reading, at, end) if first else None)


def _written_at(reading: Reading, at: int, end: int) -> Found | None:
    """Return the name that is written at `at`, in quotes or in capitals."""
    document = reading.document
    span = _quoted_at(document.folded, at, end) or read_name(document.folded, at, end)
    if span:
        last = _end_of_first(document.folded, *span)
        name = document.folded[span[0] : last]
        return from_name(name, span[0], reading.directory, reading.context)
    return None


def _quoted_at(folded: str, at: int, end: int) -> tuple[int, int] | None:
    """Return the name of several words, all that stands in quotes, which may go on in small letters: "Acme tools"."""
    match = _QUOTED_NAME.match(folded, at, end) if folded[at - 1 : at] == '"' else None
    return match.span(1) if match else None


def _without_capitals(reading: Reading, at: int, end: int) -> Found | None:
    """Return a brand in lower case, or in quotes behind words in lower case."""
    return _lower_case_brand(reading, at, end) or _quoted_behind(reading, at, end)


def _quoted_behind(reading: Reading, at: int, end: int) -> Found | None:
    """Return the name in quotes behind a few words in lower case, which say what its company is: 'online shop "Acme"'."""
    match = _QUOTED_BEHIND.match(reading.document.folded, at, end)
    if match is None:
        return None
    name = match.group(1).strip()
    return from_name(name, match.start(1), reading.directory, reading.context)


def _known_at(reading: Reading, match: NameMatch, end: int) -> Found | None:
    """Return the brand of the directory named at a place, or the longer name that a link spells; None for the channel's own."""
    if longer := _spelled_by_link(reading, match.start, match.end, end):
        return longer
    if other := _other_company(reading, match, end):
        return other
    known = found_brand(match.brand, match.start, match.end)
    return None if reading.context.owns_name(known.name) else known


def _other_company(reading: Reading, match: NameMatch, end: int) -> Found | None:
    """Return the company whose longer name begins as the brand's."""
    last = reading.end_of_other(match, end)
    if last is None:
        return None
    name = reading.document.folded[match.start : last]
    return from_name(name, match.start, reading.directory, reading.context)


def _end_of_first(folded: str, start: int, end: int) -> int:
    """Return where the first of several names ends that run into each other where line breaks were lost.

    One word may be written in mixed case; names of several words that run on are two.
    """
    if not lost_line_breaks(folded):
        return end
    next_name = run_on(folded, start + 1, end)
    return next_name if next_name and " " in folded[start:end] else end


def _spelled_by_link(reading: Reading, start: int, known_end: int, end: int) -> Found | None:
    """Return the brand whose longer name a link beside it spells: "Acme Northtown" at acmenorthtown.example."""
    folded = reading.document.folded
    span = read_name(folded, start, end)
    if span is None or span[1] <= known_end:
        return None
    key = name_key(folded[start : span[1]])
    for link in reading.document.links_in(start, span[1] + _REACH * 2):
        if link.kind == "site" and name_key(link.label) == key:
            found = from_name(folded[start : span[1]], start, reading.directory, reading.context)
            return with_link(found, link, take_domain=True) if found else None
    return None


def brands_named_whole(reading: Reading, start: int, end: int) -> list[Found]:
    """Return the few words that are all that stands between a statement and the end of its sentence, or its opener."""
    folded = reading.document.folded
    kind = KIND_OF_COMPANY.match(folded, skip_blanks(folded, start, end), end)
    match = _SENTENCE.match(folded, kind.end() if kind else start, end)
    if match is None:
        return []
    name = match.group(1).strip()
    if _NO_NAME.match(name) or (name[:4].lower() == "the " and name[4:].islower()):
        return []
    found = from_name(
        name[:1].upper() + name[1:], match.start(1), reading.directory, reading.context
    )
    return [vouched(reading, found)] if found else []


def _of_handle(reading: Reading, at: int, end: int) -> Found | None:
    """Return the brand of an "@handle"; a known brand's name may follow in full."""
    folded = reading.document.folded
    handle = HANDLE.match(folded, at - 1, end)
    span = read_name(folded, at, end)
    name = folded[span[0] : span[1]] if span else ""
    if name and reading.directory.named(name):
        return from_name(name, at, reading.directory, reading.context)
    if handle is None:
        return None
    bare = HANDLE_SUFFIX.sub("", handle.group(1)).strip("._") or handle.group(1)
    found = from_name(bare, at, reading.directory, reading.context)
    return replace(found, end=handle.end()) if found else None


def _joint(reading: Reading, found: Found, end: int) -> Found | None:
    """One brand of two words joined by "and", when the directory or a link beside it says so."""
    document = reading.document
    joint = _AND.match(document.folded, found.end, end)
    if joint is None:
        return None
    span = read_name(document.folded, joint.end(), end)
    if span is None:
        return None
    name = document.folded[found.start : span[1]]
    link = reading.link_after(found.start)
    if reading.directory.named(name) or (link and name_key(link.label) == name_key(name)):
        return from_name(name, found.start, reading.directory, reading.context)
    return None


def _lower_case_brand(reading: Reading, at: int, end: int) -> Found | None:
    """Return a brand without capitals, when a link behind it looks like its name."""
    match = _LOWER_NAME.match(reading.document.folded, at, end)
    link = reading.link_after(at)
    if match is None or link is None or not resembles(match.group(), link.label):
        return None
    return from_name(match.group(), at, reading.directory, reading.context)


def _last_named(reading: Reading, start: int, end: int) -> Found | None:
    named = reading.named_brands(start, end)
    if named:
        return named[-1]
    linked = reading.linked_brands(start, end)
    if linked:
        return linked[-1]
    folded = reading.document.folded
    for at in _name_starts(folded, start, end):
        span = read_name(folded, at, end)
        if span and not folded[span[1] : end].strip(" '\",."):
            return from_name(folded[at : span[1]], at, reading.directory, reading.context)
    return None


def _name_starts(folded: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which the name that ends at `end` may begin: the longest name first."""
    stops = [match.end() for match in CJK_STOP.finditer(folded, max(start, end - _CJK_BEFORE), end)]
    yield from [start, *stops][-5:]


def vouched(reading: Reading, found: Found) -> Found:
    """Return the brand with the domain of a link beside it that looks like it."""
    if found.linked:
        return found
    document = reading.document
    index = document.segment_index(found.start)
    segments = document.segments
    first = max(index - 1, 0)
    last = min(index + 2, len(segments) - 1)
    links = document.links_in(segments[first].start, segments[last].end)
    own = next((link for link in links if _is_same(reading.brand_of(link), found)), None)
    like = own or next((link for link in links if _may_be_of(reading, link, found)), None)
    return with_link(found, like, take_domain=True) if like else found


def _is_same(brand: Found | None, found: Found) -> bool:
    return brand is not None and brand.slug == found.slug


def _may_be_of(reading: Reading, link: Link, found: Found) -> bool:
    """Return whether a link is right behind a name, or is called nearly as it is."""
    if link.kind not in {"site", "network"} or reading.context.owns_link(link):
        return False
    label = link.label if link.kind == "site" else link.subdomain
    is_adjacent = 0 <= link.start - found.end <= _ADJACENT and not found.known
    return is_adjacent or resembles(found.name, label)
