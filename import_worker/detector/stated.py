"""Claims from statements: "sponsored by", "in partnership with", "provided by … for review"."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from import_worker.detector.benefits import has_benefit
from import_worker.detector.company_names import is_company_name
from import_worker.detector.document import Segment
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.name_parts import CASELESS
from import_worker.detector.named_beside import (
    brand_named_before,
    brand_of_item,
    brand_right_before,
    with_article,
)
from import_worker.detector.persons import (
    has_family_name,
    is_level,
    is_no_trade,
    is_relative,
    is_thanked_for_other,
    may_be_person,
    namesakes,
    supporters,
)
from import_worker.detector.phrases.exclusions import OWN, PUBLIC_BODY
from import_worker.detector.phrases.made_together import ORDINARY_WORD, OTHER_MAKERS
from import_worker.detector.phrases.marks import ANY_MARK
from import_worker.detector.phrases.name_words import OPENER
from import_worker.detector.phrases.offers import ACTION
from import_worker.detector.phrases.subject_names import WORK
from import_worker.detector.phrases.supplied_things import NAMED_COMPANY
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import brands_after, brands_before, brands_named_whole
from import_worker.detector.statements import Statement, is_void
from import_worker.detector.supplied import UNVOUCHED, weight_of_supply

_MOST_CLAIMS: Final = 6
"""Statements of one kind by which a brand is claimed."""

_BEHIND: Final = 60

_DOES: Final = re.compile(
    r",? (?:(?:always|now|still|also|just|really|even|will|would|is|are|was|were|has|have|had|does|did|do) )*"
    r"(?:wants?|wanted|asks?|asked|asking|charges?|charged|charging|costs?|paid|pays?|paying|needs?|sells?|sold|takes?|took|makes?|made|offers?|gets?|got|goes|went|looks?|works?)\b"
)
"""A verb right behind a name, by which it is nobody who is thanked."""

_FOR_A_THING: Final = re.compile(r"for (?:the|this|these|my|our|all the) (?!use\b|loan\b|lend\b)")

_GOES_ON: Final = 8
"""Characters behind a name that may still be of it."""

_VISIT: Final = "visit "

_LIST_LINES: Final = 300

_ODD_LINES: Final = 2
"""How many lines in a row without a name may stand between those of a list."""

_GOES_ON_AS_SENTENCE: Final = re.compile(
    r"[Ss]ponsors?,? [a-zà-ÿ]|[Ss]ponsoren,? [a-zà-ÿ]|patrocinador(?:es)?,? [a-zà-ÿ]"
)
"""A sentence whose subject is "our sponsor": what follows is its verb, and no name."""

_LISTED: Final = re.compile(r"\s*(?:[:\-|]\s*)?$")

_EXCERPT: Final = 300

_SIGNS: Final = " \n:|-(→➜➡►"
"""Signs that stand between a name and its own link."""

_SINGLE: Final = frozenset({"subject", "beside", "item", "back"})
"""Positions that hold one brand at the most."""

_ENOUGH: Final = frozenset({"strong", "firm"})
"""Strengths of phrases for which any name is enough."""

_KNOWN_ALONE: Final = {True: 0.6, False: 0.45}
"""Confidence of a weaker statement about a known brand with neither link nor benefit, by whether it is a fair one."""

_JOINT: Final = {True: 0.97, False: 0.95}
"""Weight of a video made together with a brand, by whether the directory knows it, and not only its link vouches for it."""

_JOINT_UNKNOWN: Final = 0.86
"""Weight of a video made together with a name that nothing vouches for and that is no person's."""

_WEAK: Final = {
    (True, True): 0.82 + 0.08,
    (True, False): 0.82,
    (False, True): 0.72 + 0.08,
    (False, False): 0.72,
}
"""Confidence of a weaker statement, by whether the directory knows the brand and a benefit follows."""


def stated_claims(reading: Reading) -> Iterator[Claim]:
    """Yield the brands that the text says stand behind the video."""
    claimed: Counter[tuple[str, str]] = Counter()
    for hit in reading.statements:
        if not is_void(reading.document, hit):
            yield from _claims(reading, hit, claimed)


