"""Resolution of an item to the brand that it is about: by its link, its label and the path of a short link."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from import_worker.detector.benefits import has_benefit
from import_worker.detector.brand_names import is_generic, read_name, resembles, skip_leading
from import_worker.detector.entry_names import is_code_like
from import_worker.detector.folding import name_key
from import_worker.detector.items import Item
from import_worker.detector.label_names import (
    SHORTEST_KEY,
    attested,
    is_latin,
    is_no_name,
    is_section,
    name_spans,
    spans_between,
    spelled_first,
    trim_tail,
)
from import_worker.detector.links import Link
from import_worker.detector.name_parts import bears_name
from import_worker.detector.phrases.label_words import BEFORE_NAME, LEADING_VERBS, NO_NAMES
from import_worker.detector.phrases.name_words import ENDING
from import_worker.detector.phrases.offers import CALL_TO_TRY, TRIAL
from import_worker.detector.phrases.section_words import SECTION_KEYS
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name, with_link
from import_worker.domain.keys import slug_of

NameSource = Literal["directory", "domain", "path", "label", "call", "place", "latin", "before"]

_MAX_BRANDS: Final = 3
_SHORT_DOMAIN: Final = 4
_CODE_BEHIND: Final = 140
_SENTENCE_BEFORE: Final = 160
_MAX_PATH_PARTS: Final = 6
_INSIDE: Final = 4
_ENDS_LABEL: Final = re.compile(r"\s*[\"')\]]?\s*(?:[:\-–—=>|→►➜➤⇨👉☞▶]|\(|$|\n|\*)")
_CAMPAIGN: Final = re.compile(r"(?:with|by|from|and|for)([a-z]{3,})$")
_HIDING: Final = frozenset({"shortener", "hidden", "store"})
_QUOTED: Final = re.compile(r"\"([^\s\"][^\"\n]{1,30})\"")
_LATIN: Final = re.compile(r"[A-Za-z][\w&'.+\-]{1,24}(?: [A-Z][\w&'.+\-]{0,24}){0,4}", re.ASCII)
_PATH_PART: Final = re.compile(r"[A-Za-z0-9]{3,40}")
_PATH_WORD: Final = re.compile(r"[A-Za-z]{4,20}")
_WORD: Final = r"[^\s:!?()\[\]\"\n,.;|"
_FEW_WORDS: Final = re.compile(
    rf"({_WORD}]+(?: {_WORD}\-–—]+){{1,3}}) ?(?=$|[:!(\n,.;|\-–—►➜➤→]|https?:)"
)
_LIST_LABEL: Final = re.compile(
    r"[^\w]*((?:[^\s:\-–—=>|()\n]+(?:-[^\s:\-–—=>|()\n]+){0,2} ?){1,3}) ?(?:[:\-–—=>|►➜➤→(]|$)"
)
_LOWER: Final = re.compile(r"([a-z][a-z0-9\-]{2,20})(?=\s*(?:[:.!,(\n]|https?:|$))")


@dataclass(frozen=True, slots=True)
class Named:
    """A brand that an item may be about, and where its name was read."""

    found: Found
    source: NameSource


def brands_of(reading: Reading, item: Item) -> list[Named]:
    """Return the brands that an item may be about, the likeliest first; at most three."""
    link = item.link
    linked = reading.brand_of(link)
    if linked and not _is_unpaid_platform(reading, link, linked) and not _is_common(linked.name):
        source: NameSource = "directory" if linked.known else "domain"
        behind = _behind_short_domain(reading, item, linked) or _behind_campaign(
            reading, item, linked
        )
        return [behind or Named(_as_labelled(reading, item, linked), source)]
    if link.kind == "platform" or linked:
        return []
    if link.kind == "store" and not _is_offered(reading, item):
        return []
    return _distinct(_names(reading, item), 1 if link.kind == "store" else _MAX_BRANDS)


def _is_unpaid_platform(reading: Reading, link: Link, linked: Found) -> bool:
    """Return whether a link leads to a platform; where the link counts who installs its app, the platform pays for it."""
    return link.kind != "network" and reading.is_platform(linked)


def _is_offered(reading: Reading, item: Item) -> bool:
    """Return whether a code or a benefit stands in an item at a store, or a code right behind it."""
    has_code = any(item.start <= code.start < item.end + _CODE_BEHIND for code in reading.codes)
    return has_code or has_benefit(reading.document.lowered, item.start, item.end)


def _behind_short_domain(reading: Reading, item: Item, linked: Found) -> Named | None:
    """Return the known brand named beside a link whose domain is too short to tell its brand."""
    if linked.known or item.link.kind != "site" or len(item.link.label) > _SHORT_DOMAIN:
        return None
    named = reading.named_brands(item.start, item.end)
    return Named(replace(named[0], linked=True), "directory") if named else None


def _behind_campaign(reading: Reading, item: Item, linked: Found) -> Named | None:
    """Return the brand named beside a domain of a campaign that ends in the channel's name: "savewithsam.com"."""
    campaign = _CAMPAIGN.search(item.link.label.lower())
    if linked.known or item.link.kind != "site" or campaign is None:
        return None
    if not bears_name(reading.context.name, campaign.group(1)):
        return None
    named = next(_names(reading, item), None)
    if named is None or named.found.known:
        return named and replace(named, found=replace(named.found, linked=True))
    return replace(named, found=with_link(named.found, item.link, take_domain=True))


