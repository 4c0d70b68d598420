"""Claims from a label of two names, of which one is the channel's own: "Lakeside Diary x Acme: https://…"."""

import re
from collections.abc import Iterator
from typing import Final

from import_worker.detector.links import Link
from import_worker.detector.persons import has_family_name, is_no_trade, may_be_person
from import_worker.detector.phrases.exclusions import CREDITS, FANS, OWN
from import_worker.detector.phrases.made_together import OTHER_MAKERS
from import_worker.detector.phrases.supplied_things import OWN_COLLECTION
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.resolving import Found, from_name
from import_worker.detector.slots import vouched

_TOP: Final = 350
"""Characters from the start in which a call is the video's own."""

_LABEL: Final = 120
_KINDS: Final = frozenset({"site", "shortener", "network"})
_PAIR: Final = re.compile(
    r"(?:^|(?<=[\n|•>]))\W{0,4}(?P<first>[^\n:|()]{2,40}?) [x×] (?P<second>[^\n:|()]{2,40}?) ?(?:\([^()\n]{0,60}\) ?)?[:\-→➜➡►>]{1,2} ?$"
)
_WEIGHT: Final = {True: 0.82, False: 0.72}
"""How much a pair says, by whether the directory knows the brand."""


def paired_claims(reading: Reading) -> Iterator[Claim]:
    """Yield the brands that stand beside the channel's own name before a link at the top."""
    document = reading.document
    behind_last = 0
    for link in document.links_in(0, _TOP):
        start, behind_last = max(behind_last, link.start - _LABEL), link.end
        if link.kind not in _KINDS or reading.context.owns_link(link):
            continue
        pair = _PAIR.search(document.folded[start : link.start])
        if pair is None or _is_other(document.lowered[start + pair.start() : link.start]):
            continue
        for own, other in (("first", "second"), ("second", "first")):
            if reading.context.owns_name(pair[own].strip()):
                yield from _claim(reading, link, start + pair.start(other), pair[other])
                break


def _is_other(label: str) -> bool:
    """Return whether a label is of the creator's own things, of credits or of supporters."""
    return any(pattern.search(label) for pattern in (OWN, OWN_COLLECTION, CREDITS, FANS))


def _is_no_company(reading: Reading, found: Found) -> bool:
    """Return whether a name is a person's, another creator's, a charity's or a public body's."""
    if found.known:
        return False
    is_other = OTHER_MAKERS.search(found.name) is not None or is_no_trade(found)
    return has_family_name(found) or is_other or may_be_person(reading, found)


def _claim(reading: Reading, link: Link, start: int, name: str) -> Iterator[Claim]:
    found: Found | None = from_name(name.strip(), start, reading.directory, reading.context)
    if found is None or reading.is_platform(found) or _is_no_company(reading, found):
        return
    named = vouched(reading, found)
    yield Claim(
        found=named,
        kind="paid_sponsorship",
        code=None,
        link=link.url,
        start=start,
        end=link.end,
        weight=_WEIGHT[named.known],
        reason="stated advertising or partnership",
    )
