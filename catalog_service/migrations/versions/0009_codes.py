"""Find sponsorships by the beginning of their promo code.

Revision ID: 0009
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX sponsorships_code_idx ON sponsorships (upper(code) text_pattern_ops) "
        "WHERE code IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX sponsorships_code_idx")
