"""Deliveries of tests of a channel, which are of no watch."""

from alembic import op

revision = "0022"
down_revision = "0021"
readable_from = "0012"  # code of the last release knows no alerts


def upgrade() -> None:
    op.execute("ALTER TABLE alert_deliveries ALTER COLUMN watch_id DROP NOT NULL")


def downgrade() -> None:
    op.execute("DELETE FROM alert_deliveries WHERE watch_id IS NULL")
    op.execute("ALTER TABLE alert_deliveries ALTER COLUMN watch_id SET NOT NULL")
