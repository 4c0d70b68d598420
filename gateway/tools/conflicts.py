"""Competitors of a brand on a channel: `youtuber.conflicts`."""

from typing import Final

from pydantic import Field

from gateway.tools._params import (
    LimitArgument,
    PaidKindsArgument,
    SponsorArgument,
    ToolContext,
    YoutuberArgument,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.records import Conflicts


class FindConflicts(
    YoutuberArgument, SponsorArgument, LimitArgument, PaidKindsArgument, PartsArguments
):
    days: int = Field(
        90,
        ge=1,
        le=3650,
        description="Days to look at, until the newest known video of the channel.",
    )


@tool(
    "youtuber.conflicts",
    title="Conflicts of a brand",
    hints=READS,
    by_default=False,
    brief="coverage kinds period category unknown_brands brands youtuber.id youtuber.name "
    "sponsor.id sponsor.name conflicts.sponsor.id conflicts.sponsor.name conflicts.last_seen "
    "conflicts.videos conflicts.video.url conflicts.kind conflicts.confidence",
)
async def conflicts(args: FindConflicts, context: ToolContext) -> Conflicts:
    """Find other brands of a brand's category that a creator had lately, before booking that creator for the brand.

    It goes by paid work in the days until the newest known video of the channel. Each conflict comes with its last day, that video
    and the evidence. Brands of unknown category are told apart: they may be conflicts, too.
    """
    return await context.catalog.query("ListConflicts", args.provided(), Conflicts)


TOOLS: Final[tuple[Tool, ...]] = (conflicts,)
