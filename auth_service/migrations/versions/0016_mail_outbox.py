"""Mails that wait for the mail server, which were in the memory of a process."""

from alembic import op

revision = "0016"
down_revision = "0014"

_UP = (
    """
    CREATE TABLE mail_outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        content bytea NOT NULL,
        due_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX ix_mail_outbox_due_at ON mail_outbox (due_at)",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE mail_outbox")
