"""Calls by day, tool and credential with their errors and latencies; where sessions began."""

from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE calls_daily (
            account_id text NOT NULL,
            day date NOT NULL,
            tool text NOT NULL,
            credential_id text NOT NULL,
            calls bigint NOT NULL,
            errors bigint NOT NULL,
            latencies bigint[] NOT NULL,
            PRIMARY KEY (account_id, day, tool, credential_id)
        )
        """
    )
    op.execute(
        "CREATE TABLE call_batches (batch_id text PRIMARY KEY, expires_at timestamptz NOT NULL)"
    )
    op.execute("ALTER TABLE web_sessions ADD COLUMN address text NOT NULL DEFAULT ''")


def downgrade() -> None:
    op.execute("ALTER TABLE web_sessions DROP COLUMN address")
    op.execute("DROP TABLE call_batches")
    op.execute("DROP TABLE calls_daily")
