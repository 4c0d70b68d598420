"""Imports, who asked for them, what they read, and the queue of jobs."""

from typing import Any

from alembic import op
from procrastinate.schema import SchemaManager

revision = "0001"
down_revision = None

_UP = (
    """
    CREATE TABLE imports (
        id text PRIMARY KEY,
        channel_id text NOT NULL,
        reference text NOT NULL,
        title text NOT NULL,
        source text NOT NULL,
        since timestamptz,
        max_videos integer,
        state text NOT NULL
            CHECK (state IN ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled')),
        message text NOT NULL,
        page text,
        walked integer NOT NULL DEFAULT 0,
        walk_ended boolean NOT NULL DEFAULT false,
        videos_seen integer NOT NULL DEFAULT 0,
        videos_total integer,
        sponsorships integer NOT NULL DEFAULT 0,
        run integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        retry_at timestamptz,
        cancel_requested_at timestamptz,
        dead_reason text,
        CHECK ((state IN ('done', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
        CHECK ((state = 'waiting') = (retry_at IS NOT NULL))
    )
    """,
    """
    CREATE UNIQUE INDEX imports_one_unfinished ON imports (channel_id)
    WHERE state IN ('queued', 'running', 'waiting')
    """,
    "CREATE INDEX imports_dead ON imports (finished_at) WHERE state = 'failed'",
    """
    CREATE TABLE import_requests (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id text NOT NULL,
        import_id text NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
        idempotency_key text,
        joined boolean NOT NULL,
        created_at timestamptz NOT NULL,
        cancelled_at timestamptz
    )
    """,
    """
    CREATE UNIQUE INDEX import_requests_key ON import_requests (account_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL
    """,
    "CREATE INDEX import_requests_account ON import_requests (account_id, import_id)",
    "CREATE INDEX import_requests_import ON import_requests (import_id)",
    """
    CREATE TABLE import_brands (
        import_id text NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        videos integer NOT NULL,
        PRIMARY KEY (import_id, slug)
    )
    """,
    """
    CREATE TABLE import_videos (
        import_id text NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
        video_id text NOT NULL,
        PRIMARY KEY (import_id, video_id)
    )
    """,
    """
    CREATE TABLE imported_videos (
        video_id text PRIMARY KEY,
        channel_id text NOT NULL,
        title text NOT NULL,
        description text NOT NULL,
        published_at timestamptz NOT NULL,
        category integer,
        duration integer,
        views bigint,
        language text,
        declares_placement boolean,
        text_sha256 text NOT NULL,
        detector_version text NOT NULL,
        found text NOT NULL,
        brand_slugs text[] NOT NULL,
        brand_names text[] NOT NULL,
        read_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX imported_videos_channel ON imported_videos (channel_id, video_id)",
    "CREATE INDEX imported_videos_newest ON imported_videos (channel_id, published_at DESC)",
    "CREATE INDEX imported_videos_version ON imported_videos (detector_version, channel_id)",
    """
    CREATE TABLE imported_channels (
        channel_id text PRIMARY KEY,
        reference text NOT NULL,
        title text NOT NULL,
        account_id text,
        last_import_at timestamptz NOT NULL,
        next_refresh_at timestamptz
    )
    """,
    "CREATE INDEX imported_channels_reference ON imported_channels (reference)",
    "CREATE INDEX imported_channels_due ON imported_channels (next_refresh_at)",
)
_TABLES = (
    "imported_channels",
    "imported_videos",
    "import_videos",
    "import_brands",
    "import_requests",
    "imports",
)
_QUEUE_TABLES = (
    "procrastinate_events",
    "procrastinate_periodic_defers",
    "procrastinate_jobs",
    "procrastinate_workers",
)
_QUEUE_TYPES = (
    "procrastinate_job_to_defer_v1",
    "procrastinate_job_event_type",
    "procrastinate_job_status",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)
    # By the driver itself: these are several statements, with colons and percent signs in them.
    driver: Any = op.get_bind().connection.driver_connection
    driver.execute(SchemaManager.get_schema())


def downgrade() -> None:
    for table in (*_QUEUE_TABLES, *_TABLES):
        op.execute(f"DROP TABLE {table} CASCADE")
    op.execute(
        """
        DO $$
        DECLARE one regprocedure;
        BEGIN
            FOR one IN SELECT oid::regprocedure FROM pg_proc WHERE proname LIKE 'procrastinate\\_%'
            LOOP EXECUTE 'DROP FUNCTION ' || one || ' CASCADE';
            END LOOP;
        END
        $$
        """
    )
    for name in _QUEUE_TYPES:
        op.execute(f"DROP TYPE {name}")
