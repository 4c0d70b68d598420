"""One text under examination: the document, with who knows the brands and the channel."""

from dataclasses import dataclass, replace
from typing import Final

from import_worker.detector.brand_names import spelled
from import_worker.detector.context import ChannelContext
from import_worker.detector.directory import Directory
from import_worker.detector.document import Document
from import_worker.detector.links import Link
from import_worker.detector.resolving import Found, found_brand, from_link
from import_worker.domain.keys import slug_of
from import_worker.domain.records import Kind

NEIGHBOURS: Final = 2
_SPELLED_WITHIN: Final = 160


@dataclass(frozen=True, slots=True)
class Reading:
    """A document, read with the brand directory and what is known of the channel."""

    document: Document
    directory: Directory
    context: ChannelContext
    disclaimed: bool

    def brand_of(self, link: Link) -> Found | None:
        """The outside brand that a link leads to."""
        found = from_link(link, self.directory, self.context)
        if found is None or found.known:
            return found
        document = self.document
        segment = document.segments[document.segment_index(link.start)]
        first = max(segment.start, link.start - _SPELLED_WITHIN)
        label = link.label if link.kind == "site" else link.subdomain
        name = spelled(label, document.folded[first : link.start])
        return replace(found, name=name, slug=slug_of(name)) if name else found

    def linked_brands(self, start: int, end: int) -> list[Found]:
        """The outside brands that links in a stretch lead to, in order."""
        found = (self.brand_of(link) for link in self.document.links_in(start, end))
        return [brand for brand in found if brand]

    def named_brands(self, start: int, end: int) -> list[Found]:
        """The brands of the directory that a stretch names, without the channel's own."""
        return [
            found_brand(match.brand, match.start, match.end)
            for match in self.document.names_in(start, end)
            if not self.context.owns_name(match.brand.name)
        ]

    def link_after(self, at: int) -> Link | None:
        """The first link behind `at` in the same paragraph and at most a few segments on."""
        segments = self.document.segments
        first = self.document.segment_index(at)
        last = min(first + NEIGHBOURS, len(segments) - 1)
        while last > first and segments[last].paragraph != segments[first].paragraph:
            last -= 1
        return next(iter(self.document.links_in(at, segments[last].end)), None)


@dataclass(frozen=True, slots=True)
class Claim:
    """A brand that a rule found, with its evidence from `start` up to `end`."""

    found: Found
    kind: Kind
    code: str | None
    link: str | None
    start: int
    end: int
    confidence: float
    reason: str
