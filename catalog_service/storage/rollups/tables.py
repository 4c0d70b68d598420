"""The rollups by month and by day: with them, queries about periods cost the same as sponsorships grow.

Different youtubers of several months are not the sum of those of each. They are counted from cells
`(month, since)`, where `since` is the month in which the same youtuber was last seen before: of the
months from `a` to `b`, a youtuber counts in the first one in which it was seen, which is the one
whose `since` lies before `a`. Cells by day know the days since then instead, up to `MAX_DAYS`: a
longer period is read from whole months or sponsorship by sponsorship. See docs/scale.md.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    Table,
    Text,
    literal_column,
    text,
)

from catalog_service.domain import kinds
from catalog_service.storage.tables import metadata

FIRST: Final = literal_column("'-infinity'::date", Date)
"""`since` of a youtuber that had not been seen before."""

MAX_DAYS: Final = 92
"""Days of the longest period that cells by day answer: a quarter, or "the last 90 days".

Cells are stored as far apart: another number needs a migration that fills them again.
"""


def _count(name: str, type_: type[Integer] = BigInteger) -> Column[int]:
    return Column(name, type_, nullable=False)


def _sponsor() -> Column[int]:
    return Column(
        "sponsor_id", BigInteger, ForeignKey("sponsors.id"), primary_key=True, autoincrement=False
    )


sponsor_months: Final = Table(
    "sponsor_months",
    metadata,
    _sponsor(),
    Column("month", Date, primary_key=True),
    Column("sponsor_category", Text),
    _count("videos"),
    _count("views"),
    _count("paid_videos"),
    _count("paid_views"),
    Index(
        "sponsor_months_category_idx",
        "sponsor_category", "month", text("paid_videos DESC"), "sponsor_id",
    ),
    Index("sponsor_months_videos_idx", "month", text("paid_videos DESC"), "sponsor_id"),
    Index(
        "sponsor_months_category_views_idx",
        "sponsor_category", "month", text("paid_views DESC"), "sponsor_id",
    ),
    Index("sponsor_months_views_idx", "month", text("paid_views DESC"), "sponsor_id"),
)  # fmt: skip
"""The indexes are ranked lists of each month by paid work, the best-known sponsor first."""

sponsor_parts: Final = Table(
    "sponsor_parts",
    metadata,
    _sponsor(),
    Column("part", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("month", Date, primary_key=True),
    _count("videos"),
)
"""Videos of a sponsor by `content`, `country` and `kind`; an unknown value is empty."""

sponsor_returns: Final = Table(
    "sponsor_returns",
    metadata,
    _sponsor(),
    Column("month", Date, primary_key=True),
    Column("since", Date, primary_key=True),
    _count("youtubers", Integer),
    _count("repeats", Integer),
    _count("paid_youtubers", Integer),
)
"""Youtubers of a sponsor in a month, by the month `since` which they had not been seen with it.

`since` is `FIRST` for those who had never been. `repeats` counts videos that are not their youtuber's
first with the sponsor, and there `since` is the month of the video before the one before, if that
lies before the month itself. Of the months from `a` to `b`, those before `a` of both tell how many
youtubers have at least two videos: see `stats_by_month`. `paid_youtubers` counts like `youtubers`
and knows paid work alone: its cells are those of a catalogue without free products.
"""

category_months: Final = Table(
    "category_months",
    metadata,
    Column("category", Text, primary_key=True),
    Column("kinds", Text, primary_key=True),
    Column("month", Date, primary_key=True),
    _count("videos"),
    _count("sponsorships"),
    _count("views"),
)
"""By scope (`domain.categories.COUNTED_SCOPES` and `content_scope`) and set of kinds (`domain.kinds.SETS`).

`videos` are different ones, and `views` theirs. A video has one day: those of several months add up.
"""

category_returns: Final = Table(
    "category_returns",
    metadata,
    Column("category", Text, primary_key=True),
    Column("month", Date, primary_key=True),
    Column("since", Date, primary_key=True),
    _count("youtubers", Integer),
    _count("paid_youtubers", Integer),
)
"""Like `sponsor_returns`, for youtubers with any sponsor in a scope of `domain.categories.SCOPES`."""

# No foreign keys: the ingest alone writes these, which have about a row for each sponsorship.
sponsor_days: Final = Table(
    "sponsor_days",
    metadata,
    Column("sponsor_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", Date, primary_key=True),
    _count("videos"),
    _count("views"),
    _count("youtubers"),
    _count("free_products"),
)
"""Videos, views and different youtubers of a sponsor's paid work by day, and its free products."""

