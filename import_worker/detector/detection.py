"""The detector's result."""

from dataclasses import dataclass
from typing import Final

from import_worker.domain.records import ExcerptSource, Kind

DETECTOR_VERSION: Final = "2.12.0"
"""Changes whenever the same text may give another answer."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A brand that stands behind a video, with the evidence.

    Attributes:
        brand: The brand's name for people.
        slug: Its slug, in the directory or made of the name.
        domain: Its registrable domain, when known.
        kind: How it stands behind the video.
        code: The creator's promo code.
        link: The link that goes with the evidence, its letters made plain as `folding.fold` does.
        excerpt: The exact text that shows it.
        source: Which text the excerpt is from.
        start: First character of the excerpt in that text.
        end: One past its last character.
        confidence: From 0 to 1.
        reason: Why, in a few words of ours.
    """

    brand: str
    slug: str
    domain: str | None
    kind: Kind
    code: str | None
    link: str | None
    excerpt: str
    source: ExcerptSource
    start: int
    end: int
    confidence: float
    reason: str
