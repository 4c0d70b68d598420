"""Finding creators: `youtuber.search`, `.get`; and brands for them: `youtuber.prospects`."""

from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import (
    CategoryId,
    Day,
    KindsArgument,
    LimitArgument,
    ListFilters,
    PageArguments,
    PaidKindsArgument,
    RecordArgument,
    Text,
    ToolContext,
    YoutuberArgument,
    YoutuberFilters,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.youtubers import Prospects, Youtuber, YoutuberPage


class SearchYoutubers(PageArguments, KindsArgument, YoutuberFilters, ListFilters, PartsArguments):
    search: Text | None = Field(
        None,
        description="Name (in any alphabet), @handle, id or channel URL of the creator; typing errors are "
        "tolerated. The URL of a video finds its creator.",
        examples=["veritasium"],
    )
    sort: Literal["relevance", "subscribers", "sponsored_videos", "recent", "name"] = Field(
        "relevance", description="Order of the answer."
    )


@tool(
    "youtuber.search",
    title="Search creators",
    hints=READS,
    rows="youtubers",
    brief="coverage youtubers.id youtubers.handle youtubers.name youtubers.subscribers "
    "youtubers.category youtubers.sponsored_videos youtubers.sponsors "
    "youtubers.last_sponsored",
)
async def search(args: SearchYoutubers, context: ToolContext) -> YoutuberPage:
    """Find YouTube creators by name, content category, country, subscribers and sponsors.

    Names may have typing errors. `sponsored_by` and `not_sponsored_by` find those who worked with a
    brand or never did. Without `search` it lists all that match the other filters. The ids that it
    gives are accepted by all other youtuber tools.
    """
    return await context.catalog.query("SearchYoutubers", args.query_for(context), YoutuberPage)


class GetYoutuber(YoutuberArgument, RecordArgument, PartsArguments):
    pass


@tool(
    "youtuber.get",
    title="Get a creator",
    hints=READS,
    brief="record youtuber.id youtuber.handle youtuber.name youtuber.url youtuber.subscribers "
    "youtuber.country youtuber.category youtuber.sponsored_videos youtuber.sponsors "
    "youtuber.last_sponsored youtuber.coverage latest_sponsors.sponsor.id "
    "latest_sponsors.sponsor.name latest_sponsors.videos latest_sponsors.relation_last_seen",
)
async def get(args: GetYoutuber, context: ToolContext) -> Youtuber:
    """Get one creator: channel id, handle, country, category, subscribers, totals, latest sponsors, and how much has been looked at.

    `record` adds fulfilment and renewal rates and gaps between bookings.
    """
    return await context.catalog.query("GetYoutuber", args.provided(), Youtuber)


class FindProspects(
    YoutuberArgument, LimitArgument, PaidKindsArgument, ListFilters, PartsArguments
):
    category: CategoryId | None = Field(
        None, description="Brands of this category; ids come from category.list."
    )
    active_since: Day | None = Field(
        None,
        description="Brands with a sponsored video on or after this day, YYYY-MM-DD.",
        examples=["2026-01-01"],
    )


@tool(
    "youtuber.prospects",
    title="Sponsors to approach",
    hints=READS,
    rows="prospects",
    brief="coverage catalog_coverage kinds basis youtuber.id youtuber.name prospects.sponsor.id "
    "prospects.sponsor.name prospects.sponsor.category prospects.sponsor.status "
    "prospects.sponsor.known_until prospects.score prospects.support prospects.reason",
)
async def prospects(args: FindProspects, context: ToolContext) -> Prospects:
    """Find brands that sponsor creators like the given one and not yet this one, best first.

    It goes by paid work. Each comes with the reason, the counts behind it, and examples. Use it to find whom a creator could approach.
    """
    return await context.catalog.query("ListProspects", args.query_for(context), Prospects)


TOOLS: Final[tuple[Tool, ...]] = (search, get, prospects)
