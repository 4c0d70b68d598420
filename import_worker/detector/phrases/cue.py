"""The meaning of the phrases of a table."""

import re
from dataclasses import dataclass
from typing import Literal

from import_worker.domain.records import Kind

Slot = Literal["after", "before", "near"]
"""The position of the brand: behind the phrase, before it, or somewhere beside it."""

Strength = Literal["strong", "fair", "weak"]
"""A strong phrase is enough with any name, a fair one asks for a known brand or its link, a weak one
for an offer besides."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that says that a brand stands behind the video.

    Attributes:
        stem: A literal in lower case that every match of the pattern contains.
        pattern: Matches lower-case folded text; a bounded number of characters.
        slot: Where the brand stands.
        strength: How much the phrase says by itself.
        kind: The kind of sponsorship it tells.
        reason: Our words for it.
    """

    stem: str
    pattern: re.Pattern[str]
    slot: Slot
    strength: Strength
    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class CueTable:
    """Phrases of one meaning: patterns by the stem that all of their matches contain."""

    slot: Slot
    strength: Strength
    kind: Kind
    reason: str
    phrases: dict[str, tuple[str, ...]]

    def cues(self) -> tuple[Cue, ...]:
        """Return the phrases one by one."""
        return tuple(
            Cue(
                stem,
                re.compile(pattern, re.MULTILINE),
                self.slot,
                self.strength,
                self.kind,
                self.reason,
            )
            for stem, patterns in self.phrases.items()
            for pattern in patterns
        )
