"""The brand named right beside a promo code, or at the beginning of its item: "Acme - SAM10", "SAM10 at Acme", "Acme, 5 % with SAM10"."""

import re
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.brand_names import read_name
from import_worker.detector.code_entries import is_call
from import_worker.detector.named_beside import brand_right_before, item_start
from import_worker.detector.phrases.codes import NO_BRAND, OFFERS
from import_worker.detector.phrases.offers import BENEFIT, SUBSCRIBING
from import_worker.detector.phrases.subject_names import LEADS, NO_COMPANY
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import brands_after, vouched

_REACH: Final = 60
_ITEM: Final = 110
_SHORT: Final = 12
_BETWEEN: Final = re.compile(
    r"(?:(?:さん|様)?(?:で|にて|の)(?:使える|使用できる|ご?利用できる)?)?(?:\s*\([^()\n]{2,40}\))?[\s\-:=>|→➜➡⇒►▶,*\"'(]*"
    r"(?:(?:my|our|mein|meinem|mon|mi|meu|мой|это|discount|promo|rabatt\w*|cup[oó]n|cupom|coupon|code|c[oó]digo|codice|kod|kode|kortingscode|код|with|w/|mit|use|using|com|con|avec)[\s:\-]*)*[\"'(]*$",
    re.IGNORECASE,
)
_TO: Final = re.compile(
    r"[\"')\]*]*\s*(?:→|➜|➡|⇒|►|▶|[-=]+>|=|(?:at|on|for|auf|bei|für|im|sur|chez|en|na|no|em|su|op|bij|voor|på|hos|на|в|di)\s)"
    r"\ufe0f?\s*(?:the |my |la |le |o |a |site (?:da|do|de) )?"
    r"(?=[\"@A-ZА-ЯÀ-Ý\u3040-\u9fff\uac00-\ud7a3]|[a-z]{4,}\b)"
)
_LOWER_LABEL: Final = re.compile(
    r"([a-zà-ÿ][\wà-ÿ.&']{3,24})\s*(?:[-:>|,(=→➜➡►]|cupom|code|coupon|c[oó]digo|codice|kod|\Z)"
)
_IN_SHOP: Final = re.compile(
    r" (?:в|у|at|from|im|bei|chez|dans|no|na|bij|su) (?=[A-ZÀ-ÝА-Я][\w'&.\- ]{1,30}[\s:\-(>→►➜]{1,4}https?://)"
)
"""Between what a code is for and the shop of the link: "SAM10 on shoes at Acme"."""
_PRICE: Final = re.compile(r" \d+[%€$£]$")
_SIGNS: Final = " -:(>|,=→➜➡►"
_SEPARATED: Final = re.compile(r"\s*(?:[-:(>|,=→➜➡►]|\d|[$€£]|\Z)")
_GIVEN_AWAY: Final = re.compile(
    r"(?:free|gratis|offerte?s?|kostenlos\w*|gratuit\w*|[+&]) $", re.IGNORECASE
)
"""What stands before a benefit, which is no name."""


def brand_beside_code(reading: Reading, code: Code) -> Found | None:
    """Return the brand that a code stands beside, or whose item it ends; None when no name stands there."""
    return (
        _behind(reading, code)
        or _before(reading, code)
        or _company_that_offers(reading, code)
        or _of_item(reading, code)
    )


def _behind(reading: Reading, code: Code) -> Found | None:
    document = reading.document
    segment = document.segments[code.segment]
    match = _TO.match(document.folded, code.end, segment.end) if code.text else None
    if match is None:
        return None
    end = min(segment.end, match.end() + _REACH)
    brands = brands_after(reading, match.end(), end)
    if brands and (shop := _IN_SHOP.match(document.folded, brands[0].end, end)):
        brands = brands_after(reading, shop.end(), end) or brands
    return _fit(reading, code, brands[0] if brands else None)


def _before(reading: Reading, code: Code) -> Found | None:
    document = reading.document
    segment = document.segments[code.segment]
    first = max(segment.start, code.start - _REACH)
    match = _BETWEEN.search(document.folded, first, code.start)
    return _fit(
        reading, code, brand_right_before(reading, first, match.start() if match else code.start)
    )


def _company_that_offers(reading: Reading, code: Code) -> Found | None:
    """Return the company that gives what the code is for, in the code's sentence."""
    document = reading.document
    first = max(document.segments[code.segment].start, code.start - _ITEM)
    match = OFFERS.search(document.lowered, first, code.start)
    return _fit(reading, code, brand_right_before(reading, first, match.start()) if match else None)


def _of_item(reading: Reading, code: Code) -> Found | None:
    """Return the brand that the code's item begins with: its label."""
    document = reading.document
    segment = document.segments[code.segment]
    first = item_start(document.folded, max(segment.start, code.start - _ITEM), code.start)
    is_far = first == segment.start and code.announced and code.start - first > _REACH
    if is_far or document.is_in_link(first):
        return None
    span = read_name(document.folded, first, code.start) or _lower_case(reading, code, first)
    if span is None or not _SEPARATED.match(document.folded, span[1], code.start):
        return None
    if NO_COMPANY.match(document.folded, *span):
        return None
    name = _PRICE.sub("", document.folded[span[0] : span[1] + 1]).strip(_SIGNS)
    found = from_name(name, span[0], reading.directory, reading.context)
    return _fit(reading, code, vouched(reading, found) if found else None)


def _lower_case(reading: Reading, code: Code, first: int) -> tuple[int, int] | None:
    """Return the word without a capital that an item begins with, where the channel's own code ends it."""
    if not reading.context.is_named_in(code.text):
        return None
    match = _LOWER_LABEL.match(reading.document.folded, first, code.start)
    return match.span(1) if match else None


def _fit(reading: Reading, code: Code, found: Found | None) -> Found | None:
    """Return a brand unless its name is the code, a word of shops, a platform's or a price."""
    if found is None or reading.is_platform(found) or (code.start <= found.start < code.end):
        return None
    before = reading.document.folded[max(found.start - _SHORT, 0) : found.start]
    if found.name.upper() == code.text.upper() or _GIVEN_AWAY.search(before):
        return None
    return found if found.known or _is_name(found.name) else None


def _is_name(name: str) -> bool:
    """Return whether words may name a shop: no article, call to act, benefit or price."""
    lowered = name.lower()
    first, *_, last = (lowered.split() or [""]) * 2
    return not (
        name[0].isdigit()
        or first in NO_BRAND
        or last in NO_BRAND
        or ((lead := LEADS.match(f"{lowered} .")) and lead.end() > len(lowered))
        or is_call(lowered)
        or BENEFIT.search(lowered)
        or SUBSCRIBING.search(lowered)
    )
