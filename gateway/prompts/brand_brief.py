"""A brief on one brand."""

from pydantic import Field

from gateway.completions import brands
from gateway.prompts._prompt import Naming, prompt
from gateway.tools import Params, sponsor_activity, sponsors
from gateway.tools._params import Text


class BrandBrief(Params):
    brand: Text = Field(
        description="The brand: slug, web domain or name.", examples=["nordvpn", "nordvpn.com"]
    )


@prompt("brand_brief", title="Brief on a brand", completers={"brand": brands})
def brand_brief(args: BrandBrief, tool: Naming) -> str:
    """One page about how a brand sponsors YouTube creators: whom, how often, how, and the trend."""
    return (
        f'Write a one-page brief on how the brand "{args.brand}" sponsors YouTube creators.\n\n'
        f"1. Who it is: {tool(sponsors.get)}. If the name is not found, try "
        f"{tool(sponsors.search)} and use the id that fits.\n"
        f"2. Figures of the newest twelve months of the data against the twelve before: "
        f"{tool(sponsor_activity.stats)}. The data may end before today: `coverage.last_video` of step 1 is their last day.\n"
        f"3. Whom it works with most and who is new: {tool(sponsor_activity.youtubers)}, by "
        f"videos and again by recent.\n"
        f"4. What its latest placements look like: {tool(sponsor_activity.recent_videos)}.\n"
        f"5. Its neighbours: {tool(sponsors.similar)}.\n\n"
        "Structure: summary in three sentences; figures with the change; kinds of sponsorship and "
        "promo codes; top and newest creators with links; content categories and countries; "
        "rivals that share its creators; what a creator who wants to work with it should know."
    )
