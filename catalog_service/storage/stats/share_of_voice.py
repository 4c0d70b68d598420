"""The share of a sponsor among those of its category."""

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, ScalarSelect, bindparam, func, select

from catalog_service.storage.columns import AnySelect
from catalog_service.storage.rollups.months import total


def voice(each: AnySelect, videos: ScalarSelect[Any] | ColumnElement[Any]) -> AnySelect:
    """Select sponsorships and different `videos` of all, those of the sponsor `number`, and its rank.

    `each` gives `videos` by `sponsor_id`; a sponsor without any may be left out.
    """
    by_sponsor = each.cte("by_sponsor")
    sponsor_videos = func.coalesce(
        select(by_sponsor.c.videos)
        .where(by_sponsor.c.sponsor_id == bindparam("number", type_=BigInteger))
        .scalar_subquery(),
        0,
    )
    return select(
        total(by_sponsor.c.videos).label("category_sponsorships"),
        videos.label("category_videos"),
        sponsor_videos.label("videos"),
        (func.count().filter(by_sponsor.c.videos > sponsor_videos) + 1).label("rank"),
    )
