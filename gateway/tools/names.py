"""Many names at once: `catalog.resolve`."""

from typing import Annotated, Final, Literal

from pydantic import Field

from gateway.tools._params import Params, Text, ToolContext
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.resolution import Resolutions

_NAMES_PER_REQUEST: Final = 25


class Resolve(Params):
    names: Annotated[list[Text], Field(min_length=1, max_length=100)] = Field(
        description="Names, ids, @handles, channel ids (UC…), web domains or URLs of brands and creators; the URL of a video "
        "stands for its creator and its sponsors.",
        examples=[["nordvpn", "@mkbhd", "squarespace.com"]],
    )
    type: Literal["any", "sponsor", "youtuber"] = Field(
        "any", description="What the names are names of, where that is known."
    )


def _cost(args: Resolve) -> int:
    return -(-len(args.names) // _NAMES_PER_REQUEST)


@tool(
    "catalog.resolve",
    title="Resolve many names",
    hints=READS,
    cost_of=_cost,
    by_default=False,
)
async def resolve(args: Resolve, context: ToolContext) -> Resolutions:
    """Turn up to 100 names of brands and creators into ids, with candidates where a name is unclear.

    Each name gets its own answer, in the order of the names. Counts as one request for every 25 names or part of them.
    """
    return await context.catalog.query("Resolve", args.provided(), Resolutions)


TOOLS: Final[tuple[Tool, ...]] = (resolve,)
