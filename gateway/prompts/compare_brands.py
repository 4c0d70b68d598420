"""Two brands side by side."""

from pydantic import Field

from gateway.completions import brands
from gateway.prompts._prompt import Naming, prompt
from gateway.tools import Params, sponsor_activity, sponsors
from gateway.tools._params import Day, Text


class CompareBrands(Params):
    first: Text = Field(description="One brand: slug, web domain or name.", examples=["nordvpn"])
    second: Text = Field(description="The other brand.", examples=["surfshark"])
    since: Day | None = Field(
        None,
        description="First day to compare from, YYYY-MM-DD; otherwise the newest twelve months of the data.",
        examples=["2026-01-01"],
    )


@prompt(
    "compare_brands", title="Compare two brands", completers={"first": brands, "second": brands}
)
def compare_brands(args: CompareBrands, tool: Naming) -> str:
    """How two brands sponsor creators: volume, growth, creators they share, where they differ."""
    period = f"since {args.since}" if args.since else "over the newest twelve months of the data"
    start = f" with `since` {args.since}" if args.since else ""
    return (
        f'Compare how "{args.first}" and "{args.second}" sponsor YouTube creators {period}.\n\n'
        f"1. Both brands: {tool(sponsors.get)}. The last day of the data is `coverage.last_video`; it may lie before today.\n"
        f"2. Figures of both over the same period: {tool(sponsor_activity.stats)}{start}.\n"
        f"3. Creators of both: {tool(sponsor_activity.youtubers)}{start}; find those whom both "
        "sponsored.\n"
        f"4. How close they are: {tool(sponsors.similar)} for the first; see whether the second "
        "is among the answers.\n\n"
        "Answer with one table (videos, creators, views, change, repeat rate, share of voice, "
        "main content categories, main countries, kinds of sponsorship), then the creators they "
        "share, then three differences that matter to someone who must choose between them."
    )
