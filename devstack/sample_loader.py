"""Loads catalogue files into a running catalog service."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from devstack.catalog_files import BadLine, CatalogItem, read_catalog_files
from import_worker.catalog_writer import catalog_writer
from import_worker.domain.ingest import IngestReport, Record
from servicekit.peer_credentials import PeerCredentials

Progress = Callable[[int], None]
"""Called with the number of records sent so far."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading: the catalog's report, and the lines that were no records."""

    report: IngestReport
    bad_lines: tuple[BadLine, ...]
    sent: int

    @property
    def refused(self) -> tuple[str, ...]:
        """Return why each line or record was refused, with the place of it."""
        lines = [f"{bad.file}:{bad.line}: {bad.reason}" for bad in self.bad_lines]
        records = [f"record {item.index}: {item.reason}" for item in self.report.rejected]
        return (*lines, *records)


def refusal_of_sample(refused: Sequence[str]) -> str:
    """Return the line that says how much of the sample was refused; there must be some."""
    records = "1 record" if len(refused) == 1 else f"{len(refused):,} records"
    return f"The catalogue refused {records} of the sample; the first: {refused[0]}"


def load(
    target: str, files: Sequence[Path], progress: Progress, credentials: PeerCredentials
) -> Loaded:
    """Send what `files` hold to the catalog service at `target`.

    Raises:
        ServiceError: The catalog does not respond; what was sent before stays.
        OSError: A file cannot be read.
    """
    return asyncio.run(_load(target, files, progress, credentials))


async def _load(
    target: str, files: Sequence[Path], progress: Progress, credentials: PeerCredentials
) -> Loaded:
    bad: list[BadLine] = []
    sent = 0

    async def records() -> AsyncGenerator[Record]:
        nonlocal sent
        items = iter(read_catalog_files(files))
        while chunk := await asyncio.to_thread(_take, items, 200):
            for item in chunk:
                if isinstance(item, BadLine):
                    bad.append(item)
                else:
                    sent += 1
                    yield item
            progress(sent)

    async with catalog_writer(target, credentials) as writer:
        report = await writer.write(records())
    return Loaded(report, tuple(bad), sent)


def _take(items: Iterator[CatalogItem], count: int) -> list[CatalogItem]:
    return list(itertools.islice(items, count))
