"""The context of a channel from all of its videos: its own names and sites, and its boilerplate."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from import_worker.detector.folding import fold, lower, name_key
from import_worker.detector.hosts import OWN_SHOP_LABELS
from import_worker.detector.links import Link, find_links
from import_worker.detector.phrases.exclusions import OWN
from import_worker.domain.keys import slug_of

RECURS: Final = 0.5
"""Share of a channel's videos from which on a link is boilerplate."""

_ENOUGH_VIDEOS: Final = 4
_MAX_VIDEOS: Final = 400
_OWN_LENGTH: Final = 5
_WORD: Final = re.compile(r"\w+")
_HANDLE: Final = re.compile(
    r"(?:instagram|twitter|x|facebook|tiktok|twitch|patreon|youtube)\.(?:com|tv)/(?:@|c/|user/)?([\w.\-]{3,40})",
    re.IGNORECASE,
)
_NO_HANDLES: Final = frozenset(
    {"channel", "playlist", "watch", "user", "intent", "subscription", "join", "posts"}
)
_BEFORE: Final = 60
_READ: Final = 6_000
_MAX_LINKS: Final = 80
_SHORTEST_KEY: Final = 2


@dataclass(frozen=True, slots=True)
class ChannelContext:
    """A channel's own names, and the texts that it repeats.

    Attributes:
        name: The channel's title.
        own_keys: Its names and handles as `folding.name_key` gives them.
        own_domains: Registrable domains of its own sites.
        boilerplate_domains: Share of its videos that link to a domain, for those that recur.
        videos: How many videos that was learnt from.
    """

    name: str = ""
    own_keys: frozenset[str] = frozenset()
    own_domains: frozenset[str] = frozenset()
    boilerplate_domains: dict[str, float] = field(default_factory=dict[str, float])
    videos: int = 0

    def owns_name(self, name: str) -> bool:
        """Return whether a name is the channel's own, or the company's that runs it."""
        key = name_key(name)
        return bool(key) and (
            key in self.own_keys
            or any(_contains(key, own) for own in self.own_keys)
            or self._in_title(key)
        )

    def owns_link(self, link: Link) -> bool:
        """Return whether a link leads to the channel's own site."""
        label = name_key(link.label)
        return (
            link.domain in self.own_domains
            or any(word in label for word in OWN_SHOP_LABELS)
            or self.owns_name(label)
            or any(len(label) >= _OWN_LENGTH and own.startswith(label) for own in self.own_keys)
        )

    def is_named_in(self, text: str) -> bool:
        """Return whether a path or code carries the channel's name or a good part of it."""
        key = name_key(text)
        return any(_shares_start(key, own) for own in self.own_keys)

    def _in_title(self, key: str) -> bool:
        words = [name_key(word) for word in _WORD.findall(self.name)]
        return any(
            "".join(words[first:last]) == key
            for first in range(len(words))
            for last in range(first + 1, min(first + 4, len(words)) + 1)
        )


@dataclass(slots=True)
class ChannelLearning:
    """Gathers what a channel's videos show, one by one; the first few hundred are enough."""

    name: str
    handle: str | None = None
    videos: int = 0
    domains: Counter[str] = field(default_factory=Counter[str])
    own: Counter[str] = field(default_factory=Counter[str])
    handles: Counter[str] = field(default_factory=Counter[str])

    def learn(self, description: str) -> None:
        """Takes in the description of one more video."""
        if self.videos >= _MAX_VIDEOS:
            return
        self.videos += 1
        folded = fold(description[:_READ])
        links = [link for link in find_links(folded, _MAX_LINKS) if link.kind == "site"]
        self.domains.update({link.domain for link in links})
        lowered = lower(folded)
        self.own.update({link.domain for link in links if OWN.search(_lead(lowered, link.start))})
        self.handles.update({name_key(found) for found in _HANDLE.findall(folded)} - _NO_HANDLES)

    def context(self) -> ChannelContext:
        """Return the context of the videos so far."""
        keys = {name_key(self.name), name_key(slug_of(self.name)), name_key(self.handle or "")}
        keys |= _own_handles(name_key(self.name), self.handles, self.videos)
        return ChannelContext(
            name=fold(self.name),
            own_keys=frozenset(key for key in keys if len(key) > _SHORTEST_KEY),
            own_domains=frozenset(d for d, seen in self.own.items() if seen * 2 > self.domains[d]),
            boilerplate_domains=self._boilerplate(),
            videos=self.videos,
        )

    def _boilerplate(self) -> dict[str, float]:
        if self.videos < _ENOUGH_VIDEOS:
            return {}
        shares = {domain: seen / self.videos for domain, seen in self.domains.items()}
        return {domain: share for domain, share in shares.items() if share >= RECURS}


def channel_context(
    name: str, descriptions: Iterable[str], handle: str | None = None
) -> ChannelContext:
    """The context of a channel, learnt from the descriptions of its videos."""
    learning = ChannelLearning(name, handle)
    for description in descriptions:
        learning.learn(description)
    return learning.context()


def _lead(lowered: str, at: int) -> str:
    return lowered[max(lowered.rfind("\n", 0, at) + 1, at - _BEFORE) : at]


def _own_handles(name: str, handles: Counter[str], videos: int) -> set[str]:
    """Handles that resemble the name, or that nearly every video of several links to."""
    return {
        handle
        for handle, seen in handles.items()
        if _shares_start(handle, name)
        or (videos >= _ENOUGH_VIDEOS and seen * 10 >= videos * 9 and len(handle) >= _OWN_LENGTH)
    }


def _contains(key: str, own: str) -> bool:
    return len(own) >= _OWN_LENGTH and own in key and len(own) * 2 >= len(key)


def _shares_start(key: str, own: str) -> bool:
    length = min(len(key), len(own), _OWN_LENGTH)
    return length >= 3 and (
        key[:length] == own[:length]
        or (len(own) >= 4 and own in key)
        or (len(key) >= 4 and key in own)
    )
