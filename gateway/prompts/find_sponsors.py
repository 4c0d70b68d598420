"""Sponsors for the caller's own channel."""

from pydantic import Field

from gateway.completions import brand_categories, creators
from gateway.prompts._prompt import Naming, prompt
from gateway.tools import Params, channels, sponsor_activity, youtuber_activity, youtubers
from gateway.tools._params import CategoryId, Text


class FindSponsors(Params):
    channel: Text = Field(
        description="My channel: @handle, channel id (UC…), URL or name.", examples=["@mkbhd"]
    )
    category: CategoryId | None = Field(
        None, description="Only brands of this category, such as vpn."
    )


@prompt(
    "find_sponsors",
    title="Find sponsors for my channel",
    completers={"channel": creators, "category": brand_categories},
)
def find_sponsors(args: FindSponsors, tool: Naming) -> str:
    """Which brands sponsor channels like mine and not yet mine, and which to approach first."""
    limit = f' Keep to brands of the category "{args.category}".' if args.category else ""
    return (
        f'Find brands that could sponsor my YouTube channel "{args.channel}".{limit}\n\n'
        f"1. Look the channel up with {tool(youtubers.get)}. If it is not known, offer to have it "
        f"read with {tool(channels.start)}, if that tool is there, and go on without it by asking "
        f"me for channels like mine.\n"
        f"2. See who sponsored it already with {tool(youtuber_activity.sponsors)}: active ones "
        f"are not news, lapsed ones may be worth a new try.\n"
        f"3. Get candidates with {tool(youtubers.prospects)}.\n"
        f"4. For the five best, look at {tool(sponsor_activity.stats)} (are they growing, do they "
        f"come back to creators?) and {tool(sponsor_activity.youtubers)} (do they work with "
        f"channels of my size?).\n\n"
        "Answer with a table of the five: brand, why it fits, creators like me that it sponsors, "
        "last seen, trend. Then say in two sentences which one to approach first and why, and "
        "list lapsed sponsors worth a new try."
    )
