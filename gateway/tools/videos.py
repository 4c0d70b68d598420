"""Finding sponsorships by a video or a promo code: `video.get`, `code.search`."""

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from gateway.tools._arguments import WITHOUT_BLANKS
from gateway.tools._params import ListFilters, PageArguments, Params, Text, ToolContext
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.videos import CodePage, VideoDetails


class GetVideo(Params):
    video: Text = Field(
        description="The video: URL, YouTube id, or the id that an answer has for it.",
        examples=["https://youtu.be/dQw4w9WgXcQ"],
    )


@tool("video.get", title="Who sponsored a video", hints=READS)
async def get(args: GetVideo, context: ToolContext) -> VideoDetails:
    """Get one video by its URL or id: who published it, who sponsored it, and its views by age.

    Each sponsorship comes with kind, promo code, link, evidence and confidence. A video without any was looked at and
    no sponsor was found with a confidence of 0.5 or more; a video of a channel that was not imported is not known.
    `paid_promotion_disclosed` is the creator's own mark on YouTube: it names no brand, and null means that YouTube
    does not say. `snapshots` are its views by age, as far as imports observed them: compare views of different videos
    at a like age and within one format only.
    """
    return await context.catalog.query("GetVideo", args.provided(), VideoDetails)


class SearchCodes(ListFilters, PageArguments):
    code: Annotated[str, StringConstraints(strip_whitespace=True)] = Field(
        min_length=2,
        max_length=60,
        pattern=WITHOUT_BLANKS,
        description="The promo code, or its beginning.",
        examples=["NORD20"],
    )


@tool("code.search", title="Find promo codes", hints=READS, rows="codes")
async def search_codes(args: SearchCodes, context: ToolContext) -> CodePage:
    """Find whose promo code it is: the brand that it is for, the creator who gives it, and since when.

    Upper and lower case are the same. The code itself comes first, then codes that begin with it.
    """
    return await context.catalog.query("SearchCodes", args.query_for(context), CodePage)


TOOLS: Final[tuple[Tool, ...]] = (get, search_codes)
