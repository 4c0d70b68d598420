"""Accounts, API keys, usage ledger and audit log."""

from alembic import op

revision = "0001"
down_revision = None

_UP = (
    """
    CREATE TABLE accounts (
        id text PRIMARY KEY,
        email text NOT NULL UNIQUE,
        plan_id text NOT NULL,
        password_hash text,
        is_operator boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        email_confirmed_at timestamptz,
        disabled_at timestamptz
    )
    """,
    """
    CREATE TABLE api_keys (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        sha256 bytea NOT NULL UNIQUE,
        name text NOT NULL,
        masked text NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz
    )
    """,
    "CREATE INDEX ix_api_keys_account_id ON api_keys (account_id)",
    """
    CREATE TABLE usage_entries (
        entry_id text PRIMARY KEY,
        account_id text NOT NULL,
        credential_id text NOT NULL,
        tool text NOT NULL,
        admitted_at timestamptz NOT NULL,
        cost integer NOT NULL
    )
    """,
    "CREATE INDEX ix_usage_entries_admitted_at ON usage_entries (admitted_at)",
    """
    CREATE TABLE usage_daily (
        account_id text NOT NULL,
        day date NOT NULL,
        tool text NOT NULL,
        credential_id text NOT NULL,
        requests bigint NOT NULL,
        PRIMARY KEY (account_id, day, tool, credential_id)
    )
    """,
    """
    CREATE TABLE audit_log (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL,
        event text NOT NULL,
        account_id text,
        actor text NOT NULL,
        detail text NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX audit_log_account ON audit_log (account_id, id)",
    """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the audit log is only added to';
    END
    $$
    """,
    """
    CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """,
)


def upgrade() -> None:
    for statement in _UP:
        op.execute(statement)


def downgrade() -> None:
    for table in ("audit_log", "usage_daily", "usage_entries", "api_keys", "accounts"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP FUNCTION refuse_change")
