"""Store the catalogue's totals: channels and videos looked at, the sponsored ones, and their days.

Revision ID: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0004"
branch_labels = None
depends_on = None

_COUNTS = ("youtubers", "sponsored_youtubers", "videos", "sponsored_videos")
_DAYS = ("first_video", "last_video")
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


def downgrade() -> None:
    for name in (*_DAYS, *_COUNTS):
        op.drop_column("catalog_state", name)
