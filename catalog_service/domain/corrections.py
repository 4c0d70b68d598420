"""Operators' decisions about reports and brands. Each change is recorded in the correction log."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, TypeVar

from catalog_service.domain import amendments, arguments, public_ids
from catalog_service.domain.amendments import Correction, Merges, MergeStep, SponsorDecisions
from catalog_service.domain.errors import (
    AlreadyDecided,
    Ambiguous,
    BadArgument,
    CannotMerge,
    ReportNotFound,
    SponsorNotFound,
    SponsorshipNotFound,
)
from catalog_service.domain.facts import VideoState
from catalog_service.domain.paging import Paging
from catalog_service.domain.ports import SponsorStore
from catalog_service.domain.references import SponsorReference
from catalog_service.domain.reports import STATES, note
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.review_ports import (
    Case,
    Change,
    Merge,
    ReportDecision,
    Review,
    ReviewStore,
)
from catalog_service.domain.transliteration import latin
from shapes.catalog.corrections import (
    CorrectionLogPage,
    DecideReportRequest,
    Decision,
    ListCorrectionLogRequest,
    ListReportsRequest,
    MergedSponsors,
    MergeSponsorsRequest,
    ReportByIdRequest,
    ReportPage,
    ReviewedReport,
)
from shapes.catalog.ingest import SponsorFact, SponsorshipFact, VideoFact
from shapes.catalog.shared import SponsorRef

_NO_REASON: Final = "`note` says why a report is rejected: whoever sent it reads it."
DECISIONS: Final = ("accept", "reject")
_DEFAULT_KIND: Final = "paid_sponsorship"
_CHUNK: Final = 500
_LONGEST_SLUG: Final = 100
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Corrections:
    """Lists reports, decides them and merges sponsors.

    Every method may raise `BadArgument` and `Unavailable` besides the errors that it names.
    """

    store: ReviewStore
    sponsors: SponsorStore
    resolver: Resolver
    paging: Paging

    async def list_reports(self, request: ListReportsRequest) -> ReportPage:
        state = arguments.choice("state", request.state, STATES, "received")
        page = self.paging.numbered(request)
        found = await self.store.reports(state, page)
        return ReportPage(*self.paging.cut_numbered(request, page, found, _number))

    async def get(self, request: ReportByIdRequest) -> ReviewedReport:
        """Return a report.

        Raises:
            ReportNotFound: There is no such report.
        """
        return await self._with_brand(await self._report(_spoken(request.id)))

    async def log(self, request: ListCorrectionLogRequest) -> CorrectionLogPage:
        page = self.paging.numbered(request)
        found = await self.store.log_entries(page)
        return CorrectionLogPage(
            *self.paging.cut_numbered(request, page, found, lambda entry: entry.number)
        )

    async def decide(self, request: DecideReportRequest, actor: str) -> Decision:
        """Accept or reject an open report; an accepted one takes effect at once.

        Raises:
            ReportNotFound, AlreadyDecided: There is no such open report.
            SponsorshipNotFound: The sponsorship whose kind is wrong is no longer there.
            Ambiguous, SponsorNotFound: The brand fits several sponsors, or `sponsor` fits none.
        """
        number = _spoken(request.id)
        word = arguments.choice("decision", request.decision or " ", DECISIONS, "")
        text = note(request.note)
        accepted = word == "accept"
        if not accepted and not text:
            raise BadArgument("note", _NO_REASON)
        report = await self._report(number)
        brand = await self._brand(report, request.sponsor) if accepted else None
        async with self.store.review() as review:
            case = await review.open_case(number)
            if case is None:
                raise _decided(await self._report(number))
            decision = ReportDecision("rejected", actor, text)
            if accepted:
                changed = await _Acceptance(review, case, actor).carry_out(brand)
                decision = ReportDecision("accepted", actor, text, applied=changed)
            await review.settle(number, decision)
            await review.note(
                Change(
                    actor,
                    decision.state,
                    number,
                    case.video_key,
                    case.sponsor_slug,
                    {"kind": case.kind, "note": text},
                )
            )
            version = await review.finish()
        return Decision(await self._report(number), version)

    async def merge(self, request: MergeSponsorsRequest, actor: str) -> MergedSponsors:
        """Merge a sponsor into another: its sponsorships, names, domains and future facts.

        Raises:
            SponsorNotFound: One of them is not known.
            CannotMerge: They are one, or one of them was merged before.
        """
        text = note(request.note)
        gone = await self._exactly("from_sponsor", request.from_sponsor)
        target = await self._exactly("into_sponsor", request.into_sponsor)
        if gone.id == target.id:
            raise CannotMerge(f"{gone.slug} cannot be merged into itself.")
        async with self.store.review() as review:
            merges = await review.merges([gone.slug, target.slug])
            for slug in (gone.slug, target.slug):
                _refuse_merged(slug, merges)
            moved = await _merge(review, gone.slug, target.slug, actor, text)
            version = await review.finish()
        card = await self.sponsors.sponsor_card(public_ids.number(target.id))
        return MergedSponsors(card, moved, version)

    async def _report(self, number: int) -> ReviewedReport:
        found = await self.store.report(number)
        if found is None:
            raise ReportNotFound(f"There is no report {public_ids.report(number)}.")
        return found

    async def _with_brand(self, reviewed: ReviewedReport) -> ReviewedReport:
        """Return a report that waits for review with the sponsor that its brand is, if there is one of that name."""
        content = reviewed.report
        if content.brand is None or reviewed.decided_at is not None:
            return reviewed
        try:
            known = await self.resolver.sponsor_as_spelled(content.brand, "brand")
        except (SponsorNotFound, Ambiguous):
            return reviewed
        return replace(reviewed, brand_sponsor=known)

    async def _brand(self, report: ReviewedReport, sponsor: str | None) -> SponsorFact | None:
        """Return the brand of the reported sponsorship; a new one if no sponsor has its name."""
        content = report.report
        if content.kind == "wrong_kind" or (content.kind == "wrong" and content.brand is None):
            return None
        if sponsor is not None:
            return _known(await self.resolver.sponsor(sponsor))
        if content.kind == "missing" and content.sponsor is not None:
            return _known(content.sponsor)
        brand = content.brand or ""
        try:
            return _known(await self.resolver.sponsor_as_spelled(brand, "brand"))
        except SponsorNotFound:
            return await self._new(brand)

    async def _new(self, brand: str) -> SponsorFact:
        spoken = latin(brand) or brand
        plain = unicodedata.normalize("NFKD", spoken).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_SLUG].strip("-")
        if not slug or await self.sponsors.find_sponsors(SponsorReference(slug, None, slug, ())):
            raise BadArgument(
                "sponsor",
                f"The catalogue knows no sponsor {brand!r} and can make no slug of that name. Add "
                "the sponsor, and name it as `sponsor`.",
            )
        return SponsorFact(slug=slug, name=brand)

    async def _exactly(self, field: str, argument: str) -> SponsorRef:
        """Return the sponsor with exactly this id or slug, without following merges."""
        text = arguments.text(field, argument)
        number = public_ids.spoken_number(text, "sp")
        found = await self.sponsors.find_sponsors(SponsorReference(text, number, text, ()))
        if not found:
            raise SponsorNotFound(
                f"The catalogue knows no sponsor with the id or slug {text[:80]!r}.",
                details={"field": field},
            )
        ref = found[0].ref
        if text not in (ref.id, ref.slug):
            raise CannotMerge(
                f"{text} was merged into {ref.slug} ({ref.id}) before. Merge that one if it is meant.",
                details={"field": field},
            )
        return ref


@dataclass(frozen=True, slots=True)
class _Acceptance:
    """Applies an accepted report to the catalogue."""

    review: Review
    case: Case
    actor: str

    async def carry_out(self, brand: SponsorFact | None) -> bool:
        """Store the corrections; return whether one of them changed the video."""
        before = (await self.review.videos([self.case.video_key]))[self.case.video_key]
        decided = (await self.review.corrections([before.key])).get(before.key, ())
        if self.case.kind == "wrong_kind":
            return await self._correct(self._of_kind(before, decided))
        right = brand and await self._sponsor(brand)
        if self.case.kind == "missing":
            wanted = [_added(right, self.case.proposed_kind)] if right else []
        else:
            wanted = self._of_another(before, right)
        return any([await self._correct(correction) for correction in wanted])

    def _of_another(self, before: VideoFact, right: str | None) -> list[Correction]:
        """Return what makes a wrong sponsorship one of the right sponsor, or of none."""
        reported = self.case.sponsor_slug
        if reported is None or reported == right:
            # Where the two were merged meanwhile, the sponsorship is of the right one already.
            return []
        hidden = Correction(reported, "hidden", None)
        kind = self.case.proposed_kind or _kind_of(before, reported)
        return [hidden, _added(right, kind)] if right else [hidden]

    def _of_kind(self, before: VideoFact, decided: Sequence[Correction]) -> Correction:
        slug = self.case.sponsor_slug or ""
        if _kind_of(before, slug) is None:
            raise SponsorshipNotFound(
                f"The video has no sponsorship of {slug} any more whose kind could change. Reject "
                "the report."
            )
        added = any(item.sponsor_slug == slug and item.action == "added" for item in decided)
        return Correction(slug, "added" if added else "kind", self.case.proposed_kind)

    async def _sponsor(self, brand: SponsorFact) -> str:
        """Store the brand if it is new; return its slug."""
        slug = (await self.review.merges([brand.slug])).slug(brand.slug)
        if not await self.review.known_sponsors([slug]):
            await self.review.save_sponsors([brand])
            await self._log("sponsor_created", slug, {"name": brand.name})
        return slug

    async def _correct(self, correction: Correction) -> bool:
        key, slug = self.case.video_key, correction.sponsor_slug
        before = (await self.review.videos([key]))[key]
        await self.review.save_correction(key, correction, self.actor, self.case.number)
        after = amendments.corrected(before, [correction])
        if after != before:
            digests = await self.review.video_digests([key])
            await self.review.save_videos([VideoState.of(after, digests[key])])
        action = {"kind": "kind_changed"}.get(correction.action, correction.action)
        old, new = _claim(before, slug), _claim(after, slug)
        await self._log(action, slug, {"before": old and asdict(old), "after": new and asdict(new)})
        return after != before

    async def _log(self, action: str, slug: str, detail: dict[str, object]) -> None:
        await self.review.note(
            Change(self.actor, action, self.case.number, self.case.video_key, slug, detail)
        )


async def _merge(
    review: Review, gone_slug: str, target_slug: str, actor: str, text: str | None
) -> int:
    """Move everything; return the number of videos that were moved."""
    stored = await review.sponsors([gone_slug, target_slug])
    for slug in (gone_slug, target_slug):
        if slug not in stored:
            raise SponsorNotFound(f"The catalogue no longer knows the sponsor {slug}.")
    gone, target = stored[gone_slug], stored[target_slug]
    keys = await review.video_keys(gone_slug)
    before = await review.merges([gone_slug, target_slug])
    own = before.own.get(target_slug, target)
    part = before.own.get(gone_slug, gone)
    await review.absorb(Merge(part, target_slug, actor, text))
    await review.save_own([own])
    merges = await review.merges([target_slug])
    await review.save_sponsors([amendments.united(own, merges.parts_of(target_slug))])
    for chunk in _chunks(keys):
        await _move(review, chunk, MergeStep(gone_slug, target_slug))
    await review.forget_sponsor(gone_slug)
    detail = {"from": asdict(gone), "into": asdict(target), "videos": len(keys), "note": text}
    await review.note(Change(actor, "merged", sponsor_slug=gone_slug, detail=detail))
    return len(keys)


async def _move(review: Review, keys: Sequence[str], step: MergeStep) -> None:
    facts, digests = await review.videos(keys), await review.video_digests(keys)
    corrections = await review.corrections(keys)
    slugs = {item.sponsor_slug for items in corrections.values() for item in items}
    merges = await review.merges([step.into_slug, *slugs])
    # The step itself is stored already.
    earlier = [item for item in merges.steps if item.from_slug != step.from_slug]
    await review.save_videos(
        [
            VideoState.of(
                amendments.with_merge(
                    fact, step, SponsorDecisions.after([*corrections.get(key, ()), *earlier])
                ),
                digests[key],
            )
            for key, fact in facts.items()
        ]
    )


def _chunks(keys: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]


def _claim(video: VideoFact, slug: str) -> SponsorshipFact | None:
    return next(
        (sponsorship for sponsorship in video.sponsorships if sponsorship.sponsor_slug == slug),
        None,
    )


def _added(slug: str, kind: str | None) -> Correction:
    return Correction(slug, "added", kind or _DEFAULT_KIND)


def _kind_of(video: VideoFact, slug: str) -> str | None:
    claim = _claim(video, slug)
    return claim and claim.kind


def _known(ref: SponsorRef) -> SponsorFact:
    return SponsorFact(slug=ref.slug, name=ref.name)


def _refuse_merged(slug: str, merges: Merges) -> None:
    if slug in merges.targets:
        raise CannotMerge(f"{slug} was merged into {merges.slug(slug)} before.")


def _decided(report: ReviewedReport) -> AlreadyDecided:
    when = report.decided_at.date().isoformat() if report.decided_at else "before"
    outcome = "rejected" if report.report.state == "rejected" else "accepted"
    return AlreadyDecided(
        f"Report {report.report.id} was {outcome} by {report.decided_by or 'someone'} "
        f"({when}). A decision stands."
    )


def _number(report: ReviewedReport) -> int:
    return public_ids.number(report.report.id)


def _spoken(argument: str) -> int:
    number = public_ids.spoken_number(argument.strip(), "r")
    if number is None:
        raise BadArgument("id", f"{argument.strip()[:40]!r} is no id of a report, such as r_12.")
    return number
