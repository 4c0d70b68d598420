"""Lists of channels that are imported as one job, and the times at which feeds are checked."""

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
    "ALTER TABLE imported_channels ADD COLUMN next_check_at timestamptz",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in ("bulk_import_channels", "bulk_imports"):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE imported_channels DROP COLUMN next_check_at")
