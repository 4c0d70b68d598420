"""Lists of channels: CSV with channel_id, title, subscribers, views and country."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from devstack.catalog_files import fields as take
from devstack.catalog_files.lines import Line, UnreadableLine
from import_worker.domain.keys import youtuber_key
from shapes.catalog.ingest import YoutuberFact

COLUMNS: Final = ("channel_id", "title", "subscribers", "country")
SOURCE: Final = "channel-list"


@dataclass(frozen=True, slots=True)
class ChannelList:
    """Channels by id, and by the titles that only one of them has."""

    by_id: Mapping[str, YoutuberFact]
    by_title: Mapping[str, YoutuberFact]


def is_heading(line: str) -> bool:
    """Return whether a file that begins with this line is a list of channels."""
    return set(COLUMNS) <= set(_cells(line))


def read_channels(lines: Iterable[Line]) -> Iterator[tuple[int, YoutuberFact | str]]:
    """For each line behind the heading its number and its channel, or what is wrong with it."""
    heading: list[str] | None = None
    for line in lines:
        if line.problem is not None:
            yield line.number, line.problem
            continue
        cells = _cells(line.text)
        if heading is None:
            heading = cells
            continue
        try:
            yield line.number, _channel(heading, cells)
        except UnreadableLine as error:
            yield line.number, str(error)


def channel_list(channels: Iterable[YoutuberFact]) -> ChannelList:
    """Return the channels made ready to be looked up."""
    by_id = {channel.key: channel for channel in channels}
    titles = Counter(channel.name for channel in by_id.values())
    unique = {channel.name: channel for channel in by_id.values() if titles[channel.name] == 1}
    return ChannelList(by_id, unique)


def _cells(line: str) -> list[str]:
    try:
        rows: list[list[str]] = list(csv.reader([line], strict=True))
    except csv.Error:
        return []
    return rows[0] if rows else []


def _channel(heading: list[str], cells: list[str]) -> YoutuberFact:
    if len(cells) != len(heading):
        raise UnreadableLine(f"has {len(cells)} cells where the heading has {len(heading)}")
    fields = dict(zip(heading, cells, strict=True))
    channel_id = take.text(fields, "channel_id")
    name = take.text(fields, "title")
    return YoutuberFact(
        key=youtuber_key(channel_id, name),
        channel_id=channel_id,
        name=name,
        subscribers=take.optional_count(fields, "subscribers"),
        country=take.optional_text(fields, "country") or None,
        source=SOURCE,
    )
