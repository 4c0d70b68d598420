"""Operators' decisions applied to the facts that importers send.

Decisions outlive facts: each fact passes through here on its way in, whichever detector sent it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact

Action = Literal["hidden", "kind", "added"]
REVIEW: Final = "review"
"""The detector version of a sponsorship that an operator added."""

_ADDED_REASON: Final = "An operator confirmed it."


@dataclass(frozen=True, slots=True)
class Correction:
    """An operator's decision about a sponsor in a video.

    Attributes:
        sponsor_slug: The sponsor that it is about.
        action: "hidden": there is none. "kind": if there is one, it is of this kind. "added":
            there is one, of this kind.
        kind: None for a hidden one.
    """

    sponsor_slug: str
    action: Action
    kind: str | None


@dataclass(frozen=True, slots=True)
class Merges:
    """Sponsors that were merged into others.

    Attributes:
        targets: Slug of the sponsor that each merged slug stands for now.
        parts: The names and domains that each merged slug contributed.
    """

    targets: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: Mapping[str, SponsorFact] = field(default_factory=dict[str, SponsorFact])

    def slug(self, reported: str) -> str:
        return self.targets.get(reported, reported)

    def parts_of(self, slug: str) -> list[SponsorFact]:
        return [part for old, part in self.parts.items() if self.targets[old] == slug]


def part(fact: SponsorFact, parts: Iterable[SponsorFact] = ()) -> SponsorFact:
    """Return the names and domains that a merged sponsor contributes to its target.

    Sponsors merged into it earlier (`parts`) contribute theirs themselves.
    """
    others = list(parts)
    names = {name for other in others for name in (other.name, *other.aliases)}
    domains = {domain for other in others for domain in other.domains}
    return replace(
        fact,
        aliases=tuple(name for name in fact.aliases if name not in names),
        domains=tuple(domain for domain in fact.domains if domain not in domains),
        category=None,
        country=None,
        website=None,
    )


def united(target: SponsorFact, parts: Iterable[SponsorFact]) -> SponsorFact:
    """Return the sponsor with the names and domains of those merged into it."""
    aliases, domains = dict.fromkeys(target.aliases), dict.fromkeys(target.domains)
    for item in parts:
        aliases |= dict.fromkeys((item.name, *item.aliases))
        domains |= dict.fromkeys(item.domains)
    if target.name not in target.aliases:
        aliases.pop(target.name, None)
    return replace(target, aliases=tuple(aliases), domains=tuple(domains))


def redirected(fact: VideoFact, merges: Merges) -> VideoFact:
    """Return the video with sponsorships of merged sponsors assigned to their targets.

    If both have one, the target's stays; of several merged ones, the most confident.
    """
    if not any(sponsorship.sponsor_slug in merges.targets for sponsorship in fact.sponsorships):
        return fact

    def weakest_first(sponsorship: SponsorshipFact) -> tuple[bool, float]:
        return sponsorship.sponsor_slug not in merges.targets, sponsorship.confidence

    remaining: dict[str, SponsorshipFact] = {}
    for sponsorship in sorted(fact.sponsorships, key=weakest_first):
        slug = merges.slug(sponsorship.sponsor_slug)
        remaining[slug] = replace(sponsorship, sponsor_slug=slug)
    return _with(fact, remaining)


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
