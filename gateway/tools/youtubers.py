"""Finding creators: `youtuber.search`, `.get`; and brands for them: `youtuber.prospects`."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from gateway.tools._params import (
    CategoryId,
    Country,
    Day,
    LimitArgument,
    PageArguments,
    PaidKindsArgument,
    Text,
    ToolContext,
    YoutuberArgument,
)
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.youtubers import Prospects, Youtuber, YoutuberPage


class SearchYoutubers(PageArguments):
    search: Text | None = Field(
        None,
        description="Name (in any alphabet), @handle, id or channel URL of the creator; typing errors are "
        "tolerated. The URL of a video finds its creator.",
        examples=["veritasium"],
    )
    category: CategoryId | None = Field(
        None,
        description="Channels of this content category; ids come from category.list.",
        examples=["gaming"],
    )
    country: Country | None = Field(
        None, description="Creators from this country, ISO 3166-1 alpha-2."
    )
    min_subscribers: int | None = Field(
        None, ge=0, le=10_000_000_000, description="Creators with at least so many subscribers."
    )
    max_subscribers: int | None = Field(
        None, ge=0, le=10_000_000_000, description="Creators with at most so many subscribers."
    )
    sponsored_by: Text | None = Field(
        None,
        description="Creators that this brand sponsored: id, slug, web domain or name.",
        examples=["squarespace"],
    )
    sponsored_by_category: CategoryId | None = Field(
        None,
        description="Creators with a sponsor of this category of brands; ids come from category.list.",
    )
    not_sponsored_by: Text | None = Field(
        None,
        description="Creators that this brand never sponsored: id, slug, web domain or name.",
        examples=["nordvpn"],
    )
    sort: Literal["relevance", "subscribers", "sponsored_videos", "recent", "name"] = Field(
        "relevance", description="Order of the answer."
    )

    @model_validator(mode="after")
    def _range_in_order(self) -> Self:
        low, high = self.min_subscribers, self.max_subscribers
        if low is not None and high is not None and low > high:
            raise ValueError(
                f"`min_subscribers` ({low}) is more than `max_subscribers` ({high}): exchange them"
            )
        return self


@tool("youtuber.search", title="Search creators", hints=READS)
async def search(args: SearchYoutubers, context: ToolContext) -> YoutuberPage:
    """Find YouTube creators by name, content category, country, subscribers and sponsors.

    Names may have typing errors. `sponsored_by` and `not_sponsored_by` find those who worked with a
    brand or never did. Without `search` it lists all that match the other filters. The ids that it
    gives are accepted by all other youtuber tools.
    """
    return await context.catalog.query("SearchYoutubers", args.provided(), YoutuberPage)


@tool("youtuber.get", title="Get a creator", hints=READS)
async def get(args: YoutuberArgument, context: ToolContext) -> Youtuber:
    """Get one creator: who it is, and which sponsors were seen last.

    Answers with channel id, handle, country, category, subscribers, sponsorship totals, the latest
    sponsors, and how much of the channel has been looked at.
    """
    return await context.catalog.query("GetYoutuber", args.provided(), Youtuber)


class FindProspects(YoutuberArgument, LimitArgument, PaidKindsArgument):
    category: CategoryId | None = Field(
        None, description="Brands of this category; ids come from category.list."
    )
    active_since: Day | None = Field(
        None,
        description="Brands with a sponsored video on or after this day, YYYY-MM-DD.",
        examples=["2026-01-01"],
    )


@tool("youtuber.prospects", title="Sponsors to approach", hints=READS)
async def prospects(args: FindProspects, context: ToolContext) -> Prospects:
    """Find brands that sponsor creators like the given one and not yet this one, best first.

    It goes by paid work. Each comes with the reason, the counts behind it, and examples. Use it to find whom a creator could approach.
    """
    return await context.catalog.query("ListProspects", args.provided(), Prospects)


TOOLS: Final[tuple[Tool, ...]] = (search, get, prospects)
