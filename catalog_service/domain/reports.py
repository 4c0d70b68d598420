"""Callers' reports about sponsorships, stored for review. They change no result by themselves."""

from dataclasses import dataclass
from typing import Final

from catalog_service.domain import arguments, kinds, public_ids, references
from catalog_service.domain.errors import (
    AlreadyStored,
    Ambiguous,
    BadArgument,
    SponsorNotFound,
    SponsorshipNotFound,
    TooManyReports,
    VideoNotFound,
)
from catalog_service.domain.paging import Paging
from catalog_service.domain.resolver import Resolver
from catalog_service.domain.review_ports import NewReport, Reporting, ReviewStore
from shapes.catalog.corrections import (
    OwnReport,
    OwnReportPage,
    OwnReportsRequest,
    Report,
    ReportRequest,
)
from shapes.catalog.shared import SponsorRef

KINDS: Final = ("wrong", "missing", "wrong_kind")
STATES: Final = ("received", "accepted", "rejected", "applied")
MAX_OPEN: Final = 20
_MAX_NOTE_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Reports:
    """Stores reports."""

    store: ReviewStore
    resolver: Resolver
    paging: Paging

    async def list_own(self, request: OwnReportsRequest) -> OwnReportPage:
        """Return the reports of an account, the newest first.

        Raises:
            BadArgument: A filter or the cursor is malformed.
        """
        account = arguments.text("account_id", request.account_id)
        state = arguments.optional_choice("state", request.state, STATES)
        page = self.paging.numbered(request)
        found = await self.store.own_reports(account, state, page)
        reports = [OwnReport(item.report, item.decided_at, item.decision_note) for item in found]
        return OwnReportPage(*self.paging.cut_numbered(request, page, reports, _number))

    async def report(self, request: ReportRequest) -> Report:
        """Store a report, or return the open one that says the same.

        Raises:
            BadArgument: Something is missing or malformed.
            VideoNotFound, SponsorNotFound, Ambiguous: `video` or `sponsor` is not one that is known.
            SponsorshipNotFound: The video has no sponsorship of that sponsor.
            AlreadyThere: What is called missing is not, or the kind is the proposed one already.
            TooManyReports: The account waits for decisions on enough of them.
        """
        report = await self._checked(request)
        async with self.store.reporting(report.account_id) as reporting:
            number = await reporting.same(report)
            if number is None:
                field = "sponsor" if request.sponsorship is None else "sponsorship"
                await _admit(reporting, report, field)
                number = await reporting.add(report)
        stored = await self.store.report(number)
        if stored is None:
            raise RuntimeError(f"report {number} is not where it was put")
        return stored.report

    async def _checked(self, request: ReportRequest) -> NewReport:
        account = arguments.text("account_id", request.account_id)
        kind = arguments.choice("kind", request.kind or " ", KINDS, "")
        brand = None if request.brand is None else await self._brand(request.brand)
        proposed = arguments.optional_choice("proposed_kind", request.proposed_kind, kinds.NAMES)
        _complete(kind, request.sponsorship or request.sponsor, brand, proposed)
        if kind == "missing" and request.sponsor is not None:
            raise BadArgument(
                "sponsor",
                "With `kind` missing, `brand` names whose sponsorship is missing: leave `sponsor` out.",
            )
        text = note(request.note)
        video_key, sponsor = await self._subject(request, kind, brand)
        if sponsor is not None and brand is not None:
            is_same = await self._is_named(brand, sponsor)
            _check_brand(kind, sponsor, is_same=is_same)
        return NewReport(
            account_id=account,
            video_key=video_key,
            kind=kind,
            sponsor=sponsor and public_ids.number(sponsor.id),
            sponsor_slug=sponsor and sponsor.slug,
            brand=None if kind == "wrong_kind" else brand,
            proposed_kind=proposed,
            note=text,
        )

    async def _brand(self, text: str) -> str:
        """Return the brand that a report names.

        Raises:
            BadArgument: It is the id, the handle or the channel of a creator, an id of no brand, or has hidden characters.
        """
        brand = arguments.text("brand", text)
        if arguments.has_hidden_characters(brand):
            raise BadArgument(
                "brand", "`brand` has hidden characters: give the name as it is read."
            )
        is_creator = references.read_youtuber("brand", brand).names_youtuber
        is_known = public_ids.spoken_number(brand, "sp") is not None
        if is_creator or (public_ids.is_like_one(brand) and not is_known):
            raise BadArgument(
                "brand",
                f"`brand` {brand[:80]!r} is no brand's name: give the name or the web domain of the brand, also if the brand has "
                "a channel of its own.",
            )
        return brand

    async def _is_named(self, brand: str, sponsor: SponsorRef) -> bool:
        try:
            return await self.resolver.sponsor_as_spelled(brand, "brand") == sponsor
        except (SponsorNotFound, Ambiguous):
            return False

    async def _subject(
        self, request: ReportRequest, kind: str, brand: str | None
    ) -> tuple[str, SponsorRef | None]:
        """Return the key of the video and the sponsor that a report is about, which the id of a sponsorship names together.

        Raises:
            BadArgument: It is no such id, or `video` or `sponsor` is another one.
        """
        if request.sponsorship is None:
            video_key = await self._video(request.video or " ")
            return video_key, await self._sponsor(kind, request.sponsor, brand)
        video, sponsor = _parts(request.sponsorship.strip())
        try:
            video_key, listed = await self._video(video), await self.resolver.sponsor(sponsor)
        except (VideoNotFound, SponsorNotFound):
            raise SponsorshipNotFound(
                f"The catalogue has no sponsorship {request.sponsorship.strip()}.",
                details={"field": "sponsorship"},
            ) from None
        if request.video and await self._video(request.video) != video_key:
            raise _contradicted("video")
        if request.sponsor is not None and await self.resolver.sponsor(request.sponsor) != listed:
            raise _contradicted("sponsor")
        return video_key, listed

    async def _video(self, argument: str) -> str:
        found = await self.store.find_video(references.read_video("video", argument))
        if found is None:
            raise VideoNotFound(
                f"The catalogue knows no video {argument.strip()[:80]!r}. Give the id that an answer "
                "has for it, its YouTube id or its URL.",
                details={"field": "video"},
            )
        return found

    async def _sponsor(
        self, kind: str, sponsor: str | None, brand: str | None
    ) -> SponsorRef | None:
        if kind != "missing":
            return await self.resolver.sponsor(sponsor or "")
        try:
            return await self.resolver.sponsor_as_spelled(brand or "", "brand")
        except SponsorNotFound:
            return None


