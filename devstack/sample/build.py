"""Builds the sample catalogue from raw videos: facts alone, no title, description or excerpt.

    python -m devstack.sample.build DATA_DIR

reads `videos.jsonl.gz` and `channels.csv` of the folder and writes `catalog.jsonl.gz` beside this module, without the
sponsorships of `withdrawn.csv`, which a reader of the videos' texts found wrong. The same files give the same bytes.
"""

import csv
import gzip
import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from catalog_service.domain.title_hashes import title_hash
from devstack.catalog_files import BadLine, CatalogItem, read_catalog_files
from devstack.catalog_files.encoding import encode
from devstack.catalog_files.raw_videos import brand_record
from devstack.sample import sponsors as sponsor_facts
from devstack.sample.creators import with_public_facts
from devstack.sample.languages import language_of
from import_worker.detector import bundled_directory
from import_worker.detector.links import find_links
from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, YoutuberFact

TARGET: Final = Path(__file__).with_name("catalog.jsonl.gz")
SOURCE: Final = "bundled-sample"
"""The source of the sample's videos, as no channel was read when the sample was loaded."""

Record = SponsorFact | YoutuberFact | VideoRecord


def main(arguments: list[str]) -> int:
    """Build the catalogue; the exit status is 2 when it is called wrongly."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m devstack.sample.build DATA_DIR\n")
        return 2
    folder = Path(arguments[0])
    records = sample(read_catalog_files([folder / "videos.jsonl.gz", folder / "channels.csv"]))
    write(TARGET, records)
    return 0


def sample(items: Iterable[CatalogItem]) -> Iterator[Record]:
    """Yield the sponsors, the youtubers and the videos of the sample, stripped of other people's text."""
    records = [item for item in items if not isinstance(item, BadLine)]
    videos = [stripped(record) for record in records if isinstance(record, VideoRecord)]
    yield from _sponsors(records, videos)
    youtubers = {
        record.key: with_public_facts(record)
        for record in records
        if isinstance(record, YoutuberFact)
    }
    with_videos = {video.youtuber_key for video in videos}
    for key, record in sorted(youtubers.items()):
        yield replace(record, source=SOURCE) if key in with_videos else record
    yield from sorted(videos, key=lambda video: (video.youtuber_key, video.published_at, video.key))


def _sponsors(records: Iterable[Record], videos: Iterable[VideoRecord]) -> Iterator[SponsorFact]:
    """Yield the sponsors of the videos by slug, those of the directory as it has them."""
    named = {sponsorship.sponsor_slug for video in videos for sponsorship in video.sponsorships}
    known = {brand.slug: brand for brand in bundled_directory().brands if brand.slug in named}
    sponsors = {slug: brand_record(brand) for slug, brand in known.items()}
    for record in records:
        if isinstance(record, SponsorFact) and record.slug in named:
            sponsors.setdefault(record.slug, record)
    yield from (sponsor_facts.with_public_facts(sponsors[slug]) for slug in sorted(sponsors))


def stripped(video: VideoRecord) -> VideoRecord:
    """Return a video without title, description and excerpts, with what an import of it would find.

    Sponsorships that a reader withdrew are left out. A salted hash of the title stays, by which an import recognises a
    video without an id, and the language of both.
    """
    return replace(
        video,
        title=None,
        description_text=None,
        language=video.language or language_of(video.title or "", video.description_text or ""),
        title_hash=title_hash(video.title) if video.title else None,
        sponsorships=tuple(
            _facts(item)
            for item in video.sponsorships
            if (video.key, item.sponsor_slug) not in withdrawn()
        ),
    )


@cache
def withdrawn() -> frozenset[tuple[str, str]]:
    """Return the sponsorships that a reader found wrong, as keys of videos and slugs of sponsors."""
    text = resources.files("devstack.sample").joinpath("withdrawn.csv").read_text("utf-8")
    return frozenset((row["video"], row["sponsor"]) for row in csv.DictReader(text.splitlines()))


def write(target: Path, records: Iterable[Record]) -> None:
    """Write records as gzipped lines; the same records give the same bytes."""
    with (
        target.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed,
    ):
        for record in records:
            packed.write(encode(record).encode() + b"\n")


def _facts(sponsorship: SponsorshipFact) -> SponsorshipFact:
    return replace(
        sponsorship,
        excerpt=None,
        excerpt_hash=_excerpt_hash(sponsorship.excerpt),
        link=_bare_link(sponsorship.link),
    )


def _excerpt_hash(excerpt: str | None) -> str | None:
    """Return the hash by which the catalog knows an excerpt."""
    return excerpt and hashlib.sha256(excerpt.encode()).hexdigest()


def _bare_link(link: str | None) -> str | None:
    """Scheme, host and path, and the query where a link means nothing without; None for no URL."""
    if not link:
        return None
    parts = urlsplit(link if "://" in link else f"https://{link}")
    if not parts.hostname:
        return None
    is_hidden = any(found.kind == "hidden" for found in find_links(link)[:1])
    query = f"?{parts.query}" if parts.query and is_hidden else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{query}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
