"""The channels that accounts follow, and what came of the last check of a channel's feed.

Whoever had a channel imported follows it. How many an account may follow is not known here: the auth service pauses what
is beyond its limit. The default of `max_followed` is for imports that were asked for before this version, or of a worker that
has not been replaced yet.
"""

from alembic import op

revision = "0007"
down_revision = "0006"

_UP = (
    """
    CREATE TABLE follows (
        account_id text NOT NULL,
        channel_id text NOT NULL REFERENCES imported_channels (channel_id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        paused boolean NOT NULL DEFAULT false,
        PRIMARY KEY (account_id, channel_id)
    )
    """,
    "CREATE INDEX follows_newest ON follows (account_id, created_at DESC, channel_id DESC)",
    "CREATE INDEX follows_active ON follows (channel_id) WHERE NOT paused",
    """
    INSERT INTO follows (account_id, channel_id, created_at)
    SELECT requests.account_id, imports.channel_id, min(requests.created_at)
    FROM import_requests AS requests
    JOIN imports ON imports.id = requests.import_id
    JOIN imported_channels USING (channel_id)
    WHERE requests.cancelled_at IS NULL AND imports.state = 'done'
    GROUP BY requests.account_id, imports.channel_id
    """,
    "ALTER TABLE import_requests ADD COLUMN max_followed integer NOT NULL DEFAULT 1000",
    "ALTER TABLE bulk_imports ADD COLUMN max_followed integer NOT NULL DEFAULT 1000",
    """
    ALTER TABLE imported_channels
        ADD COLUMN last_check_at timestamptz,
        ADD COLUMN check_problem text
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    op.execute("ALTER TABLE imported_channels DROP COLUMN last_check_at, DROP COLUMN check_problem")
    op.execute("ALTER TABLE bulk_imports DROP COLUMN max_followed")
    op.execute("ALTER TABLE import_requests DROP COLUMN max_followed")
    op.execute("DROP TABLE follows")
