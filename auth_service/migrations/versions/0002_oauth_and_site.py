"""OAuth clients, codes, grants, tokens and keys; the site's sessions, mails and pending consents."""

from alembic import op

revision = "0002"
down_revision = "0001"

_ACCOUNT = "text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE"
_UP = (
    """
    CREATE TABLE oauth_clients (
        client_id text PRIMARY KEY,
        source text NOT NULL,
        metadata jsonb NOT NULL,
        fingerprint text NOT NULL,
        secret_sha256 bytea,
        jwks text,
        account_id text REFERENCES accounts (id) ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz
    )
    """,
    """
    CREATE UNIQUE INDEX oauth_clients_public_fingerprint ON oauth_clients (fingerprint)
    WHERE source = 'registration' AND secret_sha256 IS NULL
    """,
    f"""
    CREATE TABLE oauth_codes (
        code_sha256 bytea PRIMARY KEY,
        client_id text NOT NULL,
        account_id {_ACCOUNT},
        scopes text[] NOT NULL,
        resource text NOT NULL,
        redirect_uri text NOT NULL,
        challenge text NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        grant_id text
    )
    """,
    "CREATE INDEX ix_oauth_codes_expires_at ON oauth_codes (expires_at)",
    f"""
    CREATE TABLE oauth_grants (
        grant_id text PRIMARY KEY,
        client_id text NOT NULL,
        account_id {_ACCOUNT},
        scopes text[] NOT NULL,
        resource text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        generation integer NOT NULL,
        last_used_at timestamptz,
        revoked_at timestamptz,
        revoked_because text
    )
    """,
    "CREATE INDEX ix_oauth_grants_client_id ON oauth_grants (client_id)",
    "CREATE INDEX ix_oauth_grants_account_id ON oauth_grants (account_id)",
    """
    CREATE TABLE oauth_refresh_tokens (
        token_sha256 bytea PRIMARY KEY,
        grant_id text NOT NULL REFERENCES oauth_grants (grant_id) ON DELETE CASCADE,
        generation integer NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz
    )
    """,
    "CREATE INDEX ix_oauth_refresh_tokens_grant_id ON oauth_refresh_tokens (grant_id)",
    "CREATE INDEX ix_oauth_refresh_tokens_expires_at ON oauth_refresh_tokens (expires_at)",
    """
    CREATE TABLE oauth_devices (
        device_sha256 bytea PRIMARY KEY,
        user_code text NOT NULL UNIQUE,
        client_id text NOT NULL,
        scopes text[] NOT NULL,
        resource text NOT NULL,
        expires_at timestamptz NOT NULL,
        last_polled_at timestamptz,
        account_id text REFERENCES accounts (id) ON DELETE CASCADE,
        approved boolean,
        finished_at timestamptz
    )
    """,
    "CREATE INDEX ix_oauth_devices_expires_at ON oauth_devices (expires_at)",
    """
    CREATE TABLE oauth_assertions (
        client_id text NOT NULL,
        jti_sha256 bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (client_id, jti_sha256)
    )
    """,
    "CREATE INDEX ix_oauth_assertions_expires_at ON oauth_assertions (expires_at)",
    """
    CREATE TABLE oauth_signing_keys (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kid text NOT NULL UNIQUE,
        sealed_jwk bytea NOT NULL,
        created_at timestamptz NOT NULL,
        active_from timestamptz,
        retired_at timestamptz
    )
    """,
    f"""
    CREATE TABLE web_sessions (
        session_sha256 bytea PRIMARY KEY,
        session_id text NOT NULL UNIQUE,
        account_id {_ACCOUNT},
        user_agent text NOT NULL,
        created_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_web_sessions_account_id ON web_sessions (account_id)",
    "CREATE INDEX ix_web_sessions_expires_at ON web_sessions (expires_at)",
    f"""
    CREATE TABLE mail_tokens (
        token_sha256 bytea PRIMARY KEY,
        account_id {_ACCOUNT},
        purpose text NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_mail_tokens_account_id ON mail_tokens (account_id)",
    f"""
    CREATE TABLE pending_consents (
        nonce_sha256 bytea PRIMARY KEY,
        session_id text NOT NULL REFERENCES web_sessions (session_id) ON DELETE CASCADE,
        account_id {_ACCOUNT},
        parameters jsonb NOT NULL,
        expires_at timestamptz NOT NULL
    )
    """,
    f"""
    CREATE TABLE remembered_consents (
        account_id {_ACCOUNT},
        fingerprint text NOT NULL,
        given_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, fingerprint)
    )
    """,
)
_TABLES = (
    "remembered_consents",
    "pending_consents",
    "mail_tokens",
    "web_sessions",
    "oauth_signing_keys",
    "oauth_assertions",
    "oauth_devices",
    "oauth_refresh_tokens",
    "oauth_grants",
    "oauth_codes",
    "oauth_clients",
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"DROP TABLE {table}")
