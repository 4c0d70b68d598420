"""The records of a catalogue file."""

from dataclasses import dataclass
from typing import TypeAlias

from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, YoutuberFact


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out.

    Attributes:
        file: Name of the file.
        line: Its number, the first is 1.
        reason: What is wrong with it, for people.
    """

    file: str
    line: int
    reason: str


CatalogItem: TypeAlias = SponsorFact | YoutuberFact | VideoRecord | BadLine