def _is_common(name: str) -> bool:
    return name.lower() in NO_NAMES or name_key(name) in SECTION_KEYS


def _as_labelled(reading: Reading, item: Item, found: Found) -> Found:
    """Return the brand with its name as the label writes it, when the domain resembles that."""
    if found.known:
        return found
    label = item.link.label if item.link.kind == "site" else item.link.subdomain
    for start, end in name_spans(reading, item):
        name = spelled_first(reading.document.folded[start:end], label)
        if not resembles(name, label) or is_generic(name):
            continue
        trimmed = trim_tail(name)
        known = reading.directory.named(trimmed)
        if known is None:
            return replace(found, name=trimmed, slug=slug_of(trimmed))
        domain = known.domains[0] if known.domains else found.domain
        return replace(found, name=known.name, slug=known.slug, known=True, domain=domain)
    return found


def _names(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the brands that an item without one of its own may be about, by falling likelihood."""
    yield from _spelled_by_path(reading, item)
    if item.topic == "sponsors":
        yield from _whole_label(reading, item)
    for known in reversed(reading.named_brands(item.start, item.link.start)):
        yield Named(replace(known, linked=True), "directory")
    yield from _in_label(reading, item)
    for known in reading.named_brands(item.link.end, item.end):
        yield Named(known, "directory")
    yield from _behind(reading, item)
    for start, _ in name_spans(reading, item):
        yield from _named_at(reading, item, start, "label")
    yield from _word_of_path(reading, item)
    yield from _of_sentence_before(reading, item)
    yield from _distinct_before(reading, item)


def _in_label(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield names after a call to try, before a colon or dash, after a preposition, and in Latin letters."""
    document, start, end = reading.document, item.start, item.link.start
    for match in CALL_TO_TRY.finditer(document.lowered, start, end):
        yield from _few_words(reading, item, match.end())
        yield from _named_at(reading, item, match.end(), "call")
    for first, last in name_spans(reading, item):
        if _ENDS_LABEL.match(document.folded, last, end):
            yield from _named_at(reading, item, first, "label")
    for match in BEFORE_NAME.finditer(document.folded, start, end):
        yield from _few_words(reading, item, match.end())
        yield from _named_at(reading, item, match.end(), "place")
    if not is_latin(document.folded[start:end]):
        for match in _LATIN.finditer(document.folded, start, end):
            yield from _named_at(reading, item, match.start(), "latin")


def _of_sentence_before(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the known brand of the words before a trial that names nobody: "Music by Acme. Get 30 days free here"."""
    lowered = reading.document.lowered
    if item.link.kind not in {"shortener", "hidden"} or not (
        has_benefit(lowered, item.start, item.end) and TRIAL.search(lowered, item.start, item.end)
    ):
        return
    links = reading.document.links_in(max(item.start - _SENTENCE_BEFORE, 0), item.start)
    before = max([item.start - _SENTENCE_BEFORE, 0, *(link.end for link in links)])
    for known in reading.named_brands(before, item.start)[-1:]:
        yield Named(known, "place")


def _distinct_before(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the names of the sentence before a hidden link with a benefit: those in quotes, and those inside the sentence."""
    document = reading.document
    if item.link.kind not in _HIDING or not has_benefit(document.lowered, item.start, item.end):
        return
    links = document.links_in(max(item.start - _SENTENCE_BEFORE, 0), item.start)
    paragraph = document.folded.rfind("\n\n", 0, item.start) + 1
    before = max([item.start - _SENTENCE_BEFORE, 0, paragraph, *(link.end for link in links)])
    for quoted in _QUOTED.finditer(document.folded, before, item.start):
        yield from _named(reading, quoted.group(1), quoted.start(1), "before")
    for start, end in spans_between(reading, before, item.start):
        name = trim_tail(document.folded[start:end])
        if _is_distinct(document.folded, start, name) and not is_no_name(name):
            yield from (
                named for named in _named(reading, name, start, "before") if not named.found.known
            )


def _is_distinct(folded: str, start: int, name: str) -> bool:
    """Return whether a name is told from the first word of a sentence: by its place, more words, or capitals inside."""
    before = folded[max(start - 2, 0) : max(start - 1, 0)]
    inside = before.isalnum() or before == ","
    return len(name) > SHORTEST_KEY and (
        inside or " " in name or any(c.isupper() for c in name[1:])
    )


def _behind(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield names behind a link that stands without a label."""
    folded, link = reading.document.folded, item.link
    if any(c.isalnum() for c in folded[item.start : link.start]):
        return
    calls = (m.end() for m in CALL_TO_TRY.finditer(reading.document.lowered, link.end, item.end))
    for at in calls:
        if folded[at : at + 1].isupper():
            yield from _named_at(reading, item, at, "place")
    prepositions = (m.end() for m in BEFORE_NAME.finditer(folded, link.end, item.end))
    latin = (m.start() for m in _LATIN.finditer(folded, link.end, item.end))
    for at in chain(prepositions, latin):
        yield from _named_at(reading, item, at, "place")


def _spelled_by_path(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the words of the label that the path of a short link spells."""
    parts = _PATH_PART.findall(item.link.path)[:_MAX_PATH_PARTS]
    names = list(_beginnings(reading, item)) if parts else []
    for part in parts if names else ():
        keys = _without_own(reading, name_key(part))
        for name, start in names:
            if any(_spells(key, name_key(name)) for key in keys):
                yield from _named(reading, trim_tail(name), start, "path")


def _beginnings(reading: Reading, item: Item) -> Iterator[tuple[str, int]]:
    """Yield the names of the label and of what stands before it, each whole and then without its last words, with their starts.

    A path vouches for a name that the sentence before the link's has.
    """
    link = item.link
    previous = max((other.end for other in reading.document.links_in(0, link.start)), default=0)
    before = max(previous, item.start - _SENTENCE_BEFORE)
    spans = [*name_spans(reading, item), *spans_between(reading, before, item.start)]
    for start, end in spans:
        words = reading.document.folded[start:end].split(" ")
        for count in range(len(words), 0, -1):
            yield " ".join(words[:count]), start


def _without_own(reading: Reading, key: str) -> set[str]:
    """Return a part of a path with and without the channel's names at its ends."""
    own = reading.context.own_keys
    keys = (
        {key} | {key.removeprefix(name) for name in own} | {key.removesuffix(name) for name in own}
    )
    return {part for part in keys - own if len(part) >= SHORTEST_KEY}


def _spells(part: str, key: str) -> bool:
    if len(key) < SHORTEST_KEY:
        return False
    return (
        key == part
        or (len(key) >= _INSIDE and key in part)
        or (len(part) >= _INSIDE and key.startswith(part))
    )


def _few_words(reading: Reading, item: Item, at: int) -> Iterator[Named]:
    """Yield the words up to the link or a sign that ends a label, when they are few: "Heroes of the north"."""
    folded = reading.document.folded
    at = skip_leading(folded, at, item.link.start)
    match = _FEW_WORDS.match(folded, at, item.link.start)
    if match is None or folded[at].islower() or any(s in match.group() for s in ("http", "%")):
        return
    words = trim_tail(match.group(1).strip(" ,.")).split(" ")
    while words and (words[-1].lower() in ENDING or words[-1].lower() in NO_NAMES):
        words.pop()
    if len(words) > 1 and words[0].lower() not in NO_NAMES:
        yield from _named(reading, " ".join(words), at, "call")


def _whole_label(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the whole label of an item in a sponsors' block, when it is a few words before a colon or dash."""
    match = _LIST_LABEL.match(reading.document.folded, item.start, item.link.start)
    if match:
        name = trim_tail(match.group(1).strip())
        yield from _named(reading, name[:1].upper() + name[1:], match.start(1), "label")


def _word_of_path(reading: Reading, item: Item) -> Iterator[Named]:
    """Yield the one word of a short link's path beside the channel's name: "/sam_acme"."""
    path, context = item.link.path, reading.context
    others = [part for part in _PATH_WORD.findall(path) if not context.is_named_in(part)]
    is_composed = "_" in path or "-" in path
    if len(others) == 1 and is_composed and context.is_named_in(path):
        yield from _named(reading, others[0].capitalize(), item.link.start, "path")


def _named_at(reading: Reading, item: Item, at: int, source: NameSource) -> Iterator[Named]:
    """Yield the brand whose name begins at an offset of the item."""
    folded, link = reading.document.folded, item.link
    is_after_words = source in {"call", "place"}
    at = skip_leading(folded, at, link.start) if is_after_words else at
    last = link.start if at < link.start else item.end
    span = read_name(folded, at, last)
    if span is None and is_after_words:
        lower = _LOWER.match(folded, at, last)
        span = lower.span(1) if lower and lower.group(1) not in NO_NAMES else None
    if span is None:
        return
    name = _without_verb(trim_tail(folded[span[0] : span[1]]))
    if not is_no_name(name):
        yield from _named(reading, attested(reading, name), span[1] - len(name), source)


def _without_verb(name: str) -> str:
    """Return a name without the words before it that begin no name, such as "Install"."""
    words = name.split(" ")
    while len(words) > 1 and words[0].lower() in LEADING_VERBS:
        words.pop(0)
    return " ".join(words)


def _named(reading: Reading, name: str, start: int, source: NameSource) -> Iterator[Named]:
    if is_code_like(reading, name):
        return
    found = from_name(name, start, reading.directory, reading.context, misspelled=False)
    if found:
        yield Named(found, source)


def _distinct(names: Iterator[Named], limit: int) -> list[Named]:
    """Return the first names that differ, without those of sections."""
    seen: dict[str, Named] = {}
    for named in names:
        key = name_key(named.found.name)
        if key in SECTION_KEYS or (not named.found.known and is_section(named.found.name)):
            continue
        seen.setdefault(key, named)
        if len(seen) >= limit:
            break
    return list(seen.values())
