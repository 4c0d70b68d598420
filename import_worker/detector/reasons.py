"""Words for the features that speak for a sponsor."""

from collections.abc import Iterable
from typing import Final

WORDS: Final = {
    "rule:sponsor_list": "listed among the sponsors",
    "rule:sponsor_list_sure": "listed among the sponsors",
    "claim:handle_listed": "listed among the sponsors",
    "claim:line_listed": "listed among the sponsors",
    "rule:top_call": "call to act at the top",
    "rule:top_site_call": "call to act at the top",
    "rule:opening_call": "call to act at the top",
    "rule:top_tied": "the creator's link at the top",
    "rule:opening_tied": "the creator's link at the top",
    "rule:top_offer": "offer at the top",
    "rule:top_site_offer": "offer at the top",
    "rule:top_known": "known brand linked at the top",
    "rule:opening_known": "known brand linked at the top",
    "rule:opening_known_hidden": "known brand linked at the top",
    "rule:opening_hidden": "short link at the top",
    "rule:code_item": "promo code beside the link",
    "rule:own_code_item": "the creator's code beside the link",
    "item:code": "promo code beside the link",
    "item:code_named": "the creator's code beside the link",
    "rule:affiliate_item": "marked as affiliate link",
    "rule:affiliate_known": "marked as affiliate link",
    "rule:affiliate_list": "listed among affiliate links",
    "rule:noted_tracked": "tracked link with a note on affiliate links",
    "rule:offer_known": "offer with the creator's link",
    "rule:offer_unknown": "offer with the creator's link",
    "rule:offer_site_known": "offer of a known brand",
    "rule:known_tied": "the creator's link to a known brand",
    "rule:own_words": "called the creator's link",
    "item:benefit": "benefit for viewers",
    "item:tracked": "tracked link",
    "item:named_path": "the channel's name in the link",
    "name:known": "known brand",
}
"""What the strongest features say; `feature_words` has the others."""

_FALLBACK: Final = "several weak signs"


def describe(features: Iterable[str], claim: str | None) -> str:
    """Return why a brand was taken for a sponsor: the rule that claims it, and the best features."""
    words = [claim] if claim else []
    words += [WORDS[name] for name in features if name in WORDS]
    return "; ".join(dict.fromkeys(words[:2])) or _FALLBACK
