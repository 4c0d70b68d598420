"""Organisations, which are accounts, with members, invitations, and the member behind each connection.

A connection, a code and a device that a member approved for an organisation refer to the membership:
without it they cannot be stored, and they end with it.
"""

from alembic import op

revision = "0014"
down_revision = "0013"

_OF_MEMBERS = ("oauth_codes", "oauth_devices", "oauth_grants")

_UP = (
    """
    CREATE TABLE organisations (
        account_id text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
        name text NOT NULL
    )
    """,
    """
    CREATE TABLE memberships (
        organisation_id text REFERENCES organisations (account_id) ON DELETE CASCADE,
        account_id text REFERENCES accounts (id) ON DELETE CASCADE,
        role text NOT NULL CONSTRAINT memberships_role CHECK (role IN ('owner', 'member')),
        joined_at timestamptz NOT NULL,
        PRIMARY KEY (organisation_id, account_id)
    )
    """,
    "CREATE INDEX ix_memberships_account_id ON memberships (account_id)",
    """
    CREATE TABLE invitations (
        invitation_id text PRIMARY KEY,
        organisation_id text NOT NULL REFERENCES organisations (account_id) ON DELETE CASCADE,
        email text NOT NULL,
        role text NOT NULL CONSTRAINT invitations_role CHECK (role IN ('owner', 'member')),
        token_sha256 bytea NOT NULL UNIQUE,
        invited_by text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT invitations_address UNIQUE (organisation_id, email)
    )
    """,
    "CREATE INDEX ix_invitations_expires_at ON invitations (expires_at)",
    "ALTER TABLE api_keys ADD COLUMN created_by text REFERENCES accounts (id) ON DELETE SET NULL",
    """
    ALTER TABLE web_sessions
        ADD COLUMN acting_for text REFERENCES organisations (account_id) ON DELETE SET NULL
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)
    for table in _OF_MEMBERS:
        op.execute(
            f"""
            ALTER TABLE {table} ADD COLUMN member_id text,
                ADD CONSTRAINT {table}_membership FOREIGN KEY (account_id, member_id)
                REFERENCES memberships (organisation_id, account_id) ON DELETE CASCADE
            """
        )
        op.execute(
            f"CREATE INDEX {table}_member ON {table} (account_id, member_id) WHERE member_id IS NOT NULL"
        )


def downgrade() -> None:
    """Delete the organisations, too: without their tables nobody could act for them."""
    op.execute("DELETE FROM accounts WHERE id IN (SELECT account_id FROM organisations)")
    for table in _OF_MEMBERS:
        op.execute(f"ALTER TABLE {table} DROP COLUMN member_id")
    op.execute("ALTER TABLE web_sessions DROP COLUMN acting_for")
    op.execute("ALTER TABLE api_keys DROP COLUMN created_by")
    for table in ("invitations", "memberships", "organisations"):
        op.execute(f"DROP TABLE {table}")
