"""Statements that remove videos with all that is stored about them."""

from typing import Final

from sqlalchemy import TextClause, text

_OF_KEYS: Final = "video_key = ANY(CAST(:keys AS text[]))"
_OF_VIDEOS: Final = "video_id IN (SELECT id FROM videos WHERE key = ANY(CAST(:keys AS text[])))"
_LOG: Final = (
    "INSERT INTO correction_log (actor, action, report_id, video_key, sponsor_slug, detail) "
)

LOCK_VIDEOS: Final = text(
    "SELECT key, youtuber_id, published_on FROM videos WHERE key = ANY(CAST(:keys AS text[])) ORDER BY id FOR UPDATE"
)
"""The videos of `keys`. No report of them can be made until the end of the transaction, nor after it."""

REMOVE_VIDEOS: Final[tuple[TextClause, ...]] = (
    text(
        f"{_LOG} SELECT 'import', 'report_removed', id, video_key, reported_slug, "  # noqa: S608 - constants of ours
        "jsonb_build_object('kind', kind, 'state', state, 'brand', brand, 'proposed', proposed_kind) "
        f"FROM sponsorship_reports WHERE {_OF_KEYS} ORDER BY id"
    ),
    text(
        f"{_LOG} SELECT 'import', 'correction_removed', report_id, video_key, slug, "  # noqa: S608 - constants of ours
        "jsonb_build_object('action', action, 'kind', kind, 'corrected_by', corrected_by) "
        f"FROM sponsorship_corrections WHERE {_OF_KEYS} ORDER BY number"
    ),
    text(f"DELETE FROM sponsorship_corrections WHERE {_OF_KEYS}"),  # noqa: S608 - constants of ours
    text(f"DELETE FROM sponsorship_reports WHERE {_OF_KEYS}"),  # noqa: S608 - constants of ours
    text(f"DELETE FROM video_texts WHERE {_OF_VIDEOS}"),  # noqa: S608 - constants of ours
    text(f"DELETE FROM video_snapshots WHERE {_OF_VIDEOS}"),  # noqa: S608 - constants of ours
    text(f"DELETE FROM video_aliases WHERE {_OF_VIDEOS}"),  # noqa: S608 - constants of ours
    text("DELETE FROM videos WHERE key = ANY(CAST(:keys AS text[]))"),
)
"""For the `keys` of videos whose sponsorships are gone. Reports and decisions about them go as well, and are in the correction log."""
