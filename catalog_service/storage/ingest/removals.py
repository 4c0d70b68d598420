"""Statements that remove videos with all that is known of them."""

from typing import Final

from sqlalchemy import TextClause, text

_OF_KEYS: Final = "(SELECT id FROM videos WHERE key = ANY(CAST(:keys AS text[])))"
_HAS_REPORT: Final = (
    "(EXISTS (SELECT 1 FROM sponsorship_reports AS r WHERE r.video_key = v.key) "
    "OR EXISTS (SELECT 1 FROM sponsorship_corrections AS c WHERE c.video_key = v.key))"
)

REMOVE_VIDEOS: Final[tuple[TextClause, ...]] = (
    text(f"DELETE FROM video_texts WHERE video_id IN {_OF_KEYS}"),  # noqa: S608 - constants of ours
    text(f"DELETE FROM video_snapshots WHERE video_id IN {_OF_KEYS}"),  # noqa: S608 - constants of ours
    # What operators decided holds again when the video is shown again, and a report belongs to who made it.
    text(
        "UPDATE videos AS v SET title = NULL, title_hash = NULL, views = NULL, likes = NULL, comments = NULL, "  # noqa: S608 - constants of ours
        "observed_on = NULL, disclosure_words = NULL, digest = '' "
        f"WHERE key = ANY(CAST(:keys AS text[])) AND {_HAS_REPORT}"
    ),
    text(
        "DELETE FROM video_aliases WHERE video_id IN "  # noqa: S608 - constants of ours
        f"(SELECT id FROM videos AS v WHERE key = ANY(CAST(:keys AS text[])) AND NOT {_HAS_REPORT})"
    ),
    text(
        f"DELETE FROM videos AS v WHERE key = ANY(CAST(:keys AS text[])) AND NOT {_HAS_REPORT}"  # noqa: S608 - constants of ours
    ),
)
"""For the `keys` of videos without sponsorships. One that was reported or corrected stays, without what its source told of it."""
