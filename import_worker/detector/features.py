"""The features that the decider weighs: what a text shows of a candidate, each a number from 0 to 1."""

from dataclasses import dataclass, field
from typing import Final

from import_worker.detector.announced_codes import Code
from import_worker.detector.brand_names import is_generic, resembles
from import_worker.detector.candidates import Candidate, Mention
from import_worker.detector.directory import AT_TIMES, MOSTLY, Brand
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import NEVER_A_BRAND
from import_worker.detector.item_patterns import patterns
from import_worker.detector.item_signs import EARLY, TOP, Features, item_signs
from import_worker.detector.items import Item
from import_worker.detector.links import lost_line_breaks
from import_worker.detector.phrases.exclusions import says_not_sponsored
from import_worker.detector.phrases.marks import ANY_MARK
from import_worker.detector.phrases.media_names import is_media
from import_worker.detector.phrases.name_words import AMBIGUOUS
from import_worker.detector.phrases.offers import AFFILIATE_NOTE
from import_worker.detector.prefilter import matches
from import_worker.detector.reading import Reading

_CATEGORIES: Final = frozenset({1, 10, 17, 20, 22, 23, 24, 25, 26, 27, 28})
"""YouTube's numbers of the categories that the labels hold often enough."""

_OUTSIDE: Final = frozenset({"site", "network", "hidden", "shortener"})
_FAMILIES: Final = {
    "stated sponsor": "statement",
    "thanked or named as sponsor": "statement",
    "product supplied": "supply",
    "thanked for the product": "supply",
    "stated advertising or partnership": "partner",
    "stated partnership": "partner",
    "thanked for support": "partner",
    "thanked for making it possible": "partner",
    "marked as advertising": "mark",
    "hashtag of a partner": "mark",
    "promo code": "code",
    "promo code with a benefit": "code",
    "offer in a list": "code",
    "promo code beside a name": "code",
}
"""Kinds of rules: what is learnt of a frequent one holds for its rare relatives."""

_STATED: Final = frozenset({"statement", "supply", "partner", "mark"})
"""Kinds that say so themselves: how often others advertise the brand says nothing against them."""

_SHORT: Final = 400
_LONG: Final = 3_000
_SHORTEST_KEY: Final = 3
_INITIALS: Final = 2
_LONG_LIST: Final = 6
_MAX_MENTIONS: Final = 6


@dataclass(frozen=True, slots=True)
class TextFacts:
    """A video's texts with the features that all of its candidates share."""

    reading: Reading
    title: Reading
    codes: tuple[Code, ...]
    features: Features
    signs: dict[int, Features] = field(default_factory=dict[int, Features])

    def signs_of(self, item: Item) -> Features:
        """Return the signs of an item, read once."""
        if item.link.start not in self.signs:
            signs = item_signs(item, self.reading, self.codes)
            signs["item:affiliate_note"] = self.features["text:affiliate_note"]
            self.signs[item.link.start] = signs
        return self.signs[item.link.start]


def text_facts(description: Reading, title: Reading, category: int | None = None) -> TextFacts:
    """Return the facts of a video's texts; `category` is YouTube's number."""
    document = description.document
    lowered = document.lowered
    codes = description.codes
    outside = sum(link.kind in _OUTSIDE for link in document.links)
    is_marked = matches(ANY_MARK, lowered, 0, len(lowered)) or ANY_MARK.search(
        title.document.lowered
    )
    features = {
        "text:marked": float(bool(is_marked)),
        "text:not_sponsored": float(says_not_sponsored(lowered)),
        "text:affiliate_note": float(matches(AFFILIATE_NOTE, lowered, 0, len(lowered))),
        "text:lost_breaks": float(lost_line_breaks(document.folded)),
        "text:codes": _share(len(codes), 5),
        "text:links": _share(outside, 20),
        "text:short": float(len(lowered) < _SHORT),
        "text:channel_media": float(is_media(description.context.name)),
    }
    if category in _CATEGORIES:
        features[f"text:category_{category}"] = 1.0
    return TextFacts(description, title, codes, features)


_SPEAKING: Final = (
    "item:path", "item:subdomain", "item:code", "item:code_near", "item:benefit", "item:benefit_near", "item:starred", "item:referral",
    "item:topic_sponsors", "item:topic_affiliate", "item:kind_shortener", "item:kind_network", "item:kind_hidden", "item:kind_store",
    "claim:count", "claim:listed",
)  # fmt: skip
"""Signs of which a link to a site's home page needs one to be more than a mention: readers never label it without."""


def is_plain_mention(features: Features) -> bool:
    """Return whether a candidate is no more than a link to a site's home page, with nothing that speaks of a sponsor."""
    is_site = bool(features.get("item:kind_site"))
    return is_site and not any(features.get(sign) for sign in _SPEAKING)


