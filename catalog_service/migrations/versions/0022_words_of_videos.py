"""Make a table of the words of titles and descriptions, by which videos are found.

Revision ID: 0022
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "video_texts",
        sa.Column("video_id", sa.BigInteger(), nullable=False),
        sa.Column("config", sa.Text(collation="C"), nullable=False),
        sa.Column("words", TSVECTOR(), nullable=False),
        sa.Column("has_description", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("video_id", name="video_texts_pkey"),
        sa.ForeignKeyConstraint(["video_id"], ["videos.id"], name="video_texts_video_id_fkey"),
    )
    op.create_index("video_texts_words_idx", "video_texts", ["words"], postgresql_using="gin")


def downgrade() -> None:
    op.drop_table("video_texts")
