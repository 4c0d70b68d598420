"""The context of a channel from all of its videos: its own names and sites, and its boilerplate."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from import_worker.detector.folding import fold, lower, name_key
from import_worker.detector.hosts import OWN_SHOP_LABELS
from import_worker.detector.links import Link, find_links
from import_worker.detector.phrases.channel_words import BESIDE_OWN, COMMON_IN_CHANNELS
from import_worker.detector.phrases.exclusions import OWN
from import_worker.detector.transliteration import latin
from import_worker.domain.keys import slug_of

RECURS: Final = 0.5
"""Share of a channel's videos from which on a link is boilerplate."""

_ENOUGH_VIDEOS: Final = 4
_MAX_VIDEOS: Final = 400
_OWN_LENGTH: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_HANDLE: Final = re.compile(
    r"(?:instagram|twitter|x|facebook|tiktok|twitch|patreon|youtube)\.(?:com|tv)/(?:@|c/|user/)?([\w.\-]{3,40})",
    re.IGNORECASE,
)
_NO_HANDLES: Final = frozenset(
    {"channel", "playlist", "watch", "user", "intent", "subscription", "join", "posts"}
)
_CONTACT_MAIL: Final = re.compile(
    r"(?:contact|business|enquir|inquir|collab|booking|management|anfragen|kontakt|contat|comercial|негоц|сотрудн|реклам|почта|お仕事|問い合わせ|문의|섭외|비즈니스|合作|商务|商務)"
    r"[^\n@]{0,50}\b[\w.+-]{1,40}@((?:[\w-]{2,40}\.){1,2}[a-z]{2,10})\b"
)
"""An address at which the creator is asked for business: its site is the creator's, or the agency's."""
_PART: Final = re.compile(r"[^\W\d_]+")
_RUN: Final = re.compile(
    r"[\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u3400-\u9fff]+|[\uac00-\ud7a3]+|[^\W\d_\u3040-\u9fff\uac00-\ud7a3]+"
)
"""A word, or in scripts without blanks a run of letters of one kind."""

_PARTED: Final = re.compile(r"[/_\-.?=&]")
_BEFORE: Final = 60
_READ: Final = 6_000
_MAX_LINKS: Final = 80
_SHORTEST_KEY: Final = 2
_SHORTEST_OWN: Final = 4
_ENDING: Final = 2
_AND: Final = ("and", "und", "et", "y", "e", "en", "og", "och", "i")
"""What a channel's domain or code has in the place of its name's "&"."""


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

    @property
    def learnt(self) -> tuple[str, frozenset[str], frozenset[str], frozenset[tuple[str, float]]]:
        """All that the reading of a text depends on, to be compared."""
        boilerplate = frozenset(self.boilerplate_domains.items())
        return self.name, self.own_keys, self.own_domains, boilerplate

    def owns_name(self, name: str) -> bool:
        """Return whether a name is the channel's own, or the company's that runs it."""
        key = name_key(name)
        return bool(key) and (
            key in self.own_keys
            or _is_around(key, self.own_keys)
            or self._in_title(key)
            or (name.isupper() and len(key) > _SHORTEST_KEY and key == self._initials())
        )

    def owns_link(self, link: Link) -> bool:
        """Return whether a link leads to the channel's own site."""
        label = name_key(link.label)
        return (
            link.domain in self.own_domains
            or any(word in label for word in OWN_SHOP_LABELS)
            or self.owns_name(label)
            or (len(label) >= _OWN_LENGTH and _begins_any(label, self.own_keys))
        )

    def is_named_in(self, text: str) -> bool:
        """Return whether a path or code carries the channel's name, a good part of it or one of its words."""
        return _shares_start_with_any(name_key(text), self.own_keys) or self._has_word_in(text)

    def _has_word_in(self, text: str) -> bool:
        """Return whether a word of the channel's name that tells it from others is a part of a path or code."""
        own, stems = _own_words(self.name)
        if not own:
            return False
        parts = (name_key(part) for part in _PART.findall(text))
        return any(part in own or not stems.isdisjoint(_stems(part)) for part in parts)

    def is_built_on(self, label: str) -> bool:
        """Return whether a site's label is a word of the channel's name beside one for shops, lessons and the like."""
        key = name_key(label)
        own, _ = _own_words(self.name)
        return any(
            key != word
            and (key.removeprefix(word) in BESIDE_OWN or key.removesuffix(word) in BESIDE_OWN)
            for word in own
        )

    def without_sites(self, domains: Collection[str]) -> "ChannelContext":
        """Return the context with none of these sites among the channel's own."""
        own = self.own_domains.difference(domains)
        return self if own == self.own_domains else replace(self, own_domains=own)

    def has_initials_in(self, path: str) -> bool:
        """Return whether a part of a path is made of the first letters of the channel's name."""
        initials = self._initials()
        return len(initials) > 1 and initials in _PARTED.split(path.lower())

    def _initials(self) -> str:
        return "".join(word[0] for word in _WORD.findall(self.name)).lower()

    def _in_title(self, key: str) -> bool:
        return key in _title_keys(self.name)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a description shows of its channel: outside domains, those called its own, and handles."""

    domains: frozenset[str]
    own: frozenset[str]
    handles: frozenset[str]


@lru_cache(maxsize=_MAX_VIDEOS * 2)
def _shown(description: str) -> _Shown:
    """Read a description once: an import learns the channel anew with each page of its videos."""
    folded = fold(description)
    lowered = lower(folded)
    links = [link for link in find_links(folded, _MAX_LINKS) if link.kind == "site"]
    mails = {match.group(1) for match in _CONTACT_MAIL.finditer(lowered)}
    own = {
        link.domain
        for link in links
        if OWN.search(_lead(lowered, link.start)) or link.domain in mails
    }
    handles = {name_key(found) for found in _HANDLE.findall(folded)} - _NO_HANDLES
    return _Shown(frozenset(link.domain for link in links), frozenset(own), frozenset(handles))


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
        """Take in the description of one more video."""
        if self.videos >= _MAX_VIDEOS:
            return
        self.videos += 1
        shown = _shown(description[:_READ])
        self.domains.update(shown.domains)
        self.own.update(shown.own)
        self.handles.update(shown.handles)

    def context(self) -> ChannelContext:
        """Return the context of the videos so far."""
        keys = {name_key(self.name), name_key(slug_of(self.name)), name_key(self.handle or "")}
        keys |= names_with_and(self.name)
        keys |= set() if self.name.isascii() else {latin(self.name)}
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
        # In tenths: a share that moves by a video with each page would teach nothing, and be new.
        shares = {domain: round(seen / self.videos, 1) for domain, seen in self.domains.items()}
        return {domain: share for domain, share in shares.items() if share >= RECURS}


@lru_cache(maxsize=256)
def names_with_and(name: str) -> frozenset[str]:
    """Return the keys of a name whose "&" is written as a word; none for a name without."""
    words = _AND if "&" in name else ()
    return frozenset(name_key(name.replace("&", word)) for word in words)


def channel_context(
    name: str, descriptions: Iterable[str], handle: str | None = None
) -> ChannelContext:
    """Return the context of a channel, learnt from the descriptions of its videos."""
    learning = ChannelLearning(name, handle)
    for description in descriptions:
        learning.learn(description)
    return learning.context()


def contexts_of(videos: Iterable[tuple[str, str]]) -> dict[str, ChannelContext]:
    """Return the contexts of channels by name, learnt from pairs of channel and description."""
    learning: dict[str, ChannelLearning] = {}
    for channel, description in videos:
        learning.setdefault(channel, ChannelLearning(channel)).learn(description)
    return {channel: learnt.context() for channel, learnt in learning.items()}


@lru_cache(maxsize=256)
def _title_keys(name: str) -> frozenset[str]:
    """Return the keys of up to four words of a channel's title that follow each other."""
    words = [name_key(word) for word in _WORD.findall(name)]
    return frozenset(
        "".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, min(first + 4, len(words)) + 1)
    )


