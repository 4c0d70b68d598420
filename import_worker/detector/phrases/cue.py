"""The meaning of the phrases of a table."""

import re
from dataclasses import dataclass
from typing import Literal

from import_worker.detector.literals import required_literals
from import_worker.domain.records import Kind

Slot = Literal["after", "before", "near", "subject", "beside", "item", "back"]
"""The position of the brand: behind the phrase, before it, or somewhere near it.

"subject" is right before it, "beside" is there or else right behind it, "item" the name of the line's item that it is said of, "back" a brand that a
sentence before names.
"""

Strength = Literal["strong", "firm", "together", "fair", "weak"]
"""A strong phrase is enough with any name, a firm one where nothing around it speaks of credits, charity or own things, one of what was
made together with a name that is no person's besides, a fair one asks for a known brand or its link, a weak one for an offer besides."""


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


@dataclass(frozen=True, slots=True)
class PatternTable:
    """Phrases of one meaning, whose stems are the literals that `literals` reads from their patterns."""

    slot: Slot
    strength: Strength
    kind: Kind
    reason: str
    patterns: tuple[str, ...]

    def cues(self) -> tuple[Cue, ...]:
        """Return the phrases, one for each stem of each pattern."""
        compiled = [re.compile(pattern, re.MULTILINE) for pattern in self.patterns]
        return tuple(
            Cue(stem, pattern, self.slot, self.strength, self.kind, self.reason)
            for pattern in compiled
            for stem in sorted(required_literals(pattern))
        )
