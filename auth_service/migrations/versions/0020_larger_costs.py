"""Calls may count as several requests, up to a hundred."""

from alembic import op

revision = "0020"
down_revision = "0019"
readable_from = "0012"  # the wider constraint takes all that earlier code writes


def upgrade() -> None:
    # Of entries to come alone, as 0005: reading those of before would hold up calls, and they fit.
    op.execute(
        r"""
        ALTER TABLE usage_entries DROP CONSTRAINT usage_entries_cost, ADD CONSTRAINT usage_entries_cost
        CHECK (CASE WHEN right(entry_id, 7) = '\:refund' THEN -cost ELSE cost END BETWEEN 1 AND 100) NOT VALID
        """
    )


def downgrade() -> None:
    op.execute(
        r"""
        ALTER TABLE usage_entries DROP CONSTRAINT usage_entries_cost, ADD CONSTRAINT usage_entries_cost
        CHECK (cost = CASE WHEN right(entry_id, 7) = '\:refund' THEN -1 ELSE 1 END) NOT VALID
        """
    )
