"""The shop that a word is said to, or a code is used at, by the words before it: "at Acme", "that shop Acme"."""

from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.brand_names import read_name
from import_worker.detector.code_entries import is_shop_name
from import_worker.detector.phrases.code_entries import BETWEEN
from import_worker.detector.phrases.said_words import AT_SHOP, PLACED_SHOP, THERE
from import_worker.detector.reading import Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import vouched

_SURE: Final = 0.86
_UNSURE: Final = 0.7


def shop_of_said(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the shop that a word is said to: the last that its sentence names before it, or the sentence before on its line."""
    if not code.said:
        return None
    document = reading.document
    segment = document.segments[code.segment]
    found = _last_shop(reading, segment.start, code.start) or _of_sentence_before(reading, code)
    return (found, _SURE) if found else None


def shop_right_before(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the shop whose name, behind a word for a place, ends right before a code that names the channel."""
    if not reading.context.is_named_in(code.text):
        return None
    start = reading.document.segments[code.segment].start
    found = _last_shop(reading, start, code.start)
    if found is None or not BETWEEN.fullmatch(reading.document.folded, found.end, code.start):
        return None
    return found, _SURE


def shop_there(reading: Reading, code: Code) -> tuple[Found, float] | None:
    """Return the shop of the sentence before, where the code's own says that it is used there."""
    document = reading.document
    segment = document.segments[code.segment]
    stretch = (segment.start, segment.end)
    if not has_benefit(document.lowered, *stretch) or not THERE.search(document.lowered, *stretch):
        return None
    found = _of_sentence_before(reading, code)
    is_sure = reading.context.is_named_in(code.text)
    return (found, _SURE if is_sure else _UNSURE) if found else None


def _of_sentence_before(reading: Reading, code: Code) -> Found | None:
    segments = reading.document.segments
    own, before = segments[code.segment], segments[max(code.segment - 1, 0)]
    if before is own or before.line != own.line:
        return None
    return _last_shop(reading, before.start, before.end)


def _last_shop(reading: Reading, start: int, end: int) -> Found | None:
    """Return the last name of a stretch that stands where shops do, and where towns do only when there is no other."""
    for span in _shop_spans(reading.document.folded, start, end):
        if not is_shop_name(reading, *span):
            continue
        name = reading.document.folded[slice(*span)]
        found = from_name(name, span[0], reading.directory, reading.context)
        if found and not reading.is_platform(found):
            return vouched(reading, found)
    return None


def _shop_spans(folded: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the names where shops stand, the likeliest first."""
    spans = [
        (match["weak"] is None, span)
        for match in AT_SHOP.finditer(folded, start, end)
        if (span := read_name(folded, match.end(), end))
    ]
    placed = PLACED_SHOP.finditer(folded, start, end)
    spans.extend((True, match.span(match.lastgroup or 0)) for match in placed)
    return [span for _, span in sorted(spans, reverse=True)]
