"""Changes of videos and sponsorships in a batch, as far as totals and rollups depend on them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar

from catalog_service.domain import confidence_steps
from catalog_service.storage.columns import AnyRow

K = TypeVar("K")


class RollupKey(NamedTuple):
    """The key by which rollups group sponsorships, whose months are those of the days."""

    sponsor: int
    youtuber: int
    day: date
    category: str | None
    content: str | None
    country: str | None
    kind: str
    step: int


class VideoKey(NamedTuple):
    """The key by which different videos are counted; `category`, `content` and `country` are '' if unknown."""

    id: int
    day: date
    views: int
    category: str
    content: str
    country: str
    kind: str
    step: int


class NewVideos(NamedTuple):
    """New videos of a youtuber."""

    videos: int
    first: date
    last: date


_CHANGED: Final = (*RollupKey._fields, "videos", "views")
_PAIR: Final = ("sponsors", "youtubers")
_OF_VIDEOS: Final = (*(f"video_{name}" for name in VideoKey._fields), "video_sponsorships")


@dataclass(slots=True)
class Changes:
    """Sponsorships that were added and removed; those that cancel each other out count for nothing.

    Rows are those of `sponsorships`.

    Attributes:
        youtubers: Those whose totals may have changed, be it by videos without a sponsorship.
        recounted: Those of them of whom a known video may have moved.
        new: New videos by youtuber.
        new_contents: New videos by youtuber and content category.
        days: How many more videos each day has.
        sponsored: Youtubers of whom a sponsorship was added or removed.
        pairs: Sponsors and youtubers between whom a sponsorship was added or removed.
        gone: Sponsors that were deleted, with their rollups.
    """

    youtubers: set[int] = field(default_factory=set[int])
    recounted: set[int] = field(default_factory=set[int])
    new: dict[int, NewVideos] = field(default_factory=dict[int, NewVideos])
    new_contents: dict[tuple[int, str], NewVideos] = field(
        default_factory=dict[tuple[int, str], NewVideos]
    )
    days: Counter[date] = field(default_factory=Counter[date])
    sponsored: set[int] = field(default_factory=set[int])
    pairs: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    gone: set[int] = field(default_factory=set[int])
    _sums: dict[RollupKey, tuple[int, int]] = field(
        default_factory=dict[RollupKey, tuple[int, int]]
    )
    _videos: dict[VideoKey, int] = field(default_factory=dict[VideoKey, int])
    _owners: dict[int, int] = field(default_factory=dict[int, int])

    def changed(self, youtubers: Iterable[int]) -> None:
        """Record youtubers whose stored videos were written again."""
        self.recounted.update(youtubers)
        self.youtubers.update(self.recounted)

    def stored(self, rows: Iterable[AnyRow]) -> None:
        """Record rows of `videos` that were written, new or again."""
        self.days.update(row.published_on for row in rows)

    def vanished(self, rows: Iterable[AnyRow]) -> None:
        """Record rows of `videos` as they were before they are written again or removed."""
        self.days.subtract(row.published_on for row in rows)

    def appeared(self, rows: Iterable[AnyRow]) -> None:
        """Record new rows of `videos`."""
        for row in rows:
            _add_video(self.new, row.youtuber_id, row.published_on)
            if row.category is not None:
                _add_video(self.new_contents, (row.youtuber_id, row.category), row.published_on)
        self.youtubers.update(self.new)

    def came(self, rows: Iterable[AnyRow]) -> None:
        for row in rows:
            self._touch(row)
            self._add(_rollup_key(row), 1, row.views or 0)
            self._count(row, _video_key(row), 1)

    def went(self, rows: Iterable[AnyRow]) -> None:
        for row in rows:
            self._touch(row)
            self._add(_rollup_key(row), -1, -(row.views or 0))
            self._count(row, _video_key(row), -1)

    def categorised(self, rows: Iterable[AnyRow]) -> None:
        """Record sponsorships whose sponsors have the new category `now`."""
        for row in rows:
            before = _rollup_key(row)
            self._add(before, -1, -(row.views or 0))
            self._add(before._replace(category=row.now), 1, row.views or 0)
            self._count(row, _video_key(row), -1)
            self._count(row, _video_key(row)._replace(category=row.now or ""), 1)

    def located(self, rows: Iterable[AnyRow]) -> None:
        """Record sponsorships whose youtubers have the new country `now`."""
        for row in rows:
            before = _rollup_key(row)
            self._add(before, -1, -(row.views or 0))
            self._add(before._replace(country=row.now), 1, row.views or 0)
            self._count(row, _video_key(row), -1)
            self._count(row, _video_key(row)._replace(country=row.now or ""), 1)

    def forget(self, sponsor: int) -> None:
        self.gone.add(sponsor)
        self.pairs = {pair for pair in self.pairs if pair[0] != sponsor}

    def totals(self) -> dict[str, list[Any]]:
        """Return the youtubers as parallel arrays, with the differences of their totals."""
        numbers = list(self.youtubers)
        new = [self.new.get(number, (0, None, None)) for number in numbers]
        return {
            "numbers": numbers,
            "sponsored": [number in self.sponsored for number in numbers],
            "recounted": [number in self.recounted for number in numbers],
            **_columns(("added", "first_added", "last_added"), new),
        }

    def added_contents(self) -> dict[str, list[Any]]:
        """Return new videos by content category as parallel arrays, without youtubers that are counted again."""
        rows = [
            (*key, *new) for key, new in self.new_contents.items() if key[0] not in self.recounted
        ]
        return _columns(("numbers", "contents", "added", "first_added", "last_added"), rows)

    def grown_days(self) -> dict[str, list[Any]]:
        """Return the days whose number of videos has changed as parallel arrays."""
        return _columns(("days", "videos"), [item for item in self.days.items() if item[1]])

    def parameters(self, at_once: int = 1_000) -> Iterator[dict[str, list[Any]]]:
        """Yield the changes as parallel arrays, the pairs as two more, and sponsorships by video.

        In portions of so many youtubers. Each may be applied by itself, as neither a youtuber nor a
        video is split. `sponsor` is None where the sponsor was deleted: then a change counts for its
        category only.
        """
        changed: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list[tuple[Any, ...]])
        for rollup_key, sums in self._sums.items():
            if any(sums):
                living = rollup_key._replace(sponsor=self._living(rollup_key.sponsor))
                changed[rollup_key.youtuber].append((*living, *sums))
        pairs: defaultdict[int, list[tuple[int, int]]] = defaultdict(list[tuple[int, int]])
        for pair in self.pairs:
            pairs[pair[1]].append(pair)
        videos = self._video_rows()
        everyone = sorted(changed.keys() | pairs.keys() | videos.keys())
        for start in range(0, len(everyone), at_once):
            chunk = everyone[start : start + at_once]
            yield {
                **_columns(_CHANGED, [row for item in chunk for row in changed[item]]),
                **_columns(_PAIR, [pair for item in chunk for pair in pairs[item]]),
                **_columns(_OF_VIDEOS, [row for item in chunk for row in videos[item]]),
            }

    def _video_rows(self) -> defaultdict[int, list[tuple[Any, ...]]]:
        rows: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list[tuple[Any, ...]])
        for video_key, sponsorships in self._videos.items():
            if sponsorships:
                rows[self._owners[video_key.id]].append((*video_key, sponsorships))
        return rows

    def _living(self, sponsor: int) -> Any:
        return None if sponsor in self.gone else sponsor

    def _touch(self, row: AnyRow) -> None:
        self.youtubers.add(row.youtuber_id)
        self.sponsored.add(row.youtuber_id)
        self.pairs.add((row.sponsor_id, row.youtuber_id))

    def _add(self, rollup_key: RollupKey, videos: int, views: int) -> None:
        before = self._sums.get(rollup_key, (0, 0))
        self._sums[rollup_key] = (before[0] + videos, before[1] + views)

    def _count(self, row: AnyRow, video_key: VideoKey, sponsorships: int) -> None:
        self._videos[video_key] = self._videos.get(video_key, 0) + sponsorships
        # A video that moved to another youtuber is the last one's, with all of its changes.
        self._owners[video_key.id] = row.youtuber_id


def _add_video(videos: dict[K, NewVideos], key: K, day: date) -> None:
    count, first, last = videos.get(key, (0, day, day))
    videos[key] = NewVideos(count + 1, min(first, day), max(last, day))


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {name: list(values) for name, values in zip(names, columns, strict=True)}


def _rollup_key(row: AnyRow) -> RollupKey:
    return RollupKey(
        row.sponsor_id,
        row.youtuber_id,
        row.published_on,
        row.sponsor_category,
        row.content_category,
        row.country,
        row.kind,
        confidence_steps.step_of(row.confidence),
    )


def _video_key(row: AnyRow) -> VideoKey:
    return VideoKey(
        row.video_id,
        row.published_on,
        row.views or 0,
        row.sponsor_category or "",
        row.content_category or "",
        row.country or "",
        row.kind,
        confidence_steps.step_of(row.confidence),
    )
