"""A catalogue from files of videos and channels, read where they lie and never copied.

Taken are `videos.jsonl` and `channels.csv`, plain or gzipped. What such files do not tell is made up
from a hash, so that it is the same each time: ids, how long a video is, and its likes and comments.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec

from devstack.catalog_files.channel_list import ChannelList, channel_list, read_channels
from devstack.catalog_files.lines import DAMAGED, read_lines
from devstack.sample.creators import with_public_facts
from devstack.youtube.catalogue import Catalogue, MadeChannel, MadeVideo, Privacy
from import_worker.domain.keys import youtuber_key
from servicekit.observability import logs
from shapes.catalog.ingest import YoutuberFact

_CATEGORY: Final = "22"
_VIDEO_ID: Final = re.compile(r"[\w-]{11}", re.ASCII)
_NOT_IN_HANDLES: Final = re.compile(r"[\W_]+")

log = logs.get(__name__)


class _Line(msgspec.Struct, frozen=True):
    title: str
    channel_title: str
    published_at: str
    description: str = ""
    video_id: str | None = None
    channel_id: Annotated[str, msgspec.Meta(pattern=r"^UC[\w-]{22}$")] | None = None
    category_id: str | int | None = None
    views: Annotated[int, msgspec.Meta(ge=0)] | None = None
    privacy: Privacy = "public"


def from_data(folder: Path) -> Catalogue:
    """Return the channels that have videos in the folder's files, those with most videos first.

    Raises:
        FileNotFoundError: There is no file of videos.
        OSError: A file cannot be read, or is an archive that was cut off.
    """
    videos = _file(folder, "videos.jsonl")
    if videos is None:
        raise FileNotFoundError(2, "There is no videos.jsonl or videos.jsonl.gz", str(folder))
    listed = _file(folder, "channels.csv")
    collector = _Collector(_listed(listed) if listed else ChannelList({}, {}))
    lines = list(_lines(videos))
    for line in lines:
        if line.channel_id:
            collector.ids_by_title.setdefault(line.channel_title, line.channel_id)
    for line in lines:
        collector.add(line)
    channels = collector.channels.values()
    return Catalogue(sorted(channels, key=lambda channel: -len(channel.videos)))


def last_changes(folder: Path) -> tuple[int, ...]:
    """Return when each of the folder's files was changed, in nanoseconds, and its size; nothing of those that are missing."""
    changes: list[int] = []
    for file in (_file(folder, "videos.jsonl"), _file(folder, "channels.csv")):
        with suppress(OSError):  # it may be replaced in this moment
            if file is not None:
                found = file.stat()
                changes += (found.st_mtime_ns, found.st_size)
    return tuple(changes)


@dataclass(slots=True)
class _Collector:
    listed: ChannelList
    ids_by_title: dict[str, str] = field(default_factory=dict[str, str])
    channels: dict[str, MadeChannel] = field(default_factory=dict[str, MadeChannel])
    handles: set[str] = field(default_factory=set[str])
    videos: set[str] = field(default_factory=set[str])

    def add(self, line: _Line) -> None:
        """Put a video into its channel; trending lists have some of them several times."""
        named = f"{line.channel_title}\n{line.published_at}\n{line.title}"
        known_id = line.video_id if _VIDEO_ID.fullmatch(line.video_id or "") else None
        video_id = known_id or _made(named, 11)
        published_at = _instant(line.published_at)
        if published_at is None:
            log.warning("line_unreadable", video=video_id, error="published_at is no instant")
            return
        if video_id in self.videos:
            if all(video.video_id != video_id for video in self._channel(line).videos):
                log.warning("line_left_out", video=video_id, error="another channel has this video")
            return
        self.videos.add(video_id)
        self._channel(line).videos.append(
            MadeVideo(
                video_id=video_id,
                title=line.title,
                description=line.description,
                published_at=published_at,
                category=str(line.category_id or _CATEGORY),
                duration=f"PT{1 + _number(video_id) % 40}M{_number(video_id) % 60}S",
                views=line.views,
                likes=_share(line.views, 15 + _number(f"{video_id} likes") % 50),
                comments=_share(line.views, 1 + _number(f"{video_id} comments") % 5),
                privacy=line.privacy,
            )
        )

    def _channel(self, line: _Line) -> MadeChannel:
        title = line.channel_title
        known = self.listed.by_id.get(line.channel_id or "") or self.listed.by_title.get(title)
        channel_id = (
            line.channel_id
            or self.ids_by_title.get(title)
            or (known.channel_id if known else None)
            or f"UC{_made(title, 22)}"
        )
        if channel_id not in self.channels:
            self.channels[channel_id] = self._new(channel_id, title, known)
        return self.channels[channel_id]

    def _new(self, channel_id: str, title: str, known: YoutuberFact | None) -> MadeChannel:
        known = known or YoutuberFact(key=youtuber_key(channel_id, title), name=title)
        known = with_public_facts(known)
        known = with_public_facts(replace(known, key=youtuber_key(None, title)))
        handle = known.handle or f"@{_NOT_IN_HANDLES.sub('', title)[:24].lower()}"
        if len(handle) < 4 or handle.lower() in self.handles:
            handle = f"@{_NOT_IN_HANDLES.sub('', channel_id).lower()}"
        self.handles.add(handle.lower())
        return MadeChannel(
            channel_id=channel_id,
            title=title,
            handle=handle,
            country=known.country,
            subscribers=known.subscribers,
        )


def _file(folder: Path, name: str) -> Path | None:
    found = (folder / name, folder / f"{name}.gz")
    return next((path for path in found if path.is_file()), None)


def _lines(path: Path) -> Iterator[_Line]:
    decode: Callable[[str], _Line] = msgspec.json.Decoder(_Line).decode
    for line in read_lines(path):
        problem = line.problem
        if problem == DAMAGED:
            raise OSError(f"{path.name}: {DAMAGED}")
        if problem is None:
            try:
                yield decode(line.text)
            except msgspec.MsgspecError as error:
                problem = str(error)
        if problem is not None:
            log.warning("line_unreadable", file=path.name, line=line.number, error=problem)


def _listed(path: Path) -> ChannelList:
    channels: list[YoutuberFact] = []
    for number, found in read_channels(read_lines(path)):
        if isinstance(found, YoutuberFact):
            channels.append(found)
        else:
            log.warning("line_unreadable", file=path.name, line=number, error=found)
    return channel_list(channels)


def _instant(text: str) -> datetime | None:
    """Return an instant or a day, which is taken to begin in UTC."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _made(text: str, length: int) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()[:length]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def _share(views: int | None, per_mille: int) -> int | None:
    return None if views is None else views * per_mille // 1000
