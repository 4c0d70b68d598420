"""Make the table of events: what the ingest found that somebody may watch for.

Revision ID: 0025
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "catalog_events",
        sa.Column("position", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("sponsor_id", sa.BigInteger(), nullable=False),
        sa.Column("youtuber_id", sa.BigInteger(), nullable=False),
        sa.Column("category", sa.Text()),
        sa.Column("data", JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="catalog_events_pkey"),
        sa.UniqueConstraint("id", name="catalog_events_id_key"),
    )
    op.create_index("catalog_events_at_idx", "catalog_events", ["at"])


def downgrade() -> None:
    op.drop_table("catalog_events")
