"""What is written to the catalog at once, and what came of it."""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Protocol

from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, YoutuberFact

Record = SponsorFact | YoutuberFact | VideoRecord


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that the catalog did not take; `index` counts all records written, from 0."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """How many records made a new row, changed one, or were known already."""

    created: int
    updated: int
    unchanged: int
    rejected: tuple[Rejection, ...]


class CatalogWriter(Protocol):
    """Writes to the catalog. The same records again change nothing."""

    async def write(self, records: AsyncIterable[Record]) -> IngestReport:
        """Writes all of `records`, in transactions of some hundred.

        Raises:
            Unavailable: The catalog did not answer; what was written before stays written.
        """
        ...