def _parts(sponsorship: str) -> tuple[str, str]:
    """Return the ids of the video and the sponsor in the id of a sponsorship."""
    parts = public_ids.sponsorship_parts(sponsorship)
    if parts is None:
        raise BadArgument(
            "sponsorship",
            f"{sponsorship[:60]!r} is no id of a sponsorship, such as v_3.sp_12. Give the `id` that an answer has for it, or "
            "`video` and `sponsor`.",
        )
    return parts


def _contradicted(field: str) -> BadArgument:
    return BadArgument(
        field, f"`{field}` is another one than that of `sponsorship`. Give `sponsorship` alone."
    )


def note(text: str | None) -> str | None:
    """Return a note without surrounding white space; None if it is empty.

    Raises:
        BadArgument: It is too long or not text.
    """
    stripped = (text or "").strip()
    if len(stripped) > _MAX_NOTE_LENGTH:
        raise BadArgument("note", f"`note` is longer than {_MAX_NOTE_LENGTH} characters.")
    if any(not (item.isprintable() or item in "\n\t") for item in stripped.replace("\r\n", "\n")):
        raise BadArgument("note", "`note` has control characters.")
    return stripped or None


def _check_brand(kind: str, sponsor: SponsorRef, *, is_same: bool) -> None:
    """Raise `BadArgument` if a report of this kind says nothing by a brand that is the listed one, or is not."""
    if kind == "wrong" and is_same:
        raise BadArgument(
            "brand",
            f"`brand` is {sponsor.name}, which is listed already: leave it out if it did not sponsor the video, or name "
            "the brand that did.",
        )
    if kind == "wrong_kind" and not is_same:
        raise BadArgument(
            "brand",
            f"With `kind` wrong_kind the brand stays {sponsor.name}: leave `brand` out. If another brand sponsored the video, "
            "report wrong with that `brand`, and `proposed_kind` as its kind.",
        )


def _number(own: OwnReport) -> int:
    return public_ids.number(own.report.id)


def _complete(kind: str, sponsor: str | None, brand: str | None, proposed: str | None) -> None:
    if kind != "missing" and sponsor is None:
        raise BadArgument("sponsor", f"A report of kind {kind} needs `sponsor`: whose is it?")
    if kind == "missing" and brand is None:
        raise BadArgument("brand", "A report of kind missing needs `brand`: whose is missing?")
    if kind == "wrong_kind" and proposed is None:
        raise BadArgument("proposed_kind", "A report of kind wrong_kind needs `proposed_kind`.")
    if kind == "wrong" and proposed is not None and brand is None:
        raise BadArgument(
            "proposed_kind",
            "With `kind` wrong, `proposed_kind` is of `brand`, which is not given. If the brand is right and its kind is "
            "not, report wrong_kind.",
        )


async def _admit(reporting: Reporting, report: NewReport, field: str) -> None:
    """Refuse a report that says what is so already; `field` names the sponsorship that it is about."""
    if report.sponsor is not None:
        stored_kind = await reporting.kind_of(report.video_key, report.sponsor)
        if stored_kind is not None and report.kind == "missing":
            raise AlreadyStored(
                f"The catalogue has a sponsorship of this brand in this video, of kind {stored_kind}. "
                "Report it as wrong_kind if that is not right.",
                details={"field": "brand"},
            )
        if report.kind == "wrong_kind" and stored_kind == report.proposed_kind:
            raise AlreadyStored(
                f"This sponsorship is of kind {stored_kind} in the catalogue.",
                details={"field": "proposed_kind"},
            )
        if stored_kind is None and report.kind != "missing":
            raise SponsorshipNotFound(
                "The video has no sponsorship of this brand (any more), so there is nothing to report: `video.get` lists those "
                "that it has. If this brand did sponsor it, report that with `kind` missing and the brand as `brand`.",
                details={"field": field},
            )
    if await reporting.open_reports(report.account_id) >= MAX_OPEN:
        raise TooManyReports(
            f"{MAX_OPEN} reports of this account wait for review. Report again when some are decided."
        )
