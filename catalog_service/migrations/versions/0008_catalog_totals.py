"""Store the catalogue's totals: channels and videos looked at, the sponsored ones, and their days.

Sponsorships of an unknown field get indexes, by which those that a filter leaves out are counted. The
day of import of what came from a file was that of loading it: it is not known.

Revision ID: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COUNTS = ("youtubers", "sponsored_youtubers", "videos", "sponsored_videos")
_DAYS = ("first_video", "last_video")
_FIELDS = ("content_category", "country", "sponsor_category")
_FROM_FILES = """
UPDATE youtubers SET last_import = NULL
WHERE imported_at IS NULL AND source IN ('video-file', 'channel-list', 'bundled-sample')"""
_FILL = """
UPDATE catalog_state SET
  youtubers = totals.youtubers, sponsored_youtubers = totals.sponsored_youtubers,
  videos = totals.videos, sponsored_videos = totals.sponsored_videos,
  first_video = totals.first_video, last_video = totals.last_video
FROM (
  SELECT count(*) FILTER (WHERE videos_scanned > 0) AS youtubers,
         count(*) FILTER (WHERE sponsored_videos > 0) AS sponsored_youtubers,
         coalesce(sum(videos_scanned), 0) AS videos,
         coalesce(sum(sponsored_videos), 0) AS sponsored_videos,
         min(first_video) AS first_video, max(last_video) AS last_video
  FROM youtubers
) AS totals"""


def upgrade() -> None:
    for name in _COUNTS:
        column = sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)
        op.add_column("catalog_state", column)
    for name in _DAYS:
        op.add_column("catalog_state", sa.Column(name, sa.Date(), nullable=True))
    op.execute(_FILL)
    op.execute(_FROM_FILES)
    # What importers read before they said when: the change that came with it.
    op.execute("UPDATE youtubers SET imported_at = last_import WHERE imported_at IS NULL")
    for name in _FIELDS:
        op.create_index(
            f"sponsorships_unknown_{name}_idx",
            "sponsorships",
            ["published_on", "video_id"],
            postgresql_where=sa.text(f"{name} IS NULL"),
        )


def downgrade() -> None:
    for name in _FIELDS:
        op.drop_index(f"sponsorships_unknown_{name}_idx", "sponsorships")
    for name in (*_DAYS, *_COUNTS):
        op.drop_column("catalog_state", name)
