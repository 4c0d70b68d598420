"""Responses of a second reader by the hash of the text, and the requests that channels cost."""

from alembic import op

revision = "0004"
down_revision = "0003"
readable_from = "0004"  # no earlier code looks for this

_UP = (
    """
    CREATE TABLE reader_responses (
        key text PRIMARY KEY,
        model text NOT NULL,
        mentions text NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX reader_responses_created ON reader_responses (created_at)",
    """
    CREATE TABLE reader_requests (
        channel_id text NOT NULL,
        day date NOT NULL,
        requests integer NOT NULL,
        PRIMARY KEY (channel_id, day)
    )
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE reader_requests")
    op.execute("DROP TABLE reader_responses")
