"""Adds the languages of videos to the bundled catalogue, whose sponsorships and other facts stay as they are.

    python -m devstack.sample.add_languages DATA_DIR

reads the same data as `build`, which finds sponsorships with the detector of its day.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from devstack.catalog_files import BadLine, CatalogItem, read_catalog_files
from devstack.sample.build import TARGET, Record, sample, write
from import_worker.domain.records import VideoRecord


def main(arguments: list[str]) -> int:
    """Rewrite the catalogue; the exit status is 2 when it is called wrongly."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m devstack.sample.add_languages DATA_DIR\n")
        return 2
    folder = Path(arguments[0])
    built = sample(read_catalog_files([folder / "videos.jsonl.gz", folder / "channels.csv"]))
    write(TARGET, list(with_languages(read_catalog_files([TARGET]), built)))
    return 0


def with_languages(items: Iterable[CatalogItem], built: Iterable[Record]) -> Iterator[Record]:
    """Yield the records with the languages that the videos of the same keys have in `built`."""
    languages = {record.key: record.language for record in built if isinstance(record, VideoRecord)}
    for item in items:
        if isinstance(item, VideoRecord):
            yield replace(item, language=languages.get(item.key))
        elif not isinstance(item, BadLine):
            yield item


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
