"""Combinations of signs that make an offer, a call or a listed sponsor of an item."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from import_worker.detector.candidates import Mention
from import_worker.detector.item_signs import Features
from import_worker.detector.phrases.headings import Topic

_EARLY: Final = 320
_NEAR_START: Final = 260
_MOST_LISTED: Final = 40
_HIDING: Final = frozenset({"shortener", "hidden"})
_TYING: Final = frozenset({"network", "hidden"})
_EXCLUDING: Final = (
    "own", "credits", "contact", "charity", "subscribing", "market", "media", "platform_code",
)  # fmt: skip
_SURE_SOURCES: Final = frozenset({"directory", "domain", "path"})
_FIRST_SOURCES: Final = frozenset({"label", "call", "place", "latin"})


def patterns(
    signs: Features, mention: Mention, *, is_known: bool, is_broadcaster: bool
) -> Features:
    """Return the patterns that hold for a brand that was read from an item, each as 1.

    Args:
        signs: The signs of the item and of the name in it.
        mention: The item, and where the name stands.
        is_known: Whether the directory has the brand.
        is_broadcaster: Whether it shows films and series: a call to watch there is mostly its own.
    """
    item = _Signed(signs, mention, is_known)
    if item.is_excluded or (is_broadcaster and not item.is_offered):
        return {}
    return {
        f"rule:{name}": 1.0
        for table in _tables(item)
        for name, holds in table.items()
        if holds(item)
    }


@dataclass(frozen=True)
class _Signed:
    """An item with its signs, and the combinations of them that several patterns ask for.

    They are not cached: the lock of `cached_property` takes longer than to ask again.
    """

    signs: Features
    mention: Mention
    known: bool

    def has(self, name: str) -> bool:
        return self.signs.get(f"item:{name}", 0.0) > 0

    @property
    def is_excluded(self) -> bool:
        return (
            any(self.has(name) for name in _EXCLUDING)
            or self.mention.item.link.kind == "store"
            or (self.has("own_link") and not self.has("path"))
        )

    @property
    def is_offered(self) -> bool:
        return self.has("benefit") or self.has("code") or self.mention.item.topic == "sponsors"

    @property
    def hidden(self) -> bool:
        """The link does not show the brand."""
        is_redirect = self.has("redirect") or (self.has("own_link") and self.has("path"))
        return self.mention.item.link.kind in _HIDING or is_redirect

    @property
    def tied(self) -> bool:
        """The link shows that it is the creator's."""
        link = self.mention.item.link
        return link.kind in _TYING or self.has("tracked") or self.has("named_path")

    @property
    def named(self) -> bool:
        """The name stands where an item's brand does."""
        source = self.mention.source
        return source in _SURE_SOURCES or (source in _FIRST_SOURCES and self.mention.rank == 0)

    @property
    def called(self) -> bool:
        return self.has("imperative") or self.has("action") or self.has("label_only")

    @property
    def at_site(self) -> bool:
        return self.mention.item.link.kind == "site"

    @property
    def creators(self) -> bool:
        """The link is the creator's, or hides its brand as creators' links do."""
        return self.tied or self.hidden

    @property
    def social(self) -> bool:
        return self.in_topic("social")

    @property
    def leads_inside(self) -> bool:
        return self.has("path") or self.has("subdomain")

    @property
    def marked(self) -> bool:
        """It says that it is an affiliate's, at a named brand's page."""
        is_marked = self.has("starred") or self.has("referral")
        return is_marked and self.named and self.has("path")

    @property
    def offered(self) -> bool:
        return self.has("benefit") and self.named and self.has("path")

    def in_topic(self, topic: Topic) -> bool:
        return self.mention.item.topic == topic


_Holds = Callable[[_Signed], bool]

_LISTED: Final[Mapping[str, _Holds]] = {
    "sponsor_list": lambda item: item.named,
    "sponsor_list_sure": lambda item: (
        item.hidden or item.tied or item.has("label_only") or item.known
    ),
}

_AT_THE_TOP: Final[Mapping[str, _Holds]] = {
    "top_call": lambda item: item.creators and item.called,
    "top_tied": lambda item: item.tied and item.has("path") and not item.hidden,
    "top_offer": lambda item: item.creators and (item.has("benefit") or item.has("code")),
    "top_site_offer": lambda item: item.at_site and item.has("benefit") and item.has("path"),
    "top_known": lambda item: item.hidden and item.known and not item.social,
    "top_site_call": lambda item: item.at_site and item.has("imperative") and item.has("path"),
}

_OPENING: Final[Mapping[str, _Holds]] = {
    "opening_known": lambda item: item.known and item.at_site and item.leads_inside,
    "opening_known_hidden": lambda item: item.known and item.hidden,
    "opening_hidden": lambda item: not item.known and item.hidden,
    "opening_tied": lambda item: not item.known and item.tied,
    "opening_call": lambda item: item.called,
}

_ANYWHERE: Final[Mapping[str, _Holds]] = {
    "code_item": lambda item: item.has("code") and item.named,
    "own_code_item": lambda item: item.has("code_named") and item.named,
    "affiliate_item": lambda item: item.marked and item.creators,
    "affiliate_known": lambda item: item.marked and item.known,
    "affiliate_list": lambda item: (
        item.in_topic("affiliate")
        and item.named
        and item.has("path")
        and (item.creators or item.has("benefit"))
    ),
    "noted_tracked": lambda item: (
        item.has("affiliate_note") and item.at_site and item.tied and item.has("path")
    ),
    "offer_known": lambda item: item.offered and item.known and item.creators,
    "offer_unknown": lambda item: item.offered and not item.known and item.creators,
    "offer_site_known": lambda item: item.offered and item.known and item.at_site,
    "known_tied": lambda item: (
        item.at_site and item.known and (item.has("named_path") or item.has("tracked"))
    ),
    "own_words": lambda item: item.has("own_link_words") and item.named and item.creators,
}


def _tables(item: _Signed) -> Iterator[Mapping[str, _Holds]]:
    """Yield the tables of patterns that an item's place lets hold."""
    listed = item.mention.item
    yield _ANYWHERE
    if not item.named:
        return
    if listed.topic == "sponsors" and listed.following < _MOST_LISTED:
        yield _LISTED
    if listed.link.start < _EARLY and listed.link.kind != "platform":
        yield _AT_THE_TOP
    if listed.order <= 1 and listed.link.start < _NEAR_START and not item.social:
        yield _OPENING
