"""Detection of a video's sponsors in its texts and its channel's context."""

from collections.abc import Iterable
from typing import Final

from import_worker.detector.announced_codes import has_code_stem
from import_worker.detector.coded import coded_claims
from import_worker.detector.context import ChannelContext
from import_worker.detector.detection import Detection
from import_worker.detector.directory import Directory, bundled_directory
from import_worker.detector.document import Document, read_document
from import_worker.detector.marked import marked_claims
from import_worker.detector.offered import offered_claims
from import_worker.detector.own_links import with_own_link
from import_worker.detector.reading import Claim, Reading
from import_worker.detector.stated import stated_claims
from import_worker.domain.records import KINDS

LEAST_CONFIDENCE: Final = 0.6
"""Claims below it are not reported."""


def detect(
    title: str,
    description: str,
    context: ChannelContext,
    directory: Directory | None = None,
) -> tuple[Detection, ...]:
    """The sponsors of a video, the most certain first; each brand once.

    Args:
        title: The video's title.
        description: The video's description; its first ten thousand characters are read.
        context: What is known of the channel, see `context.channel_context`.
        directory: The brands to know; the bundled ones by default.
    """
    known = directory or bundled_directory()
    claims: dict[str, tuple[Claim, Document]] = {}
    for document in (
        read_document(description, "description", known),
        read_document(title, "title", known),
    ):
        reading = Reading(document, known, context)
        for claim in _claims(reading):
            _keep(claims, with_own_link(reading, claim), document)
    found = (_detection(claim, document) for claim, document in claims.values())
    return tuple(
        sorted(
            (d for d in found if d.confidence >= LEAST_CONFIDENCE),
            key=lambda d: (-d.confidence, d.source, d.start, d.slug),
        )
    )


def _claims(reading: Reading) -> Iterable[Claim]:
    stated = tuple(stated_claims(reading))
    yield from stated
    if has_code_stem(reading.document.lowered):
        yield from coded_claims(reading, stated)
    yield from marked_claims(reading)
    yield from offered_claims(reading)


def _keep(claims: dict[str, tuple[Claim, Document]], claim: Claim, document: Document) -> None:
    """Merges a claim with what other rules said of the same brand."""
    key = claim.found.slug
    for slug, (other, _) in claims.items():
        if claim.found.domain and claim.found.domain == other.found.domain:
            key = slug
    if key not in claims:
        claims[key] = (claim, document)
        return
    other, home = claims[key]
    claims[key] = (
        (_merged(claim, other), document)
        if _is_better(claim, other)
        else (_merged(other, claim), home)
    )


def _is_better(first: Claim, other: Claim) -> bool:
    return (-first.confidence, KINDS.index(first.kind)) < (
        -other.confidence,
        KINDS.index(other.kind),
    )


def _merged(best: Claim, other: Claim) -> Claim:
    found = best.found if best.found.known or not other.found.known else other.found
    return Claim(
        found=found,
        kind=KINDS[min(KINDS.index(best.kind), KINDS.index(other.kind))],
        code=best.code or other.code,
        link=best.link or other.link,
        start=best.start,
        end=best.end,
        confidence=max(best.confidence, min(other.confidence + 0.03, 0.98)),
        reason=best.reason,
    )


def _detection(claim: Claim, document: Document) -> Detection:
    start, end = _trimmed(document.text, claim.start, claim.end)
    return Detection(
        brand=claim.found.name,
        slug=claim.found.slug,
        domain=claim.found.domain,
        kind=claim.kind,
        code=claim.code,
        link=claim.link,
        excerpt=document.text[start:end],
        source=document.source,
        start=start,
        end=end,
        confidence=round(claim.confidence, 2),
        reason=claim.reason,
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