def _claims(reading: Reading, hit: Statement, claimed: Counter[tuple[str, str]]) -> Iterator[Claim]:
    """Yield what a statement claims; `claimed` counts a brand's claims by their reason, of which the first few say all."""
    brands = _companies(reading, hit)
    for found in brands:
        claimed[found.slug, hit.cue.reason] += 1
        if claimed[found.slug, hit.cue.reason] > _MOST_CLAIMS:
            continue
        if not found.known and PUBLIC_BODY.search(_full_name(reading, found)):
            continue
        weight = _weight(reading, hit, found)
        if weight:
            called = found if len(brands) > 1 else _with_called_link(reading, hit, found)
            yield _claim(reading, hit, called, weight)


def _companies(reading: Reading, hit: Statement) -> list[Found]:
    """Return the brands of a statement without persons."""
    brands = _brands(reading, hit)
    persons = [*supporters(reading, brands), *namesakes(reading, hit, brands)]
    return [
        found
        for found in brands
        if found not in persons
        and not is_relative(reading, found)
        and not is_level(reading, found)
        and not is_thanked_for_other(reading, hit, found)
    ]


def _full_name(reading: Reading, found: Found) -> str:
    """Return a name in lower case with what follows it: a public body's name often goes on in small letters.

    "Visit", which no name begins with, is of the name of a country's or town's own.
    """
    lowered = reading.document.lowered
    is_visited = lowered.endswith(_VISIT, 0, found.start)
    return lowered[found.start - len(_VISIT) * is_visited : found.end + _GOES_ON]


def _brands(reading: Reading, hit: Statement) -> list[Found]:
    """Return the brands of a statement: beside it, in the list under it, or in its whole sentence."""
    document = reading.document
    segment = document.segments[hit.segment]
    if hit.cue.slot == "before":
        return _before(reading, segment, hit)
    if hit.cue.slot in _SINGLE:
        return _single(reading, hit, segment)
    # Where line breaks were lost a line is the whole text: the sentence has all that is said.
    is_lost = lost_line_breaks(document.folded)
    end = segment.end if is_lost else document.line_of(hit.segment)[1]
    brands = [_with_article(reading, hit, found) for found in brands_after(reading, hit.end, end)]
    return brands if brands or hit.cue.slot != "after" else _elsewhere(reading, hit, segment)


def _elsewhere(reading: Reading, hit: Statement, segment: Segment) -> list[Found]:
    """Return the brands of a statement with none right behind it: of the list under it, or of its whole sentence."""
    document = reading.document
    if _LISTED.match(document.lowered[hit.end : segment.end]) and (listed := _listed(reading, hit)):
        return listed
    is_strong = hit.cue.strength == "strong" and hit.cue.kind == "paid_sponsorship"
    if hit.cue.strength == "together" and CASELESS.match(document.folded, hit.end):
        return brands_named_whole(reading, hit.end, segment.end)
    return _around_sentence(reading, hit, segment) if is_strong else []


def _before(reading: Reading, segment: Segment, hit: Statement) -> list[Found]:
    """Return the brands right before a phrase."""
    brands = [
        found
        for found in brands_before(reading, segment.start, hit.start)
        if found.known or WORK.fullmatch(found.name) is None
    ]
    if hit.cue.kind == "free_product":
        brands = [found for found in brands if _is_thanked(reading, segment, hit, found)]
    return brands or _company_in_small_letters(reading, segment.start, hit)


def _with_article(reading: Reading, hit: Statement, found: Found) -> Found:
    """Return a giver that nothing vouches for with the article that its name begins with: "offert par La Acme"."""
    if found.known or found.linked or hit.cue.kind != "free_product":
        return found
    return with_article(reading, found, hit.start) or found


def _is_thanked(reading: Reading, segment: Segment, hit: Statement, found: Found) -> bool:
    """Return whether words of thanks stand before a name, or nothing says that it is of something else.

    "For the parts" alone is no thanks: there the name begins its sentence.
    """
    lowered = reading.document.lowered
    if OPENER.search(lowered, segment.start, max(found.start, segment.start)):
        return True
    if _FOR_A_THING.match(lowered, hit.start, hit.end):
        others = lowered[segment.start : found.start] + lowered[found.end : hit.start]
        return not any(letter.isalnum() for letter in others)
    return _DOES.match(lowered, found.end, hit.start) is None


