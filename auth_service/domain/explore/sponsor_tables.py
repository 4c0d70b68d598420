"""The tables of brands, as pages and CSV have them."""

from typing import Any, Final

from auth_service.domain.explore import columns as c
from auth_service.domain.explore.labels import shown_day
from auth_service.domain.explore.tables import Order, TableSpec, listed


def _ranked_totals(result: Any) -> str:
    totals = result["totals"]
    return (
        f"Of {totals['sponsorships']:,} sponsorships in {totals['videos']:,} videos of {totals['youtubers']:,} creators, "
        f"with {totals['views']:,} views."
    )


def _compared_periods(result: Any) -> str:
    of, before = (
        f"{shown_day(period['from_date'])} to {shown_day(period['to_date'])}"
        for period in (result["period"], result["previous_period"])
    )
    return f"{of}, compared with {before}."


_RELATION_STATUS: Final = (
    "active: sponsored lately; lapsed: no longer, as later videos of the creator show; unknown: too few later videos "
    "of the creator were looked at."
)
_BRAND_STATUS: Final = (
    "active: sponsors at least one creator; lapsed: no longer any; unknown: too few later videos were looked at; no "
    "sponsorship known: no video of it was found."
)
_STEPS: Final = (
    c.day("start", "From"),
    c.number("videos", "Sponsored videos"),
    c.number("youtubers", "Creators"),
    c.number("views", "Views"),
)
_SHARES: Final = (
    c.text("name", "Name"),
    c.number("videos", "Sponsored videos"),
    c.number("sponsorships", "Sponsorships"),
    c.share("share", "Share"),
)
_RELATION: Final = (
    c.number("videos", "Sponsored videos"),
    c.day("first_seen", "First"),
    c.day("last_seen", "Latest"),
    c.number("views", "Views"),
    c.status(_RELATION_STATUS),
    c.joined("codes", "Codes", "code"),
)

YOUTUBERS: Final = TableSpec(
    name="youtubers",
    title="Creators",
    tool="sponsor.youtubers",
    rows=listed("youtubers"),
    columns=(c.creator(), *_RELATION),
    orders={"videos": "videos", "views": "views", "last_seen": "recent"},
    prompt="Which creators worked with {subject}, how often, and with which codes?",
)
VIDEOS: Final = TableSpec(
    name="videos",
    title="Newest sponsored videos",
    noun="sponsored videos",
    tool="sponsor.recentVideos",
    rows=listed("videos"),
    columns=(
        c.day("published_at", "Published", "video.published_at"),
        c.video(),
        c.creator(),
        c.words("kind", "Kind"),
        c.Column("code", "Code", c.at("code"), "code"),
        c.evidence(),
        c.share("confidence", "Confidence"),
        c.number("views", "Views", "video.views"),
    ),
    orders={"published_at": ""},
    prompt="List the newest videos that {subject} sponsored, with the evidence for each.",
)
SIMILAR: Final = TableSpec(
    name="similar",
    title="Similar brands",
    tool="sponsor.similar",
    rows=listed("sponsors"),
    columns=(
        c.brand(),
        c.number("shared_youtubers", "Creators in common"),
        c.share(
            "similarity",
            "Similarity",
            explanation="The creators in common, as a share of those who worked with either brand.",
        ),
        c.share(
            "score",
            "More than by chance",
            explanation="How far this goes beyond what two brands of their sizes would have in common by chance, from 0 to 100 %. One "
            "creator gives 33 % at most, ten 83 %.",
        ),
        c.words("support", "Rests on"),
    ),
    is_paged=False,
    prompt="Which brands are like {subject}?",
    takes_period=False,
)
SERIES: Final = TableSpec(
    name="series",
    title="Over time",
    noun="steps",
    preview_order=Order("start"),
    tool="sponsor.stats",
    rows=listed("series"),
    columns=_STEPS,
    is_paged=False,
    limit=None,
    prompt="How did the sponsorships of {subject} develop?",
)
KINDS: Final = TableSpec(
    name="kinds",
    title="By kind",
    noun="kinds",
    tool="sponsor.stats",
    rows=listed("by_kind"),
    columns=_SHARES,
    is_paged=False,
    limit=None,
    prompt="How does {subject} sponsor: paid, by promo code, as affiliate, with free products?",
)
CODES: Final = TableSpec(
    name="codes",
    title="Latest codes",
    noun="codes",
    tool="sponsor.get",
    rows=listed("latest_codes"),
    columns=(
        c.Column("code", "Code", c.at("code"), "code"),
        c.creator(),
        c.day("last_seen", "Latest"),
    ),
    is_paged=False,
    limit=None,
    prompt="Which promo codes of {subject} were seen last?",
    takes_period=False,
)
RANKED: Final = TableSpec(
    name="sponsors",
    title="Brands",
    tool="sponsor.top",
    rows=listed("sponsors"),
    columns=(
        c.number("rank", "Rank"),
        c.brand(bar="videos"),
        c.number("videos", "Sponsored videos"),
        c.number("youtubers", "Creators"),
        c.number("views", "Views"),
        c.share(
            "share",
            "Share",
            "metric_share",
            explanation="Ranked by sponsored videos, the brand's part of all sponsorships: a video has one for each of its "
            "brands, so these shares add up to 100 %. Ranked by creators or views, its part of all creators or views above: "
            "several brands may have the same ones, so these can add up to more.",
        ),
    ),
    metrics={"videos": "videos", "youtubers": "creators", "views": "views"},
    summary=_ranked_totals,
    prompt="Which brands sponsor most{subject}?",
)
COMPARED: Final = TableSpec(
    name="sponsors",
    title="Brands",
    tool="sponsor.compare",
    rows=listed("sponsors"),
    columns=(
        c.brand(),
        c.number("videos", "Sponsored videos", "totals.videos"),
        c.number("sponsorships", "Sponsorships", "totals.sponsorships"),
        c.number("youtubers", "Creators", "totals.youtubers"),
        c.number("views", "Views", "totals.views"),
        c.share("repeat_rate", "Creators who came back"),
        c.share("share_of_voice", "Share of its category", "share_of_voice.share"),
        c.share("change", "Change"),
    ),
    is_paged=False,
    limit=None,
    prompt="Compare the sponsorships of {subject}.",
)
TRENDS: Final = TableSpec(
    name="trends",
    title="Rising and falling",
    tool="sponsor.trends",
    rows=listed("sponsors"),
    columns=(
        c.brand(),
        c.number("videos", "Sponsored videos"),
        c.number("previous_videos", "The period before"),
        c.share("change", "Change"),
        c.words("trend", "Trend"),
    ),
    is_paged=False,
    prompt="Which brands rose or fell lately{subject}?",
    summary=_compared_periods,
)
FOUND: Final = TableSpec(
    name="sponsors",
    title="Brands",
    tool="sponsor.search",
    rows=listed("sponsors"),
    columns=(
        c.brand(""),
        c.text("domain", "Domain"),
        c.number("videos", "Sponsored videos"),
        c.number("youtubers", "Creators"),
        c.number("views", "Views"),
        c.day("last_seen", "Latest"),
        c.status(_BRAND_STATUS),
    ),
    orders={
        "sponsor": "name",
        "videos": "videos",
        "youtubers": "youtubers",
        "views": "views",
        "last_seen": "recent",
    },
    prompt="Which brands match {subject}?",
)
OF_SPONSOR: Final = (YOUTUBERS, VIDEOS, SIMILAR, CODES, SERIES, KINDS)
