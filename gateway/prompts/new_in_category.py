"""Brands that have only begun to sponsor."""

from pydantic import Field

from gateway.completions import brand_categories
from gateway.prompts._prompt import Naming, prompt
from gateway.tools import Params, sponsor_activity, sponsors
from gateway.tools._params import CategoryId, Day
from gateway.tools.categories import list_categories


class NewInCategory(Params):
    category: CategoryId = Field(description="Category of brands, such as vpn.")
    since: Day | None = Field(
        None,
        description="New means first seen on this day or later, YYYY-MM-DD; otherwise within the "
        "newest 90 days of the data.",
        examples=["2026-09-01"],
    )


@prompt(
    "new_in_category",
    title="Who is new in a category",
    completers={"category": brand_categories},
)
def new_in_category(args: NewInCategory, tool: Naming) -> str:
    """Which brands of a category have only begun to sponsor creators, and how seriously."""
    since = (
        f"since {args.since}"
        if args.since
        else "in the newest 90 days of the data. These may end before today: `coverage.last_video` of any answer below is "
        "their last day; reckon from it"
    )
    return (
        f'Find brands of the category "{args.category}" that began to sponsor YouTube creators '
        f"{since}.\n\n"
        f"1. If the category may not be known, check its id with {tool(list_categories)}.\n"
        f"2. List active brands with {tool(sponsors.search)}: `category`, `active_since` that "
        "day, `sort` recent, following `next_cursor` for at most three pages. Keep those whose "
        "`first_seen` is not before that day.\n"
        f"3. For each of the at most five with the most videos: {tool(sponsor_activity.youtubers)} "
        f"and {tool(sponsor_activity.recent_videos)}.\n"
        f"4. For scale, the leaders of the category: {tool(sponsors.top)} over the same time.\n\n"
        "Answer with a table: brand, first seen, videos, creators, kinds, who publishes it. Say "
        "which look like a real campaign and which like a single trial. If nobody is new, say so, with the last day of the "
        "data, and name the most recently active brands instead."
    )
