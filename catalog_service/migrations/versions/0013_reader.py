"""Sponsorships say which second reader confirmed or found them.

Revision ID: 0013
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sponsorships ADD COLUMN reader text")


def downgrade() -> None:
    op.execute("ALTER TABLE sponsorships DROP COLUMN reader")
