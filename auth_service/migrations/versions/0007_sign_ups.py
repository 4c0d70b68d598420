"""Sign-ups that wait for their mailed link, work for after an answer, and departed accounts.

Accounts that never were confirmed stay as they are: no login opens them, and whoever confirms a
sign-up with their address gets them.
"""

from alembic import op

revision = "0007"
down_revision = "0006"

_UP = (
    """
    CREATE TABLE sign_ups (
        sign_up_id text PRIMARY KEY,
        email text NOT NULL,
        password_hash text NOT NULL,
        browser_sha256 bytea NOT NULL,
        token_sha256 bytea UNIQUE,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_sign_ups_email ON sign_ups (email)",
    "CREATE INDEX ix_sign_ups_expires_at ON sign_ups (expires_at)",
    """
    CREATE TABLE deferred_work (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL,
        payload jsonb NOT NULL,
        due_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX ix_deferred_work_due_at ON deferred_work (due_at)",
    """
    CREATE TABLE departures (
        address_hmac bytea PRIMARY KEY,
        account_id text NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in ("departures", "deferred_work", "sign_ups"):
        op.execute(f"DROP TABLE {table}")
