"""The brand whose name stands right before a phrase, begins the item that a phrase is said of, or was named in a sentence before."""

import re
from typing import Final

from import_worker.detector.brand_names import read_name, skip_leading
from import_worker.detector.company_names import is_company_name
from import_worker.detector.directory import NameMatch
from import_worker.detector.document import Document
from import_worker.detector.folding import name_key
from import_worker.detector.phrases.name_words import AMBIGUOUS, CJK_STOP, HANDLE
from import_worker.detector.phrases.subject_names import LEADS, NO_COMPANY
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, found_brand, from_name
from import_worker.detector.slots import vouched

_REACH: Final = 60
_WORDS: Final = 6
_LONGEST_ITEM: Final = 300
_OVERLAP: Final = 20
_SENTENCES: Final = 2
_UNSPACED: Final = re.compile(r"[\u3040-\u30fa\u30fd-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_BETWEEN: Final = re.compile(
    r"(?P<bracket>\s*\((?P<inside>[^()\n]{2,50})\))?"
    r"(?:,? (?:the )?(?:team|crew|folks|guys|people|lads|ekibine|ekibi|ekipa|firması|markası|company))?"
    r"(?: (?:aus|uit|из) [A-ZÀ-ÝА-ЯЁ][\w\-]+)?[\s,;:*\-]*$"
)
"""What may stand between a name and the phrase: its site or handle in brackets, its people, its town, a sign."""
_QUOTED: Final = re.compile(r"\"([^\"\n]{2,40})\"$|'([^'\n]{2,40})'(?: ?(?:대표님?|측|팀))?$")
_HANDLE_END: Final = re.compile(r"@([A-Za-z][\w.]{2,30})$")
_WORD: Final = re.compile(r"(?<![\w'&.\-])\w")
_FROM: Final = re.compile(
    r"(?<!\w)(?:from|by|at|von|vom|bei|de|du|da|do|di|van|od|от|из|firma|company|brand|marca|marque|компании)\s(?=[A-ZÀ-ÝА-Я])"
)
_PARTICLE: Final = re.compile(r"[はがをのでともにへ是由用的在](?=[A-Za-z0-9])")
_ITEM_START: Final = re.compile(
    r"[:|•►▶▸➤→⇒✔✅★☆◆◇■□▪●○▼▽]|(?<!\w)[-–*] |\d[.)] |[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f? ?"
)
_TWO_KOREAN: Final = re.compile(
    r"(?<![가-힣])(?P<name>(?:스테이|호텔|펜션|카페|캠핑|캠핑장|글램핑|풀빌라|리조트|식당|공방|스튜디오|라운지) [가-힣]{2,8})$"
)
"""A Korean name of two words, the first of which says what business it is."""
_MODEL: Final = re.compile(r"(?<=[^\W\d_]) \"[^\"\n]{1,30}\"\s*$")
"""A model in quotes behind a name."""
_OWN_ARTICLE: Final = re.compile(
    r"(?::|\b(?:by|from|par|chez|da|dal|por|pela|von|bei|van|bij)) (?P<article>(?:La|Le|Les|El|Los|Las|Il|Lo) )$"
)
_LABELLED: Final = 12
_ARTICLE: Final = 6
_SEVERAL: Final = re.compile(r"(?<!\w)(?:los|las|les|os|as) $")
"""An article before the name of several things: a brand with its model, and no company."""
_LEADING_SIGNS: Final = re.compile(r"[\s\W_]*")


def brand_right_before(reading: Reading, start: int, end: int) -> Found | None:
    """Return the brand whose name ends at `end`, apart from a bracket or a sign between."""
    folded = reading.document.folded
    start = max(start, end - _REACH)
    between = _BETWEEN.search(folded, start, end)
    last = between.start() if between else end
    found = _ending_at(reading, start, last)
    if found is None and between and between["bracket"]:
        found = _in_stretch(reading, between.start("inside"), between.end("inside"))
    return vouched(reading, found) if found else None


