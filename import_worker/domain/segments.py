"""Segments: parts of videos that are a sponsor's."""

from dataclasses import dataclass
from typing import Literal

SegmentSource = Literal["chapter", "sponsorblock"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a video, in seconds; `end` is None where nobody says it."""

    start: int
    end: int | None
    source: SegmentSource
