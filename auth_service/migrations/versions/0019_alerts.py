"""Watches, the channels that they go to, and their deliveries."""

from alembic import op

revision = "0019"
down_revision = "0018"

_UP = (
    """
    CREATE TABLE alert_channels (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        kind text NOT NULL,
        name text NOT NULL,
        content bytea NOT NULL,
        digest text NOT NULL,
        created_at timestamptz NOT NULL,
        confirmed_at timestamptz,
        failing_since timestamptz,
        disabled_at timestamptz
    )
    """,
    "CREATE INDEX alert_channels_account ON alert_channels (account_id)",
    """
    CREATE TABLE alert_watches (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        about text NOT NULL,
        subject_id text NOT NULL,
        subject_name text NOT NULL,
        kinds text[] NOT NULL,
        channel_id text NOT NULL REFERENCES alert_channels (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        CONSTRAINT alert_watches_key UNIQUE (account_id, about, subject_id, channel_id)
    )
    """,
    "CREATE INDEX alert_watches_subject ON alert_watches (about, subject_id)",
    "CREATE INDEX alert_watches_channel ON alert_watches (channel_id)",
    """
    CREATE TABLE alert_deliveries (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text NOT NULL UNIQUE,
        channel_id text NOT NULL REFERENCES alert_channels (id) ON DELETE CASCADE,
        watch_id text NOT NULL REFERENCES alert_watches (id) ON DELETE CASCADE,
        event_id text NOT NULL,
        kind text NOT NULL,
        event_at timestamptz NOT NULL,
        data jsonb NOT NULL,
        state text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        due_at timestamptz,
        CONSTRAINT alert_deliveries_key UNIQUE (watch_id, event_id)
    )
    """,
    "CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'pending'",
    "CREATE INDEX alert_deliveries_pending ON alert_deliveries (watch_id, number) WHERE state = 'pending'",
    "CREATE INDEX alert_deliveries_channel ON alert_deliveries (channel_id, number)",
    "CREATE INDEX alert_deliveries_created ON alert_deliveries (created_at)",
    """
    CREATE TABLE alert_attempts (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        delivery_number bigint NOT NULL REFERENCES alert_deliveries (number) ON DELETE CASCADE,
        at timestamptz NOT NULL,
        status integer,
        response text NOT NULL,
        error text NOT NULL,
        milliseconds integer NOT NULL
    )
    """,
    "CREATE INDEX alert_attempts_delivery ON alert_attempts (delivery_number, number)",
    "CREATE TABLE alert_positions (source text PRIMARY KEY, position bigint NOT NULL)",
)
_TABLES = (
    "alert_positions",
    "alert_attempts",
    "alert_deliveries",
    "alert_watches",
    "alert_channels",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"DROP TABLE {table}")
