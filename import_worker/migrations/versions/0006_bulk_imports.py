"""Lists of channels that are imported as one job, and channels that accounts follow."""

from alembic import op

revision = "0006"
down_revision = "0005"

_UP = (
    """
    CREATE TABLE bulk_imports (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        idempotency_key text,
        since timestamptz,
        max_videos integer,
        max_concurrent integer NOT NULL,
        created_at timestamptz NOT NULL,
        cancelled_at timestamptz,
        finished_at timestamptz,
        retry_at timestamptz,
        CHECK (char_length(idempotency_key) <= 100)
    )
    """,
    """
    CREATE UNIQUE INDEX bulk_imports_by_key ON bulk_imports (account_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL
    """,
    """
    CREATE UNIQUE INDEX bulk_imports_one_unfinished ON bulk_imports (account_id)
    WHERE finished_at IS NULL
    """,
    "CREATE INDEX bulk_imports_newest ON bulk_imports (account_id, created_at DESC)",
    """
    CREATE TABLE bulk_import_channels (
        bulk_import_id text NOT NULL REFERENCES bulk_imports (id) ON DELETE CASCADE,
        position integer NOT NULL,
        reference text NOT NULL,
        channel_id text,
        title text,
        import_id text REFERENCES imports (id) ON DELETE SET NULL,
        attempts integer NOT NULL DEFAULT 0,
        failure text,
        PRIMARY KEY (bulk_import_id, position)
    )
    """,
    """
    CREATE INDEX bulk_import_channels_by_import ON bulk_import_channels (import_id)
    WHERE import_id IS NOT NULL
    """,
    """
    CREATE TABLE followed_channels (
        account_id text NOT NULL,
        channel_id text NOT NULL,
        title text NOT NULL,
        followed_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, channel_id)
    )
    """,
    "CREATE INDEX followed_channels_by_channel ON followed_channels (channel_id)",
    """
    CREATE TABLE channel_checks (
        channel_id text PRIMARY KEY,
        next_check_at timestamptz NOT NULL,
        checked_at timestamptz,
        new_videos_at timestamptz,
        failures integer NOT NULL DEFAULT 0,
        failure text
    )
    """,
    "CREATE INDEX channel_checks_due ON channel_checks (next_check_at)",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in ("channel_checks", "followed_channels", "bulk_import_channels", "bulk_imports"):
        op.execute(f"DROP TABLE {table}")
