"""Operators' decisions applied to the facts that importers send.

Decisions outlive facts: each fact passes through here on its way in, whichever detector sent it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Self

from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact

Action = Literal["hidden", "kind", "added"]
REVIEW: Final = "review"
"""The detector version of a sponsorship that an operator added."""

_ADDED_REASON: Final = "An operator confirmed it."


@dataclass(frozen=True, slots=True)
class Correction:
    """An operator's decision about a sponsor in a video.

    Attributes:
        sponsor_slug: The sponsor that it was about when it was decided.
        action: "hidden": there is none. "kind": if there is one, it is of this kind. "added":
            there is one, of this kind.
        kind: None for a hidden one.
        number: Its place among all corrections and merges.
    """

    sponsor_slug: str
    action: Action
    kind: str | None
    number: int = 0


@dataclass(frozen=True, slots=True)
class MergeStep:
    """An operator's decision that two sponsors are one.

    Attributes:
        from_slug: The sponsor that was merged.
        into_slug: The sponsor that it was merged into, which may have been merged later.
        number: Its place among all corrections and merges.
    """

    from_slug: str
    into_slug: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Merges:
    """Sponsors that were merged into others.

    Attributes:
        targets: Slug of the sponsor that each merged slug stands for now.
        parts: The facts about each merged slug, in the order of the merges.
        own: The facts about sponsors that others were merged into.
        steps: The merges in their order.
    """

    targets: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: Mapping[str, SponsorFact] = field(default_factory=dict[str, SponsorFact])
    own: Mapping[str, SponsorFact] = field(default_factory=dict[str, SponsorFact])
    steps: Sequence[MergeStep] = ()

    def slug(self, reported: str) -> str:
        return self.targets.get(reported, reported)

    def parts_of(self, slug: str) -> list[SponsorFact]:
        return [part for old, part in self.parts.items() if self.targets[old] == slug]


def united(own: SponsorFact, parts: Iterable[SponsorFact]) -> SponsorFact:
    """Return the sponsor with what those merged into it contribute.

    Their names and domains are added to its own; of category, country and website those that it has
    none of are taken from the first that has them.
    """
    aliases, domains = dict.fromkeys(own.aliases), dict.fromkeys(own.domains)
    category, country, website = own.category, own.country, own.website
    for item in parts:
        aliases |= dict.fromkeys((item.name, *item.aliases))
        domains |= dict.fromkeys(item.domains)
        category, country = category or item.category, country or item.country
        website = website or item.website
    if own.name not in own.aliases:
        aliases.pop(own.name, None)
    return replace(
        own,
        aliases=tuple(aliases),
        domains=tuple(domains),
        category=category,
        country=country,
        website=website,
    )


@dataclass(slots=True)
class SponsorDecisions:
    """What operators have decided of a video's sponsors so far: the number of the decision that holds, by slug."""

    hidden: dict[str, int] = field(default_factory=dict[str, int])
    added: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def after(cls, decisions: Iterable[Correction | MergeStep]) -> Self:
        """Return what stands after decisions, which may come in any order."""
        in_force = cls()
        for decision in sorted(decisions, key=_number):
            in_force.apply(decision)
        return in_force

    def admits(self, step: MergeStep) -> bool:
        """Return whether a merged sponsor's sponsorship goes over: the other was not hidden after it was added."""
        hidden = self.hidden.get(step.into_slug)
        return hidden is None or self.added.get(step.from_slug, hidden) > hidden

    def apply(self, decision: Correction | MergeStep) -> None:
        """Record a decision that is newer than all others."""
        if isinstance(decision, MergeStep):
            self._merge(decision)
        elif decision.action == "hidden":
            self.hidden[decision.sponsor_slug] = decision.number
            self.added.pop(decision.sponsor_slug, None)
        elif decision.action == "added":
            self.added[decision.sponsor_slug] = decision.number
            self.hidden.pop(decision.sponsor_slug, None)

    def _merge(self, step: MergeStep) -> None:
        is_admitted = self.admits(step)
        number = self.added.pop(step.from_slug, None)
        if number is None or not is_admitted:
            return
        self.hidden.pop(step.into_slug, None)
        self.added[step.into_slug] = max(number, self.added.get(step.into_slug, number))


def _number(decision: Correction | MergeStep) -> int:
    return decision.number


def amended(
    fact: VideoFact, corrections: Sequence[Correction], steps: Sequence[MergeStep]
) -> VideoFact:
    """Return the video with corrections and merges applied in the order in which they were decided.

    So a fact gives the same whether it came before or after a decision.
    """
    in_force = SponsorDecisions()
    for decision in sorted([*corrections, *steps], key=_number):
        fact = (
            with_merge(fact, decision, in_force)
            if isinstance(decision, MergeStep)
            else corrected(fact, [decision])
        )
        in_force.apply(decision)
    return fact


def with_merge(fact: VideoFact, step: MergeStep, in_force: SponsorDecisions) -> VideoFact:
    """Return the video with the sponsorship of a merged sponsor assigned to the other.

    If both have one, the surer stays: one that an operator added, then the most confident, then the
    other's own. What was hidden of the other before stays hidden, unless an operator added the merged one later.
    """
    claims = {sponsorship.sponsor_slug: sponsorship for sponsorship in fact.sponsorships}
    moved = claims.pop(step.from_slug, None)
    if moved is None:
        return fact
    if in_force.admits(step):
        present = claims.get(step.into_slug)
        if present is None or _sureness(moved) > _sureness(present):
            claims[step.into_slug] = replace(moved, sponsor_slug=step.into_slug)
    return _with(fact, claims)


def _sureness(sponsorship: SponsorshipFact) -> tuple[bool, float]:
    return sponsorship.detector_version == REVIEW, sponsorship.confidence


def corrected(fact: VideoFact, corrections: Sequence[Correction]) -> VideoFact:
    """Return the video with operators' corrections applied."""
    if not corrections:
        return fact
    claims = {sponsorship.sponsor_slug: sponsorship for sponsorship in fact.sponsorships}
    for correction in corrections:
        reported = claims.pop(correction.sponsor_slug, None)
        after = _applied(reported, correction)
        if after is not None:
            claims[correction.sponsor_slug] = after
    return _with(fact, claims)


def _applied(reported: SponsorshipFact | None, correction: Correction) -> SponsorshipFact | None:
    if correction.kind is None:
        return None
    if correction.action == "kind":
        return reported and replace(reported, kind=correction.kind)
    return replace(
        reported or _bare(correction.sponsor_slug),
        kind=correction.kind,
        confidence=1.0,
        detector_version=REVIEW,
        reason=_ADDED_REASON,
    )


def _bare(slug: str) -> SponsorshipFact:
    return SponsorshipFact(
        sponsor_slug=slug,
        kind="",
        code=None,
        link=None,
        excerpt=None,
        excerpt_source=None,
        excerpt_start=None,
        excerpt_end=None,
        excerpt_hash=None,
        confidence=1.0,
        detector_version=REVIEW,
        reason=_ADDED_REASON,
    )


def _with(fact: VideoFact, claims: Mapping[str, SponsorshipFact]) -> VideoFact:
    return replace(fact, sponsorships=tuple(claims[slug] for slug in sorted(claims)))
