"""Assignment of segments to the sponsorships of a video."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from import_worker.domain.records import ExcerptSource, Kind
from import_worker.domain.segments import Segment
from import_worker.domain.signals import VideoSignals
from import_worker.domain.sponsor_chapters import SponsorChapter

_MIN_CONTAINED: Final = 4
"""Fewest letters of a name for which its occurrence within another name is no coincidence."""


class Claim(Protocol):
    """The attributes of a detection that segments are assigned by."""

    @property
    def slug(self) -> str: ...
    @property
    def brand(self) -> str: ...
    @property
    def domain(self) -> str | None: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def source(self) -> ExcerptSource: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def segments_by_slug(claims: Sequence[Claim], signals: VideoSignals) -> Mapping[str, Segment]:
    """Return the segments of claims by the brands' slugs.

    A chapter belongs to the brand that its line or title names. A chapter without a name, and a
    segment of SponsorBlock, which has none, belong to the video's only paid claim, and to nobody
    where there are several.
    """
    found: dict[str, Segment] = {}
    for claim in claims:
        chapter = next((c for c in signals.sponsor_chapters if _names(c, claim)), None)
        if chapter is not None:
            found[claim.slug] = _segment(chapter)
    only = _only_paid(claims)
    if only is not None and only.slug not in found:
        segment = _unnamed(signals)
        if segment is not None:
            found[only.slug] = segment
    return found


def _names(sponsor: SponsorChapter, claim: Claim) -> bool:
    chapter = sponsor.chapter
    if (
        claim.source == "description"
        and claim.start < chapter.line_end
        and claim.end > chapter.line_start
    ):
        return True
    name = _key(sponsor.name)
    return any(_is_same(name, _key(other)) for other in (claim.brand, _label(claim.domain)))


def _only_paid(claims: Sequence[Claim]) -> Claim | None:
    for kind in ("paid_sponsorship", "promo_code"):
        of_kind = [claim for claim in claims if claim.kind == kind]
        if of_kind:
            return of_kind[0] if len(of_kind) == 1 else None
    return None


def _unnamed(signals: VideoSignals) -> Segment | None:
    """Return the first sponsor's chapter without a name, else the longest segment of SponsorBlock."""
    for sponsor in signals.sponsor_chapters:
        if not sponsor.name:
            return _segment(sponsor)
    if signals.sponsor_chapters:
        return None  # another sponsor's, which was not found: the segments may be its
    return max(signals.segments or (), key=_length, default=None)


def _segment(sponsor: SponsorChapter) -> Segment:
    return Segment(sponsor.chapter.start, sponsor.chapter.end, "chapter")


def _length(segment: Segment) -> tuple[int, int]:
    return (segment.end or segment.start) - segment.start, -segment.start


def _is_same(name: str, other: str) -> bool:
    shorter = min(name, other, key=len)
    return name == other != "" or (
        len(shorter) >= _MIN_CONTAINED and (name in other or other in name)
    )


def _key(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _label(domain: str | None) -> str:
    return (domain or "").partition(".")[0]