def _company_in_small_letters(reading: Reading, start: int, hit: Statement) -> list[Found]:
    """Return the company that is thanked for a product and whose name, in small letters, follows the word for its business."""
    first = max(start, hit.start - _BEHIND)
    match = NAMED_COMPANY.search(reading.document.lowered, first, hit.start)
    if match is None or hit.cue.kind != "free_product":
        return []
    at = match.start("name")
    name = match["name"].title()
    found = from_name(name, at, reading.directory, reading.context)
    return [found] if found else []


def _around_sentence(reading: Reading, hit: Statement, segment: Segment) -> list[Found]:
    """Return the brand of a phrase with no name in capitals behind it: the one that it is apposed to, or all that follows."""
    document = reading.document
    if named := _apposed(reading, hit, segment):
        return named
    is_sentence = _GOES_ON_AS_SENTENCE.search(document.folded, hit.start, hit.end + 2) is not None
    return [] if is_sentence else brands_named_whole(reading, hit.end, segment.end)


def _apposed(reading: Reading, hit: Statement, segment: Segment) -> list[Found]:
    """Return the brand before a comma that a phrase says what it is of: "Acme, our sponsor, has …"."""
    if reading.document.folded[segment.start : hit.start].rstrip(" -").endswith(","):
        found = brand_right_before(reading, segment.start, hit.start)
        return [found] if found else []
    return []


def _single(reading: Reading, hit: Statement, segment: Segment) -> list[Found]:
    """Return the one brand of a phrase that has it right beside it, in its item, or in a sentence before."""
    if hit.cue.slot == "back":
        found = brand_named_before(reading, hit.segment, hit.start)
    elif hit.cue.slot == "item":
        found = brand_of_item(reading, segment.start, hit.start)
    else:
        found = _right_beside(reading, hit, segment)
    return [found] if found else []


def _right_beside(reading: Reading, hit: Statement, segment: Segment) -> Found | None:
    """Return the brand right before a phrase, or behind it where its verb may come first.

    What was given stands first in such sentences, so that there the name behind goes first.
    """
    if hit.cue.slot == "subject":
        return brand_right_before(reading, segment.start, hit.start)
    behind = next(iter(brands_after(reading, hit.end, segment.end)), None)
    if behind and hit.cue.kind == "free_product":
        return behind
    return brand_right_before(reading, segment.start, hit.start) or behind


def _with_called_link(reading: Reading, hit: Statement, found: Found) -> Found:
    """Return the sponsor with the site that viewers are sent to right behind its name."""
    link = None if found.domain or found.known else reading.link_after(max(hit.end, found.end))
    if link is None or link.kind != "site" or reading.context.owns_link(link):
        return found
    between = reading.document.lowered[found.end : link.start][:_EXCERPT]
    if not found.name.isascii() and not between.strip(_SIGNS):
        return replace(found, domain=link.domain)  # its letters cannot be held against the link's
    other = reading.brand_of(link)
    if ACTION.search(between) and not (other and other.known):
        return replace(found, domain=link.domain)
    return found


def _listed(reading: Reading, hit: Statement) -> list[Found]:
    """Return the brands of the lines under a heading: a name or a link at the beginning of each."""
    document = reading.document
    brands: list[Found] = []
    odd = 0
    for segment in document.segments[hit.segment + 1 :][:_LIST_LINES]:
        if segment.paragraph > document.segments[hit.segment].paragraph + (0 if brands else 1):
            break
        if OWN.search(document.lowered, segment.start, segment.end):
            continue
        found = brands_after(reading, segment.start, segment.end)
        if not found or not (
            found[0].linked or found[0].known or document.links_in(segment.start, segment.end)
        ):
            odd += 1
            if odd > _ODD_LINES or not brands:
                break
            continue
        odd = 0
        brands.extend(found[:1])
    return brands


