"""Runs of the detector over all stored videos, what they changed, and segments of viewers."""

from alembic import op

revision = "0003"
down_revision = "0002"

_UP = (
    "ALTER TABLE imported_videos ADD COLUMN sponsor_segments text, ADD COLUMN sponsorships text",
    """
    CREATE TABLE detection_runs (
        id text PRIMARY KEY,
        dry_run boolean NOT NULL,
        only_outdated boolean NOT NULL,
        automatic boolean NOT NULL,
        state text NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled')),
        detector_version text,
        created_at timestamptz NOT NULL,
        finished_at timestamptz,
        CHECK ((state IN ('done', 'cancelled')) = (finished_at IS NOT NULL))
    )
    """,
    """
    CREATE UNIQUE INDEX detection_runs_one_unfinished ON detection_runs ((true))
    WHERE state IN ('queued', 'running')
    """,
    "CREATE INDEX detection_runs_newest ON detection_runs (created_at DESC)",
    """
    CREATE TABLE detection_run_channels (
        run_id text NOT NULL REFERENCES detection_runs (id) ON DELETE CASCADE,
        channel_id text NOT NULL,
        state text NOT NULL CHECK (state IN ('pending', 'queued', 'done', 'failed')),
        videos_total integer NOT NULL,
        videos_done integer NOT NULL DEFAULT 0,
        videos_incomparable integer NOT NULL DEFAULT 0,
        after_video text NOT NULL DEFAULT '',
        failure text,
        PRIMARY KEY (run_id, channel_id)
    )
    """,
    """
    CREATE TABLE detection_run_changes (
        run_id text NOT NULL REFERENCES detection_runs (id) ON DELETE CASCADE,
        video_id text NOT NULL,
        slug text NOT NULL,
        name text NOT NULL,
        change text NOT NULL CHECK (change IN ('added', 'removed', 'changed')),
        PRIMARY KEY (run_id, video_id, slug)
    )
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in ("detection_run_changes", "detection_run_channels", "detection_runs"):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE imported_videos DROP COLUMN sponsor_segments, DROP COLUMN sponsorships")
