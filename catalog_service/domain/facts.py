"""Facts that importers tell the catalogue, and how a new one adds to what is known.

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
    """A video as it is to be stored, and the digest of the latest fact about it."""

    fact: VideoFact
    digest: str


_ALWAYS_SAID: Final = frozenset({"sponsorships"})


def merged(stored: Fact, told: Fact) -> Fact:
    """What is known after `told`: it overrules what it speaks of and blanks nothing."""
    spoken: dict[str, Any] = {
        field.name: getattr(told, field.name)
        for field in fields(told)
        if field.name in _ALWAYS_SAID or getattr(told, field.name) not in (None, ())
    }
    return replace(stored, **spoken)


def digest(fact: VideoFact) -> str:
    """32 hex digits that are equal for equal facts."""
    return hashlib.blake2b(msgspec.msgpack.encode(fact), digest_size=16).hexdigest()