def _weight(reading: Reading, hit: Statement, found: Found) -> float:
    if hit.cue.strength in _ENOUGH:
        return _weight_of_strong(reading, hit, found)
    if hit.cue.strength == "together":
        return _weight_of_joint_work(reading, hit, found)
    return _weight_of_weak(reading, hit, found)


def _weight_of_weak(reading: Reading, hit: Statement, found: Found) -> float:
    segment = reading.document.segments[hit.segment]
    stretch = (max(segment.start, hit.start - _EXCERPT), min(segment.end, hit.end + _EXCERPT))
    offered = has_benefit(reading.document.lowered, *stretch)
    is_fair = hit.cue.strength == "fair"
    vouched_for = found.linked and (is_fair or offered or _is_vanity(reading, found))
    if not found.known and not vouched_for:
        return _weight_of_stranger(reading, found) if is_fair else UNVOUCHED
    if not offered and reading.link_after(segment.start) is None:
        return _KNOWN_ALONE[is_fair]
    return _WEAK[found.known, offered]


def _weight_of_stranger(reading: Reading, found: Found) -> float:
    """Return how much a fair statement says of a name that nothing but itself may vouch for."""
    if is_company_name(found.name):
        return _KNOWN_ALONE[True]
    return 0.7 if ANY_MARK.search(reading.document.lowered) else UNVOUCHED


def _weight_of_joint_work(reading: Reading, hit: Statement, found: Found) -> float:
    """Return how much it says that a video was made together with somebody, who may be a person or another creator."""
    if _is_among_persons(reading, hit, found) or is_no_trade(found):
        return UNVOUCHED
    is_maker = not found.known and bool(
        OTHER_MAKERS.search(found.name) or ORDINARY_WORD.fullmatch(found.name)
    )
    if (found.known or found.linked) and not is_maker:
        return _JOINT[found.known]
    return UNVOUCHED if is_maker or _is_of_person(reading, found) else _JOINT_UNKNOWN


def _is_among_persons(reading: Reading, hit: Statement, found: Found) -> bool:
    """Return whether an unknown name of one word stands in a list with a person's."""
    # A brand may have a given name for its own: in a list of persons it is none.
    is_single = " " not in found.name and not found.linked
    return is_single and any(may_be_person(reading, other) for other in _brands(reading, hit))


def _is_of_person(reading: Reading, found: Found) -> bool:
    """Return whether a name is a handle, a place behind "of", two words that may be a person's, or known as one's."""
    if reading.document.lowered.endswith(" of ", 0, found.start):
        return True
    is_handle = reading.document.folded[max(found.start - 1, 0) : found.start] == "@"
    return is_handle or has_family_name(found) or may_be_person(reading, found)


def _weight_of_strong(reading: Reading, hit: Statement, found: Found) -> float:
    if found.known:
        return 0.97
    if hit.cue.kind == "free_product" and not found.linked:
        return weight_of_supply(reading, hit, found)
    return 0.95 if found.linked else 0.86


def _is_vanity(reading: Reading, found: Found) -> bool:
    near = reading.document.links_in(found.start, found.start + _EXCERPT)
    return any(
        link.domain == found.domain and reading.context.is_named_in(link.path) for link in near
    )


def _claim(reading: Reading, hit: Statement, found: Found, weight: float) -> Claim:
    document = reading.document
    segment = document.segments[document.segment_index(hit.start)]
    start = max(min(hit.start, found.start), segment.start if found.start >= segment.start else 0)
    end = min(max(hit.end, found.end), len(document.folded))
    if segment.start <= start and end <= segment.end <= segment.start + _EXCERPT:
        start, end = segment.start, segment.end
    elif end - start > _EXCERPT:
        start, end = found.start, found.end
    link = next(iter(document.links_in(found.start, found.end)), None) or reading.link_after(end)
    return Claim(
        found=found,
        kind=hit.cue.kind,
        code=None,
        link=link.url if link and not reading.context.owns_link(link) else None,
        start=start,
        end=end,
        weight=weight,
        reason=hit.cue.reason,
    )
