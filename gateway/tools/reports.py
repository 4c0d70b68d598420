"""Reports of errors in the catalogue: `sponsorship.report`, `.reports`."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from gateway.tools._params import REPEATED_CALL, Kind, PageArguments, Params, Text, ToolContext
from gateway.tools._tool import READS, Hints, Tool, tool
from shapes.catalog.corrections import OwnReportPage, Report

_ADDS: Final = Hints(read_only=False, destructive=False, idempotent=True, open_world=False)


class ReportSponsorship(Params):
    sponsorship: Text | None = Field(
        None,
        description="The listed sponsorship that the report is about, by its `id` in an answer; it stands for `video` and "
        "`sponsor`.",
        examples=["v_3.sp_12"],
    )
    video: Text | None = Field(
        None,
        description="The video: id, YouTube id or URL. Needed without `sponsorship`.",
        examples=["dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ"],
    )
    kind: Literal["wrong", "missing", "wrong_kind"] = Field(
        description="wrong: `sponsor` did not sponsor the video, or `brand` did instead; missing: "
        "`brand` did and is not listed; wrong_kind: the sponsorship of `sponsor` is of "
        "`proposed_kind`."
    )
    sponsor: Text | None = Field(
        None,
        description="The listed brand that the report is about: id, slug, web domain or name. "
        "Needed for wrong and wrong_kind, without `sponsorship`.",
        examples=["nordvpn"],
    )
    brand: Text | None = Field(
        None,
        description="The brand that sponsored the video: id, slug, web domain or name, known here "
        "or not. Needed for missing.",
        examples=["nordvpn.com"],
    )
    proposed_kind: Kind | None = Field(
        None, description="The right kind of sponsorship. Needed for wrong_kind."
    )
    note: str | None = Field(
        None,
        min_length=1,
        max_length=500,
        description="How one can tell, for the person who reviews it.",
    )
    idempotency_key: str | None = Field(
        None, min_length=1, max_length=100, description=REPEATED_CALL
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.sponsorship is not None and self.kind == "missing":
            raise ValueError(
                "`sponsorship` names one that is listed: report what is missing with `video` and `brand`"
            )
        if self.sponsorship is None and self.video is None:
            raise ValueError("`video` is required, or `sponsorship`")
        if self.kind != "missing" and self.sponsor is None and self.sponsorship is None:
            raise ValueError(f"`sponsor` is required when `kind` is {self.kind}, or `sponsorship`")
        if self.kind == "missing" and self.brand is None:
            raise ValueError("`brand` is required when `kind` is missing")
        if self.kind == "wrong_kind" and self.proposed_kind is None:
            raise ValueError("`proposed_kind` is required when `kind` is wrong_kind")
        return self


@tool(
    "sponsorship.report",
    title="Report a wrong sponsorship",
    hints=_ADDS,
    scope="channels:import",
    feature="channel_import",
)
async def report(args: ReportSponsorship, context: ToolContext) -> Report:
    """Report that a sponsorship of a video is wrong, missing, or of another brand or kind.

    The report is received for review by a person and answered with its number; until it is accepted
    every answer stays as it is. The same report again, while it waits, changes nothing. Report
    only what the user says or has confirmed. An account can have 20 that wait.
    """
    said = {name: value for name, value in args.provided().items() if name != "idempotency_key"}
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(account_id, "ReportSponsorship", said, Report)


class ListReports(PageArguments):
    state: Literal["received", "accepted", "rejected", "applied"] | None = Field(
        None, description="Reports of this state; all if absent."
    )


@tool(
    "sponsorship.reports",
    title="My reports",
    hints=READS,
    scope="channels:import",
    feature="channel_import",
    cost=0,
    by_default=False,
)
async def reports(args: ListReports, context: ToolContext) -> OwnReportPage:
    """List the account's reports, newest first: which wait for review, and what was decided about the others and why.

    Free of charge. A report is received, then rejected, with the reason, or accepted. An accepted one that changed the
    catalogue is applied: every result has it from then on, also after later imports, until an accepted one that says
    otherwise replaces it (`replaced_by`). If the catalogue had it already, it stays accepted.
    """
    account_id = context.principal.entitlements.account_id
    return await context.catalog.call_for(
        account_id, "ListOwnReports", args.provided(), OwnReportPage
    )


TOOLS: Final[tuple[Tool, ...]] = (report, reports)
