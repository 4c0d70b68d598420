"""Joins what is known twice: channels by name and by id, videos without and with their YouTube id.

Files may know a channel by its name alone (key "name:…") and a video without its id (key "x:…"). An
import knows both by YouTube's ids. They are the same channel if they have one handle, or if a video of
the one is a video of the other (docs/adr/0029-one-channel-is-one-channel.md).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, Protocol

from catalog_service.domain.facts import Fact, merged
from shapes.catalog.ingest import VideoFact, YoutuberFact

NAME_ONLY: Final = "name:"
"""The key of a channel whose name alone is known begins so."""

WITHOUT_ID: Final = "x:"
"""The key of a video whose YouTube id is not known begins so."""

READ_FROM_YOUTUBE: Final = frozenset({"youtube-api", "youtube-feed"})
"""The sources that know more of a channel than any file."""

_MIN_VIEWS: Final = 1_000
"""Fewer views are shared by too many videos to tell one from another."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A stored video that may be the video of a fact.

    Attributes:
        fact_key: The fact's key.
        key: The key of the stored video.
        youtuber_key: The key of its channel.
        day: When it was published.
        views: How often it had been seen.
        title_hash: See `title_hashes`.
    """

    fact_key: str
    key: str
    youtuber_key: str
    day: date
    views: int | None
    title_hash: str | None


class Joins(Protocol):
    """The part of a batch that joining needs."""

    async def former_youtubers(self, keys: Collection[str]) -> Mapping[str, str]:
        """Return the present keys of channels that were joined to others, by their former keys."""
        ...

    async def former_videos(self, keys: Collection[str]) -> Mapping[str, str]:
        """Return the present keys of videos that were joined to others, by their former keys."""
        ...

    async def same_handles(self, keys: Collection[str]) -> Mapping[str, str]:
        """Return channels known by name alone and those with an id and the same handle.

        As far as one of the two is among `keys`.
        """
        ...

    async def counterparts(self, facts: Sequence[VideoFact]) -> Sequence[Counterpart]:
        """Return stored videos that may be those of the facts.

        Those with the fact's key and another channel, of which one is known by name alone; and those
        of the same channel or of one of the same name, published at most a day earlier or later,
        where the one has a YouTube id and the other has none.
        """
        ...

    async def join_youtuber(self, former: str, key: str) -> None:
        """Give the videos of a channel to another, which both are stored."""
        ...

    async def join_video(self, former: str, key: str) -> bool:
        """Let a video be known by another key; return true if two stored ones became one."""
        ...

    async def youtubers(self, keys: Sequence[str]) -> Mapping[str, YoutuberFact]: ...

    async def save_youtubers(self, changed: Sequence[YoutuberFact]) -> None: ...


@dataclass(frozen=True, slots=True)
class JoinedVideos:
    """The outcome of joining the videos of facts.

    Attributes:
        youtubers: Present keys of channels by former ones.
        known: Present keys of the videos of which the catalogue knows more than the facts say, by
            the facts' keys.
        united: Keys of videos that two stored ones became.
    """

    youtubers: Mapping[str, str] = field(default_factory=dict[str, str])
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    united: Collection[str] = ()

    def of_present(self, fact: VideoFact) -> VideoFact:
        """Return the fact under the present key of its channel."""
        key = self.youtubers.get(fact.youtuber_key)
        return fact if key is None else replace(fact, youtuber_key=key)


def better(stored: Fact, fact: Fact) -> tuple[Fact, Fact]:
    """Return the poorer and the better of two records of one thing.

    What was read from YouTube is better than what a file says of it, whichever came first; else the
    later one is better.
    """
    is_poorer = _is_from_file(fact) and not _is_from_file(stored)
    return (fact, stored) if is_poorer else (stored, fact)


def _is_from_file(fact: Fact) -> bool:
    """Return true for what a file says of a channel, and for a video whose title was taken away."""
    if isinstance(fact, YoutuberFact):
        return fact.source not in READ_FROM_YOUTUBE
    return isinstance(fact, VideoFact) and fact.title is None and fact.title_hash is not None


async def join_by_handle(batch: Joins, keys: Collection[str]) -> None:
    """Join channels known by name alone to those with an id and the same handle."""
    await _join_youtubers(batch, await batch.same_handles(keys))


async def join_videos(batch: Joins, facts: Sequence[VideoFact]) -> JoinedVideos:
    """Join stored videos and their channels to those of the facts, and the facts to stored ones."""
    former = dict(await batch.former_youtubers({fact.youtuber_key for fact in facts}))
    of_former = JoinedVideos(former)
    facts = [of_former.of_present(fact) for fact in facts]
    matches = matched(facts, await batch.counterparts(facts))
    joined = {
        name_only: other
        for fact, video in matches
        for name_only, other in [_sides(fact.youtuber_key, video.youtuber_key)]
        if name_only != other
    }
    await _join_youtubers(batch, joined)
    known: dict[str, str] = {}
    united: set[str] = set()
    for fact, video in matches:
        if fact.key == video.key:
            continue
        if fact.video_id is not None:
            await batch.join_video(video.key, fact.key)
            continue
        known[fact.key] = video.key
        if await batch.join_video(fact.key, video.key):
            united.add(video.key)
    return JoinedVideos(former | joined, known, united)


def matched(
    facts: Sequence[VideoFact], counterparts: Sequence[Counterpart]
) -> list[tuple[VideoFact, Counterpart]]:
    """Return the facts with their stored videos; each takes part in one pair at most."""
    by_key = {fact.key: fact for fact in facts}
    possible = [
        (rank, fact.key, video.key, fact, video)
        for video in counterparts
        for fact in [by_key[video.fact_key]]
        for rank in [_rank(fact, video)]
        if rank is not None
    ]
    pairs: list[tuple[VideoFact, Counterpart]] = []
    used_facts: set[str] = set()
    used_videos: set[str] = set()
    for _, fact_key, key, fact, video in sorted(possible, key=lambda item: item[:3]):
        if fact_key not in used_facts and key not in used_videos:
            used_facts.add(fact_key)
            used_videos.add(key)
            pairs.append((fact, video))
    return pairs


def _rank(fact: VideoFact, video: Counterpart) -> int | None:
    """Return how surely the two are one video, 0 for the surest; None if they are two."""
    if fact.key == video.key:
        return 0
    same_day = video.day.isoformat() == fact.published_at
    if fact.title_hash is not None and video.title_hash is not None:
        if fact.title_hash != video.title_hash:
            return None
        return 1 if same_day else 2
    seen_often = fact.views is not None and fact.views >= _MIN_VIEWS
    return 3 if same_day and seen_often and fact.views == video.views else None


def _sides(first: str, second: str) -> tuple[str, str]:
    """Return the two channels, the one that is known by name alone first."""
    return (first, second) if first.startswith(NAME_ONLY) else (second, first)


async def _join_youtubers(batch: Joins, joined: Mapping[str, str]) -> None:
    """Join channels; what alone the former one knows of country, category … is kept."""
    if not joined:
        return
    stored = await batch.youtubers(list({*joined, *joined.values()}))
    for former, key in joined.items():
        await batch.join_youtuber(former, key)
    filled = {key: merged(stored[former], stored[key]) for former, key in joined.items()}
    await batch.save_youtubers([fact for key, fact in filled.items() if fact != stored[key]])
