"""Finding videos and creators by what they speak about: `video.search`, `youtuber.about`."""

from typing import Annotated, Final, Literal

from pydantic import Field

from gateway.tools._params import (
    CategoryId,
    Kind,
    ListFilters,
    PageArguments,
    PeriodArguments,
    Text,
    ToolContext,
    YoutuberFilters,
)
from gateway.tools._parts import PartsArguments
from gateway.tools._tool import READS, Tool, tool
from shapes.catalog.topics import TopicVideoPage, YoutubersAboutPage

About = Annotated[str, Field(min_length=1, max_length=200)]
_ABOUT: Final = (
    'Words of title or description, all of them; "a phrase", -excluded, one OR another. Endings count in the '
    "video's language only."
)
_EXAMPLES: Final = ['investing OR "index funds" -crypto']


class SearchVideos(PageArguments, PeriodArguments, ListFilters, PartsArguments):
    about: About | None = Field(None, description=_ABOUT, examples=_EXAMPLES)
    sponsor: Text | None = Field(
        None,
        description="Videos that this brand sponsored: id, slug, web domain or name.",
        examples=["nordvpn"],
    )
    sponsor_category: CategoryId | None = Field(
        None,
        description="Videos that a brand of this category sponsored; ids come from category.list.",
    )
    content_category: CategoryId | None = Field(
        None,
        description="Videos of this content category; ids come from category.list.",
        examples=["gaming"],
    )
    youtuber: Text | None = Field(
        None,
        description="Videos of this creator: id, channel id (UC…), @handle, channel or video URL, or name.",
        examples=["@mkbhd"],
    )
    kinds: list[Kind] | None = Field(
        None,
        min_length=1,
        max_length=4,
        description="Videos with a sponsorship of these kinds; all videos if absent.",
        examples=[["paid_sponsorship", "promo_code"]],
    )
    format: Literal["longform", "short", "live", "unknown"] | None = Field(
        None, description="Videos of this format."
    )
    sort: Literal["newest", "oldest", "views"] = Field("newest", description="Order of the answer.")


@tool(
    "video.search",
    title="Find videos by topic or sponsor",
    hints=READS,
    by_default=False,
    rows="videos",
    brief="coverage texts matches videos.video.url videos.video.title videos.video.published_at "
    "videos.video.views videos.youtuber.id videos.youtuber.name "
    "videos.sponsorships.sponsor.name videos.sponsorships.kind videos.sponsorships.confidence",
)
async def search(args: SearchVideos, context: ToolContext) -> TopicVideoPage:
    """Find videos by what their titles and descriptions speak about, by who sponsored them, or both.

    Such as cooking videos that VPNs sponsor: `about` cooking, `sponsor_category` vpn. Each sponsored video comes with its evidence. Only
    known texts are searched: `texts` says of how many videos none is known, and of how many the title alone; these are no zeros.
    Sponsors' own paragraphs are not searched. Searches that match too much are refused: narrow them down.
    """
    return await context.catalog.query("SearchVideos", args.query_for(context), TopicVideoPage)


class FindYoutubersAbout(
    PageArguments, PeriodArguments, YoutuberFilters, ListFilters, PartsArguments
):
    about: About = Field(description=_ABOUT, examples=_EXAMPLES)
    min_hits: int = Field(
        1, ge=1, le=1_000_000, description="Creators with at least this many videos that match."
    )
    sort: Literal["hits", "recent", "subscribers"] = Field(
        "hits",
        description="Order of the answer; hits: most videos that match, recent: newest of these.",
    )


@tool(
    "youtuber.about",
    title="Find creators by topic",
    hints=READS,
    by_default=False,
    rows="youtubers",
    brief="coverage texts matches youtubers.youtuber.id youtubers.youtuber.name "
    "youtubers.youtuber.subscribers youtubers.hits youtubers.searched_videos youtubers.share "
    "youtubers.newest_hit",
)
async def youtubers_about(args: FindYoutubersAbout, context: ToolContext) -> YoutubersAboutPage:
    """Find creators who talk about something, by titles and descriptions of their videos; youtuber.search finds them by name.

    Each comes with the number of videos that match, their share of the creator's searched videos, the newest day and examples. Only known
    texts are searched: `texts` says of how many videos none is known, and of how many the title alone; these are no zeros. Searches that
    match too much are refused: narrow them down.
    """
    return await context.catalog.query(
        "ListYoutubersAbout", args.query_for(context), YoutubersAboutPage
    )


TOOLS: Final[tuple[Tool, ...]] = (search, youtubers_about)
