"""Videos of youtubers by content category.

Revision ID: 0043
"""

import sqlalchemy as sa
from alembic import op

from servicekit.migration.operations import forget_fill

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "youtuber_contents",
        sa.Column("youtuber_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("videos", sa.BigInteger(), nullable=False),
        sa.Column("first_video", sa.Date(), nullable=False),
        sa.Column("last_video", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("youtuber_id", "content", name=op.f("youtuber_contents_pkey")),
        postgresql_with={"fillfactor": 70},
    )
    op.create_index("youtuber_contents_content_idx", "youtuber_contents", ["content"])


def downgrade() -> None:
    op.drop_table("youtuber_contents")
    forget_fill("0044")
