"""Videos know their format, likes, comments and language, and what was observed of them by day.

Revision ID: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_COLUMNS = (
    sa.Column("likes", sa.BigInteger()),
    sa.Column("comments", sa.BigInteger()),
    sa.Column("observed_on", sa.Date()),
    sa.Column("language", sa.Text()),
    sa.Column("broadcast", sa.Text()),
    sa.Column("format", sa.Text(), nullable=False, server_default=sa.text("'unknown'")),
)


def upgrade() -> None:
    for column in _COLUMNS:
        op.add_column("videos", column)
    op.create_table(
        "video_snapshots",
        sa.Column("video_id", sa.BigInteger(), nullable=False),
        sa.Column("observed_on", sa.Date(), nullable=False),
        sa.Column("views", sa.BigInteger()),
        sa.Column("likes", sa.BigInteger()),
        sa.Column("comments", sa.BigInteger()),
        sa.PrimaryKeyConstraint("video_id", "observed_on", name="video_snapshots_pkey"),
        sa.ForeignKeyConstraint(["video_id"], ["videos.id"], name="video_snapshots_video_id_fkey"),
    )


def downgrade() -> None:
    op.drop_table("video_snapshots")
    for column in reversed(_COLUMNS):
        op.drop_column("videos", column.name)
