"""Pushed authorization requests, and the keys that codes and refresh tokens are bound to."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE oauth_pushed_requests (
            uri_sha256 bytea PRIMARY KEY,
            client_id text NOT NULL,
            parameters jsonb NOT NULL,
            is_opened boolean NOT NULL,
            expires_at timestamptz NOT NULL
        )
        """
    )
    op.execute(
        "CREATE INDEX ix_oauth_pushed_requests_expires_at ON oauth_pushed_requests (expires_at)"
    )
    op.execute("ALTER TABLE oauth_codes ADD COLUMN thumbprint text")
    op.execute("ALTER TABLE oauth_refresh_tokens ADD COLUMN thumbprint text")


def downgrade() -> None:
    op.execute("ALTER TABLE oauth_refresh_tokens DROP COLUMN thumbprint")
    op.execute("ALTER TABLE oauth_codes DROP COLUMN thumbprint")
    op.execute("DROP TABLE oauth_pushed_requests")
