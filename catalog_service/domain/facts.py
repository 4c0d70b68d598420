"""Facts that importers send, and how a new one is merged into the stored one.

Days and instants stay text here, in the form that `fact_rules` gives them: "2024-05-31" and
"2024-05-31T12:00:00+00:00".
"""

import hashlib
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Final, TypeVar

import msgspec

from catalog_service.domain.video_formats import format_of
from shapes.catalog.ingest import SponsorFact, VideoFact, YoutuberFact

Fact = TypeVar("Fact", SponsorFact, YoutuberFact, VideoFact)


@dataclass(frozen=True, slots=True)
class VideoState:
    """A video to be stored, the digest of the latest fact about it, and its format."""

    fact: VideoFact
    digest: str
    format: str

    @classmethod
    def of(cls, fact: VideoFact, digest: str) -> "VideoState":
        published_on = date.fromisoformat(fact.published_at)
        return cls(fact, digest, format_of(fact.duration_seconds, fact.broadcast, published_on))


_ALWAYS_SET: Final = frozenset({"sponsorships"})
_COUNTS: Final = ("views", "likes", "comments")
_OBSERVED: Final = (*_COUNTS, "observed_at")
"""Fields of one observation, which are never mixed with those of another."""


def merged(stored: Fact, update: Fact) -> Fact:
    """Return the stored fact updated by a new one: fields that it leaves out stay."""
    spoken: dict[str, Any] = {
        field.name: getattr(update, field.name)
        for field in fields(update)
        if field.name in _ALWAYS_SET or getattr(update, field.name) not in (None, ())
    }
    if isinstance(stored, VideoFact) and isinstance(update, VideoFact):
        observed = _latest_observation(stored, update)
        spoken |= {name: getattr(observed, name) for name in _OBSERVED}
    return replace(stored, **spoken)


def _latest_observation(stored: VideoFact, update: VideoFact) -> VideoFact:
    """Return the fact whose counts hold: the update's, unless it has none or older ones."""
    if all(getattr(update, name) is None for name in _COUNTS):
        return stored
    is_older = (update.observed_at or "9999") < (stored.observed_at or "")
    return stored if is_older else update


def digest(fact: VideoFact) -> str:
    """Return 32 hex digits that are equal for equal facts."""
    return hashlib.blake2b(msgspec.msgpack.encode(fact), digest_size=16).hexdigest()