def features_of(candidate: Candidate, facts: TextFacts, rivals: int) -> Features:
    """Return the features of one candidate; `rivals` counts the video's other candidates."""
    return {
        **facts.features,
        "text:rivals": _share(rivals, 20),
        **_of_name(candidate, facts),
        **_of_claims(candidate),
        **_of_mentions(candidate, facts),
    }


def _of_name(candidate: Candidate, facts: TextFacts) -> Features:
    found, context = candidate.found, facts.reading.context
    name = found.name
    key = name_key(name)
    mentions = facts.reading.document.lowered.count(name.lower())
    return _of_brand(candidate, facts) | {
        "name:known": float(found.known),
        "name:domain": float(found.domain is not None),
        "name:ambiguous": float(key in AMBIGUOUS),
        "name:words": _share(len(name.split()), 5),
        "name:length": _share(len(name), 30),
        "name:lower": float(name.islower()),
        "name:upper": float(name.isupper()),
        "name:digits": float(any(c.isdigit() for c in name)),
        "name:generic": float(any(is_generic(word) for word in name.split())),
        "name:in_title": float(
            len(key) >= _SHORTEST_KEY and key in name_key(facts.title.document.folded)
        ),
        "name:mentions": _share(mentions, 5),
        "name:platform": float(found.domain in NEVER_A_BRAND),
        "name:own": float(context.owns_name(name)),
        "name:boilerplate": context.boilerplate_domains.get(found.domain or "", 0.0),
        "name:start": _share(candidate.start, _LONG),
        "name:early": float(candidate.start < EARLY),
        "name:top": float(candidate.start < TOP),
    }


def _of_brand(candidate: Candidate, facts: TextFacts) -> Features:
    """Return what the directory knows of the brand."""
    brand = _brand(candidate, facts)
    ads = brand.creator_ads if brand else AT_TIMES
    is_stated = any(_FAMILIES.get(claim.reason) in _STATED for claim, _ in candidate.claims)
    features: Features = {"name:creator_ads": 1.0 if is_stated else _share(ads, MOSTLY)}
    if brand and brand.category:
        features[f"name:category_{brand.category}"] = 1.0
    return features


def _brand(candidate: Candidate, facts: TextFacts) -> Brand | None:
    if not candidate.found.known:
        return None
    return facts.reading.directory.named(candidate.found.name)


def _of_claims(candidate: Candidate) -> Features:
    features: Features = {
        "claim:count": _share(len(candidate.claims), 5),
        "claim:handle_listed": float("handle" in candidate.listed),
        "claim:line_listed": float(bool(candidate.listed - {"handle"})),
    }
    features |= {f"claim:{by}_entry": 1.0 for by in candidate.listed}
    features["claim:list_size"] = _share(candidate.list_size, _LONG_LIST)
    features["claim:listed"] = float(bool(candidate.listed))
    for claim, reading in candidate.claims:
        features[f"claim:family_{_FAMILIES.get(claim.reason, 'offer')}"] = 1.0
        for key in (f"claim:{claim.reason}", "claim:best"):
            features[key] = max(features.get(key, 0.0), claim.weight)
        if reading.document.source == "title":
            features["claim:title"] = 1.0
        if claim.code:
            features["claim:code"] = 1.0
            if reading.context.is_named_in(claim.code):
                features["claim:code_named"] = 1.0
    return features


def _of_mentions(candidate: Candidate, facts: TextFacts) -> Features:
    features: Features = {"item:count": _share(len(candidate.mentions), 5)}
    brand = _brand(candidate, facts)
    is_broadcaster = brand is not None and brand.category == "streaming"
    for mention in candidate.mentions[:_MAX_MENTIONS]:
        signs = facts.signs_of(mention.item) | _of_name_in_item(candidate, mention, facts)
        signs |= patterns(
            signs, mention, is_known=candidate.found.known, is_broadcaster=is_broadcaster
        )
        if mention is candidate.mentions[0]:
            features |= signs
        else:
            _raise(features, signs)
    if candidate.listed:
        features["item:topic_sponsors"] = 1.0
    return features


def _raise(features: Features, signs: Features) -> None:
    """Raise each feature to its sign."""
    for key, value in signs.items():
        if value > features.get(key, -1.0):
            features[key] = value


def _of_name_in_item(candidate: Candidate, mention: Mention, facts: TextFacts) -> Features:
    """Return what the place of the name in an item shows."""
    item, link = mention.item, mention.item.link
    key = name_key(candidate.found.name)
    label = facts.reading.document.lowered[item.start : link.start]
    path = name_key(link.path)
    is_in_path = len(key) > _SHORTEST_KEY and key in path
    return {
        f"item:{mention.source}": 1.0,
        "item:first": float(mention.rank == 0),
        "item:brand_in_path": float(is_in_path),
        "item:brand_and_more_in_path": float(is_in_path and len(path) - len(key) >= _INITIALS),
        "item:label_only": float(name_key(label) == key),
        "item:resembles": float(
            link.kind == "site" and resembles(candidate.found.name, link.label)
        ),
    }


def _share(value: float, of: float) -> float:
    return min(value, of) / of
