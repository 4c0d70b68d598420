"""The rollups computed from the sponsorships and videos themselves, a range of sponsors, videos or youtubers at a time.

Sums of different ranges add up. The ingest lets the same tables grow by what changed.
"""

from typing import Final

from catalog_service.domain import kinds
from catalog_service.storage.rollups.recomputation import sponsors, videos, youtubers
from catalog_service.storage.rollups.recomputation.model import Part, Rollup


def _rollup(
    table: str, keys: str, sums: str, *parts: tuple[str, str], label: str | None = None
) -> Rollup:
    """Return a rollup; names of columns have spaces between."""
    return Rollup(
        table, tuple(keys.split()), tuple(sums.split()), tuple(Part(*part) for part in parts), label
    )


ROLLUPS: Final = (
    _rollup(
        "sponsor_months", "sponsor_id month", "videos views paid_videos paid_views",
        ("sponsors", sponsors.SPONSOR_MONTHS), label="sponsor_category",
    ),
    _rollup("sponsor_parts", "sponsor_id part value month", "videos", ("sponsors", sponsors.SPONSOR_PARTS)),
    _rollup(
        "sponsor_returns", "sponsor_id month since", "youtubers repeats paid_youtubers",
        ("sponsors", sponsors.SPONSOR_RETURNS),
    ),
    _rollup(
        "sponsor_days", "sponsor_id day", "videos views youtubers free_products",
        ("sponsors", sponsors.SPONSOR_DAYS),
    ),
    _rollup(
        "sponsor_day_returns", "sponsor_id day gap", "youtubers", ("sponsors", sponsors.SPONSOR_DAY_RETURNS)
    ),
    _rollup(
        "sponsor_facets", "sponsor_id facet", "videos youtubers views free_products",
        ("sponsors", sponsors.SPONSOR_FACETS),
    ),
    _rollup(
        "category_months", "category kinds month", "videos sponsorships views",
        ("videos", videos.CATEGORY_MONTHS),
    ),
    _rollup(
        "category_returns", "category month since", "youtubers paid_youtubers",
        ("youtubers", youtubers.CATEGORY_RETURNS),
    ),
    _rollup(
        "category_days", "category day",
        " ".join(
            (
                "videos views youtubers",
                *(f"{kind}_videos {kind}_sponsorships" for kind in kinds.ALL),
                "all_videos",
            )
        ),
        ("videos", videos.CATEGORY_DAYS), ("youtubers", youtubers.CATEGORY_DAY_YOUTUBERS),
    ),
    _rollup(
        "category_day_returns", "category day gap", "youtubers", ("youtubers", youtubers.CATEGORY_DAY_RETURNS)
    ),
    _rollup("video_days", "day", "videos", ("videos", videos.VIDEO_DAYS)),
    _rollup(
        "facet_totals", "facet kinds", "videos sponsorships youtubers views",
        ("videos", videos.FACET_VIDEOS), ("youtubers", youtubers.FACET_YOUTUBERS),
    ),
    _rollup(
        "sponsor_contents", "sponsor_id content kind", "videos", ("sponsors", sponsors.SPONSOR_CONTENTS)
    ),
    _rollup(
        "category_facets", "category facet", "videos youtubers sponsors",
        ("videos", videos.CATEGORY_FACET_VIDEOS), ("youtubers", youtubers.CATEGORY_FACET_YOUTUBERS),
        ("sponsors", sponsors.CATEGORY_FACET_SPONSORS),
    ),
)  # fmt: skip
"""All tables of `rollups.tables`."""
