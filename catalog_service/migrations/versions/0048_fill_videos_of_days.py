"""Fill the videos by day, sponsored or not, and the different sponsored videos by category and day.

No import may run by earlier code from here on: it would not bring them up to date (docs/operations.md, "Upgrade").

Revision ID: 0048
"""

from alembic import op

from servicekit.migration.operations import fill_in_batches

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

# The groups of sponsor categories as they are at this revision.
GROUPS = {
    "tech": ("security", "software", "ai", "hosting", "electronics", "telecom"),
    "gaming": ("games", "gaming-gear"),
    "money": ("finance", "crypto"),
    "lifestyle": (
        "food", "health", "beauty", "fashion", "home", "travel", "automotive", "pets", "toys", "sports-outdoors", "instruments",
    ),
    "media": ("streaming", "audio-books", "events"),
    "betting": (),
    "growth": ("education", "careers"),
    "commerce": ("retail", "services", "delivery"),
    "other": (),
}  # fmt: skip
SCOPES = ", ".join(
    str(pair)
    for pair in [
        ("", ""),
        *(
            (category, scope)
            for group, members in GROUPS.items()
            for category in (group, *members)
            for scope in sorted({"", category, group})
        ),
    ]
)
_DAYS = f"""
WITH counted AS (
  SELECT scope, day, count(*) AS videos
  FROM (SELECT DISTINCT scope, video_id, published_on AS day
        FROM sponsorships
        JOIN (VALUES {SCOPES}) AS named(category, scope) ON named.category = coalesce(sponsor_category, '')
        WHERE video_id BETWEEN :first AND :last) AS video
  GROUP BY 1, 2
), sponsored AS (
  UPDATE category_days AS held SET all_videos = held.all_videos + counted.videos
  FROM counted WHERE held.category = counted.scope AND held.day = counted.day
)
INSERT INTO video_days AS held (day, videos)
SELECT published_on, count(*) FROM videos WHERE id BETWEEN :first AND :last GROUP BY 1
ON CONFLICT (day) DO UPDATE SET videos = held.videos + excluded.videos"""  # noqa: S608 - names of ours


def upgrade() -> None:
    fill_in_batches(revision, "videos", _DAYS, batch_rows=20_000)


def downgrade() -> None:
    op.execute("DELETE FROM video_days")
    op.execute("UPDATE category_days SET all_videos = 0")
