"""Labels for the detector, of what operators decided about reported sponsorships.

A line has what people decided about a video as `sponsors`, and what the detector alone says of it as `ignore`, which counts
neither way. A sponsorship that an operator rejected is in neither: whoever detects it again is wrong. Nothing of the report
itself is in it, neither its account nor what was written beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from shapes.catalog.corrections import ReviewedReport
from shapes.catalog.shared import Sponsorship
from shapes.imports import StoredText

_REVIEWED: Final = "review"
"""The detector version of a sponsorship that an operator added."""

_STRATUM: Final = "correction"


ACCEPTED: Final = ("accepted", "applied")
"""The states of reports that an operator agreed with."""


def video_ids(accepted: Iterable[ReviewedReport]) -> list[str]:
    """Return the YouTube ids of the videos that accepted reports are about, in order."""
    ids = {item.report.video.video_id for item in accepted}
    return sorted(video_id for video_id in ids if video_id)


def label_lines(
    accepted: Iterable[ReviewedReport], texts: Iterable[StoredText]
) -> list[dict[str, Any]]:
    """Return a line for each video with accepted reports whose texts are stored, by YouTube id."""
    by_video: dict[str, list[ReviewedReport]] = {}
    for item in accepted:
        by_video.setdefault(item.report.video.video_id or "", []).append(item)
    stored: Mapping[str, StoredText] = {text.video_id: text for text in texts}
    return [_line(by_video[key], stored[key]) for key in sorted(by_video.keys() & stored.keys())]


def _line(accepted: Sequence[ReviewedReport], text: StoredText) -> dict[str, Any]:
    newest = max(accepted, key=lambda item: (item.decided_at is not None, item.decided_at))
    decided, others = _parted(newest.sponsorships, accepted)
    return {
        "id": text.video_id,
        "video_id": text.video_id,
        "title": text.title,
        "channel": newest.youtuber.name,
        "published_at": newest.report.video.published_at.isoformat(),
        "category_id": "" if text.category is None else str(text.category),
        "description": text.description,
        "newlines_lost": False,
        "stratum": _STRATUM,
        "sponsors": [
            _brand(claim)
            | {
                "evidence": _evidence(claim, text),
                "kind": claim.kind.replace("_", " "),
            }
            for claim in decided
        ],
        "ignore": [_brand(claim) for claim in others],
    }


def _parted(
    claims: Iterable[Sponsorship], accepted: Iterable[ReviewedReport]
) -> tuple[list[Sponsorship], list[Sponsorship]]:
    """Return the sponsorships that an operator decided on, and those that the detector alone claims, by name."""
    named: set[str] = set()
    for item in accepted:
        report = item.report
        if report.sponsor is not None and report.kind != "wrong":
            named.add(report.sponsor.name.casefold())
        if report.brand is not None:
            named.add(report.brand.casefold())
    decided: list[Sponsorship] = []
    others: list[Sponsorship] = []
    for claim in sorted(claims, key=lambda claim: (claim.sponsor.name, claim.sponsor.slug)):
        sponsor = claim.sponsor
        names = {sponsor.name.casefold(), sponsor.slug, (sponsor.domain or "").casefold()}
        is_decided = claim.detector_version == _REVIEWED or names & named
        (decided if is_decided else others).append(claim)
    return decided, others


def _brand(claim: Sponsorship) -> dict[str, Any]:
    return {"brand": claim.sponsor.name, "domain": claim.sponsor.domain, "aliases": []}


def _evidence(claim: Sponsorship, text: StoredText) -> str:
    """Return the words that the claim rests on if they stand in the text, else nothing."""
    excerpt = claim.evidence.excerpt
    return excerpt if excerpt and excerpt in f"{text.title}\n{text.description}" else ""
