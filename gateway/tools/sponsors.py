"""Finding brands: `sponsor.search`, `.get`, `.top`, `.similar`."""

from dataclasses import replace
from typing import Final, Literal

from pydantic import Field

from gateway.tools._params import (
    CategoryId,
    ConfidenceArgument,
    Country,
    Day,
    LimitArgument,
    ListFilters,
    PageArguments,
    PaidKindsArgument,
    PeriodArguments,
    RecordArgument,
    SponsorArgument,
    SponsorshipScope,
    Text,
    ToolContext,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.sponsors import SimilarSponsors, Sponsor, SponsorPage, TopSponsors


class SearchSponsors(PageArguments, ListFilters, PartsArguments):
    search: Text | None = Field(
        None,
        description="Name (in any alphabet), alias, id, domain or link of the brand; typing errors are "
        "tolerated. The URL of a video finds its sponsors.",
        examples=["nordvpn"],
    )
    category: CategoryId | None = Field(
        None, description="Brands of this category; ids come from category.list."
    )
    country: Country | None = Field(
        None, description="Brands from this country, ISO 3166-1 alpha-2."
    )
    active_since: Day | None = Field(
        None,
        description="Brands with a sponsored video on or after this day, YYYY-MM-DD.",
        examples=["2026-01-01"],
    )
    min_videos: int | None = Field(
        None, ge=0, le=1_000_000_000, description="Brands with at least this many sponsored videos."
    )
    sort: Literal["relevance", "videos", "youtubers", "views", "recent", "name"] = Field(
        "relevance", description="Order of the answer."
    )


@tool(
    "sponsor.search",
    title="Search sponsors",
    hints=READS,
    rows="sponsors",
    brief="coverage sponsors.id sponsors.name sponsors.domain sponsors.category sponsors.videos "
    "sponsors.last_seen sponsors.status sponsors.known_until",
)
async def search(args: SearchSponsors, context: ToolContext) -> SponsorPage:
    """Find brands that sponsor YouTube videos, by name, category, country, recency and volume.

    Names may have typing errors. Without `search` it lists all that match the other filters. Use it
    first when only a name is known: the ids that it gives are accepted by all other sponsor tools.
    """
    return await context.catalog.query("SearchSponsors", args.query_for(context), SponsorPage)


class GetSponsor(SponsorArgument, RecordArgument, PartsArguments):
    pass


@tool(
    "sponsor.get",
    title="Get a sponsor",
    hints=READS,
    brief="coverage record sponsor.id sponsor.name sponsor.domain sponsor.category sponsor.country "
    "sponsor.first_seen sponsor.last_seen sponsor.status sponsor.known_until sponsor.videos "
    "sponsor.youtubers kinds.key kinds.videos latest_codes.code latest_codes.last_seen "
    "top_youtubers.youtuber.id top_youtubers.youtuber.name top_youtubers.videos "
    "top_youtubers.relation_last_seen",
)
async def get(args: GetSponsor, context: ToolContext) -> Sponsor:
    """Get one brand: names, web domains, category, country, first and last sponsorship seen, totals, latest promo codes and main creators.

    `record` adds renewal rate, creator size, cadence and season.
    """
    return await context.catalog.query("GetSponsor", args.provided(), Sponsor)


class FindTopSponsors(
    PageArguments,
    PeriodArguments,
    ConfidenceArgument,
    PaidKindsArgument,
    SponsorshipScope,
    ListFilters,
    PartsArguments,
):
    metric: Literal["videos", "creators", "views"] = Field(
        "videos", description="What brands are ranked by."
    )


@tool(
    "sponsor.top",
    title="Rank sponsors",
    hints=READS,
    rows="sponsors",
    brief="coverage period metric totals kinds sponsors.rank sponsors.sponsor.id "
    "sponsors.sponsor.name sponsors.videos sponsors.youtubers sponsors.views",
)
async def top(args: FindTopSponsors, context: ToolContext) -> TopSponsors:
    """Rank the most active brands over a period by sponsored videos, creators or views.

    It ranks paid work; free products for review stand apart (`by_kind` has them, in shares of all kinds). The ranking can
    be kept to a category of brands, a content category or a country. Use it for questions such as "who sponsored gaming
    channels most this year?".
    """
    metric = "youtubers" if args.metric == "creators" else args.metric
    arguments = {**args.query_for(context), "metric": metric}
    ranking = await context.catalog.query("TopSponsors", arguments, TopSponsors)
    return replace(ranking, metric=args.metric)


class FindSimilarSponsors(
    SponsorArgument, LimitArgument, PaidKindsArgument, ListFilters, PartsArguments
):
    pass


@tool(
    "sponsor.similar",
    title="Similar sponsors",
    hints=READS,
    rows="sponsors",
    brief="coverage kinds sponsor.id sponsor.name sponsors.sponsor.id sponsors.sponsor.name "
    "sponsors.sponsor.category sponsors.sponsor.status sponsors.sponsor.known_until "
    "sponsors.shared_youtubers sponsors.score sponsors.support",
)
async def similar(args: FindSimilarSponsors, context: ToolContext) -> SimilarSponsors:
    """Find brands that sponsor the same creators as the given brand, most alike first.

    It goes by paid work. Each comes with examples of the creators that they share, and with what the likeness rests on:
    how many creators, and how many it would be by chance. Use it to find competitors and neighbours
    of a brand.
    """
    return await context.catalog.query(
        "ListSimilarSponsors", args.query_for(context), SimilarSponsors
    )


TOOLS: Final[tuple[Tool, ...]] = (search, get, top, similar)
