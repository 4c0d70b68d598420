"""Channels to try the outlook on: those of the sample, those of the data that it was made from, and made ones with snapshots."""

import gzip
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from catalog_service.domain import snapshots
from catalog_service.domain.outlook.samples import AgedViews, RecentVideo
from catalog_service.domain.video_formats import UNKNOWN, format_of
from devstack.youtube.catalogue import MadeChannel, MadeVideo
from devstack.youtube.from_data import from_data

ROOT: Final = Path(__file__).parents[2]
SAMPLE: Final = ROOT / "devstack/sample/catalog.jsonl.gz"
DATA: Final = next(
    (path for path in (ROOT / "../shared/data", ROOT / "../../shared/data") if path.is_dir()), None
)
"""The raw data, where this machine has them; they are no part of the project."""

MIN_VIDEOS: Final = 30
"""Videos from which a channel of the data counts as whole; the others are single videos of trending lists."""

_SEED: Final = 65
_MADE_VIDEOS: Final = 120
_LOOK_EVERY: Final = 7


@dataclass(frozen=True, slots=True)
class TriedVideo:
    """A video, and the views that its projection is held against."""

    video: RecentVideo
    views: float


@dataclass(frozen=True, slots=True)
class TriedChannel:
    """A channel's videos of one format, the oldest first."""

    name: str
    format: str
    videos: tuple[TriedVideo, ...]


def of_sample() -> list[TriedChannel]:
    """Return the whole channels of the bundled sample: views of one look, on an unknown day; no lengths."""
    records = _read(SAMPLE)
    names = {item["key"]: item["name"] for item in records if item["type"] == "youtuber"}
    videos = (item for item in records if item["type"] == "video")
    return _whole((names[item["youtuber"]], item) for item in videos)


def of_data(folder: Path) -> list[TriedChannel]:
    """Return the whole channels of videos.jsonl.gz."""
    return _whole((item["channel_title"], item) for item in _read(folder / "videos.jsonl.gz"))


def of_stand_in(folder: Path) -> list[TriedChannel]:
    """Return the whole channels that the stand-in for YouTube shows, with the formats of its made lengths."""
    channels = from_data(folder).channels
    found = (item for channel in channels for item in _by_format(channel))
    return [channel for channel in found if len(channel.videos) >= MIN_VIDEOS]


def made() -> list[TriedChannel]:
    """Return made channels of the stand-in with weekly looks, thinned as the catalogue does: their views at 30 days are known.

    They differ in level, spread, drift and the share of videos that are seen ten times as often.
    """
    random = Random(_SEED)
    return [
        _made(f"made {number + 1}", name, seconds, random)
        for number in range(8)
        for name, seconds in (("longform", 600), ("short", 30))
    ]


def _read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _whole(videos: Iterable[tuple[str, Mapping[str, Any]]]) -> list[TriedChannel]:
    by_channel: defaultdict[str, list[TriedVideo]] = defaultdict(list)
    for name, item in videos:
        published_on = date.fromisoformat(item["published_at"][:10])
        by_channel[name].append(_seen_once(published_on, UNKNOWN, item["views"]))
    return [
        _ordered(name, UNKNOWN, found)
        for name, found in by_channel.items()
        if len(found) >= MIN_VIDEOS
    ]


def _by_format(channel: MadeChannel) -> list[TriedChannel]:
    by_format: defaultdict[str, list[TriedVideo]] = defaultdict(list)
    for item in channel.videos:
        published_on = item.published_at.date()
        name = format_of(_seconds(item), item.broadcast, published_on)
        by_format[name].append(_seen_once(published_on, name, item.views or 0))
    return [_ordered(channel.title, name, found) for name, found in by_format.items()]


def _seconds(video: MadeVideo) -> int:
    """Return the length of a video of the stand-in, which writes it as PT10M5S."""
    minutes, _, seconds = video.duration.removeprefix("PT").removesuffix("S").partition("M")
    return int(minutes) * 60 + int(seconds or 0)


def _seen_once(published_on: date, name: str, views: int) -> TriedVideo:
    return TriedVideo(RecentVideo(published_on, name, AgedViews(None, views)), views)


def _ordered(name: str, form: str, videos: Iterable[TriedVideo]) -> TriedChannel:
    ordered = sorted(videos, key=lambda item: (item.video.published_on, item.views))
    return TriedChannel(name, form, tuple(ordered))


def _made(name: str, form: str, seconds: int, random: Random) -> TriedChannel:
    level, spread = random.uniform(7, 14), random.uniform(0.3, 1.2)
    drift, hits = random.uniform(-0.001, 0.001), random.uniform(0, 0.1)
    day, videos = date(2024, 1, 1), list[TriedVideo]()
    for _ in range(_MADE_VIDEOS):
        day += timedelta(days=random.randint(1, 12))
        level += drift * 6
        hit = math.log(10) if random.random() < hits else 0
        views = math.exp(random.gauss(level, spread) + hit)
        assert format_of(seconds, "none", day) == form
        first = random.randint(1, _LOOK_EVERY)
        looks = [day + timedelta(days=age) for age in range(first, 400, _LOOK_EVERY)]
        curve = tuple(
            AgedViews((at - day).days, round(views * _grown((at - day).days)))
            for at in sorted(snapshots.retained(day, looks))
        )
        videos.append(TriedVideo(RecentVideo(day, form, curve[-1], curve), views * _grown(30)))
    return _ordered(name, form, videos)


def _grown(age: int) -> float:
    """Return the part of a video's views of a year that it has at an age: fast at first, then by the logarithm."""
    return math.log1p(age) / math.log1p(365)
