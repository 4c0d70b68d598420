"""The signs of an item that are the same for each brand it may be about: numbers from 0 to 1."""

from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.items import Item
from import_worker.detector.link_marks import is_marked
from import_worker.detector.offer_scoring import TRACKED
from import_worker.detector.phrases.codes import PLATFORM_CODES
from import_worker.detector.phrases.exclusions import CHARITY, CONTACT, CREDITS, OWN
from import_worker.detector.phrases.offers import (
    ACTION,
    IMPERATIVE,
    OWN_LINK,
    REFERRAL,
    SUBSCRIBING,
)
from import_worker.detector.phrases.section_words import MARKETPLACE, MEDIA
from import_worker.detector.prefilter import bit_of, matches, searchable
from import_worker.detector.reading import Reading
from import_worker.detector.subjects import subjects_in

Features = dict[str, float]

TOP: Final = 400
"""Characters from the start in which an offer may be the video's own."""

EARLY: Final = 150
"""Characters from the start in which a link is what the video opens with."""

_PAYING: Final = frozenset({"sponsors", "affiliate"})
_NEAR: Final = 140
_LONG: Final = 3_000
_SHORT_LABEL: Final = 40
_MOST_LISTED: Final = 10
_PUBLIC: Final = (".gov", ".edu", ".org", ".gob")


def item_signs(item: Item, reading: Reading, codes: tuple[Code, ...]) -> Features:
    """Return the signs of an item: of its link, its words, its place, and the codes beside it."""
    return (
        _of_link(item, reading)
        | _of_words(item, reading)
        | _of_codes(item, reading, codes)
        | _of_subjects(item, reading)
    )


_TABLES: Final = {
    "action": ACTION,
    "referral": REFERRAL,
    "own_link_words": OWN_LINK,
    "own": OWN,
    "credits": CREDITS,
    "contact": CONTACT,
    "charity": CHARITY,
    "media": MEDIA,
    "market": MARKETPLACE,
    "platform_code": PLATFORM_CODES,
}
_WHOLE: Final = tuple(
    (f"item:{name}", table, bit_of(table)) for name, table in _TABLES.items() if name != "media"
)
"""Tables whose words count in an item's label and tail alike, with their bits."""

_SUBSCRIBING: Final = bit_of(SUBSCRIBING)
_NONE_OF_WHOLE: Final = {name: 0.0 for name, _, _ in _WHOLE}


def _of_link(item: Item, reading: Reading) -> Features:
    link, context = item.link, reading.context
    is_own = context.owns_link(link)
    # Under a heading for sponsors a creator's own link hides its brand as a short link does.
    is_redirect = is_own and item.topic in _PAYING and bool(link.path.strip("/"))
    return {
        f"item:kind_{'shortener' if is_redirect else link.kind}": 1.0,
        f"item:topic_{item.topic or 'none'}": 1.0,
        "item:own_link": float(is_own and not is_redirect),
        "item:redirect": float(is_redirect),
        "item:tracked": float(TRACKED.search(link.path) is not None),
        "item:named_path": float(
            context.is_named_in(link.path) or context.is_named_in(link.subdomain)
        ),
        "item:named_query": float(context.is_named_in(link.path.partition("?")[2])),
        "item:initials": float(context.has_initials_in(link.path)),
        "item:path": float(bool(link.path.strip("/"))),
        "item:subdomain": float(bool(link.subdomain)),
        "item:listed": min(item.following, _MOST_LISTED) / _MOST_LISTED,
        "item:opening": float(item.order == 0),
        "item:second": float(item.order == 1),
        "item:early": float(link.start < EARLY),
        "item:top": float(link.start < TOP),
        "item:start": 1 - min(link.start, _LONG) / _LONG,
        "item:government": float(link.domain.endswith(_PUBLIC)),
    }


def _of_words(item: Item, reading: Reading) -> Features:
    document, link = reading.document, item.link
    label = document.lowered[item.start : link.start]
    possible = searchable(document.lowered, item.start, item.end)
    near = (max(item.start - _NEAR, 0), item.end + _NEAR)
    signs = {
        "item:benefit_near": float(has_benefit(document.lowered, *near)),
        "item:referral_near": _has("referral", document.lowered, *near),
        "item:imperative": float(IMPERATIVE.match(label) is not None),
        "item:starred": float(is_marked(item, document.lowered)),
        "item:subscribing": float(
            bool(possible & _SUBSCRIBING) and SUBSCRIBING.search(label) is not None
        ),
        "item:media": _has("media", document.lowered, item.start, link.start),
        "item:label_short": float(len(label) < _SHORT_LABEL),
    }
    # Most links stand at the end of their line, many alone on it: what is empty is not searched.
    stretches = [
        (start, end)
        for start, end in ((item.start, link.start), (link.end, item.end))
        if start < end
    ]
    signs |= _NONE_OF_WHOLE
    for name, table, bit in _WHOLE:
        if possible & bit:
            found = any(table.search(document.lowered, *within) for within in stretches)
            signs[name] = float(found)
    signs["item:benefit"] = float(
        any(has_benefit(document.lowered, *within) for within in stretches)
    )
    if MARKETPLACE.search(link.domain):
        signs["item:market"] = 1.0
    return signs


def _has(table: str, lowered: str, start: int, end: int) -> float:
    return float(matches(_TABLES[table], lowered, start, end))


def _of_codes(item: Item, reading: Reading, codes: tuple[Code, ...]) -> Features:
    signs: Features = {}
    for code in codes:
        if item.start <= code.start < item.end + _NEAR:
            signs["item:code"] = 1.0
            if reading.context.is_named_in(code.text):
                signs["item:code_named"] = 1.0
        elif min(abs(code.start - item.end), abs(item.start - code.end)) < 2 * _NEAR:
            signs["item:code_near"] = 1.0
    return signs


def _of_subjects(item: Item, reading: Reading) -> Features:
    found = subjects_in(reading.document.lowered, item.start, item.end)
    return {f"subject:{subject}": 1.0 for subject in found}
