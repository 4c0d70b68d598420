"""Second factors, logins that wait for their code, passkeys, and changes of address."""

from alembic import op

revision = "0013"
down_revision = "0012"

_ACCOUNT = "text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE"
_UP = (
    f"""
    CREATE TABLE totp_secrets (
        account_id {_ACCOUNT} PRIMARY KEY,
        encrypted_secret bytea NOT NULL,
        enabled_at timestamptz NOT NULL,
        last_step bigint NOT NULL
    )
    """,
    f"""
    CREATE TABLE recovery_codes (
        account_id {_ACCOUNT},
        code_sha256 bytea NOT NULL,
        PRIMARY KEY (account_id, code_sha256)
    )
    """,
    f"""
    CREATE TABLE pending_logins (
        secret_sha256 bytea PRIMARY KEY,
        account_id {_ACCOUNT},
        browser_sha256 bytea NOT NULL,
        by text NOT NULL,
        following text NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_pending_logins_account_id ON pending_logins (account_id)",
    "CREATE INDEX ix_pending_logins_expires_at ON pending_logins (expires_at)",
    f"""
    CREATE TABLE passkeys (
        passkey_id text PRIMARY KEY,
        account_id {_ACCOUNT},
        credential_id bytea NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        name text NOT NULL,
        is_synced boolean NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz
    )
    """,
    "CREATE INDEX ix_passkeys_account_id ON passkeys (account_id)",
    """
    CREATE TABLE used_challenges (
        challenge_sha256 bytea PRIMARY KEY,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_used_challenges_expires_at ON used_challenges (expires_at)",
    f"""
    CREATE TABLE email_changes (
        account_id {_ACCOUNT} PRIMARY KEY,
        new_email text NOT NULL,
        session_id text NOT NULL,
        new_token_sha256 bytea NOT NULL UNIQUE,
        old_token_sha256 bytea NOT NULL UNIQUE,
        new_confirmed_at timestamptz,
        old_confirmed_at timestamptz,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_email_changes_expires_at ON email_changes (expires_at)",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in (
        "email_changes",
        "used_challenges",
        "passkeys",
        "pending_logins",
        "recovery_codes",
        "totp_secrets",
    ):
        op.execute(f"DROP TABLE {table}")
