"""A text with the brand directory and the channel's context."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from import_worker.detector.announced_codes import Code, announced_codes, has_code_stem
from import_worker.detector.brand_names import abbreviates, bare_label, read_name, spelled
from import_worker.detector.called_apps import called_app
from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import Brand, Directory, NameMatch
from import_worker.detector.document import Document
from import_worker.detector.folding import name_key
from import_worker.detector.hosts import NEVER_A_BRAND
from import_worker.detector.initials import shortened
from import_worker.detector.links import Link
from import_worker.detector.longer_names import is_of_another
from import_worker.detector.phrases.name_words import AMBIGUOUS
from import_worker.detector.resolving import Found, found_brand, from_link
from import_worker.detector.statements import Statement, is_denied, statements
from import_worker.detector.unannounced_codes import unannounced_codes
from import_worker.domain.keys import slug_of
from import_worker.domain.records import Kind

NEIGHBOURS: Final = 2
_SHORTEST_REST: Final = 4
_SPELLED_WITHIN: Final = 160
_SHORTENED_WITHIN: Final = 100
_SHORTENED_BEHIND: Final = 60
_SPONSOR: Final = "spons"


@dataclass(frozen=True)
class Reading:
    """A document, read with the brand directory and what is known of the channel.

    `resolved` caches the brands of links, by their start.
    """

    document: Document
    directory: Directory
    context: ChannelContext
    resolved: dict[int, Found | None] = field(default_factory=dict[int, "Found | None"])

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """The promo codes of the text: those announced, and those without a word for it that are none of these."""
        is_likely = has_code_stem(self.document.lowered)
        announced = list(announced_codes(self.document)) if is_likely else []
        others = [
            code
            for code in unannounced_codes(self.document, self.context)
            if not any(code.start < known.end and known.start < code.end for known in announced)
        ]
        return tuple(sorted([*announced, *others], key=lambda code: code.start))

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The phrases of sponsorship in the text, also those that mean something else."""
        return tuple(statements(self.document))

    def brand_of(self, link: Link) -> Found | None:
        """Return the outside brand that a link leads to."""
        if link.start not in self.resolved:
            self.resolved[link.start] = self._brand_of(link)
        return self.resolved[link.start]

    def _brand_of(self, link: Link) -> Found | None:
        found = from_link(link, self.directory, self.context)
        if found is None:
            return self._of_viewers(link)
        if found.known:
            return found
        document = self.document
        segment = document.segments[document.segment_index(link.start)]
        first = max(segment.start, link.start - _SPELLED_WITHIN)
        label = link.label if link.kind == "site" else link.subdomain
        before = document.names_in(first, link.start)
        if before and (
            abbreviates(label, before[-1].brand.name)
            or _is_in_subdomain(before[-1].brand, link.subdomain)
        ):
            return found_brand(before[-1].brand, link.start, link.end, linked=True)
        called = called_app(document.folded, first, link.start)
        name = document.folded[slice(*called)] if called else None
        if name := name or spelled(label, document.folded[first : link.start]):
            return replace(found, name=name, slug=slug_of(name))
        return self._shortened(found, label, max(first, link.start - _SHORTENED_WITHIN))

    def _known_before(self, label: str, segment_index: int, end: int) -> Brand | None:
        """Return the known brand that the sentence before states as sponsor and that a label abbreviates.

        The label's own sentence speaks of no sponsor, and has no name that it might abbreviate.
        """
        document = self.document
        before, own = document.segments[max(segment_index - 1, 0)], document.segments[segment_index]
        stated = {hit.segment: hit for hit in self.statements}
        hit = stated.get(segment_index - 1)
        if hit is None or segment_index in stated or is_denied(document, hit):
            return None
        is_of_other = _SPONSOR in document.lowered[own.start : end]
        if is_of_other or before.paragraph != own.paragraph or document.names_in(own.start, end):
            return None
        if any(word[0] == label[0].upper() for word in document.folded[own.start : end].split()):
            return None
        first = max(before.start, end - _SPELLED_WITHIN)
        name = shortened(label, document.folded, first, before.end, inner=True)
        return self.directory.named(name) if name else None

    def _of_viewers(self, link: Link) -> Found | None:
        """Return the known brand named before a site whose label is its name's beginning and the channel's name together."""
        if link.kind != "site" or link.domain in self.context.own_domains:
            return None
        label = name_key(link.label)
        rests = {
            rest
            for own in self.context.own_keys
            for rest in (label.removeprefix(own), label.removesuffix(own))
            if rest != label and len(rest) >= _SHORTEST_REST
        }
        if not rests:
            return None
        for match in reversed(
            self.document.names_in(max(link.start - _SPELLED_WITHIN, 0), link.start)
        ):
            if any(name_key(match.brand.name).startswith(rest) for rest in rests):
                return found_brand(match.brand, link.start, link.end, linked=True)
        return None

    def _shortened(self, found: Found, label: str, first: int) -> Found:
        """Return the brand of a short domain under the name before its link that the domain abbreviates."""
        folded = self.document.folded
        index = self.document.segment_index(found.start)
        last = min(self.document.segments[index].end, found.end + _SHORTENED_BEHIND)
        name = shortened(label, folded, first, found.start) or shortened(
            label, folded, found.end, last
        )
        brand = self.directory.named(name) if name else None
        brand = brand or (None if name else self._known_before(label, index, found.start))
        if brand:
            return found_brand(brand, found.start, found.end, linked=True)
        return replace(found, name=name, slug=slug_of(name)) if name else found

    def end_of_other(self, match: NameMatch, end: int) -> int | None:
        """Return where the longer name of another company ends that begins as a brand's, where no link leads to the brand."""
        folded = self.document.folded
        if (
            folded[match.end : match.end + 1] != " "
            or not folded[match.end + 1 : end][:1].isupper()
        ):
            return None
        span = read_name(folded, match.start, end)
        if span is None or span[1] <= match.end:
            return None
        behind = folded[match.end : span[1]]
        if not is_of_another(match.brand, behind) or self._is_linked(match.brand):
            return None
        return span[1]

    def _is_linked(self, brand: Brand) -> bool:
        """Return whether any link of the text leads to a brand of the directory."""
        return any(
            link.domain in brand.domains or bare_label(link.label) == name_key(brand.name)
            for link in self.document.links
        )

    def linked_brands(self, start: int, end: int) -> list[Found]:
        """Return the outside brands that links in a stretch lead to, in order."""
        found = (self.brand_of(link) for link in self.document.links_in(start, end))
        return [brand for brand in found if brand]

    def named_brands(self, start: int, end: int, *, tagged: bool = False) -> list[Found]:
        """Return the brands of the directory that a stretch names, without the channel's own.

        Hashtags tell what a video is about: they count only when `tagged`.
        """
        return [
            found_brand(match.brand, match.start, match.end)
            for match in self.document.names_in(start, end)
            if not self.context.owns_name(match.brand.name)
            and (tagged or self.document.folded[match.start - 1 : match.start] != "#")
            and (
                name_key(self.document.folded[match.start : match.end]) not in AMBIGUOUS
                or self._is_linked(match.brand)
            )
            and self.end_of_other(match, len(self.document.folded)) is None
        ]

    def is_platform(self, found: Found) -> bool:
        """Return whether a brand is a platform or store: linked everywhere, a sponsor only when named so."""
        return found.domain in NEVER_A_BRAND

    def link_after(self, at: int) -> Link | None:
        """Return the first link behind `at` in the same paragraph and at most a few segments on."""
        segments = self.document.segments
        first = self.document.segment_index(at)
        last = min(first + NEIGHBOURS, len(segments) - 1)
        while last > first and segments[last].paragraph != segments[first].paragraph:
            last -= 1
        return next(iter(self.document.links_in(at, segments[last].end)), None)


def _is_in_subdomain(brand: Brand, subdomain: str) -> bool:
    """Return whether a host of several labels begins with a brand's name."""
    key = name_key(brand.name)
    return len(key) >= _SHORTEST_REST and subdomain.startswith(key)


@dataclass(frozen=True, slots=True)
class Claim:
    """A brand that a rule found, with its evidence from `start` up to `end`.

    `weight` is how much the rule's claim says, from 0 to 1, set by hand: a feature of the decider, and no probability.
    """

    found: Found
    kind: Kind
    code: str | None
    link: str | None
    start: int
    end: int
    weight: float
    reason: str