sponsor_day_returns: Final = Table(
    "sponsor_day_returns",
    metadata,
    Column("sponsor_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", Date, primary_key=True),
    Column("gap", SmallInteger, primary_key=True),
    _count("youtubers", Integer),
)
"""Youtubers of a sponsor's paid work on a day who had been seen with it `gap` days before, and not since.

There are cells of fewer than `MAX_DAYS` days. Of the days from `a` to `b`, who was seen at most
`day - a` days before was counted on that day already: the youtubers of all days, less these, are
different ones.
"""

category_days: Final = Table(
    "category_days",
    metadata,
    Column("category", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    _count("videos"),
    _count("views"),
    _count("youtubers"),
    *(_count(f"{kind}_{name}") for kind in kinds.ALL for name in ("videos", "sponsorships")),
    Column("all_videos", BigInteger, nullable=False, server_default=text("0")),
    # Room for new counts beside the old.
    postgresql_with={"fillfactor": 70},
)
"""Like `category_months`, by scopes of `domain.categories.SCOPES`: different videos and youtubers of paid work,
views, the videos of each kind, and `all_videos` of any kind."""

category_day_returns: Final = Table(
    "category_day_returns",
    metadata,
    Column("category", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("gap", SmallInteger, primary_key=True),
    _count("youtubers", Integer),
    postgresql_with={"fillfactor": 70},
)
"""Like `sponsor_day_returns`, for youtubers with any sponsor in a scope of `domain.categories.SCOPES`."""

video_days: Final = Table(
    "video_days",
    metadata,
    Column("day", Date, primary_key=True),
    _count("videos"),
    # Room for new counts beside the old.
    postgresql_with={"fillfactor": 70},
)
"""Videos looked at by day, sponsored or not."""

sponsor_facets: Final = Table(
    "sponsor_facets",
    metadata,
    Column("sponsor_id", BigInteger, primary_key=True, autoincrement=False),
    Column("facet", Text, primary_key=True),
    _count("videos"),
    _count("youtubers"),
    _count("views"),
    _count("free_products"),
    *(
        Index(
            f"sponsor_facets_{metric}_idx",
            "facet", text(f"{metric} DESC"), "sponsor_id",
            postgresql_where=text(f"{counted} > 0"),
        )
        # Videos may have no views.
        for metric, counted in (("videos", "videos"), ("youtubers", "youtubers"), ("views", "videos"))
    ),
    # Room for new counts beside the old.
    postgresql_with={"fillfactor": 70},
)  # fmt: skip
"""Sums of a sponsor of all time by facet: `content:` and `country:` with a value, `confidence_step:` with a step, `kind:`, and
`kinds:` with a mask of kinds.

The first three count paid work. `confidence_step:` counts a video by the step that its confidence has
reached, and a youtuber by the highest step of any: of a least confidence, those of its step and above
add up. Youtubers do not add up over kinds: `kind:` counts none, and `kinds:` only those who have had
exactly the kinds of its mask. See docs/adr/0081-facets.md.
"""

facet_totals: Final = Table(
    "facet_totals",
    metadata,
    Column("facet", Text, primary_key=True),
    Column("kinds", Text, primary_key=True),
    _count("videos"),
    _count("sponsorships"),
    _count("youtubers"),
    _count("views"),
    postgresql_with={"fillfactor": 70},
)
"""Different videos and youtubers of all sponsors by facet and set of kinds; those of `kinds:` are of the set of all.

Youtubers are counted of paid work, and of `kinds:`.
"""

sponsor_contents: Final = Table(
    "sponsor_contents",
    metadata,
    Column("sponsor_id", BigInteger, primary_key=True, autoincrement=False),
    Column("content", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    _count("videos"),
    # Room for new counts beside the old.
    postgresql_with={"fillfactor": 70},
)
"""Videos of a sponsor of all time by content category and kind."""

category_facets: Final = Table(
    "category_facets",
    metadata,
    Column("category", Text, primary_key=True),
    Column("facet", Text, primary_key=True),
    _count("videos"),
    _count("youtubers"),
    _count("sponsors"),
    postgresql_with={"fillfactor": 70},
)
"""Different videos, youtubers and sponsors of all time in a scope of `category_months`, by what the scope has of them.

`kinds:` has the mask of all of their kinds there, so that those of a choice of kinds are those of the masks that have one
of them; `confidence_step:` counts videos of paid work by the highest step there. Youtubers are counted in scopes of sponsors,
and sponsors in those of content.
"""
