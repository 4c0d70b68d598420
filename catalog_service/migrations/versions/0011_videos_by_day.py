"""Index videos by day: by it the videos and channels of a period are counted.

Revision ID: 0011
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "videos_published_idx",
        "videos",
        ["published_on"],
        postgresql_include=["youtuber_id", "category"],
    )


def downgrade() -> None:
    op.drop_index("videos_published_idx", "videos")
