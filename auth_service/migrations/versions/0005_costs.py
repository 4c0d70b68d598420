"""The ledger itself refuses what costs anything but one request, up or back."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # Of entries to come alone: reading those of before would hold up calls, and one that was forged
    # would hold up the upgrade.
    op.execute(
        r"""
        ALTER TABLE usage_entries ADD CONSTRAINT usage_entries_cost
        CHECK (cost = CASE WHEN right(entry_id, 7) = '\:refund' THEN -1 ELSE 1 END) NOT VALID
        """
    )


def downgrade() -> None:
    op.execute("ALTER TABLE usage_entries DROP CONSTRAINT usage_entries_cost")
