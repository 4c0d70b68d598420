"""The activity of a brand: `sponsor.stats`, `.recentVideos`, `.youtubers`."""

from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import (
    ConfidenceArgument,
    Country,
    Granularity,
    KindsArgument,
    ListFilters,
    OldKindArgument,
    PageArguments,
    PeriodArguments,
    RelationStatus,
    SponsorArgument,
    ToolContext,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.sponsors import SponsorStats, SponsorVideoPage, SponsorYoutuberPage


class GetSponsorStats(
    SponsorArgument, PeriodArguments, ConfidenceArgument, KindsArgument, PartsArguments
):
    granularity: Granularity = Field(
        "auto", description="Step of the time series; auto: the shortest with at most 40 points."
    )


@tool(
    "sponsor.stats",
    title="Sponsor statistics",
    hints=READS,
    brief="coverage period totals previous_totals change not_compared compared kinds granularity "
    "repeat_rate sponsor.id sponsor.name series.start series.videos share_of_voice.category "
    "share_of_voice.share share_of_voice.rank",
)
async def stats(args: GetSponsorStats, context: ToolContext) -> SponsorStats:
    """Measure one brand's sponsorships over a period, and against the period before.

    Answers with totals, a time series, shares by content category, country and kind, how many
    creators it came back to, and its share of voice in its category, which is of paid work unless
    `kinds` says otherwise. Growth is on the same channels, those known in both periods. Without
    `since` and `until` it takes all time.
    """
    return await context.catalog.query("GetSponsorStats", args.provided(), SponsorStats)


class ListSponsorVideos(
    SponsorArgument,
    PageArguments,
    PeriodArguments,
    ConfidenceArgument,
    OldKindArgument,
    ListFilters,
    PartsArguments,
):
    pass


@tool(
    "sponsor.recentVideos",
    title="Recent videos of a sponsor",
    hints=READS,
    rows="videos",
    brief="coverage sponsor.id sponsor.name videos.video.url videos.video.title "
    "videos.video.published_at videos.video.views videos.youtuber.id videos.youtuber.name "
    "videos.kind videos.code videos.confidence",
)
async def recent_videos(args: ListSponsorVideos, context: ToolContext) -> SponsorVideoPage:
    """List one brand's sponsored videos, newest first.

    Each comes with creator, date, views, kind of sponsorship, promo code, link, and the evidence
    and confidence behind the claim.
    """
    return await context.catalog.query(
        "ListSponsorVideos", args.query_for(context), SponsorVideoPage
    )


class ListSponsorYoutubers(
    SponsorArgument,
    PageArguments,
    PeriodArguments,
    ConfidenceArgument,
    KindsArgument,
    ListFilters,
    PartsArguments,
):
    country: Country | None = Field(
        None, description="Creators from this country, ISO 3166-1 alpha-2."
    )
    status: RelationStatus | None = Field(
        None,
        description="Relations that are active today, that lapsed, or that are unknown as the channel's data end too early or are too few.",
    )
    sort: Literal["videos", "views", "recent", "oldest", "subscribers"] = Field(
        "videos", description="Order of the answer; oldest: those seen last longest ago first."
    )


@tool(
    "sponsor.youtubers",
    title="Creators of a sponsor",
    hints=READS,
    rows="youtubers",
    brief="coverage sponsor.id sponsor.name youtubers.youtuber.id youtubers.youtuber.name "
    "youtubers.youtuber.subscribers youtubers.videos youtubers.last_seen "
    "youtubers.relation_last_seen youtubers.status youtubers.known_until youtubers.codes",
)
async def youtubers(args: ListSponsorYoutubers, context: ToolContext) -> SponsorYoutuberPage:
    """List the creators who worked with one brand.

    Each comes with how often, the first and last time, views, promo codes, and whether the relation
    is active, has lapsed, or is unknown because the data about the channel end too early.
    """
    return await context.catalog.query(
        "ListSponsorYoutubers", args.query_for(context), SponsorYoutuberPage
    )


TOOLS: Final[tuple[Tool, ...]] = (stats, recent_videos, youtubers)
