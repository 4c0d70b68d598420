"""Ranked lists of each month by views.

Revision ID: 0032
"""

from alembic import op

from servicekit.migration.operations import create_index_concurrently

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index_concurrently(
        "sponsor_months_views_idx", "sponsor_months", "(month, paid_views DESC, sponsor_id)"
    )
    create_index_concurrently(
        "sponsor_months_category_views_idx",
        "sponsor_months",
        "(sponsor_category, month, paid_views DESC, sponsor_id)",
    )


def downgrade() -> None:
    op.drop_index("sponsor_months_category_views_idx", "sponsor_months")
    op.drop_index("sponsor_months_views_idx", "sponsor_months")
