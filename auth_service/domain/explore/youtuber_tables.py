"""The tables of creators, as pages and CSV have them."""

from typing import Any, Final

from auth_service.domain.explore import columns as c
from auth_service.domain.explore.tables import Order, TableSpec, listed


def _sponsored(result: Any) -> list[Any]:
    """Return a row for each sponsorship of each video."""
    return [
        {**sponsorship, "video": entry["video"]}
        for entry in result.get("videos") or ()
        for sponsorship in entry["sponsorships"]
    ]


SPONSORS: Final = TableSpec(
    name="sponsors",
    title="Brands",
    tool="youtuber.sponsors",
    rows=listed("sponsors"),
    columns=(
        c.brand(),
        c.number("videos", "Sponsored videos"),
        c.day("first_seen", "First"),
        c.day("last_seen", "Latest"),
        c.number("views", "Views"),
        c.status(
            "active: sponsors the creator; lapsed: no longer, as later videos show; unknown: too few later videos were "
            "looked at."
        ),
        c.joined("kinds", "Kinds", "words"),
        c.joined("codes", "Codes", "code"),
    ),
    orders={"videos": "videos", "views": "views", "last_seen": "recent"},
    prompt="Who sponsored {subject}, since when, and with which codes?",
)
VIDEOS: Final = TableSpec(
    name="videos",
    title="Newest sponsored videos",
    noun="sponsored videos",
    tool="youtuber.recentVideos",
    rows=_sponsored,
    columns=(
        c.day("published_at", "Published", "video.published_at"),
        c.video(),
        c.brand(),
        c.words("kind", "Kind"),
        c.Column("code", "Code", c.at("code"), "code"),
        c.evidence(),
        c.share("confidence", "Confidence"),
        c.number("views", "Views", "video.views"),
    ),
    orders={"published_at": ""},
    fixed={"sponsored": True},
    prompt="List the newest sponsored videos of {subject}, with the evidence for each.",
)
PROSPECTS: Final = TableSpec(
    name="prospects",
    title="Brands to approach",
    tool="youtuber.prospects",
    rows=listed("prospects"),
    columns=(
        c.brand(),
        c.number("similar_youtubers", "Similar creators"),
        c.share(
            "score",
            "More than by chance",
            explanation="How far this goes beyond what chance would give, from 0 to 100 %, with each creator weighed by likeness: "
            "one that is most alike gives 33 % at most, ten 83 %. Brands with several creators beyond chance come first.",
        ),
        c.text("reason", "Reason"),
    ),
    is_paged=False,
    prompt="Which brands should {subject} approach next?",
    takes_period=False,
)
SERIES: Final = TableSpec(
    name="series",
    title="Over time",
    noun="steps",
    preview_order=Order("start"),
    tool="youtuber.stats",
    rows=listed("series"),
    columns=(
        c.day("start", "From"),
        c.number("videos", "Videos"),
        c.number("sponsored_videos", "Sponsored videos"),
    ),
    is_paged=False,
    limit=None,
    prompt="How did the sponsored videos of {subject} develop?",
)
KINDS: Final = TableSpec(
    name="kinds",
    title="By kind",
    noun="kinds",
    tool="youtuber.stats",
    rows=listed("by_kind"),
    columns=(
        c.text("name", "Name"),
        c.number("videos", "Sponsored videos"),
        c.number("sponsorships", "Sponsorships"),
        c.share("share", "Share"),
    ),
    is_paged=False,
    limit=None,
    prompt="How is {subject} sponsored?",
)
FOUND: Final = TableSpec(
    name="youtubers",
    title="Creators",
    tool="youtuber.search",
    rows=listed("youtubers"),
    columns=(
        c.creator(""),
        c.number("subscribers", "Subscribers"),
        c.Column("country", "Country", c.at("country"), "country"),
        c.Column("category", "Category", c.at("category"), "category"),
        c.number("sponsored_videos", "Sponsored videos"),
        c.number("sponsors", "Brands"),
        c.day("last_sponsored", "Latest"),
    ),
    orders={
        "youtuber": "name",
        "subscribers": "subscribers",
        "sponsored_videos": "sponsored_videos",
        "last_sponsored": "recent",
    },
    prompt="Which creators match {subject}?",
)
OF_YOUTUBER: Final = (SPONSORS, VIDEOS, PROSPECTS, SERIES, KINDS)