def brand_of_item(reading: Reading, start: int, end: int) -> Found | None:
    """Return the brand of the item that ends at `end`: the name right before it, else the one that the item begins with."""
    found = _named_in_item(reading, start, end)
    if found is None or found.known or found.linked:
        return found
    return with_article(reading, found, start) or _without_model(reading, found)


def with_article(reading: Reading, found: Found, start: int) -> Found | None:
    """Return the brand whose name begins with an article in capitals, right behind an item's label or a word such as "by"."""
    folded = reading.document.folded
    article = _OWN_ARTICLE.search(folded, max(start, found.start - _LABELLED), found.start)
    if article is None:
        return None
    first = article.start("article")
    return from_name(folded[first : found.end], first, reading.directory, reading.context)


def _without_model(reading: Reading, found: Found) -> Found:
    """Return the brand of a name that goes on with its model: by a figure, or behind an article for several things.

    A company's words belong to its name.
    """
    words = found.name.split()
    if len(words) == 1:
        return found
    count = next((at for at, word in enumerate(words) if any(map(str.isdigit, word))), len(words))
    folded = reading.document.folded
    are_several = _SEVERAL.search(folded, max(found.start - _ARTICLE, 0), found.start) is not None
    if count == 0 or (count == len(words) and not are_several):
        return found
    shorter = " ".join(words[:count])
    name = shorter if is_company_name(shorter) else words[0]
    return from_name(name, found.start, reading.directory, reading.context) or found


def _named_in_item(reading: Reading, start: int, end: int) -> Found | None:
    folded = reading.document.folded
    first = item_start(folded, start, end)
    if model := _MODEL.search(folded, first, end):
        end = model.start()
    if not any(_UNSPACED.match(letter) for letter in folded[first:end]):
        found = brand_right_before(reading, first, end)
        if found:
            return found
    if known := _in_stretch(reading, first, end):
        return vouched(reading, known)
    span = read_name(folded, first, end)
    if span is None or NO_COMPANY.match(folded, span[0], span[1]):
        return None
    name = folded[span[0] : span[1]]
    found = from_name(name, span[0], reading.directory, reading.context)
    return vouched(reading, found) if found else None


def brand_named_before(reading: Reading, segment_index: int, end: int) -> Found | None:
    """Return the brand that the words before `end` or the sentences before them name last."""
    document = reading.document
    own = document.segments[segment_index]
    for index in range(segment_index, max(segment_index - _SENTENCES, 0) - 1, -1):
        segment = document.segments[index]
        if segment.paragraph != own.paragraph:
            return None
        last = min(segment.end, end)
        stretch = (segment.start, last)
        if found := (
            _in_stretch(reading, *stretch)
            or _quoted_in(reading, *stretch)
            or _behind_word(reading, *stretch)
        ):
            return vouched(reading, found)
        if index < segment_index and (found := _first_name(reading, segment.start, last)):
            return vouched(reading, found)
    return None


def item_start(folded: str, start: int, end: int) -> int:
    """Return where the item that ends at `end` begins: behind the last bullet or label before its name."""
    first = start
    for match in _ITEM_START.finditer(folded, max(start, end - _LONGEST_ITEM), end):
        if any(letter.isalnum() for letter in folded[match.end() : end]):
            first = match.end()
    signs = _LEADING_SIGNS.match(folded, first, end)
    return signs.end() if signs else first


def _in_stretch(reading: Reading, start: int, end: int) -> Found | None:
    """Return the last brand that a stretch links to or names by the directory."""
    brands = [*reading.linked_brands(start, end), *reading.named_brands(start, end)]
    outside = [brand for brand in brands if not reading.is_platform(brand)]
    return max(outside, key=lambda brand: brand.start, default=None)


def _quoted_in(reading: Reading, start: int, end: int) -> Found | None:
    match = re.search(r"\"([^\"\n]{2,30})\"", reading.document.folded[start:end])
    if match is None:
        return None
    return from_name(
        match.group(1), start + match.start(1), reading.directory, reading.context, misspelled=False
    )


