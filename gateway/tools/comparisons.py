"""Looking at several at once: `sponsor.compare`, `sponsor.trends`, `youtuber.sharedSponsors`."""

from typing import Annotated, Final, Literal

from pydantic import Field

from gateway.tools._params import (
    ConfidenceArgument,
    KindsArgument,
    LimitArgument,
    ListFilters,
    PageArguments,
    PaidKindsArgument,
    PeriodArguments,
    SponsorshipScope,
    Text,
    ToolContext,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.comparisons import SharedSponsors, SponsorComparison, Trends

_Several = Annotated[list[Text], Field(min_length=2, max_length=5)]


class CompareSponsors(PeriodArguments, ConfidenceArgument, KindsArgument, PartsArguments):
    sponsors: _Several = Field(
        description="Two to five brands: id, slug, web domain or name of each.",
        examples=[["nordvpn", "surfshark"]],
    )


@tool(
    "sponsor.compare",
    title="Compare sponsors",
    hints=READS,
    brief="coverage period previous_period kinds not_compared shared_youtubers sponsors.sponsor.id "
    "sponsors.sponsor.name sponsors.totals sponsors.change sponsors.not_compared "
    "sponsors.compared.trend sponsors.repeat_rate sponsors.share_of_voice.share",
)
async def compare(args: CompareSponsors, context: ToolContext) -> SponsorComparison:
    """Compare two to five brands over the same period, and against the period before.

    Answers with each brand's totals, growth, kinds of sponsorship, repeat rate and share of voice, and how many
    creators each two have in common within the period. Growth is of the brand's share of the known videos of the same
    channels, those known in both periods. Share of voice is of paid work. Without `since` and `until` it takes all time.
    """
    return await context.catalog.query("CompareSponsors", args.provided(), SponsorComparison)


class FindTrends(
    PeriodArguments,
    ConfidenceArgument,
    PaidKindsArgument,
    LimitArgument,
    SponsorshipScope,
    ListFilters,
    PartsArguments,
):
    direction: Literal["rising", "falling", "all"] = Field(
        "all", description="Brands that rose, that fell, or both."
    )


@tool(
    "sponsor.trends",
    title="Rising and falling sponsors",
    hints=READS,
    rows="sponsors",
    brief="coverage period previous_period kinds sponsorships previous_sponsorships "
    "sponsors.sponsor.id sponsors.sponsor.name sponsors.videos sponsors.previous_videos "
    "sponsors.change sponsors.trend",
)
async def trends(args: FindTrends, context: ToolContext) -> Trends:
    """Find brands that rose or fell against the period before, on channels of which videos are known in both.

    Each comes with its videos in both periods on these channels alone (sponsor.stats has all) and its `trend`: rising,
    steady, falling, or too little to say. Compared is the brand's share of the known videos of each channel, not counts,
    since the catalogue may know other channels or more videos of one period than of the other. Without `since` and `until`
    it takes the 90 days until the newest sponsored video.
    """
    return await context.catalog.query("ListTrends", args.query_for(context), Trends)


class FindSharedSponsors(PageArguments, KindsArgument, PartsArguments):
    youtubers: _Several = Field(
        description="Two to five creators: id, channel id (UC…), @handle, channel URL or name of each.",
        examples=[["@mkbhd", "@LinusTechTips"]],
    )


@tool(
    "youtuber.sharedSponsors",
    title="Sponsors that creators share",
    hints=READS,
    rows="sponsors",
    brief="coverage kinds youtubers.id youtubers.name sponsors.sponsor.id sponsors.sponsor.name "
    "sponsors.videos",
)
async def shared_sponsors(args: FindSharedSponsors, context: ToolContext) -> SharedSponsors:
    """List the brands that sponsored each of two to five creators, with the history of each, by kind of sponsorship."""
    return await context.catalog.query("ListSharedSponsors", args.provided(), SharedSponsors)


TOOLS: Final[tuple[Tool, ...]] = (compare, trends, shared_sponsors)
