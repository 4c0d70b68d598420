"""Videos by day, sponsored or not, and different sponsored videos by category and day.

Revision ID: 0047
"""

import sqlalchemy as sa
from alembic import op

from servicekit.migration.operations import forget_fill

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "video_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("video_days_pkey")),
        postgresql_with={"fillfactor": 70},
    )
    op.add_column(
        "category_days",
        sa.Column("all_videos", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("category_days", "all_videos")
    op.drop_table("video_days")
    forget_fill("0048")