@lru_cache(maxsize=256)
def _own_words(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of the words of a channel's name that are not what channels are called by, and their stems."""
    keys = {name_key(word) for word in _RUN.findall(name)} - COMMON_IN_CHANNELS
    keys |= {latin(key) for key in keys if not key.isascii()}
    own = frozenset(key for key in keys - COMMON_IN_CHANNELS if len(key) >= _SHORTEST_OWN)
    return own, frozenset(stem for key in own for stem in _stems(key))


def _stems(key: str) -> tuple[str, ...]:
    """Return a word and what is left of it without an ending: "halinka", "halink", "halin"."""
    return tuple(
        key[:length] for length in range(max(_OWN_LENGTH, len(key) - _ENDING), len(key) + 1)
    )


def _lead(lowered: str, at: int) -> str:
    return lowered[max(lowered.rfind("\n", 0, at) + 1, at - _BEFORE) : at]


def _own_handles(name: str, handles: Counter[str], videos: int) -> set[str]:
    """Return handles that resemble the name, or that nearly every video of several links to."""
    return {
        handle
        for handle, seen in handles.items()
        if _shares_start(handle, name)
        or (videos >= _ENOUGH_VIDEOS and seen * 10 >= videos * 9 and len(handle) >= _OWN_LENGTH)
    }


@lru_cache(maxsize=16_384)
def _is_around(key: str, own_keys: frozenset[str]) -> bool:
    """Return whether a key consists of one of the channel's own for the most part."""
    return any(_contains(key, own) for own in own_keys)


@lru_cache(maxsize=16_384)
def _begins_any(label: str, own_keys: frozenset[str]) -> bool:
    return any(own.startswith(label) for own in own_keys)


@lru_cache(maxsize=16_384)
def _shares_start_with_any(key: str, own_keys: frozenset[str]) -> bool:
    return any(_shares_start(key, own) for own in own_keys)


def _contains(key: str, own: str) -> bool:
    return len(own) >= _OWN_LENGTH and own in key and len(own) * 2 >= len(key)


def _shares_start(key: str, own: str) -> bool:
    length = min(len(key), len(own), _OWN_LENGTH)
    return length >= 3 and (
        key[:length] == own[:length]
        or (len(own) >= 4 and own in key)
        or (len(key) >= 4 and key in own)
    )
