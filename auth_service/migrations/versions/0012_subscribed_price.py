"""The price of a subscription, which may be an earlier one of its plan."""

from alembic import op

revision = "0012"
down_revision = "0011"
readable_from = "0012"  # no earlier code looks for this


def upgrade() -> None:
    op.execute("ALTER TABLE billing_customers ADD COLUMN price_id text")


def downgrade() -> None:
    op.execute("ALTER TABLE billing_customers DROP COLUMN price_id")
