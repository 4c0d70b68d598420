"""Facts that importers send, and how a new one is merged into the stored one.

Days and instants stay text here, in the form that `fact_rules` gives them: "2024-05-31" and
"2024-05-31T12:00:00+00:00".
"""

import hashlib
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

import msgspec

from shapes.catalog.ingest import SponsorFact, VideoFact, YoutuberFact

Fact = TypeVar("Fact", SponsorFact, YoutuberFact, VideoFact)


@dataclass(frozen=True, slots=True)
class VideoState:
    """A video to be stored, and the digest of the latest fact about it."""

    fact: VideoFact
    digest: str


_ALWAYS_SET: Final = frozenset({"sponsorships"})


def merged(stored: Fact, update: Fact) -> Fact:
    """Return the stored fact updated by a new one: fields that it leaves out stay."""
    spoken: dict[str, Any] = {
        field.name: getattr(update, field.name)
        for field in fields(update)
        if field.name in _ALWAYS_SET or getattr(update, field.name) not in (None, ())
    }
    return replace(stored, **spoken)


def digest(fact: VideoFact) -> str:
    """Return 32 hex digits that are equal for equal facts."""
    return hashlib.blake2b(msgspec.msgpack.encode(fact), digest_size=16).hexdigest()
