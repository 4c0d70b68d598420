"""The share of voice of all time by kinds or by a step of confidence, from the sums by facet; equal to that of `by_day`."""

from typing import Any, Final

from sqlalchemy import ARRAY, Text, bindparam, func, literal_column, select

from catalog_service.domain import kinds
from catalog_service.domain.queries import SponsorStatsQuery
from catalog_service.storage.rollups import facet_sums
from catalog_service.storage.rollups.months import total
from catalog_service.storage.rollups.tables import category_facets, sponsor_facets
from catalog_service.storage.stats.share_of_voice import voice
from catalog_service.storage.tables import sponsors

_facets, _different, _s = sponsor_facets.c, category_facets.c, sponsors.c

VOICE: Final = voice(
    select(_facets.sponsor_id, total(_facets.videos).label("videos"))
    .join_from(sponsors, sponsor_facets, _facets.sponsor_id == _s.id)
    .where(
        _s.category == bindparam("category"),
        # The lists of the facets have all of it; others have rows without videos.
        _facets.videos > literal_column("0"),
        _facets.facet == func.any(bindparam("facets", type_=ARRAY(Text))),
    )
    .group_by(_facets.sponsor_id),
    select(total(_different.videos))
    .where(
        _different.category == bindparam("own_scope", type_=Text),
        _different.facet == func.any(bindparam("video_facets", type_=ARRAY(Text))),
    )
    .scalar_subquery(),
)


def values(query: SponsorStatsQuery) -> dict[str, Any] | None:
    """Return the parameters of the facets that a query's conditions are; None if they are none or several."""
    facets = facet_sums.of_confidence(query.min_confidence)
    if not query.is_of_all or (facets is None) == (query.voice_kinds == kinds.PAID):
        return None
    if facets is not None:
        return {"facets": facets, "video_facets": facets} if facets else None
    return {
        "facets": facet_sums.of_kinds(query.voice_kinds),
        "video_facets": kinds.mask_facets(query.voice_kinds),
    }
