"""Claims from one promo code for several sites: "use code X on all of these", with the list that it heads or ends."""

from collections.abc import Iterator, Sequence
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.benefits import has_benefit
from import_worker.detector.document import Document
from import_worker.detector.links import Link
from import_worker.detector.phrases import codes
from import_worker.detector.phrases.exclusions import OWN
from import_worker.detector.phrases.shared_codes import ABOVE, FOR_ALL
from import_worker.detector.reading import Claim, Reading

_LONGEST_LABEL: Final = 60
"""Characters between two links of a list: the label of the second, or the tail of the first."""

_FEWEST: Final = 2
_LINE: Final = 160
_WEIGHT: Final = 0.85


def shared_code_claims(reading: Reading, code: Code) -> Iterator[Claim]:
    """Yield the brands of the list that a code on a line of its own is for; none for a single site."""
    document = reading.document
    first, last = _line(document, code)
    if document.links_in(first, last):
        return
    brands = [
        (found, link)
        for link in _list_of(reading, code, first, last)
        if (found := reading.brand_of(link)) and not reading.is_platform(found)
    ]
    if len({found.slug for found, _ in brands}) < _FEWEST:
        return
    for found, link in brands:
        yield Claim(
            found,
            "promo_code",
            code.text,
            link.url,
            link.start,
            link.end,
            _WEIGHT,
            "promo code for a list of sites",
        )


def _line(document: Document, code: Code) -> tuple[int, int]:
    """Return start and end of the code's line; in texts without line breaks, of what stands around it up to the next links."""
    first = document.folded.rfind("\n", 0, code.start) + 1
    last = document.folded.find("\n", code.end)
    last = len(document.folded) if last < 0 else last
    before = [link.end for link in document.links_in(first, code.start)]
    behind = [link.start for link in document.links_in(code.end, last)]
    return max([first, code.start - _LINE, *before]), min([last, code.end + _LINE, *behind])


def _list_of(reading: Reading, code: Code, first: int, last: int) -> Sequence[Link]:
    """Return the links of the list that a code's line heads or ends."""
    document = reading.document
    line = document.lowered[first:last]
    if ABOVE.search(line):
        return list(_run(reading, reversed(document.links_in(0, first)), first))
    is_announcing = line.rstrip().endswith(":") or has_benefit(document.lowered, first, last)
    if is_announcing and FOR_ALL.search(line):
        following = document.links_in(code.end, len(document.folded))
        return list(_run(reading, iter(following), code.end))
    return ()


def _run(reading: Reading, links: Iterator[Link], at: int) -> Iterator[Link]:
    """Yield the links that follow one another from a place in a text, on either side of it, with nothing but labels between."""
    lowered = reading.document.lowered
    for count, link in enumerate(links):
        is_behind = link.start >= at
        between = lowered[at : link.start] if is_behind else lowered[link.end : at]
        if not _goes_on(between, is_first=not count) or not _leads_outside(reading, link):
            return
        yield link
        at = link.end if is_behind else link.start


def _goes_on(between: str, *, is_first: bool) -> bool:
    """Return whether a list begins, or goes on, behind what stands before one of its links."""
    if OWN.search(between):
        return False
    if is_first:
        return len(between) <= _LINE
    is_label = len(between) <= _LONGEST_LABEL and "\n\n" not in between
    return is_label and not any(stem in between for stem in codes.STEMS)


def _leads_outside(reading: Reading, link: Link) -> bool:
    return link.kind not in {"platform", "store"} and not reading.context.owns_link(link)