def _behind_word(reading: Reading, start: int, end: int) -> Found | None:
    """Return the last name behind a word such as "from" or "firm"."""
    folded = reading.document.folded
    for match in reversed(list(_FROM.finditer(folded, start, end))):
        span = read_name(folded, match.end(), end)
        if span and not NO_COMPANY.match(folded, *span):
            name = folded[span[0] : span[1]]
            return from_name(name, span[0], reading.directory, reading.context)
    return None


def _first_name(reading: Reading, start: int, end: int) -> Found | None:
    """Return the name that an item begins with, where a link or handle of the same line vouches for it."""
    folded = reading.document.folded
    signs = _LEADING_SIGNS.match(folded, start, end)
    first = signs.end() if signs else start
    span = read_name(folded, first, end)
    if span is None or not (reading.document.links_in(start, end) or "@" in folded[start:end]):
        return None
    name = folded[span[0] : span[1]]
    return from_name(name, span[0], reading.directory, reading.context)


def _known_ending_at(document: Document, start: int, end: int) -> NameMatch | None:
    """Return the directory's name that ends at `end` or reaches over it, unless it may be another word.

    The word before a verb may be the name's last one: "Acme Cola sponsors".
    """
    near = document.names_in(start, end + _OVERLAP)
    names = (name for name in reversed(near) if name.start < end <= name.end)
    known = next(names, None)
    if known is None or name_key(document.folded[known.start : known.end]) in AMBIGUOUS:
        return None
    return known


def _ending_at(reading: Reading, start: int, end: int) -> Found | None:
    document = reading.document
    folded = document.folded
    if known := _known_ending_at(document, start, end):
        found = found_brand(known.brand, known.start, known.end)
        return None if reading.context.owns_name(found.name) else found
    link = next((link for link in document.links_in(start, end) if link.end >= end), None)
    if link:
        return reading.brand_of(link)
    if quoted := _QUOTED.search(folded, start, end):
        group = 1 if quoted.group(1) else 2
        return _named(reading, *quoted.span(group))
    if handle := _HANDLE_END.search(folded, start, end):
        whole = HANDLE.match(folded, handle.start())
        return _named(reading, handle.start(1), whole.end() if whole else handle.end())
    return _written_at(reading, start, end)


def _written_at(reading: Reading, start: int, end: int) -> Found | None:
    """Return the name in capitals, or in a script without them, that ends at `end`."""
    folded = reading.document.folded
    if end > start and _UNSPACED.match(folded[end - 1]):
        return _unspaced(reading, start, end)
    for at in _word_starts(folded, start, end):
        first = _behind_lead(folded, at, end) if at <= start + 1 or folded[at].islower() else at
        if first < end and read_name(folded, first, end) == (first, end):
            return _named(reading, first, end)
    return None


def _word_starts(folded: str, start: int, end: int) -> list[int]:
    """Return where the name may begin: right behind a particle without a blank, or at one of the last words."""
    particles = [match.end() for match in _PARTICLE.finditer(folded, start, end)]
    words = [match.start() for match in _WORD.finditer(folded, start, end)]
    return [*particles[-1:], *words[-_WORDS:]]


def _behind_lead(folded: str, at: int, end: int) -> int:
    """Return where a name begins behind words such as "And the team of" at a sentence's start."""
    lead = LEADS.match(folded, at, end)
    return skip_leading(folded, lead.end(), end) if lead else at


def _unspaced(reading: Reading, start: int, end: int) -> Found | None:
    """Return the name in a script without capitals that ends at `end`: it begins behind a blank, sign or particle."""
    folded = reading.document.folded
    stops = [match.end() for match in CJK_STOP.finditer(folded, start, end)]
    first = stops[-1] if stops else start
    if words := _TWO_KOREAN.search(folded, start, end):
        first = words.start("name")
    return _named(reading, first, end) if end - first > 1 else None


def _named(reading: Reading, start: int, end: int) -> Found | None:
    folded = reading.document.folded
    if NO_COMPANY.match(folded, start, end):
        return None
    return from_name(folded[start:end], start, reading.directory, reading.context)
