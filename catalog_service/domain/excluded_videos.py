"""A note about the videos that a query excludes because a field that it filters by is unknown."""

from collections.abc import Mapping
from typing import Any, Final

from catalog_service.domain.queries import Ranking, SponsorSearch, SponsorshipFilter, YoutuberSearch
from catalog_service.domain.topics.ports import VideoSearch

_OF_CREATORS: Final = {
    "country": "their creators' countries",
    "category": "their creators' categories",
    "min_subscribers": "their creators' subscribers",
    "max_subscribers": "their creators' subscribers",
}
_BRAND_CATEGORIES: Final = "their brands' categories"
FILTERED_FIELDS: Final[Mapping[type, Mapping[str, str]]] = {
    Ranking: {
        "categories": _BRAND_CATEGORIES,
        "content_category": "their content categories",
        "country": _OF_CREATORS["country"],
    },
    SponsorshipFilter: {
        "country": _OF_CREATORS["country"],
        "status": "the statuses of their relations",
    },
    SponsorSearch: {"categories": _BRAND_CATEGORIES, "country": "their brands' countries"},
    YoutuberSearch: {"sponsored_by_categories": _BRAND_CATEGORIES, **_OF_CREATORS},
    VideoSearch: {
        "content_category": "their content categories",
        "sponsor_categories": _BRAND_CATEGORIES,
    },
}
"""The fields of a query that filter by what may be unknown, and the words for it."""


def note(count: int, query: Any) -> str:
    """Return that so many sponsored videos may match the query, and which of their fields are unknown."""
    fields = dict.fromkeys(
        text
        for kind, names in FILTERED_FIELDS.items()
        if isinstance(query, kind)
        for name, text in names.items()
        if getattr(query, name) is not None
    )
    unknown = " or ".join(fields) or "fields that are filtered by"
    noun = "video" if isinstance(query, VideoSearch) else "sponsored video"
    videos = f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
    return f"{videos} may match too: {unknown} are unknown."
