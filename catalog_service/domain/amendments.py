"""What operators have decided, laid over the facts that importers tell.

Decisions outlive facts: each fact passes through here on its way in, whichever detector told it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact

Action = Literal["hidden", "kind", "added"]
REVIEW: Final = "review"
"""Detector version of a sponsorship that an operator has added."""

_ADDED_REASON: Final = "An operator confirmed it."


@dataclass(frozen=True, slots=True)
class Correction:
    """What holds of a sponsor in a video.

    Attributes:
        sponsor_slug: Whose sponsorship it is.
        action: "hidden": there is none. "kind": if there is one, it is of this kind. "added":
            there is one, of this kind.
        kind: None for a hidden one.
    """

    sponsor_slug: str
    action: Action
    kind: str | None


@dataclass(frozen=True, slots=True)
class Merges:
    """Sponsors that became part of others.

    Attributes:
        targets: Slug of the sponsor that each merged slug stands for now.
        parts: Of each merged slug, the names and domains that it brought along.
    """

    targets: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: Mapping[str, SponsorFact] = field(default_factory=dict[str, SponsorFact])

    def slug(self, told: str) -> str:
        return self.targets.get(told, told)

    def parts_of(self, slug: str) -> list[SponsorFact]:
        return [part for old, part in self.parts.items() if self.targets[old] == slug]


def part(fact: SponsorFact, parts: Iterable[SponsorFact] = ()) -> SponsorFact:
    """What a merged sponsor brings along: how it is found, not what it is.

    What became part of it before, in `parts`, comes along by itself.
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
    """The sponsor with the names and domains of those that became part of it."""
    aliases, domains = dict.fromkeys(target.aliases), dict.fromkeys(target.domains)
    for item in parts:
        aliases |= dict.fromkeys((item.name, *item.aliases))
        domains |= dict.fromkeys(item.domains)
    if target.name not in target.aliases:
        aliases.pop(target.name, None)
    return replace(target, aliases=tuple(aliases), domains=tuple(domains))


def redirected(fact: VideoFact, merges: Merges) -> VideoFact:
    """The video with each merged sponsor's sponsorship as that of the sponsor that it is now.

    Where both are told, the sponsor's own stays; of several merged ones, the surest.
    """
    if not any(sponsorship.sponsor_slug in merges.targets for sponsorship in fact.sponsorships):
        return fact

    def weakest_first(one: SponsorshipFact) -> tuple[bool, float]:
        return one.sponsor_slug not in merges.targets, one.confidence

    kept: dict[str, SponsorshipFact] = {}
    for sponsorship in sorted(fact.sponsorships, key=weakest_first):
        slug = merges.slug(sponsorship.sponsor_slug)
        kept[slug] = replace(sponsorship, sponsor_slug=slug)
    return _with(fact, kept)


def corrected(fact: VideoFact, corrections: Sequence[Correction]) -> VideoFact:
    """The video as operators have decided that it is."""
    if not corrections:
        return fact
    claims = {sponsorship.sponsor_slug: sponsorship for sponsorship in fact.sponsorships}
    for correction in corrections:
        told = claims.pop(correction.sponsor_slug, None)
        after = _applied(told, correction)
        if after is not None:
            claims[correction.sponsor_slug] = after
    return _with(fact, claims)


def _applied(told: SponsorshipFact | None, correction: Correction) -> SponsorshipFact | None:
    if correction.kind is None:
        return None
    if correction.action == "kind":
        return told and replace(told, kind=correction.kind)
    return replace(
        told or _bare(correction.sponsor_slug),
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
        confidence=1.0,
        detector_version=REVIEW,
        reason=_ADDED_REASON,
    )


def _with(fact: VideoFact, claims: Mapping[str, SponsorshipFact]) -> VideoFact:
    return replace(fact, sponsorships=tuple(claims[slug] for slug in sorted(claims)))
