"""What a placement with a creator can be expected to bring: `youtuber.outlook`."""

from typing import Final

from pydantic import Field

from gateway.tools._params import ToolContext, YoutuberArgument
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.outlook import YoutuberOutlook


class GetOutlook(YoutuberArgument):
    price: float | None = Field(
        None,
        ge=0.01,
        le=1_000_000_000,
        description="Price for one video: adds the expected CPM, price / projected views * 1,000.",
        examples=[5000],
    )
    currency: str | None = Field(
        None,
        min_length=1,
        max_length=10,
        description="Currency of `price`; a label, nothing is converted.",
        examples=["EUR"],
    )


@tool("youtuber.outlook", title="Outlook of a creator", hints=READS, by_default=False)
async def outlook(args: GetOutlook, context: ToolContext) -> YoutuberOutlook:
    """Project the views of one creator's next videos, by format, and the CPM at a price.

    Each format has the views expected at an age of 30 days with intervals of 50 and 80 %, what they rest on (`basis`,
    `videos`, `window_days`), views that one to ten videos reach together with a probability of 0.8, evergreen ratio,
    uploads per 90 days and trend. A bundle's `guarantee` is what contracts write (three quarters of the mean, if that is
    more): promise `views`, unless `guarantee_probability` is as high. `last_look` as basis means views counted at other
    ages than 30 days: say so. Figures of different formats are never to be added or compared. All is as of the channel's
    newest known video.
    """
    return await context.catalog.query("GetYoutuberOutlook", args.provided(), YoutuberOutlook)


TOOLS: Final[tuple[Tool, ...]] = (outlook,)
