"""The activity of a creator: `youtuber.sponsors`, `.stats`, `.recentVideos`."""

from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import (
    ConfidenceArgument,
    Granularity,
    KindsArgument,
    ListFilters,
    OldKindArgument,
    PageArguments,
    PeriodArguments,
    RelationStatus,
    ToolContext,
    YoutuberArgument,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.youtubers import YoutuberSponsorPage, YoutuberStats, YoutuberVideoPage


class ListYoutuberSponsors(
    YoutuberArgument,
    PageArguments,
    PeriodArguments,
    ConfidenceArgument,
    OldKindArgument,
    ListFilters,
    PartsArguments,
):
    status: RelationStatus | None = Field(
        None,
        description="Relations that are active today, that lapsed, or that are unknown as the channel's data end too early or are too few.",
    )
    sort: Literal["recent", "oldest", "videos", "views"] = Field(
        "recent", description="Order of the answer; oldest: those seen last longest ago first."
    )


@tool(
    "youtuber.sponsors",
    title="Sponsors of a creator",
    hints=READS,
    rows="sponsors",
    brief="coverage youtuber.id youtuber.name sponsors.sponsor.id sponsors.sponsor.name "
    "sponsors.videos sponsors.last_seen sponsors.relation_last_seen sponsors.status "
    "sponsors.known_until",
)
async def sponsors(args: ListYoutuberSponsors, context: ToolContext) -> YoutuberSponsorPage:
    """List the brands that sponsored one creator.

    Each comes with how often, the first and last time, kinds of sponsorship, promo codes, and
    whether the relation is active, has lapsed, or is unknown because the channel's data end too early or are too few.
    """
    return await context.catalog.query(
        "ListYoutuberSponsors", args.query_for(context), YoutuberSponsorPage
    )


class GetYoutuberStats(
    YoutuberArgument, PeriodArguments, ConfidenceArgument, KindsArgument, PartsArguments
):
    granularity: Granularity = Field(
        "auto", description="Step of the time series; auto: the shortest with at most 40 points."
    )


@tool(
    "youtuber.stats",
    title="Creator statistics",
    hints=READS,
    brief="coverage period kinds granularity videos sponsored_videos sponsored_share sponsors "
    "sponsorships youtuber.id youtuber.name views.sponsored_median views.other_median "
    "views.ratio views.reason series",
)
async def stats(args: GetYoutuberStats, context: ToolContext) -> YoutuberStats:
    """Measure one creator's sponsorships over a period.

    Answers with the share of videos that are sponsored, views of sponsored videos against the
    others of the same years, shares by category of brand and by kind, and a time series. Without `since` and
    `until` it takes all the time that was looked at.
    """
    return await context.catalog.query("GetYoutuberStats", args.provided(), YoutuberStats)


class ListYoutuberVideos(
    YoutuberArgument,
    PageArguments,
    PeriodArguments,
    ConfidenceArgument,
    KindsArgument,
    PartsArguments,
):
    sponsored: bool | None = Field(
        None, description="true: sponsored videos only; false: the others only."
    )


@tool(
    "youtuber.recentVideos",
    title="Recent videos of a creator",
    hints=READS,
    rows="videos",
    brief="coverage youtuber.id youtuber.name videos.video.url videos.video.title "
    "videos.video.published_at videos.video.views videos.sponsorships.sponsor.id "
    "videos.sponsorships.sponsor.name videos.sponsorships.kind videos.sponsorships.confidence",
)
async def recent_videos(args: ListYoutuberVideos, context: ToolContext) -> YoutuberVideoPage:
    """List one creator's videos, newest first, sponsored or not.

    Each comes with date, views, and its sponsorships with evidence and confidence.
    """
    return await context.catalog.query("ListYoutuberVideos", args.provided(), YoutuberVideoPage)


TOOLS: Final[tuple[Tool, ...]] = (sponsors, stats, recent_videos)
