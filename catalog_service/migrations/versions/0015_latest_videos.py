"""Store the day of each channel's fifth newest video, by which relations have lapsed.

Revision ID: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
readable_from = "0015"  # no earlier code looks for this
branch_labels = None
depends_on = None

_FILL = """
UPDATE youtubers SET latest_videos_since = (
  SELECT published_on FROM videos WHERE videos.youtuber_id = youtubers.id
  ORDER BY published_on DESC, videos.id DESC OFFSET 4 LIMIT 1
)
WHERE videos_scanned >= 5"""


def upgrade() -> None:
    op.add_column("youtubers", sa.Column("latest_videos_since", sa.Date(), nullable=True))
    op.execute(_FILL)


def downgrade() -> None:
    op.drop_column("youtubers", "latest_videos_since")
