"""The creator's own disclosure of paid promotion, and the part of a video that is about a brand.

Revision ID: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_SEGMENT = {"segment_start": sa.Integer, "segment_end": sa.Integer, "segment_source": sa.Text}


def upgrade() -> None:
    op.add_column("videos", sa.Column("paid_promotion_disclosed", sa.Boolean, nullable=True))
    for name, kind in _SEGMENT.items():
        op.add_column("sponsorships", sa.Column(name, kind, nullable=True))


def downgrade() -> None:
    for name in _SEGMENT:
        op.drop_column("sponsorships", name)
    op.drop_column("videos", "paid_promotion_disclosed")
