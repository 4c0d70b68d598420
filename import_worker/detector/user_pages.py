"""Links to a site's pages that its users make, or to what the creator has, books or shows there: they speak of no sponsor."""

from typing import Final

from import_worker.detector.benefits import has_benefit
from import_worker.detector.items import Item
from import_worker.detector.offer_scoring import TRACKED
from import_worker.detector.phrases.offers import REFERRAL
from import_worker.detector.phrases.user_pages import CALL_TO_OWN, USER_LABEL, USER_PATH
from import_worker.detector.reading import Reading

_PAYING: Final = frozenset({"sponsors", "affiliate"})
_NEAR: Final = 60


def is_user_page(reading: Reading, item: Item) -> bool:
    """Return whether a link leads to such a page, and nothing beside it speaks of an offer.

    Whatever the creator calls viewers to is the creator's own, with a benefit too.
    """
    link, lowered = item.link, reading.document.lowered
    if CALL_TO_OWN.search(lowered, item.start, link.start):
        return True
    path = link.path.lower().partition("?")[0]
    by_path = USER_PATH.search(path) is not None
    by_label = USER_LABEL.search(lowered[item.start : link.start]) is not None
    if not (by_path or by_label) or item.topic in _PAYING or TRACKED.search(link.path):
        return False
    if by_label and not by_path and _is_of_creator(reading, item):
        return False
    return not (
        has_benefit(lowered, item.start, item.end)
        or REFERRAL.search(lowered, item.start, item.end)
        or any(item.start <= code.start < item.end + _NEAR for code in reading.codes)
    )


def _is_of_creator(reading: Reading, item: Item) -> bool:
    """Return whether a link bears the creator's name, as those do that a company gives them."""
    context, link = reading.context, item.link
    return context.is_named_in(link.path) or context.is_named_in(link.subdomain)
