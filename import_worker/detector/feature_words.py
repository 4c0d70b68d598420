"""Features of a candidate in words that a person reads."""

from collections.abc import Iterable
from typing import Final

from import_worker.detector.reasons import WORDS

_EXACT: Final = {
    "claim:best": "how sure the surest rule is",
    "claim:count": "how many statements and offers name it",
    "claim:listed": "named under a heading for sponsors",
    "claim:line_entry": "alone in an entry of a list of sponsors",
    "claim:role_entry": "named with its role in a list of sponsors",
    "claim:offer_entry": "named with an offer in a list of sponsors",
    "claim:tail_entry": "begins an entry of a list of sponsors",
    "claim:handle_entry": "a handle in a list of sponsors",
    "claim:list_size": "how many names its list has",
    "claim:title": "the title says so",
    "claim:code": "a rule found its promo code",
    "claim:code_named": "its promo code has the channel's name",
    "text:rivals": "how many other brands the text names",
    "text:marked": "the text is marked as advertising",
    "text:not_sponsored": "the text says that it is not sponsored",
    "text:affiliate_note": "the text has a note on affiliate links",
    "text:lost_breaks": "the text has lost its line breaks",
    "text:codes": "how many promo codes the text has",
    "text:links": "how many links lead outside",
    "text:short": "the text is short",
    "text:channel_media": "the channel reads as a broadcaster's, artist's, club's or company's",
    "name:creator_ads": "a brand that creators often advertise",
    "name:domain": "its site is known",
    "name:ambiguous": "its name is also a common word",
    "name:words": "how many words its name has",
    "name:length": "how long its name is",
    "name:lower": "its name is in lower case",
    "name:upper": "its name is in capitals",
    "name:digits": "its name has digits",
    "name:generic": "its name has a common word",
    "name:in_title": "the title names it",
    "name:mentions": "how often the text names it",
    "name:platform": "it is a platform that everyone links to",
    "name:own": "it may be the channel's own",
    "name:boilerplate": "most videos of the channel link to it",
    "name:start": "how far down it is named",
    "name:early": "named near the beginning",
    "name:top": "named near the top",
    "item:count": "how many links are about it",
    "item:first": "first name of the link's label",
    "item:brand_in_path": "its name is in the link",
    "item:brand_and_more_in_path": "its name and more is in the link",
    "item:named_query": "the channel's name is in the link's parameters",
    "item:initials": "the channel's initials are in the link",
    "item:label_only": "its name is all that stands before the link",
    "item:resembles": "the link's site has its name",
    "item:directory": "a known brand's name beside the link",
    "item:domain": "named by the link's site",
    "item:path": "the link leads to a page inside a site",
    "item:label": "named in the link's label",
    "item:call": "named in a call to try it",
    "item:place": "named where a shop is named",
    "item:latin": "named in Latin letters",
    "item:before": "named in the sentence before the link",
    "item:own_link": "the link is the channel's own",
    "item:subdomain": "the link has a host of its own",
    "item:listed": "how many links of its block stand before it",
    "item:opening": "the first link",
    "item:second": "the second link",
    "item:early": "the link is at the very top",
    "item:top": "the link is near the top",
    "item:start": "how far up its link is",
    "item:government": "a public body's or a foundation's site",
    "item:benefit_near": "a benefit for viewers near the link",
    "item:referral_near": "called an affiliate link nearby",
    "item:imperative": "the label calls to act",
    "item:starred": "marked with an asterisk",
    "item:subscribing": "the label asks to subscribe",
    "item:media": "the label is about music or films",
    "item:label_short": "the label is short",
    "item:action": "a call to act beside the link",
    "item:referral": "called an affiliate link",
    "item:own_link_words": "called the creator's link",
    "item:own": "words for the creator's own things",
    "item:credits": "words of credits",
    "item:contact": "words of a contact line",
    "item:charity": "words of a charity",
    "item:market": "a marketplace",
    "item:platform_code": "a creator code of a platform",
    "item:code_near": "a promo code near the link",
    "item:affiliate_note": "the text has a note on affiliate links",
}
_KINDS: Final = {
    "item:kind_": "kind of link: {}",
    "item:topic_none": "under no heading",
    "item:topic_": "under a heading for: {}",
    "text:category_": "category {} of YouTube",
    "name:category_": "a known brand of: {}",
    "subject:": "words beside the link about: {}",
    "claim:family_": "kind of rule: {}",
    "claim:": "{}",
    "rule:": "{}",
}


def word_of(feature: str) -> str:
    """Return what a feature says of a candidate."""
    if feature in WORDS or feature in _EXACT:
        return WORDS.get(feature) or _EXACT[feature]
    for start, words in _KINDS.items():
        if feature.startswith(start):
            return words.format(feature.removeprefix(start).replace("_", " "))
    return feature.partition(":")[2].replace("_", " ")


def in_words(features: Iterable[str]) -> list[str]:
    """Return features in words, each once."""
    return list(dict.fromkeys(word_of(feature) for feature in features))
