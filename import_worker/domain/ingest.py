"""A write of records to the catalog, and its result."""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Protocol

from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, VideoRemoval, YoutuberFact

Record = SponsorFact | YoutuberFact | VideoRecord | VideoRemoval


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that the catalog did not take; `index` counts all records written, from 0."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """The numbers of records that made a new row, changed one, or were known already."""

    created: int
    updated: int
    unchanged: int
    rejected: tuple[Rejection, ...]


class CatalogWriter(Protocol):
    """Write to the catalog. The same records again change nothing."""

    async def write(self, records: AsyncIterable[Record]) -> IngestReport:
        """Write all of `records`, in transactions of some hundred.

        Raises:
            Unavailable: The catalog did not respond; records that were written before stay.
        """
        ...
