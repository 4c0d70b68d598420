"""How often the outlook's intervals hold the next video, on videos that are held out in time."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from typing import Final

from catalog_service.domain.outlook import bundles, projection
from catalog_service.domain.outlook.samples import WINDOWS, AgedViews, RecentVideo, recent
from tests.outlook.channels import TriedChannel, TriedVideo

BUNDLE: Final = 3
"""Videos of a bundle; every third video begins one."""

HELD_OUT: Final = 0.3
"""Share of each channel's videos, the newest ones, that the method was not chosen on."""


@dataclass(frozen=True, slots=True)
class Score:
    """Next videos that were tried, and how many were in the intervals, below that of 80 %, and without a projection.

    `bundles` are those of three next videos that were tried, `reached` those with as many views as the total said.
    """

    videos: int = 0
    in_50: int = 0
    in_80: int = 0
    below_80: int = 0
    without: int = 0
    bundles: int = 0
    reached: int = 0

    def __add__(self, other: "Score") -> "Score":
        names = [field.name for field in fields(Score)]
        return Score(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def share_50(self) -> float:
        return self.in_50 / self.videos

    @property
    def share_80(self) -> float:
        return self.in_80 / self.videos


def backtest(channel: TriedChannel, first: float = 1 - HELD_OUT, last: float = 1.0) -> Score:
    """Return the score over a part of a channel's videos, each projected from what was known on the day of the one before."""
    start = max(int(len(channel.videos) * first), 1)
    scores = (_tried(channel.videos, at) for at in range(start, int(len(channel.videos) * last)))
    return total(scores)


def total(scores: Iterator[Score] | Sequence[Score]) -> Score:
    return sum(scores, Score())


def _tried(videos: Sequence[TriedVideo], at: int) -> Score:
    newest = videos[at - 1].video.published_on
    oldest = newest - timedelta(days=WINDOWS[-1])
    start = bisect_left(videos, oldest, key=lambda item: item.video.published_on)
    found = recent([_until(item.video, newest) for item in videos[start:at]], newest)
    if found is None:
        return Score(without=1)
    views = found.sample.views
    projected = projection.project(views)
    actual = max(videos[at].views, 1.0)
    score = Score(
        videos=1,
        in_50=projected.interval_50.holds(actual),
        in_80=projected.interval_80.holds(actual),
        below_80=actual < projected.interval_80.low,
    )
    following = videos[at : at + BUNDLE]
    if at % BUNDLE or len(following) < BUNDLE:
        return score
    totals = bundles.bundles(views)
    if not totals:
        return score
    reached = sum(item.views for item in following) >= totals[BUNDLE - 1].views
    return replace(score, bundles=1, reached=int(reached))


def _until(video: RecentVideo, day: date) -> RecentVideo:
    """Return the video as it was known on a day. A look of an unknown day is taken as it is: the data have no other."""
    known = tuple(
        item for item in video.snapshots if (day - video.published_on).days >= (item.age or 0)
    )
    last: AgedViews | None = video.latest_observation
    if last is not None and last.age is not None:
        last = max(known, key=lambda item: item.age or 0, default=None)
    return replace(video, snapshots=known, latest_observation=last)
