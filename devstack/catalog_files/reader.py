"""Reads catalogue files in the order that a catalog takes: sponsors, youtubers, then videos."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from devstack.catalog_files import own_format
from devstack.catalog_files.channel_list import channel_list, is_heading, read_channels
from devstack.catalog_files.fields import Fields
from devstack.catalog_files.items import BadLine, CatalogItem
from devstack.catalog_files.lines import Line, UnreadableLine, read_lines
from devstack.catalog_files.raw_videos import RawChannels, detected
from import_worker.domain.records import VideoRecord
from shapes.catalog.ingest import SponsorFact, YoutuberFact

_Kind: TypeAlias = Literal["own", "raw", "channels", "unknown"]


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    kind: _Kind


def read_catalog_files(paths: Sequence[Path]) -> Iterator[CatalogItem]:
    """Yield the records of all files, and a `BadLine` for every line that gives none.

    A sponsor comes before the videos that name it, a youtuber before its videos. Each file's kind is told
    by its first line. Files are read several times, line by line. Raw videos without a channel id take
    the id of the one channel of that title in the lists of channels or among the other raw videos.

    Raises:
        OSError: A file cannot be opened.
    """
    files = [_File(path, _kind(path)) for path in paths]
    for file in files:
        if file.kind == "unknown":
            yield BadLine(
                file.path.name, 1, "neither our format, nor raw videos, nor a list of channels"
            )
    listed: dict[str, YoutuberFact] = {}
    for file in _of(files, "channels"):
        yield from _read_list(file, listed)
    channels = RawChannels(channel_list(listed.values()))
    for file in _of(files, "raw"):
        for _ in _bad_lines(file, channels.client_info):
            pass  # reported by the pass that follows
    for file in _of(files, "raw"):
        yield from _bad_lines(file, channels.gather)
    seen: set[str] = set()
    for file in _of(files, "own"):
        yield from _own(file, seen, videos=False)
    yield from _youtubers(listed, channels)
    for file in _of(files, "own"):
        yield from _own(file, seen, videos=True)
    for file in _of(files, "raw"):
        yield from _raw(file, channels, seen)


def _of(files: Iterable[_File], kind: _Kind) -> Iterator[_File]:
    return (file for file in files if file.kind == kind)


def _kind(path: Path) -> _Kind:
    for line in read_lines(path):
        if line.problem is not None:
            continue
        if is_heading(line.text):
            return "channels"
        try:
            fields = _decoded(line)
        except UnreadableLine:
            continue
        if "type" in fields:
            return "own"
        return "raw" if "channel_title" in fields or "description" in fields else "unknown"
    return "unknown"


def _decoded(line: Line) -> Fields:
    if line.problem is not None:
        raise UnreadableLine(line.problem)
    try:
        value = json.loads(line.text)
    except (ValueError, RecursionError):
        raise UnreadableLine("no valid JSON") from None
    if not isinstance(value, dict):
        raise UnreadableLine("no JSON object")
    return cast("dict[str, Any]", value)


def _read_list(file: _File, listed: dict[str, YoutuberFact]) -> Iterator[BadLine]:
    for number, channel in read_channels(read_lines(file.path)):
        if isinstance(channel, str):
            yield BadLine(file.path.name, number, channel)
        else:
            listed.setdefault(channel.key, channel)


def _bad_lines(file: _File, take: Callable[[Fields], None]) -> Iterator[BadLine]:
    for line in read_lines(file.path):
        try:
            take(_decoded(line))
        except UnreadableLine as error:
            yield BadLine(file.path.name, line.number, str(error))


def _youtubers(listed: dict[str, YoutuberFact], channels: RawChannels) -> Iterator[YoutuberFact]:
    found = {key: channel.record() for key, channel in channels.by_key.items()}
    yield from (found.pop(key, record) for key, record in listed.items())
    yield from found.values()


def _own(file: _File, seen: set[str], *, videos: bool) -> Iterator[CatalogItem]:
    """One of two passes: the sponsors and youtubers with all bad lines, or the videos."""
    for line in read_lines(file.path):
        try:
            record = own_format.decode(_decoded(line))
        except UnreadableLine as error:
            if not videos:
                yield BadLine(file.path.name, line.number, str(error))
            continue
        if isinstance(record, SponsorFact):
            seen.add(record.slug)
        if isinstance(record, VideoRecord) == videos:
            yield record


def _raw(file: _File, channels: RawChannels, seen: set[str]) -> Iterator[CatalogItem]:
    for line in read_lines(file.path):
        try:
            records = list(detected(_decoded(line), channels))
        except UnreadableLine:
            continue
        for record in records:
            if isinstance(record, SponsorFact):
                if record.slug in seen:
                    continue
                seen.add(record.slug)
            yield record
