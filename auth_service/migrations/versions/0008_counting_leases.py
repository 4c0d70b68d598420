"""One authority that counts calls for all gateways, and their leases on it."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE counting
            ADD COLUMN counted_by text NOT NULL DEFAULT '',
            ADD COLUMN is_open boolean NOT NULL DEFAULT false,
            ADD COLUMN timeline text NOT NULL DEFAULT ''
        """
    )
    op.execute(
        """
        CREATE TABLE gateway_leases (
            gateway_id text PRIMARY KEY,
            renewed_at timestamptz NOT NULL,
            epoch text NOT NULL,
            valkey text NOT NULL
        )
        """
    )


def downgrade() -> None:
    op.execute("DROP TABLE gateway_leases")
    op.execute(
        "ALTER TABLE counting DROP COLUMN counted_by, DROP COLUMN is_open, DROP COLUMN timeline"
    )
