"""Limits of an account's own, in place of its plan's."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE account_limits (
            account_id text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
            monthly_requests bigint,
            burst_requests integer,
            burst_refill_per_second double precision,
            concurrent_streams integer,
            expires_at timestamptz,
            reason text NOT NULL
        )
        """
    )


def downgrade() -> None:
    op.execute("DROP TABLE account_limits")
